package gcs

import "github.com/lancecommit/lancecommit/backends"

var _ backends.Located = (*Store)(nil)

// URLs implements [backends.Located].
func (s *Store) URLs() []string { return []string{"gs://" + s.reads.BucketName() + "/"} }
