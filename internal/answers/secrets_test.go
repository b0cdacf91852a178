package answers_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/answers"
)

func TestWhatAServerRepeatsOfARequestIsShownWithoutItsCredentials(t *testing.T) {
	const (
		aws    = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6"
		token  = "IQoJb3JpZ2luX2VjEJr+/w=="
		shared = "SharedKey account:4Kx8ZpQw/c1l+a0="
		sas    = "sv=2026-02-06&sr=c&sig=4Kx8ZpQw%2Fc1l%2Ba0%3D"
	)
	request := func(query string, header ...string) *http.Request {
		r := &http.Request{URL: &url.URL{Scheme: "https", Host: "store", Path: "/bucket/key", RawQuery: query}, Header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		return r
	}
	for _, tc := range []struct {
		name string
		sent *http.Request
		said string
		want string
	}{
		{"nothing of it", request(sas, "Authorization", aws), "the bucket does not exist", "the bucket does not exist"},
		{"its signature in whole", request("", "Authorization", aws), "you sent " + aws + " to me", "you sent … to me"},
		{"its signature alone", request("", "Authorization", aws), "I computed 00 and not 5d672d79c15b13162d9279b0855cfba6.", "I computed 00 and not …."},
		{"its session token", request("", "X-Amz-Security-Token", token), "expired: " + token, "expired: …"},
		{"its session token, escaped", request("", "X-Amz-Security-Token", token), "expired: " + url.QueryEscape(token), "expired: …"},
		{"its shared key", request("", "Authorization", shared), "no such signature 4Kx8ZpQw/c1l+a0=", "no such signature …"},
		{"its SAS token", request(sas), "GET /bucket/key?" + sas, "GET /bucket/key?sv=2026-02-06&sr=c&sig=…"},
		{"its SAS token, decoded", request(sas), "the signature is 4Kx8ZpQw/c1l+a0=", "the signature is …"},
		{"its signature, escaped in another way", request("", "Authorization", shared), "no such signature 4Kx8ZpQw&#47;c1l&#43;a0&#61;", "no such signature …&#47;c1l&#43;a0&#61;"},
		{"an id with the account", request("", "Authorization", shared), "account:1", "account:1"},
		{"a bearer token that is not known", nil, "Authorization: Bearer ya29.a0AfB_byC, denied", "Authorization: Bearer …, denied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, answers.WithoutSecrets(tc.said, tc.sent))
		})
	}
}
