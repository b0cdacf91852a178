package azure

import (
	"net/url"
	"path"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

var _ backends.Located = (*Store)(nil)

// URLs implements [backends.Located]. The spelling with the account is there
// where the client's URL has the account in its host.
func (s *Store) URLs() []string {
	// New has parsed it.
	u, err := url.Parse(s.container.URL())
	if err != nil {
		return nil
	}
	name := path.Base(u.Path)
	urls := []string{"az://" + name + "/", "azblob://" + name + "/"}
	if account, domain, ok := strings.Cut(u.Hostname(), ".blob."); ok {
		urls = append(urls, "abfss://"+name+"@"+account+".dfs."+domain+"/")
	}
	return urls
}
