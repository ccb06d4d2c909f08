package rehearse

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Moment is the world after a step of a rehearsal.
type Moment struct {
	Step       Step   `json:"step"`
	Conditions []Wait `json:"conditions,omitempty"` // Of all machines, that are not as they should be then.
}

// At a step of the rehearsal of an edit. There is an error where it has no such step.
func At(ctx context.Context, in Input, step int) (Moment, error) {
	in.Until = 0

	p, err := begin(ctx, in)
	if err != nil {
		return Moment{}, err
	}

	waits := map[int][]Wait{}

	r, err := p.playWith(func(Before) {}, func(_ *watch, round func()) {
		round()

		waits[p.round] = p.waits()
	})
	if err != nil {
		return Moment{}, err
	}

	if step < 1 || step > len(r.Steps) {
		return Moment{}, errors.Errorf("there is no step %d: the rehearsal has %s", step, counted(len(r.Steps), "step"))
	}

	out := r.Steps[step-1]

	return Moment{Step: out, Conditions: waits[out.Round]}, nil
}

// Text of a moment, for people: what the step does, all machines as they are then, and what is not as it should be.
func (m Moment) Text(to io.Writer) error {
	var b strings.Builder

	fmt.Fprintf(&b, "Step %d, %s after the commit:\n", m.Step.Number, m.Step.At)

	for _, line := range m.Step.lines() {
		b.WriteString("  " + wrapped(line, 4) + "\n") //nolint:mnd // The indent.
	}

	b.WriteString("\n")

	for _, s := range m.Step.Machines {
		fmt.Fprintf(&b, "  %-24s %s %-6d %-12s %s\n", s.Machine, s.guest(), s.VMID, s.Node, s.State)
	}

	for _, e := range m.Step.Etcd {
		fmt.Fprintf(&b, "  etcd of %s: %s\n", e.Cluster, votes([]Etcd{e}))
	}

	if len(m.Conditions) > 0 {
		b.WriteString("\n")
	}

	for _, w := range m.Conditions {
		b.WriteString("  " + wrapped(w.String(), 4) + "\n") //nolint:mnd // The indent.
	}

	_, err := io.WriteString(to, b.String())

	return errors.Wrap(err, "cannot print")
}

// Markdown of a moment: its text, as it is.
func (m Moment) Markdown(to io.Writer) error {
	if _, err := io.WriteString(to, "```text\n"); err != nil {
		return errors.Wrap(err, "cannot print")
	}

	if err := m.Text(to); err != nil {
		return err
	}

	_, err := io.WriteString(to, "```\n")

	return errors.Wrap(err, "cannot print")
}

// Folded is the Markdown of a rehearsal, with all but the verdict folded, to stand below something else.
func (r Rehearsal) Folded(to io.Writer) error {
	verdict := strings.TrimSpace(cell(strings.TrimPrefix(r.Verdict.lines()[0], "Verdict: ")))
	if _, err := fmt.Fprintf(to, "\n<details><summary>Rehearsal: %s</summary>\n\n", verdict); err != nil {
		return errors.Wrap(err, "cannot print")
	}

	if err := r.Markdown(to); err != nil {
		return err
	}

	_, err := io.WriteString(to, "\n</details>\n")

	return errors.Wrap(err, "cannot print")
}
