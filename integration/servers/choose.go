package servers

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// EnvChoose is the environment variable that chooses the servers that tests run
// on: names of Kinds with commas between, or "all". Unset or empty, it is none.
const EnvChoose = "LANCECOMMIT_SERVERS"

// A Kind is one of the servers, by the name that EnvChoose knows it by.
type Kind string

// The servers.
const (
	MinIO     Kind = "minio"           // S3
	VersityGW Kind = "versitygw"       // S3, on a folder
	FakeGCS   Kind = "fake-gcs-server" // GCS, in memory
	Azurite   Kind = "azurite"         // Azure Blob Storage
)

// Kinds lists all servers.
func Kinds() []Kind { return []Kind{MinIO, VersityGW, FakeGCS, Azurite} }

func (k Kind) String() string { return string(k) }

// title is the name of k in sentences.
func (k Kind) title() string {
	switch k {
	case MinIO:
		return "MinIO"
	case Azurite:
		return "Azurite"
	default:
		return string(k)
	}
}

// Chosen lists the servers that EnvChoose chooses, in the order of Kinds. A name
// that is none of them is an error that lists the known ones.
func Chosen() ([]Kind, error) { return choose(os.Getenv(EnvChoose)) }

func choose(value string) (chosen []Kind, err error) {
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case name == "all":
			chosen = Kinds()
		case slices.Contains(Kinds(), Kind(name)):
			chosen = append(chosen, Kind(name))
		default:
			return nil, fmt.Errorf("%s=%s: no server %q; there are %s, and all", EnvChoose, value, name, joinKinds())
		}
	}
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !slices.Contains(chosen, k) }), nil
}

func joinKinds() string {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
