package azure

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/lancecommit/lancecommit/internal/answers"
)

// withoutSecrets returns an error that can be shown: one without URLs, whose
// queries hold SAS tokens.
func withoutSecrets(err error) error {
	// The transport puts the URL in front of the cause.
	var sent *url.Error
	for errors.As(err, &sent) {
		err = sent.Err
	}
	if err == nil {
		return errors.New("the request failed")
	}
	text := redact(err.Error())
	if text == err.Error() {
		return err
	}
	shown := &redacted{text: text}
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, cause) {
			shown.cause = cause
		}
	}
	return shown
}

// redacted has the text of an error whose own text must not be shown.
type redacted struct {
	text  string
	cause error
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.cause }

var queries = regexp.MustCompile(`\?[^\s"']*`)

// shown returns what an answer says without what it repeats of the request.
func shown(said string, answer *http.Response) string {
	return redact(answers.WithoutSecrets(said, answer.Request))
}

// redact takes queries and signatures out of a text and makes it one line.
func redact(text string) string {
	// Each 404 of a HEAD has two texts without any of these.
	if strings.Contains(text, "?") {
		text = queries.ReplaceAllString(text, "?…")
	}
	text = answers.WithoutSecrets(text, nil)
	if strings.ContainsFunc(text, unicode.IsSpace) {
		text = strings.Join(strings.Fields(text), " ")
	}
	return text
}
