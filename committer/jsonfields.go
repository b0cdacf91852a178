package committer

import (
	"bytes"
	"encoding/json"
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
// only as they are written, changes no text, and refuses what is given twice or
// is null inside a list or a map. Its error, an [*InvalidRequestError], names
// every field that is wrong; the others are read.
func decodeFields(data []byte, into any, unknown *UnknownFields) error {
	wrong := readFields(data, into, unknown)
	return wrong.orNil()
}

// readFields is decodeFields for callers that add to the error.
func readFields(data []byte, into any, unknown *UnknownFields) (wrong InvalidRequestError) {
	*unknown = nil
	members, ok := wrong.members("", data)
	if !ok {
		wrong.add("", "it is not a JSON object")
		return wrong
	}
	value := reflect.ValueOf(into).Elem()
	for i := range value.NumField() {
		name, ok := fieldName(value.Type().Field(i))
		raw, given := members[name]
		if !ok || !given {
			continue
		}
		delete(members, name)
		if !isNull(raw) {
			wrong.decode(name, raw, value.Field(i))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		wrong.checkText(shownName(name), members[name])
	}
	if len(members) > 0 {
		*unknown = members
	}
	return wrong
}

// members reads the members of the JSON object at a path, and adds the names that
// come twice, since what checks a request before us may have looked at another
// one than we do, and those that are no text. It is false for what is no object.
func (e *InvalidRequestError) members(path string, data []byte) (members map[string]json.RawMessage, isObject bool) {
	if !json.Valid(data) {
		return nil, false
	}
	in := json.NewDecoder(bytes.NewReader(data))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	members = make(map[string]json.RawMessage)
	for in.More() {
		begin := in.InputOffset()
		token, err := in.Token()
		if err != nil {
			return nil, false
		}
		name, _ := token.(string)
		written := bytes.TrimLeft(data[begin:in.InputOffset()], ", \t\r\n")
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, false
		}
		if fault := textFault(written); fault != "" {
			e.add(joinPath(path, shownName(string(written[1:len(written)-1]))), "its name %s", fault)
			continue
		}
		if _, there := members[name]; there {
			e.add(joinPath(path, shownName(name)), "it is given twice")
		}
		members[name] = value
	}
	return members, true
}

// fieldName returns the name of a field in JSON.
func fieldName(f reflect.StructField) (string, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, name != "" && name != "-"
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

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
