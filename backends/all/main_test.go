package all

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Nothing of this machine's own configuration takes part.
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		for _, prefix := range []string{"AWS_", "AZURE_", "GOOGLE_", "STORAGE_"} {
			if strings.HasPrefix(name, prefix) {
				_ = os.Unsetenv(name)
			}
		}
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(name, os.DevNull)
	}
	// Nor does its cloud's, which the SDKs ask for credentials: that of GCS leaves
	// a connection behind where there is one.
	_ = os.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	_ = os.Setenv("GCE_METADATA_HOST", "127.0.0.1:1")
	goleak.VerifyTestMain(m)
}
