package answers

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// hidden stands for what is not shown.
const hidden = "…"

// Headers and parameters of a query in which requests carry credentials.
var (
	secretHeaders = []string{"Authorization", "Proxy-Authorization", "X-Amz-Security-Token", "X-Amz-S3session-Token"}
	secretQueries = regexp.MustCompile(`(?i)(?:^|&)(?:sig|x-amz-signature|x-amz-security-token|x-goog-signature|access_token)=([^&]*)`)
)

// named are credentials that can be told by what stands before them.
var named = regexp.MustCompile(`(?i)\b((?:sig|signature|accountkey|security-token)(?:=|%3d)|(?:bearer|sharedkey)[=: ])\s*[^\s"'&;,<>]+`)

// WithoutSecrets returns what a server says without the credentials of the request
// that it answers: some repeat what they were sent. Sent is nil where it is not
// known; then only what is named as a credential can be told.
func WithoutSecrets(text string, sent *http.Request) string {
	if text == "" {
		return ""
	}
	for _, secret := range secretsOf(sent) {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return named.ReplaceAllString(text, "${1}"+hidden)
}

// secretsOf returns the credentials of a request in all forms in which they can be
// repeated.
func secretsOf(sent *http.Request) (secrets []string) {
	if sent == nil {
		return nil
	}
	add := func(secret string) {
		if secret != "" {
			secrets = append(secrets, secret, url.QueryEscape(secret), url.PathEscape(secret))
		}
	}
	for _, name := range secretHeaders {
		for _, value := range sent.Header.Values(name) {
			add(value)
			add(signatureOf(value))
		}
	}
	if sent.URL == nil {
		return secrets
	}
	for _, match := range secretQueries.FindAllStringSubmatch(sent.URL.RawQuery, -1) {
		raw := match[1]
		if raw == "" {
			continue
		}
		secrets = append(secrets, raw)
		if decoded, err := url.QueryUnescape(raw); err == nil {
			add(decoded)
		}
	}
	return secrets
}

// signatureOf returns the last part of an Authorization: what follows "Signature="
// on S3, the account's name on Azure, and the word Bearer elsewhere.
func signatureOf(authorization string) string {
	last := authorization[strings.LastIndexByte(authorization, ' ')+1:]
	last = strings.TrimPrefix(last, "Signature=")
	return last[strings.LastIndexByte(last, ':')+1:]
}
