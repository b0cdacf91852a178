package servers

import (
	"context"
	"path/filepath"
	"strconv"
)

// A recipe says how one server is installed, started and found ready.
type recipe struct {
	version string
	install func(ctx context.Context, work string) error
	// command is what starts the server from its installation folder, to listen
	// on address and keep its data in the folder data.
	command func(folder string, address address, data string) []string
	// environment holds the credentials that the server is to have.
	environment func(s *Server) []string
	// readyPath answers anything but a server error once the server works.
	readyPath string
}

type address struct {
	host string
	port int
}

func (a address) String() string { return a.host + ":" + strconv.Itoa(a.port) }

const (
	minioVersion     = "v0.0.0-20260212201848-7aac2a2c5b7c"
	versitygwVersion = "v1.8.0"
	fakeGCSVersion   = "v1.56.1"
	azuriteVersion   = "3.37.0" // as in azurite/package.json
)

var recipes = map[Kind]recipe{
	MinIO: {
		version: minioVersion,
		install: goInstall("github.com/minio/minio", minioVersion),
		command: func(folder string, at address, data string) []string {
			return []string{filepath.Join(folder, "minio"), "server", "--address", at.String(), data}
		},
		environment: func(s *Server) []string {
			// The web console would listen on a port of its own, on all interfaces.
			return []string{"MINIO_ROOT_USER=" + s.AccessKey, "MINIO_ROOT_PASSWORD=" + s.SecretKey, "MINIO_BROWSER=off"}
		},
		readyPath: "/minio/health/cluster",
	},
	VersityGW: {
		version: versitygwVersion,
		install: goInstall("github.com/versity/versitygw/cmd/versitygw", versitygwVersion),
		command: func(folder string, at address, data string) []string {
			return []string{filepath.Join(folder, "versitygw"), "--port", at.String(), "posix", data}
		},
		environment: func(s *Server) []string {
			return []string{"ROOT_ACCESS_KEY=" + s.AccessKey, "ROOT_SECRET_KEY=" + s.SecretKey}
		},
		readyPath: "/",
	},
	FakeGCS: {
		version: fakeGCSVersion,
		install: goInstall("github.com/fsouza/fake-gcs-server", fakeGCSVersion),
		command: func(folder string, at address, _ string) []string {
			return []string{filepath.Join(folder, "fake-gcs-server"), "-scheme", "http", "-backend", "memory",
				"-host", at.host, "-port", strconv.Itoa(at.port), "-public-host", at.String()}
		},
		environment: func(*Server) []string { return nil },
		readyPath:   "/_internal/healthcheck",
	},
	Azurite: {
		version: azuriteVersion,
		install: npmInstallAzurite,
		command: func(folder string, at address, data string) []string {
			return []string{"node", filepath.Join(folder, "node_modules", "azurite", "dist", "src", "blob", "main.js"),
				"--blobHost", at.host, "--blobPort", strconv.Itoa(at.port), "--location", data,
				"--silent", "--skipApiVersionCheck", "--disableTelemetry"}
		},
		environment: func(*Server) []string { return nil },
		readyPath:   "/",
	},
}
