//go:build !linux && !darwin

package memory

import "errors"

func ownPeak() (int64, error) { return 0, errors.ErrUnsupported }
