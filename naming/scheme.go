package naming

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Bounds of the versions of a chain, both inclusive. Bit 63 marks a detached
// manifest, which belongs to no chain.
const (
	MinVersion uint64 = 1
	MaxVersion uint64 = 1<<63 - 1
)

// ErrVersion says that a number cannot be the version of a chain.
var ErrVersion = errors.New("not a table version")

// ErrScheme says that a text names no naming scheme.
var ErrScheme = errors.New("not a naming scheme")

// A Scheme is one of the two ways to name the manifests of a table. A table has
// one scheme for life; the scheme that is present wins over what a caller asks
// for. The zero value means that the scheme is not known.
type Scheme uint8

// The naming schemes. New tables are V2.
const (
	V1 Scheme = iota + 1
	V2
)

const (
	manifestSuffix = ".manifest"
	v2Digits       = 20
)

// String returns "V1", "V2" or "unknown".
func (s Scheme) String() string {
	switch s {
	case V1:
		return "V1"
	case V2:
		return "V2"
	default:
		return "unknown"
	}
}

// ParseScheme reads "V1" or "V2", the spellings of the Lance Namespace
// specification. Any other text is [ErrScheme].
func ParseScheme(text string) (Scheme, error) {
	switch text {
	case "V1":
		return V1, nil
	case "V2":
		return V2, nil
	default:
		return 0, fmt.Errorf("%w: %q; the schemes are V1 and V2", ErrScheme, text)
	}
}

// CheckVersion returns [ErrVersion] unless version is in MinVersion … MaxVersion.
func CheckVersion(version uint64) error {
	switch {
	case version < MinVersion:
		return fmt.Errorf("%w: %d; versions start at %d", ErrVersion, version, MinVersion)
	case version > MaxVersion:
		return fmt.Errorf("%w: %d has bit 63 set, which marks a detached manifest; the last version is %d",
			ErrVersion, version, MaxVersion)
	}
	return nil
}

// Final returns the name of the manifest of a version in _versions/. It encodes
// any number; [CheckVersion] says which ones belong to a chain. An unknown
// scheme is written as V2.
func (s Scheme) Final(version uint64) string {
	var name [v2Digits + len(manifestSuffix)]byte
	return string(s.AppendFinal(name[:0], version))
}

// AppendFinal appends the name that [Scheme.Final] returns to b.
func (s Scheme) AppendFinal(b []byte, version uint64) []byte {
	if s == V1 {
		b = strconv.AppendUint(b, version, 10)
	} else {
		var digits [v2Digits]byte
		number := strconv.AppendUint(digits[:0], math.MaxUint64-version, 10)
		for range v2Digits - len(number) {
			b = append(b, '0')
		}
		b = append(b, number...)
	}
	return append(b, manifestSuffix...)
}

// Detached returns the name of a detached manifest: its number as it is, behind
// a "d". Lance sets bit 63 of such numbers.
func Detached(version uint64) string {
	return detachedPrefix + strconv.FormatUint(version, 10) + manifestSuffix
}

// Staging returns the name under which a manifest waits beside the others until
// it is published as final. The uuid makes it unique.
func Staging(final, uuid string) string {
	return final + "-" + uuid
}
