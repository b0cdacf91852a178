package history

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

// Save writes the history to a new folder, as history.txt with one operation a
// line. Where porcupine found no order, history.html shows the part where it
// goes wrong. It returns the folder.
func (r Report) Save() (folder string, err error) {
	folder, err = os.MkdirTemp("", "lancecommit-history-")
	if err != nil {
		return "", err
	}
	if err := r.saveText(filepath.Join(folder, "history.txt")); err != nil {
		return folder, err
	}
	if r.Result != porcupine.Illegal {
		return folder, nil
	}
	part, from := shrink(r.operations)
	m := model(from)
	_, info := porcupine.CheckOperationsVerbose(m, entries(part), shrinkTimeout)
	return folder, porcupine.VisualizePath(m, info, filepath.Join(folder, "history.html"))
}

func (r Report) saveText(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for _, o := range r.operations {
		fmt.Fprintf(w, "%12.3f %12.3f  client %2d  %s\n", milliseconds(o.Call), milliseconds(o.Return), o.Client, o)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
