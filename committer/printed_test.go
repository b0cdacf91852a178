package committer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

const secret = "s3cr3t"

var (
	secretIdentity = &committer.Identity{
		APIKey: secret, AuthToken: secret, Unknown: committer.UnknownFields{"new": json.RawMessage(`"` + secret + `"`)},
	}
	secretContext = committer.RequestContext{"header.Authorization": "Bearer " + secret}
	secretUnknown = committer.UnknownFields{"credentials": json.RawMessage(`"` + secret + `"`)}
)

// secretive are values with secrets in every place where there can be one.
func secretive() map[string]any {
	const sas = "az://container/t.lance/_versions/x?sig=" + secret
	entry := committer.CreateTableVersionEntry{ID: tableID, Version: 2, ManifestPath: sas, Metadata: map[string]string{"a": secret}, Unknown: secretUnknown}
	return map[string]any{
		"caller":   committer.Caller{Identity: secretIdentity, Context: secretContext},
		"identity": *secretIdentity,
		"context":  secretContext,
		"unknown":  secretUnknown,
		"create": committer.CreateTableVersionRequest{
			Identity: secretIdentity, Context: secretContext, ID: tableID, Version: 2, ManifestPath: sas,
			Metadata: map[string]string{"a": secret}, Unknown: secretUnknown,
		},
		"entry": entry,
		"batch create": committer.BatchCreateTableVersionsRequest{
			Identity: secretIdentity, Context: secretContext, Entries: []committer.CreateTableVersionEntry{entry}, Unknown: secretUnknown,
		},
		"list":     committer.ListTableVersionsRequest{Identity: secretIdentity, Context: secretContext, ID: tableID, Unknown: secretUnknown},
		"describe": committer.DescribeTableVersionRequest{Identity: secretIdentity, Context: secretContext, ID: tableID, Unknown: secretUnknown},
		"batch delete": committer.BatchDeleteTableVersionsRequest{
			Identity: secretIdentity, Context: secretContext, ID: tableID, Unknown: secretUnknown,
			Ranges: []committer.VersionRange{{Start: 1, End: 2, Unknown: secretUnknown}},
		},
	}
}

// pointerTo returns a pointer to a value.
func pointerTo(value any) any {
	pointer := reflect.New(reflect.TypeOf(value))
	pointer.Elem().Set(reflect.ValueOf(value))
	return pointer.Interface()
}

// requireNoSecret looks for the secret, also in hexadecimal digits and as the
// numbers of its bytes.
func requireNoSecret(t *testing.T, text string, how ...any) {
	t.Helper()
	for _, form := range []string{"%s", "%x", "%X", "% x", "% X", "%#x"} {
		require.NotContains(t, text, fmt.Sprintf(form, secret), how...)
	}
	require.NotContains(t, text, strings.Trim(fmt.Sprint([]byte(secret)), "[]"), how...)
}

func TestPrintedByFmtNoSecretIsShown(t *testing.T) {
	for name, value := range secretive() {
		for _, given := range []any{value, pointerTo(value), []any{value}, struct{ V, P any }{value, pointerTo(value)}} {
			for _, flags := range []string{"", "+", "#", " ", "-", "0", "40", ".3", "+#"} {
				// %w is for errors and %p for pointers: go vet refuses them here.
				for _, verb := range "vsqxXtbcdoOUeEfFgGz" {
					directive := "%" + flags + string(verb)
					requireNoSecret(t, fmt.Sprintf(directive, given), "%s of %s in %T", directive, name, given)
				}
			}
			requireNoSecret(t, fmt.Sprint(given)+fmt.Sprintln(given)+fmt.Sprintf(name, given), name) // it is one too many
			requireNoSecret(t, fmt.Errorf("refused: %v", given).Error(), name)
			requireNoSecret(t, errors.Join(fmt.Errorf("%+v", given)).Error(), name)
			var b strings.Builder
			require.NoError(t, template.Must(template.New("").Parse("{{.}} {{print .}} {{printf `%#v` .}}")).Execute(&b, given))
			requireNoSecret(t, b.String(), name)
		}
	}
}

func TestLoggedBySlogNoSecretIsShown(t *testing.T) {
	var b bytes.Buffer
	opts := &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}
	for name, value := range secretive() {
		for _, given := range []any{value, pointerTo(value)} {
			require.NotEqual(t, slog.KindAny, slog.AnyValue(given).Resolve().Kind(), "for handlers of others: %s as %T", name, given)
			for how, handler := range map[string]slog.Handler{
				"text": slog.NewTextHandler(&b, opts), "JSON": slog.NewJSONHandler(&b, opts),
				"both": slog.NewMultiHandler(slog.NewTextHandler(&b, opts), slog.NewJSONHandler(&b, opts)),
			} {
				b.Reset()
				logger := slog.New(handler)
				logger.Info("x", "asked", given)
				logger.With("asked", given).WithGroup("g").Debug("x", slog.Group("in", "asked", given))
				slog.NewLogLogger(handler, slog.LevelInfo).Printf("%+v", given)
				require.NotEmpty(t, b.String())
				requireNoSecret(t, b.String(), "%s of %s as %T", how, name, given)
				require.NotContains(t, b.String(), "panic")
			}
		}
	}
	b.Reset()
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "callers", []committer.Caller{{Identity: secretIdentity, Context: secretContext}})
	requireNoSecret(t, b.String(), "a caller is not sent anywhere")
}

func TestAContextThatIsPrintedShowsNoCaller(t *testing.T) {
	store := laid(1)
	called := 0
	namespace, _ := inNamespace(store, committer.WithHooks(committer.Hooks{Committed: func(ctx context.Context, _ committer.CommittedInfo) {
		called++
		for _, verb := range []string{"%v", "%+v", "%#v", "%d"} {
			requireNoSecret(t, fmt.Sprintf(verb, ctx), verb)
		}
		caller, ok := committer.CallerFrom(ctx)
		require.True(t, ok)
		require.Equal(t, secret, caller.Identity.APIKey)
	}}))
	req := stage(store, 2, "mine")
	req.Identity, req.Context = secretIdentity, secretContext
	create(t, namespace, req)
	require.Equal(t, 1, called)
}

func TestARequestIsSentWithItsSecrets(t *testing.T) {
	for name, value := range secretive() {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		if name == "caller" {
			requireNoSecret(t, string(text), "a caller is not sent")
			continue
		}
		require.Contains(t, string(text), secret, name)
	}
}

func TestWhatIsNoSecretIsShown(t *testing.T) {
	size := int64(700)
	req := &committer.CreateTableVersionRequest{
		Identity: secretIdentity, Context: secretContext, ID: []string{"t"}, Version: 2, Branch: "exp\n",
		ManifestPath: "_versions/x#y", ManifestSize: &size, Metadata: map[string]string{"b": "", "a": secret}, Unknown: secretUnknown,
	}
	require.Equal(t, `CreateTableVersionRequest{identity=an identity context=a context of [header.Authorization] id=[t] version=2 `+
		`"branch=exp\n" manifest_path=_versions/x#y manifest_size=700 metadata=[a b] unknown_fields=[credentials]}`, req.String())
	require.Equal(t, "a caller with an identity and a context of [header.Authorization]",
		fmt.Sprint(&committer.Caller{Identity: secretIdentity, Context: secretContext}))
	require.Equal(t, "a caller with a context of []", fmt.Sprintf("%#v", committer.Caller{}))

	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "asked", req)
	var logged struct{ Asked map[string]any }
	require.NoError(t, json.Unmarshal(b.Bytes(), &logged))
	require.Equal(t, map[string]any{
		"identity": "an identity", "context": "a context of [header.Authorization]", "id": []any{"t"}, "version": 2.0, "branch": "exp\n",
		"manifest_path": "_versions/x#y", "manifest_size": 700.0, "metadata": []any{"a", "b"}, "unknown_fields": "[credentials]",
	}, logged.Asked)

	many := committer.BatchDeleteTableVersionsRequest{Ranges: make([]committer.VersionRange, 1000)}
	require.Contains(t, many.String(), "and 990 more")
	require.Less(t, len(many.String()), 300)
	require.Equal(t, "<nil>", fmt.Sprint((*committer.CreateTableVersionRequest)(nil)))
}
