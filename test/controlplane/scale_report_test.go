package controlplane

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Where the measurements are shown.
const (
	scalePage  = repository + "/docs/performance.md"
	scaleImage = repository + "/docs/images/scale.svg"
	scaleBegin = "<!-- scale: make scale -->\n"
	scaleEnd   = "<!-- end of scale -->\n"
)

// measurements that were taken, smallest first.
func measurements(t *testing.T) []measurement {
	t.Helper()

	files, err := filepath.Glob("testdata/scale/*.json")
	must(t, err)

	var out []measurement

	for _, file := range files {
		b, err := os.ReadFile(file)
		must(t, err)

		var m measurement
		must(t, json.Unmarshal(b, &m))

		out = append(out, m)
	}

	return out
}

// writeScale shows all measurements that were taken, as a table and as a picture.
func writeScale(t *testing.T) {
	t.Helper()

	all := measurements(t)

	page, err := os.ReadFile(scalePage)
	must(t, err)

	before, rest, ok := strings.Cut(string(page), scaleBegin)
	_, after, ended := strings.Cut(rest, scaleEnd)

	if !ok || !ended {
		t.Fatalf("%s has no place for the table", scalePage)
	}

	must(t, os.WriteFile(scalePage, []byte(before+scaleBegin+scaleTable(all)+scaleEnd+after), 0o644))
	must(t, os.MkdirAll(filepath.Dir(scaleImage), 0o755))
	drawScale(t, all)
}

// scaleTable has a column for each measurement.
func scaleTable(all []measurement) string {
	rows := []struct {
		what string
		cell func(m measurement) string
	}{
		{"claims that exist", func(m measurement) string { return fmt.Sprintf("%d", m.Claims) }},
		{"of them added at once, and measured", func(m measurement) string { return fmt.Sprintf("%d", m.Wave) }},
		{"until these are Ready", func(m measurement) string { return fmt.Sprintf("%.0f s", m.SettleSeconds) }},
		{"**making, for each claim**", func(measurement) string { return "" }},
		{"calls of the function", func(m measurement) string { return fmt.Sprintf("%.1f", m.Making.Calls/float64(m.Wave)) }},
		{"processor time of the function", func(m measurement) string { return milliseconds(m.Making.FunctionSeconds, m.Wave) }},
		{"processor time of Crossplane", func(m measurement) string { return milliseconds(m.Making.CrossplaneSeconds, m.Wave) }},
		{"requests of Crossplane that write", func(m measurement) string { return fmt.Sprintf("%.1f", float64(m.Making.Writes)/float64(m.Wave)) }},
		{"events that Crossplane writes", func(m measurement) string { return fmt.Sprintf("%.1f", float64(m.Making.Events)/float64(m.Wave)) }},
		{"**at rest, for each claim and minute**", func(measurement) string { return "" }},
		{"calls of the function", func(m measurement) string { return perMinute(m.Resting.Calls, m) }},
		{"processor time of the function", func(m measurement) string { return milliseconds(m.Resting.FunctionSeconds*60/m.RestSeconds, m.Claims) }},
		{"processor time of Crossplane", func(m measurement) string {
			return milliseconds(m.Resting.CrossplaneSeconds*60/m.RestSeconds, m.Claims)
		}},
		{"requests of Crossplane that would write, and change nothing", func(m measurement) string { return perMinute(float64(m.Resting.Writes), m) }},
		{"events that Crossplane writes", func(m measurement) string { return perMinute(float64(m.Resting.Events), m) }},
		{"**objects that changed at rest**", func(m measurement) string { return fmt.Sprintf("%d", m.Changed) }},
		{"**memory, at most**", func(measurement) string { return "" }},
		{"function", func(m measurement) string { return fmt.Sprintf("%.0f MiB", m.FunctionMiB) }},
		{"Crossplane", func(m measurement) string { return fmt.Sprintf("%.0f MiB", m.CrossplaneMiB) }},
	}

	var b strings.Builder

	for i, row := range rows {
		b.WriteString("| " + row.what)

		for _, m := range all {
			b.WriteString(" | " + row.cell(m))
		}

		b.WriteString(" |\n")

		if i == 0 {
			b.WriteString("| ---" + strings.Repeat(" | ---:", len(all)) + " |\n")
		}
	}

	return b.String()
}

// makers of a wave, for each of its claims: who writes what, the most first.
func (m measurement) makers() string {
	all := slices.SortedFunc(maps.Keys(m.Makers), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.Makers[b], m.Makers[a]), cmp.Compare(a, b))
	})

	var b strings.Builder

	fmt.Fprintf(&b, "for each of the last %d of %d claims:\n%7.2f calls of the function\n", m.Wave, m.Claims, m.Making.Calls/float64(m.Wave))

	for _, who := range all {
		fmt.Fprintf(&b, "%7.2f %s\n", float64(m.Makers[who])/float64(m.Wave), who)
	}

	return b.String()
}

func milliseconds(seconds float64, claims int) string {
	return fmt.Sprintf("%.0f ms", seconds*1000/float64(claims))
}

func perMinute(n float64, m measurement) string {
	return fmt.Sprintf("%.2f", n*60/m.RestSeconds/float64(m.Claims))
}

// drawScale draws what a claim costs, over the number of claims: a cost that grows with the others would be a line that rises.
func drawScale(t *testing.T, all []measurement) {
	t.Helper()

	p := plot.New()
	p.Title.Text = "What making one claim costs"
	p.X.Label.Text = "claims"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.ConstantTicks(scaleTicks(all))
	p.Y.Min = 0
	p.Legend.Top = true
	p.Add(plotter.NewGrid())

	for i, line := range []struct {
		name string
		of   func(m measurement) float64
	}{
		{"calls of the function", func(m measurement) float64 { return m.Making.Calls }},
		{"function, ms of processor time", func(m measurement) float64 { return m.Making.FunctionSeconds * 1000 }},
		{"requests of Crossplane that write", func(m measurement) float64 { return float64(m.Making.Writes) }},
	} {
		var points plotter.XYs

		for _, m := range all {
			y := line.of(m) / float64(m.Wave)
			points = append(points, plotter.XY{X: float64(m.Claims), Y: y})
			p.Y.Max = math.Max(p.Y.Max, y*1.5)
		}

		l, s, err := plotter.NewLinePoints(points)
		must(t, err)

		l.Color = []color.RGBA{{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}, {R: 0xd6, G: 0x27, B: 0x28, A: 0xff}, {R: 0x2c, G: 0xa0, B: 0x2c, A: 0xff}}[i]
		l.Width = vg.Points(1.5)
		s.Color = l.Color
		p.Add(l, s)
		p.Legend.Add(line.name, l)
	}

	must(t, p.Save(18*vg.Centimeter, 10*vg.Centimeter, scaleImage))
}

func scaleTicks(all []measurement) []plot.Tick {
	var out []plot.Tick
	for _, m := range all {
		out = append(out, plot.Tick{Value: float64(m.Claims), Label: fmt.Sprintf("%d", m.Claims)})
	}

	return out
}
