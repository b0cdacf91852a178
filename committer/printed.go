package committer

import (
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// How requests are printed: without what is secret in them, or can be. Only
// encoding/json, which writes what is sent, shows all.

// String shows the request for logs: without secrets, with no more than the names
// of what is in its identity, context, metadata and unknown fields.
func (r CreateTableVersionRequest) String() string { return printed(r) }

// Format implements fmt.Formatter as String.
func (r CreateTableVersionRequest) Format(f fmt.State, verb rune) { format(f, verb, printed(r)) }

// LogValue is String in attributes.
func (r CreateTableVersionRequest) LogValue() slog.Value { return slog.GroupValue(printedFields(r)...) }

// String is as that of [CreateTableVersionRequest].
func (e CreateTableVersionEntry) String() string { return printed(e) }

// Format implements fmt.Formatter as String.
func (e CreateTableVersionEntry) Format(f fmt.State, verb rune) { format(f, verb, printed(e)) }

// LogValue is String in attributes.
func (e CreateTableVersionEntry) LogValue() slog.Value { return slog.GroupValue(printedFields(e)...) }

// String is as that of [CreateTableVersionRequest].
func (r BatchCreateTableVersionsRequest) String() string { return printed(r) }

// Format implements fmt.Formatter as String.
func (r BatchCreateTableVersionsRequest) Format(f fmt.State, verb rune) { format(f, verb, printed(r)) }

// LogValue is String in attributes.
func (r BatchCreateTableVersionsRequest) LogValue() slog.Value {
	return slog.GroupValue(printedFields(r)...)
}

// String is as that of [CreateTableVersionRequest].
func (r ListTableVersionsRequest) String() string { return printed(r) }

// Format implements fmt.Formatter as String.
func (r ListTableVersionsRequest) Format(f fmt.State, verb rune) { format(f, verb, printed(r)) }

// LogValue is String in attributes.
func (r ListTableVersionsRequest) LogValue() slog.Value { return slog.GroupValue(printedFields(r)...) }

// String is as that of [CreateTableVersionRequest].
func (r DescribeTableVersionRequest) String() string { return printed(r) }

// Format implements fmt.Formatter as String.
func (r DescribeTableVersionRequest) Format(f fmt.State, verb rune) { format(f, verb, printed(r)) }

// LogValue is String in attributes.
func (r DescribeTableVersionRequest) LogValue() slog.Value {
	return slog.GroupValue(printedFields(r)...)
}

// String is as that of [CreateTableVersionRequest].
func (r BatchDeleteTableVersionsRequest) String() string { return printed(r) }

// Format implements fmt.Formatter as String.
func (r BatchDeleteTableVersionsRequest) Format(f fmt.State, verb rune) { format(f, verb, printed(r)) }

// LogValue is String in attributes.
func (r BatchDeleteTableVersionsRequest) LogValue() slog.Value {
	return slog.GroupValue(printedFields(r)...)
}

// String names the fields.
func (u UnknownFields) String() string {
	return "[" + strings.Join(slices.Sorted(maps.Keys(u)), " ") + "]"
}

// Format implements fmt.Formatter as String.
func (u UnknownFields) Format(f fmt.State, verb rune) { format(f, verb, u.String()) }

// LogValue is String.
func (u UnknownFields) LogValue() slog.Value { return slog.StringValue(u.String()) }

// format writes a text for any verb.
func format(f fmt.State, verb rune, text string) {
	if verb == 'v' {
		verb = 's'
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), text)
}

// printed is a request in one line.
func printed(request any) string {
	var b strings.Builder
	b.WriteString(reflect.TypeOf(request).Name())
	b.WriteByte('{')
	for i, field := range printedFields(request) {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := field.String()
		if strings.ContainsFunc(text, unicode.IsControl) {
			text = strconv.Quote(text)
		}
		b.WriteString(text)
	}
	b.WriteByte('}')
	return b.String()
}

// mostPrinted bounds the members of a list that are printed.
const mostPrinted = 10

// printedFields are the fields of a request that have a value.
func printedFields(request any) []slog.Attr {
	var fields []slog.Attr
	value := reflect.ValueOf(request)
	for i := range value.NumField() {
		if field := value.Field(i); !field.IsZero() {
			name, ok := fieldName(value.Type().Field(i))
			if !ok {
				name = "unknown_fields"
			}
			fields = append(fields, slog.Any(name, printedField(name, field)))
		}
	}
	return fields
}

func printedField(name string, field reflect.Value) any {
	switch content := field.Interface().(type) {
	case fmt.Stringer: // identity, context, unknown fields
		return content.String()
	case *int64:
		return *content
	case map[string]string:
		return slices.Sorted(maps.Keys(content))
	case []string:
		return content
	case string:
		if name == "manifest_path" {
			content = withoutQuery(content)
		}
		return content
	}
	if field.Kind() != reflect.Slice {
		return field.Interface()
	}
	var list []string
	for i := range field.Len() {
		if i == mostPrinted {
			list = append(list, "and "+strconv.Itoa(field.Len()-i)+" more")
			break
		}
		list = append(list, fmt.Sprint(field.Index(i).Interface()))
	}
	return list
}

// withoutQuery is the part of a location that can be shown: in a query and in a
// fragment there can be credentials, such as the SAS token of Azure. In a key '?'
// and '#' are characters as any others, unless what follows looks like a query.
func withoutQuery(location string) string {
	end := strings.IndexAny(location, "?#")
	if end < 0 || !strings.Contains(location[:end], ":/") && !strings.Contains(location[end:], "=") {
		return location
	}
	return location[:end] + "…"
}
