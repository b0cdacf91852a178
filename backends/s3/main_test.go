package s3_test

import (
	"io"
	"log"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// quiet is for servers whose clients go away.
var quiet = log.New(io.Discard, "", 0)

func TestMain(m *testing.M) {
	// Nothing of this machine's own configuration takes part.
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(name, os.DevNull)
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	goleak.VerifyTestMain(m)
}
