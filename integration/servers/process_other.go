//go:build !linux

package servers

import "os/exec"

func own(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { cmd.Process.Kill() }
