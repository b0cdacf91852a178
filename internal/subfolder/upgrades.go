package subfolder

import (
	"context"
	"errors"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

type overwriter struct {
	in   subfolder
	over backends.Overwriter
}

// Overwrite implements backends.Overwriter.
func (o overwriter) Overwrite(ctx context.Context, key string, body []byte) error {
	return o.in.at("overwrite", key, backends.CheckKey, func(below string) error { return o.over.Overwrite(ctx, below, body) })
}

type bulkDeleter struct {
	in   subfolder
	bulk backends.BulkDeleter
}

// BulkLimit implements backends.BulkDeleter.
func (d bulkDeleter) BulkLimit() int { return d.bulk.BulkLimit() }

// BulkDelete implements backends.BulkDeleter.
func (d bulkDeleter) BulkDelete(ctx context.Context, keys []string) error {
	if err := backends.CheckBulk(keys, d.bulk.BulkLimit(), backends.CheckKey); err != nil {
		return err
	}
	below := make([]string, len(keys))
	for i, key := range keys {
		below[i] = d.in.prefix + key
	}
	err := d.bulk.BulkDelete(ctx, below)
	var partial *backends.PartialDeleteError
	if !errors.As(err, &partial) {
		return d.in.named(err)
	}
	named := &backends.PartialDeleteError{Failed: make([]*backends.Error, len(partial.Failed))}
	for i, failed := range partial.Failed {
		of := *failed
		of.Key = strings.TrimPrefix(of.Key, d.in.prefix)
		named.Failed[i] = &of
	}
	return named
}
