// Package bench measures a store and the commits to it: single requests, each
// call of the committer in turns with the request that it cannot be faster than,
// and writers that update one table at the same time.
//
// It works below a folder of its own, which has a random name, and removes what it
// made, also after an error and after its context has ended.
package bench
