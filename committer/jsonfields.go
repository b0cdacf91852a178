package committer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// UnknownFields are members of a JSON object that the specification did not
// have when this was written. They survive being read and written again, and
// nothing else happens to them.
type UnknownFields map[string]json.RawMessage

// decodeFields reads a JSON object into the struct that into points to, and what
// the struct has no field for into unknown. Unlike encoding/json it takes names
// only as they are written, and its error, an [*InvalidRequestError], names every
// field that is wrong.
func decodeFields(data []byte, into any, unknown *UnknownFields) error {
	var wrong InvalidRequestError
	members, twice, err := membersOf(data)
	if err != nil {
		wrong.add("", "it is not a JSON object")
		return &wrong
	}
	for _, name := range twice {
		wrong.add(name, "it is given twice")
	}
	value := reflect.ValueOf(into).Elem()
	for i := range value.NumField() {
		name, ok := fieldName(value.Type().Field(i))
		raw, given := members[name]
		if !ok || !given {
			continue
		}
		delete(members, name)
		if bytes.Equal(raw, []byte("null")) {
			continue
		}
		if err := json.Unmarshal(raw, value.Field(i).Addr().Interface()); err != nil {
			wrong.addDecoding(name, raw, value.Field(i).Type(), err)
		}
	}
	*unknown = nil
	if len(members) > 0 {
		*unknown = members
	}
	return wrong.orNil()
}

// membersOf reads the members of a JSON object, and which names come twice: what
// checks a request before us may have looked at another one than we do.
func membersOf(data []byte) (members map[string]json.RawMessage, twice []string, err error) {
	in := json.NewDecoder(bytes.NewReader(data))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, errors.New("no object")
	}
	members = make(map[string]json.RawMessage)
	for in.More() {
		token, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, nil, err
		}
		if _, there := members[name]; there {
			twice = append(twice, name)
		}
		members[name] = value
	}
	return members, twice, nil
}

// fieldName returns the name of a field in JSON.
func fieldName(f reflect.StructField) (string, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, name != "" && name != "-"
}

// addDecoding says why a field could not be read. A text of the caller's is not
// in it, since it can be a secret; a number that was to be an integer is.
func (e *InvalidRequestError) addDecoding(name string, raw json.RawMessage, want reflect.Type, err error) {
	var inner *InvalidRequestError
	switch {
	case errors.As(err, &inner):
		for _, f := range inner.Fields {
			e.add(strings.TrimSuffix(name+"."+f.Field, "."), "%s", f.Reason)
		}
	case want == reflect.TypeFor[int64](), want == reflect.TypeFor[*int64]():
		shown := []rune(string(raw))
		if len(shown) > 40 {
			shown = append(shown[:40], '…')
		}
		e.add(name, "%s is not an integer of 64 bits", string(shown))
	default:
		e.add(name, "it must be %s", kindText(want))
	}
}

func kindText(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of strings"
		}
		return "a list of objects"
	case reflect.Map:
		return "an object whose values are strings"
	case reflect.Pointer:
		return kindText(t.Elem())
	default:
		return "an object"
	}
}

// encodeFields writes a struct whose fields have JSON names, and unknown fields
// behind them in the order of their names.
func encodeFields(known any, unknown UnknownFields) ([]byte, error) {
	text, err := json.Marshal(known)
	if err != nil || len(unknown) == 0 {
		return text, err
	}
	text = text[:len(text)-1]
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		if !json.Valid(unknown[name]) {
			return nil, fmt.Errorf("%w: the unknown field %q holds no JSON", ErrInvalid, name)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(append(text, quoted...), ':'), unknown[name]...)
	}
	return append(text, '}'), nil
}
