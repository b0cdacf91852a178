package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress returns a function that shows how far a command is, as a bar on
// standard error where that is a terminal, and one that ends it.
func (a *app) progress(doing string) (show func(done, total int), end func()) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || a.json {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	show = func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(doing),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	end = func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
	return show, end
}
