// Package memory measures how much memory a process needs at the most for
// CreateTableVersion of a staged manifest, beside what it needs for a small one.
//
// Each measurement is a process of its own, which is this binary started again:
// the peak of a process never goes down, and the staged manifest is made in
// another process than the one that is measured. The TestMain of a package that
// uses it calls [Main] before all else.
package memory
