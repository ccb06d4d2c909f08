package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Goals for the ratios to the floor, and for what does not depend on it.
const (
	maxMedian    = 1.25
	maxState     = 1.5
	maxLarge     = 200 * time.Millisecond
	maxCPU       = 1.35
	minRate      = 0.75
	maxGarbageKB = 100
	maxStart     = 50 * time.Millisecond
	maxBinaryMiB = 25
)

// A measurement is what function and floor needed.
type measurement struct {
	median, cpu, rate                          pairs // µs, µs a call, calls a second; one pair a round
	start, floorStart                          []time.Duration
	states                                     []stateMeasured
	large                                      []time.Duration
	garbageKB                                  float64
	peakMiB, floorPeakMiB, binaryMiB, floorMiB float64
}

// A stateMeasured has the times of a call in a state, in µs.
type stateMeasured struct {
	what   string
	median pairs
}

// pairs are figures of function and floor that were measured in turns.
type pairs struct{ ours, floors, ratios []float64 }

func (p *pairs) add(ours, floors float64) {
	p.ours, p.floors, p.ratios = append(p.ours, ours), append(p.floors, floors), append(p.ratios, ours/floors)
}

// A row of the table.
type row struct{ what, ours, floor, ratio, goal string }

// rows of the table: medians of all rounds, and in brackets the quarters of the rounds' ratios.
func (m *measurement) rows() []row {
	atMost := func(limit float64) string { return fmt.Sprintf("at most %.2f", limit) }
	ratio := func(p pairs) string {
		return fmt.Sprintf("**%.2f** (%.2f to %.2f)", median(p.ratios), quantile(p.ratios, 0.25), quantile(p.ratios, 0.75))
	}
	pair := func(what, unit string, p pairs, goal string) row {
		return row{what, fmt.Sprintf("%.0f "+unit, median(p.ours)), fmt.Sprintf("%.0f "+unit, median(p.floors)), ratio(p), goal}
	}
	mib := func(f float64) string { return fmt.Sprintf("%.1f MiB", f) }
	ms := func(d time.Duration) string { return fmt.Sprintf("%.0f ms", us(d)/1000) }

	rows := []row{
		pair("one caller, median of a call", "µs", m.median, atMost(maxMedian)),
		pair("one caller, processor time of a call", "µs", m.cpu, atMost(maxCPU)),
		pair(fmt.Sprintf("%d callers, calls a second", callers), "", m.rate, fmt.Sprintf("at least %.2f", minRate)),
		{"garbage of a call, without gRPC", fmt.Sprintf("%.0f kB", m.garbageKB), "", "", fmt.Sprintf("at most %d kB", maxGarbageKB)},
		{"start of the process to the first answer", ms(median(m.start)), ms(median(m.floorStart)), "", "at most " + ms(maxStart)},
		{"peak memory", mib(m.peakMiB), mib(m.floorPeakMiB), "", "none"},
		{"static binary", mib(m.binaryMiB), mib(m.floorMiB), "", fmt.Sprintf("at most %d MiB", maxBinaryMiB)},
	}

	for _, s := range m.states {
		rows = append(rows, pair(s.what, "µs", s.median, atMost(maxState)))
	}

	return append(rows, row{"256 KiB of user-data with 20,000 keys", ms(median(m.large)), "", "", "at most " + ms(maxLarge)})
}

func (m *measurement) table() string {
	var b strings.Builder

	b.WriteString("| | function | floor | ratio | goal |\n| --- | ---: | ---: | ---: | --- |\n")

	for _, r := range m.rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.what, strings.TrimSpace(r.ours), strings.TrimSpace(r.floor), r.ratio, r.goal)
	}

	return b.String()
}

// Where the table is shown.
const (
	performancePage = "../../docs/performance.md"
	tableBegin      = "<!-- bench: make bench -->\n"
	tableEnd        = "<!-- end of bench -->\n"
)

// page is docs/performance.md: the table, and what stands before and after it.
func page(tb testing.TB) (before, table, after string) {
	tb.Helper()

	b, err := os.ReadFile(performancePage)
	must(tb, err)

	before, rest, ok := strings.Cut(string(b), tableBegin)
	table, after, ended := strings.Cut(rest, tableEnd)

	if !ok || !ended {
		tb.Fatalf("%s has no place for the table", performancePage)
	}

	return before, table, after
}

func writeTable(tb testing.TB, table string) {
	tb.Helper()

	before, _, after := page(tb)
	must(tb, os.WriteFile(performancePage, []byte(before+tableBegin+table+tableEnd+after), 0o600))
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median[T float64 | time.Duration](all []T) T { return quantile(all, 0.5) }

// quantile of values; zero where there are none.
func quantile[T float64 | time.Duration](all []T, q float64) T {
	if len(all) == 0 {
		return 0
	}

	return slices.Sorted(slices.Values(all))[int(q*float64(len(all)-1))]
}
