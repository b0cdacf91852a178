package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/bench"
)

const (
	chartWidth  = 7 * vg.Inch
	chartHeight = 4.5 * vg.Inch
)

// Names of what the chart shows.
const (
	oneHandleName  = "one handle, goroutines take turns"
	handleEachName = "a handle each, as processes race"
	serialName     = "serial limit: one PUT after the other"
)

// A chartFile is a chart on its way to its name.
type chartFile struct {
	name string
	temp *os.File
}

// newChartFile makes sure, before anything is measured, that the chart can be
// written.
func newChartFile(name string) (*chartFile, error) {
	invalid := func(err error) error { return fmt.Errorf("%w: --svg: %v", committer.ErrInvalid, err) }
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, invalid(fmt.Errorf("%s is not a file", name))
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".lancecommit-*.svg")
	if err != nil {
		return nil, invalid(err)
	}
	return &chartFile{name, temp}, nil
}

// save draws the chart and puts it at its name.
func (c *chartFile) save(place string, report bench.Report) error {
	err := drawBench(c.temp, place, report)
	err = errors.Join(err, c.temp.Chmod(0o644), c.temp.Close())
	if err == nil {
		err = os.Rename(c.temp.Name(), c.name)
	}
	if err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	return nil
}

// discard removes what is not at its name.
func (c *chartFile) discard() {
	_ = c.temp.Close()
	_ = os.Remove(c.temp.Name())
}

// drawBench writes the chart of commits a second against writers as SVG.
func drawBench(w io.Writer, place string, report bench.Report) error {
	p, err := benchPlot(place, report)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	p.Draw(margins(draw.New(canvas)))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Whoever looks at it may not have that font. Arial has the same widths.
	const family = "font-family:Liberation Sans"
	_, err = w.Write(bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")))
	return err
}

// benchPlot makes the chart. It has no more of the place than its scheme.
func benchPlot(place string, report bench.Report) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = "Commits to one Lance table " + kindOfPlace(place)
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = "writers at the same time"
	p.Y.Label.Text = "committed versions a second"
	p.X.Padding, p.Y.Padding = vg.Points(6), vg.Points(6)
	for _, style := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font,
		&p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		style.Variant = "Sans"
	}
	p.Add(gridLines())

	var ticks plot.ConstantTicks
	series := make(map[bench.Form]plotter.XYs)
	var limits plotter.XYs
	most := 0.0
	for _, c := range report.Contention {
		x := math.Log2(float64(c.Writers))
		series[c.Form] = append(series[c.Form], plotter.XY{X: x, Y: c.PerSecond})
		most = max(most, c.PerSecond, c.SerialLimit)
		if c.Form == bench.OneHandle {
			race, _ := report.With(bench.HandleEach, c.Writers)
			limits = append(limits, plotter.XY{X: x, Y: (c.SerialLimit + race.SerialLimit) / 2})
			ticks = append(ticks, plot.Tick{Value: x, Label: strconv.Itoa(c.Writers)})
		}
	}
	for _, one := range []struct {
		form  bench.Form
		name  string
		color color.Color
		glyph draw.GlyphDrawer
	}{
		{bench.OneHandle, oneHandleName, color.RGBA{R: 0, G: 114, B: 178, A: 255}, draw.CircleGlyph{}},
		{bench.HandleEach, handleEachName, color.RGBA{R: 213, G: 94, B: 0, A: 255}, draw.BoxGlyph{}},
	} {
		line, points, err := plotter.NewLinePoints(series[one.form])
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", one.name, err)
		}
		line.Color, line.Width = one.color, vg.Points(2)
		points.Color, points.Shape, points.Radius = one.color, one.glyph, vg.Points(3.5)
		p.Add(line, points)
		p.Legend.Add(one.name, line, points)
	}
	first, last := ticks[0].Value, ticks[len(ticks)-1].Value
	if first == last {
		first, last = first-0.5, last+0.5
		limits = plotter.XYs{{X: first, Y: limits[0].Y}, {X: last, Y: limits[0].Y}}
	}
	limit, err := plotter.NewLine(limits)
	if err != nil {
		return nil, fmt.Errorf("draw the serial limit: %w", err)
	}
	limit.Color, limit.Width, limit.Dashes = color.Gray{Y: 90}, vg.Points(1.5), []vg.Length{vg.Points(6), vg.Points(4)}
	p.Add(limit)
	p.Legend.Add(serialName, limit)

	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, plot.TickerFunc(wholeTicks)
	p.X.Min, p.X.Max = first, last
	// Room for the legend above the lines.
	p.Y.Min, p.Y.Max = 0, most*1.4
	// The signs to the left, so that texts in a wider font do not reach them.
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(3)
	p.Legend.XOffs = vg.Points(8)
	return p, nil
}

// wholeTicks are those of plot, with numbers as short as they can be.
func wholeTicks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i, tick := range ticks {
		if !tick.IsMinor() {
			ticks[i].Label = strconv.FormatFloat(tick.Value, 'g', 6, 64)
		}
	}
	return ticks
}

// margins leaves room around a chart.
func margins(c draw.Canvas) draw.Canvas {
	return draw.Crop(c, vg.Points(8), -vg.Points(16), vg.Points(8), -vg.Points(8))
}

func gridLines() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 225}, color.Gray{Y: 225}
	return grid
}

// kindOfPlace says what kind of store a location is of.
func kindOfPlace(place string) string {
	scheme, _, ok := strings.Cut(place, "://")
	if !ok || scheme == "file" {
		return "on disk"
	}
	return "in an " + scheme + ":// store"
}
