package committer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// decode reads the value of the field at a path. What cannot be read is added,
// and the field stays as it is.
func (e *InvalidRequestError) decode(path string, raw json.RawMessage, into reflect.Value) {
	if target, ok := into.Addr().Interface().(json.Unmarshaler); ok {
		e.addInner(path, target.UnmarshalJSON(raw))
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		value := reflect.New(into.Type().Elem())
		before := len(e.Fields)
		e.decode(path, raw, value.Elem())
		if len(e.Fields) == before {
			into.Set(value)
		}
	case reflect.Slice:
		e.decodeList(path, raw, into)
	case reflect.Map:
		e.decodeMap(path, raw, into)
	default:
		if e.checkText(path, raw) {
			if isNull(raw) || json.Unmarshal(raw, into.Addr().Interface()) != nil {
				e.addKind(path, raw, into.Type())
			}
		}
	}
}

// decodeList reads a list, whose members must not be null. Of a list of objects it
// keeps what could be read, so that the rest of each can be judged, too.
func (e *InvalidRequestError) decodeList(path string, raw json.RawMessage, into reflect.Value) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		e.addKind(path, raw, into.Type())
		return
	}
	before := len(e.Fields)
	list := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		e.decode(fmt.Sprintf("%s[%d]", path, i), item, list.Index(i))
		if e.isFull() {
			return
		}
	}
	if len(e.Fields) == before || list.Type().Elem().Kind() == reflect.Struct {
		into.Set(list)
	}
}

// decodeMap reads an object whose values are strings.
func (e *InvalidRequestError) decodeMap(path string, raw json.RawMessage, into reflect.Value) {
	before := len(e.Fields)
	members, ok := e.members(path, raw)
	if !ok {
		e.addKind(path, raw, into.Type())
		return
	}
	entries := reflect.MakeMapWithSize(into.Type(), len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := reflect.New(into.Type().Elem()).Elem()
		e.decode(joinPath(path, shownName(name)), members[name], value)
		entries.SetMapIndex(reflect.ValueOf(name), value)
	}
	if len(e.Fields) == before {
		into.Set(entries)
	}
}

// addInner adds the fields that an object inside names, or the object where its
// error names none.
func (e *InvalidRequestError) addInner(path string, err error) {
	var inner *InvalidRequestError
	if !errors.As(err, &inner) {
		if err != nil {
			// Without the error, which can repeat what was sent.
			e.add(path, "it cannot be read")
		}
		return
	}
	inner.under(path)
	for _, f := range inner.Fields {
		e.add(f.Field, "%s", f.Reason)
	}
}

// addKind says what a field must be. A text of the caller's is not in it, since
// it can be a secret; what was to be an integer is.
func (e *InvalidRequestError) addKind(path string, raw json.RawMessage, want reflect.Type) {
	if want.Kind() == reflect.Int64 {
		e.add(path, "%s is not an integer of 64 bits", cutText(string(raw)))
		return
	}
	e.add(path, "it must be %s", kindText(want))
}

// checkText adds a field whose JSON has text that encoding/json would change,
// silently, and reports whether it has none.
func (e *InvalidRequestError) checkText(path string, raw json.RawMessage) bool {
	fault := textFault(raw)
	if fault != "" {
		e.add(path, "it %s", fault)
	}
	return fault == ""
}

// textFault says what is wrong with the text in valid JSON, empty if nothing is.
func textFault(raw []byte) string {
	if !utf8.Valid(raw) {
		return "is not UTF-8"
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // what is escaped, perhaps a backslash
		unit, ok := escapedUnit(raw[i:])
		if !ok || !utf16.IsSurrogate(unit) {
			continue
		}
		i += len("uXXXX")
		if i == len(raw) || raw[i] != '\\' {
			return halfPair
		}
		second, _ := escapedUnit(raw[i+1:])
		if utf16.DecodeRune(unit, second) == utf8.RuneError {
			return halfPair
		}
		i += len("uXXXX")
	}
	return ""
}

const halfPair = "has half of a surrogate pair, which is no character"

// escapedUnit reads what follows the backslash of an escape \uXXXX.
func escapedUnit(raw []byte) (rune, bool) {
	if len(raw) < len("uXXXX") || raw[0] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[1:len("uXXXX")]), 16, 16)
	return rune(unit), err == nil
}

// joinPath names a field inside another one.
func joinPath(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + "." + inner
}

// shownName is a name that the caller chose, for an error: quoted where it is not
// plain, and not longer than can be read.
func shownName(name string) string {
	name = cutText(name)
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// cutText bounds a text of the caller's.
func cutText(text string) string {
	const most = 40
	count := 0
	for i := range text {
		if count++; count > most {
			return text[:i] + "…"
		}
	}
	return text
}
