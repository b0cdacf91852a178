// Package history records what clients of a table asked and were told, and
// checks it against the one rule that explains all others: there is an order of
// the calls, each taking effect at one moment between its beginning and its
// end, in which every answer is that of a chain of versions that only grows.
//
// The check is that of porcupine. [Check] first takes the history down to what
// decides: a chain that only grows makes most reads follow from others. What is
// left of 80 clients can be searched, where all of it could not.
package history
