package rehearse

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Text of faults, for people: the rehearsal, and what becomes of it where something goes wrong.
func (f Faults) Text(to io.Writer) error {
	if err := f.Rehearsal.Text(to); err != nil {
		return err
	}

	var b strings.Builder

	fmt.Fprintf(&b, "\nWhere something goes wrong, in %s:\n", counted(f.Worlds, "world"))

	for _, r := range f.Rows {
		fmt.Fprintf(&b, "\n%s\n", wrapped(fmt.Sprintf("%s, at %s: %s", f.nameOf(r), r.at(), r.comesTo()), 2)) //nolint:mnd // The indent.

		for _, line := range r.lines() {
			b.WriteString("  " + wrapped(line, 4) + "\n") //nolint:mnd // The indent.
		}
	}

	if f.Worlds == 0 {
		b.WriteString("\nThe edit does nothing to a VM or a container, so that nothing is played.\n")
	}

	_, err := io.WriteString(to, b.String())

	return errors.Wrap(err, "cannot print")
}

// Markdown of faults, for a comment on a pull request: the rehearsal, and a table.
func (f Faults) Markdown(to io.Writer) error {
	if err := f.Rehearsal.Markdown(to); err != nil {
		return err
	}

	var b strings.Builder

	fmt.Fprintf(&b, "\n### Where something goes wrong\n\n%s, the worst first.\n\n", counted(f.Worlds, "world"))
	b.WriteString("| fault | steps | comes to | etcd at its lowest | restarts |\n| --- | --- | --- | --- | --- |\n")

	for _, r := range f.Rows {
		what := []string{cell(r.comesTo())}
		if len(r.Made) > 0 {
			what = append(what, cell(r.anew()))
		}

		for _, w := range r.said() {
			what = append(what, cell(w))
		}

		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", cell(f.nameOf(r)), ranges(r.Steps), strings.Join(what, "<br>"), cell(votes(r.Lowest)), r.Restarts)
	}

	_, err := io.WriteString(to, b.String())

	return errors.Wrap(err, "cannot print")
}

// nameOf what goes wrong in a row. It has the machines where another row is of the same kind at one of its steps: what befalls two has two ends there.
func (f Faults) nameOf(r Row) string {
	kind, _, _ := strings.Cut(r.Fault, ": ")

	for _, other := range f.Rows {
		same, _, _ := strings.Cut(other.Fault, ": ")
		if same == kind && !slices.Equal(other.Of, r.Of) && slices.ContainsFunc(r.Steps, func(step int) bool { return slices.Contains(other.Steps, step) }) {
			return kind + " (" + listed(r.Of) + ")" + strings.TrimPrefix(r.Fault, kind)
		}
	}

	return r.Fault
}

// at which steps.
func (r Row) at() string {
	if len(r.Steps) == 1 {
		return "step " + ranges(r.Steps)
	}

	return "steps " + ranges(r.Steps)
}

// comesTo is the end in words.
func (r Row) comesTo() string {
	out := map[Outcome]string{
		Done: "recovers without hands", Waits: "waits for a person", Refused: "is refused", Stuck: "stuck",
	}[r.Outcome]

	if r.asWell() {
		out = "waits for what it waits for without the fault"
	}

	if r.Quorum {
		out += "; a majority of etcd is lost, and not by the fault alone"
	}

	if len(r.Data) > 0 {
		out += "; destroyed with data disks: " + listed(r.Data)
	}

	return out
}

// anew is what is made of the claim where nobody has it any more.
func (r Row) anew() string { return "made anew, with empty disks: " + listed(r.Made) }

// asWell says whether it ends as it does where all goes well, which is with a wait.
func (r Row) asWell() bool { return r.Outcome == Waits && len(r.Waits) == 0 }

// lines below a row.
func (r Row) lines() []string {
	var then []string

	for _, e := range r.Lowest {
		if e.isTold() {
			then = append(then, "etcd at its lowest: "+votes([]Etcd{e}))
		}
	}

	if r.Restarts > 0 {
		then = append(then, counted(r.Restarts, "restart"))
	}

	if len(r.Made) > 0 {
		then = append(then, r.anew())
	}

	if len(r.Away) > 0 {
		then = append(then, "away in the end: "+listed(r.Away))
	}

	out := r.said()
	if len(then) > 0 {
		out = append([]string{strings.Join(then, "; ")}, out...)
	}

	return out
}

// mostSaid are the most waits that a row tells.
const mostSaid = 2

// said is what must never happen, and for what is waited.
func (r Row) said() []string {
	var out []string
	for _, what := range r.Never {
		out = append(out, "must never happen: "+what)
	}

	// The cause comes first, then what says what to do, and last what says that others do.
	waits := ofOneError(r.Waits)
	slices.SortStableFunc(waits, func(a, b Wait) int { return order(a) - order(b) })

	waiting, too := "waits: ", "what is said of %s holds of %s, too"
	if r.Sampled {
		waiting, too = "waits, for instance: ", "what is said of %s holds of %s in the same way"
	}

	for _, w := range waits[:min(len(waits), mostSaid)] {
		out = append(out, waiting+w.short())
	}

	if more := len(waits) - mostSaid; more > 0 {
		out = append(out, "and "+counted(more, "more condition"))
	}

	if len(out) > 0 && len(r.Of) > 1 {
		out = append(out, fmt.Sprintf(too, r.Of[0], listed(r.Of[1:])))
	}

	return out
}

// ofOneError are waits in which machines of which the provider says one thing, such as that their Proxmox node does not answer, are told once: in the words of
// the first one.
func ofOneError(waits []Wait) []Wait {
	says := func(w Wait) string {
		if w.Condition != "ProviderHealthy" {
			return ""
		}

		_, text, _ := strings.Cut(w.Message, "): ") // Behind the managed resources.
		text, _, _ = strings.Cut(text, ". ")

		return text
	}

	var out []Wait

	for _, w := range waits {
		i := slices.IndexFunc(out, func(o Wait) bool { return says(w) != "" && says(o) == says(w) })
		if i < 0 {
			out = append(out, w)
			continue
		}

		out[i].Machine += ", " + w.Machine
	}

	return out
}

func order(w Wait) int {
	switch {
	case w.Condition == "ProviderHealthy": // The cause of all others.
		return 0
	case strings.HasPrefix(w.Todo, "see the conditions"), strings.HasPrefix(w.Todo, "wait"):
		return 3 //nolint:mnd // The last.
	case w.Todo == "":
		return 2 //nolint:mnd // Behind what says what to do.
	default:
		return 1
	}
}

// short is a wait in one line: of a list its first.
func (w Wait) short() string {
	w.Message, _, _ = strings.Cut(w.Message, "\n")
	w.Todo, _, _ = strings.Cut(w.Todo, "\n")

	return w.String()
}
