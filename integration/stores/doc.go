// Package stores holds the tests that every kind of store runs: memory, disk and
// the servers of package servers, which LANCECOMMIT_SERVERS chooses. They open
// stores by location and options, as users do.
package stores
