package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress returns a function that shows how far a command is, as a bar on
// standard error where that is a terminal, and one that ends it.
func (a *app) progress(doing string) (show func(done, total int), end func()) {
	steps, end := a.progressOf(progressbar.OptionSetDescription(doing), progressbar.OptionShowCount())
	if steps == nil {
		return nil, end
	}
	return func(done, total int) { steps("", done, total) }, end
}

// progressOf is as progress, for a command that does one thing after the other.
// What it does, where it is not empty, replaces what is shown.
func (a *app) progressOf(look ...progressbar.Option) (show func(doing string, done, total int), end func()) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || a.json {
		return nil, func() {}
	}
	look = append(look, progressbar.OptionSetWriter(f), progressbar.OptionClearOnFinish())
	var bar *progressbar.ProgressBar
	show = func(doing string, done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total, look...)
		}
		bar.ChangeMax(total)
		_ = bar.Set(done)
		if doing != "" {
			bar.Describe(doing)
		}
	}
	end = func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
	return show, end
}
