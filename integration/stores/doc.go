// Package stores holds the tests that every kind of store runs: memory, disk, the
// servers of package servers, which LANCECOMMIT_SERVERS chooses, and a store of
// whoever runs the tests, which LANCECOMMIT_STORE names (package own). They open
// stores by location and options, as users do, and some by a client of their own.
package stores
