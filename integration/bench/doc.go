// Package bench measures what this module costs beside what it is made of: a
// commit beside the bare create of the same bytes, the latest version beside the
// bare listing, and both beside LanceDB. README.md has the command that repeats
// every figure, and the figures.
//
// Everything is measured in turns in the same process, since machines are noisy
// and differ. What is compared is done once each in every turn, in an order by
// chance. A run is the ratio of the medians of several turns, and the result is
// the median of the runs. Throughputs are measured between creates in a row: a
// run is the ratio to the mean of the rates before and after it.
//
// A benchmark fails when its result misses its goal by more than the noise of the
// runs, unless the same requests by the SDK alone miss it, too. Beside those it
// has goals of its own. Nothing is judged where -benchtime gives a number of
// turns, such as 1x, which only shows that the benchmarks work.
package bench
