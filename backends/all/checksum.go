package all

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// The words of the AWS SDK for when it makes and checks checksums.
const (
	whenSupported = "when_supported"
	whenRequired  = "when_required"
)

// chooseChecksum turns the SDK's two words into the one choice that a store has:
// checksums that are not required are sent to AWS only, and checked where they
// are sent.
func (p *s3Place) chooseChecksum() error {
	if p.requests == whenRequired && p.checksum == s3.ChecksumAuto {
		p.checksum = s3.ChecksumNone
	}
	toAmazon := p.Endpoint == "" || isAmazon(p.Endpoint)
	onlyRequired := p.checksum != s3.ChecksumAuto || !toAmazon
	switch {
	case p.requests == whenSupported && p.checksum != s3.ChecksumAuto:
		return fmt.Errorf("%w: the options request_checksum_calculation=when_supported and aws_checksum_algorithm contradict each other; "+
			"leave one out", backends.ErrInvalid)
	case p.requests == whenSupported && onlyRequired:
		return fmt.Errorf("%w: the option request_checksum_calculation=when_supported is for AWS, since other servers refuse what it sends; "+
			"for a checksum set aws_checksum_algorithm=SHA256 or MD5", backends.ErrInvalid)
	case p.responses == whenSupported && onlyRequired:
		return fmt.Errorf("%w: the option response_checksum_validation=when_supported is for AWS and for checksums of the SDK's choice; "+
			"leave it out", backends.ErrInvalid)
	case p.responses == whenRequired && !onlyRequired:
		return fmt.Errorf("%w: the option response_checksum_validation=when_required goes together with "+
			"request_checksum_calculation=when_required; set both", backends.ErrInvalid)
	}
	return nil
}

// isAmazon reports whether an endpoint is of AWS, as those of a VPC are.
func isAmazon(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := "." + strings.ToLower(u.Hostname())
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}
