package rehearse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// folded are ends as rows: equal ones are one, and the worst are first.
func folded(ends []end) []Row {
	var all []alike

	for _, like := range grouped(ends, func(e end) string { return strings.Join([]string{e.fault, e.class, e.signature()}, "\x00") }) {
		all = append(all, alike{rowOf(like), like[0].class, like[0].signature()})
	}

	rows := merged(all)

	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(spareOf(a), spareOf(b)), cmp.Compare(a.Steps[0], b.Steps[0]), cmp.Compare(a.Fault, b.Fault))
	})

	return rows
}

// alike are equal ends as a row.
type alike struct {
	row              Row
	class, signature string
}

// grouped things of one key each, in the order in which the keys come.
func grouped[T any](all []T, key func(T) string) [][]T {
	var (
		out [][]T
		at  = map[string]int{}
	)

	for _, one := range all {
		i, known := at[key(one)]
		if !known {
			i = len(out)
			at[key(one)] = i
			out = append(out, nil)
		}

		out[i] = append(out[i], one)
	}

	return out
}

// signature of an end is what makes it another one.
func (e end) signature() string {
	waits := []string{}

	for _, w := range e.verdict.Waits {
		what := w.Condition
		if e.class == "" {
			what += " " + w.Reason
		}

		if !slices.Contains(waits, what) {
			waits = append(waits, what)
		}
	}

	slices.Sort(waits)

	return fmt.Sprint(e.verdict.Outcome, e.quorum, len(e.sums.DataDestroyed) > 0, len(e.verdict.Faults) > 0, len(e.away) > 0, waits)
}

// rowOf equal ends.
func rowOf(like []end) Row {
	first := like[0]
	out := Row{
		Fault: first.fault, Outcome: first.verdict.Outcome, Quorum: first.quorum, Waits: first.verdict.Waits, Away: first.away, Never: first.verdict.Faults,
	}

	for _, e := range like {
		if !slices.Contains(out.Steps, e.step) {
			out.Steps = append(out.Steps, e.step)
		}

		if e.of != "" && !slices.Contains(out.Of, e.of) {
			out.Of = append(out.Of, e.of)
		}

		out.Sampled = out.Sampled || !slices.Equal(e.verdict.Waits, first.verdict.Waits)
		out.Restarts = max(out.Restarts, e.sums.Restarts)
		out.Lowest = lower(out.Lowest, e.sums.LowestVotes)

		out.Data = append(out.Data, without(e.sums.DataDestroyed, out.Data, identical)...)
		out.Made = append(out.Made, without(e.sums.Made, out.Made, identical)...)
	}

	return out
}

// lower votes of each cluster of two.
func lower(a, b []Etcd) []Etcd {
	out := slices.Clone(a)

	for _, e := range b {
		i := slices.IndexFunc(out, func(o Etcd) bool { return o.Cluster == e.Cluster })

		switch {
		case i < 0:
			out = append(out, e)
		case e.isWorse(out[i]):
			out[i] = e
		}
	}

	return out
}

// merged are rows in which the classes of errors with equal ends at the same steps are one row.
func merged(all []alike) []Row {
	var out []Row

	for _, like := range grouped(all, func(a alike) string {
		if a.class == "" {
			return fmt.Sprint(a.row.Fault, "\x00", a.row.Steps, a.row.Outcome, a.row.Waits, a.row.Quorum)
		}

		return fmt.Sprint(a.row.Fault, ": ", a.row.Steps, a.signature)
	}) {
		row := like[0].row

		var classes []string

		for _, a := range like {
			if a.class != "" {
				classes = append(classes, a.class)
			}

			row.Of = append(slices.Clone(row.Of), without(a.row.Of, row.Of, identical)...)
			row.Sampled = row.Sampled || a.row.Sampled || !slices.Equal(a.row.Waits, row.Waits)
			row.Restarts = max(row.Restarts, a.row.Restarts)
			row.Made = append(slices.Clone(row.Made), without(a.row.Made, row.Made, identical)...)
			row.Lowest = lower(row.Lowest, a.row.Lowest)
		}

		if len(classes) > 0 {
			row.Fault += ": " + listed(classes)
		}

		out = append(out, row)
	}

	return out
}

// rank of a row: the worst is 0.
func (r Row) rank() int {
	harm := 2 * slices.Index([]Outcome{Stuck, Refused, Waits, Done}, r.Outcome) //nolint:mnd // Between two of them is room.

	if r.asWell() {
		harm++
	}

	switch {
	case len(r.Data) > 0 && r.Quorum:
		return harm
	case len(r.Data) > 0, r.Quorum:
		return harm + 10 //nolint:mnd // Behind those.
	default:
		return harm + 20 //nolint:mnd // Behind those.
	}
}

// spareOf the cluster with the fewest votes to spare.
func spareOf(r Row) int {
	least := 0
	for i, e := range r.Lowest {
		if s := spare(e); i == 0 || s < least {
			least = s
		}
	}

	return least
}

// ranges of steps: 1-6, 8.
func ranges(steps []int) string {
	var out []string

	for i := 0; i < len(steps); {
		j := i
		for j+1 < len(steps) && steps[j+1] == steps[j]+1 {
			j++
		}

		text := fmt.Sprint(steps[i])
		if j > i {
			text += fmt.Sprint("-", steps[j])
		}

		out = append(out, text)
		i = j + 1
	}

	return strings.Join(out, ", ")
}

// listed with commas.
func listed(all []string) string { return strings.Join(all, ", ") }
