package answers

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// hidden stands for what is not shown.
const hidden = "…"

// shortestSecret is the least run of letters and digits that a credential has. What
// has less would be found in any text.
const shortestSecret = 6

// Headers and parameters of a query in which requests carry credentials.
var (
	secretHeaders = []string{"Authorization", "Proxy-Authorization", "X-Amz-Security-Token", "X-Amz-S3session-Token"}
	secretQueries = regexp.MustCompile(`(?i)(?:^|&)(?:sig|x-amz-signature|x-amz-security-token|x-goog-signature|access_token)=([^&]*)`)
)

// named are credentials that can be told by what stands before them. No text without
// one of nameEnds has any, nor one that is shorter than shortestNamed.
var named = regexp.MustCompile(`(?i)\b((?:sig|signature|accountkey|security-token)(?:=|%3d)|(?:bearer|sharedkey)[=: ])\s*[^\s"'&;,<>]+`)

const nameEnds, shortestNamed = "=%: ", 12

// WithoutSecrets returns what a server says without the credentials of the request
// that it answers: some repeat what they were sent. Sent is nil where it is not
// known; then only what is named as a credential can be told.
//
// Every answer that is an error goes through here, so it costs little where there is
// nothing to hide.
func WithoutSecrets(text string, sent *http.Request) string {
	if len(text) < shortestSecret {
		return text
	}
	if sent != nil && len(longestWord(text)) >= shortestSecret {
		for _, name := range secretHeaders {
			for _, value := range sent.Header[name] {
				text = without(text, value)
				text = without(text, signatureOf(value))
			}
		}
		if sent.URL != nil && sent.URL.RawQuery != "" {
			for _, match := range secretQueries.FindAllStringSubmatch(sent.URL.RawQuery, -1) {
				text = without(text, match[1])
			}
		}
	}
	if len(text) >= shortestNamed && strings.ContainsAny(text, nameEnds) {
		text = named.ReplaceAllString(text, "${1}"+hidden)
	}
	return text
}

// without takes a secret out of a text, escaped or not.
func without(text, secret string) string {
	// No escape changes letters and digits, so the text has the longest run of them
	// however it spells the secret.
	core := longestWord(secret)
	if len(core) < shortestSecret || !strings.Contains(text, core) {
		return text
	}
	decoded, err := url.QueryUnescape(secret)
	if err != nil {
		decoded = secret
	}
	for _, spelt := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), decoded, url.QueryEscape(decoded)} {
		text = strings.ReplaceAll(text, spelt, hidden)
	}
	return strings.ReplaceAll(text, core, hidden)
}

// longestWord returns the longest run of letters and digits.
func longestWord(text string) (longest string) {
	for at := 0; at < len(text); at++ {
		start := at
		for at < len(text) && inWord[text[at]] {
			at++
		}
		if at-start > len(longest) {
			longest = text[start:at]
		}
	}
	return longest
}

// inWord has the letters and digits.
var inWord = func() (table [256]bool) {
	for c := range table {
		table[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return table
}()

// signatureOf returns the last part of an Authorization: what follows "Signature="
// on S3, the account's name on Azure, and the word Bearer elsewhere.
func signatureOf(authorization string) string {
	last := authorization[strings.LastIndexByte(authorization, ' ')+1:]
	last = strings.TrimPrefix(last, "Signature=")
	return last[strings.LastIndexByte(last, ':')+1:]
}
