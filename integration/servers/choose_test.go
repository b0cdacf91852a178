package servers

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheVariableChoosesServers(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        []Kind
	}{
		{"nothing chooses none", "", []Kind{}},
		{"one name", "minio", []Kind{MinIO}},
		{"several, in whatever order and with spaces", "azurite, minio", []Kind{MinIO, Azurite}},
		{"a name twice is one", "minio,minio", []Kind{MinIO}},
		{"all", "all", []Kind{MinIO, VersityGW, FakeGCS, Azurite}},
		{"all and a name", "azurite,all", []Kind{MinIO, VersityGW, FakeGCS, Azurite}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(EnvChoose, c.value)
			got, err := Chosen()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestAnUnknownServerIsAnErrorThatNamesTheKnownOnes(t *testing.T) {
	for _, value := range []string{"mino", "all,mino", "MinIO"} {
		_, err := choose(value)
		require.ErrorContains(t, err, "there are minio, versitygw, fake-gcs-server, azurite, and all", value)
		require.ErrorContains(t, err, EnvChoose+"="+value)
	}
}

func TestRequireSkipsInOneLineThatSaysHowToChoose(t *testing.T) {
	t.Setenv(EnvChoose, "azurite")
	require.Equal(t, outcome{skipped: "needs MinIO: set LANCECOMMIT_SERVERS=minio or all"},
		outcomeOf(t, func(t testing.TB) { Require(t, MinIO) }))
}

func TestRequireFailsOnAnUnknownNameWhateverIsRequired(t *testing.T) {
	t.Setenv(EnvChoose, "minio,gcs")
	seen := outcomeOf(t, func(t testing.TB) { Require(t, Azurite) })
	require.Empty(t, seen.skipped)
	require.Contains(t, seen.fatal, `no server "gcs"`)
}

func TestRequireFailsWhenAChosenServerCannotBeHad(t *testing.T) {
	defer func(old map[Kind]*slot) { shared.slots = old }(shared.slots)
	shared.slots = nil
	t.Setenv(EnvChoose, "all")
	t.Setenv("PATH", t.TempDir()) // neither go nor npm
	t.Chdir(moduleFolder(t))
	for kind, installer := range map[Kind]string{FakeGCS: `"go"`, Azurite: `"npm"`} {
		seen := outcomeOf(t, func(t testing.TB) { Require(t, kind) })
		require.Empty(t, seen.skipped)
		require.Contains(t, seen.fatal, kind.title()+" is chosen by LANCECOMMIT_SERVERS, but is not to be had")
		require.Contains(t, seen.fatal, installer)
	}
}

// outcome is how a test function ended: by a skip, by a failure, or by neither.
type outcome struct{ skipped, fatal string }

type recordingTB struct {
	testing.TB
	outcome
}

func (r *recordingTB) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recordingTB) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func outcomeOf(t *testing.T, test func(testing.TB)) outcome {
	recording := &recordingTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(recording)
	}()
	<-done
	return recording.outcome
}
