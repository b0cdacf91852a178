package manifest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

// manyFragments is a manifest of 10,000 fragments of one file each, about a megabyte.
func manyFragments() []byte {
	var message []byte
	for i := range 10 {
		message = append(message, data(1, text(2, fmt.Sprintf("column_%d", i)), number(3, uint64(i)), text(5, "int64"))...)
	}
	columns := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for i := range uint64(10_000) {
		name := fmt.Sprintf("%08x-d7f6-43ab-be33-068e25a4895b.lance", i)
		message = append(message, data(2, number(1, i), number(4, 1000),
			data(2, text(1, name), data(2, columns), data(3, columns), number(4, 2), number(6, 123456)))...)
	}
	return file(nil, message, number(3, 7), text(12, "6-b9a7.txn"))
}

func TestValidateAllocatesNothing(t *testing.T) {
	in := manyFragments()
	require.NoError(t, manifest.Validate(in))
	require.Zero(t, testing.AllocsPerRun(3, func() { _ = manifest.Validate(in) }))
}

func BenchmarkValidate(b *testing.B) {
	in := manyFragments()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if err := manifest.Validate(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	in := manyFragments()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manifest.Inspect(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWithVersion(b *testing.B) {
	in := manyFragments()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manifest.WithVersion(in, 8); err != nil {
			b.Fatal(err)
		}
	}
}
