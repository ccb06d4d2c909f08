package rehearse

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Text of a rehearsal, for people: a line for each thing that is done, with what there is then, and what comes out.
func (r Rehearsal) Text(to io.Writer) error {
	var b strings.Builder

	for _, line := range r.before() {
		b.WriteString(wrapped(line, 2) + "\n") //nolint:mnd // The indent.
	}

	for _, s := range r.Steps {
		at := fmt.Sprintf("%3d  %7s  ", s.Number, s.At)

		for i, line := range s.lines() {
			if i > 0 {
				at = strings.Repeat(" ", len(at))
			}

			b.WriteString(at + wrapped(line, len(at)+2) + "\n")
		}
	}

	if len(r.Steps) > 0 {
		b.WriteString("\n")
	}

	for _, line := range slices.Concat(r.Verdict.lines(), r.warnings(), r.sums()) {
		b.WriteString(wrapped(line, 4) + "\n") //nolint:mnd // The indent.
	}

	_, err := io.WriteString(to, b.String())

	return errors.Wrap(err, "cannot print")
}

// Markdown of a rehearsal, for a comment on a pull request: the verdict, and the steps folded.
func (r Rehearsal) Markdown(to io.Writer) error {
	var b strings.Builder

	b.WriteString("### Rehearsal\n\n")

	for _, line := range slices.Concat(r.before(), r.Verdict.lines(), r.warnings(), r.sums()) {
		b.WriteString("- " + strings.TrimSpace(cell(line)) + "\n")
	}

	if len(r.Steps) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n| step | after | what happens | away | etcd |\n| --- | --- | --- | --- | --- |\n", counted(len(r.Steps), "step"))

		for _, s := range r.Steps {
			what := []string{}
			for _, line := range slices.Concat(s.Done, s.Moves, waitLines(s.Waits)) {
				what = append(what, cell(line))
			}

			fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", s.Number, s.At, strings.Join(what, "<br>"), cell(strings.Join(s.Away, ", ")), cell(votes(s.Etcd)))
		}

		b.WriteString("\n</details>\n")
	}

	_, err := io.WriteString(to, b.String())

	return errors.Wrap(err, "cannot print")
}

// cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", "<br>", "<", "&lt;").Replace(text)
}

// before the edit, where there is something to say of that.
func (r Rehearsal) before() []string {
	var out []string

	if !r.Before.Rests {
		out = append(out, "Without the edit it does not come to rest: what follows begins in the middle of something.")
	}

	if len(r.Before.Done) > 0 {
		out = append(out, "Before the edit: "+strings.Join(r.Before.Done, "; ")+".")
	}

	for _, w := range together(r.Before.Waits) {
		out = append(out, "Waits already: "+w.String())
	}

	return out
}

// lines of a step.
func (s Step) lines() []string {
	out := slices.Concat(s.Done, s.Moves, waitLines(s.Waits))

	var then []string

	if len(s.Away) > 0 {
		then = append(then, "away: "+strings.Join(s.Away, ", "))
	}

	for _, e := range s.Etcd {
		if e.isTold() {
			then = append(then, strings.Replace("etcd: "+votesAmong(len(s.Etcd), e), "etcd: "+e.Cluster, "etcd of "+e.Cluster, 1))
		}
	}

	if len(then) > 0 {
		out = append(out, "  "+strings.Join(then, "; "))
	}

	return out
}

func waitLines(waits []Wait) []string {
	var out []string
	for _, w := range together(waits) {
		out = append(out, "waits: "+w.String())
	}

	return out
}

// together are waits with one for all machines that say the same, in the place of the first one; its machine has all the names.
func together(waits []Wait) []Wait {
	var out []Wait

	for _, w := range waits {
		i := slices.IndexFunc(out, func(o Wait) bool {
			o, like := ofAnyNode(o), ofAnyNode(w)
			o.Machine = like.Machine
			return o == like && w.Message != ""
		})
		if i < 0 {
			out = append(out, w)
			continue
		}

		machines := out[i].Machine + ", " + w.Machine
		out[i] = ofAnyNode(w)
		out[i].Machine = machines
	}

	return out
}

// ofAnyNode is a wait that names no single node of spec.nodes where it names its own.
func ofAnyNode(w Wait) Wait {
	node := w.Machine[strings.LastIndex(w.Machine, "/")+1:]
	w.Message = strings.ReplaceAll(w.Message, "spec.nodes["+node+"]", "spec.nodes[]")
	w.Todo = strings.ReplaceAll(w.Todo, "spec.nodes["+node+"]", "spec.nodes[]")

	return w
}

// isWhole says whether all members vote.
func (e Etcd) isWhole() bool { return e.Votes == e.Members }

// isPair says whether there are two members, as on the way between three and one or while one of three is replaced: both vote, and none can be spared.
func (e Etcd) isPair() bool { return e.Members == 2 } //nolint:mnd // A pair.

// votes of clusters; the cluster is named where there are several.
func votes(all []Etcd) string {
	var out []string

	for _, e := range all {
		out = append(out, votesAmong(len(all), e))
	}

	return strings.Join(out, "; ")
}

// votesAmong so many clusters, of one of them.
func votesAmong(clusters int, e Etcd) string {
	text := fmt.Sprintf("%d of %d vote", e.Votes, e.Members)
	if !e.HasMajority() {
		text += ", no majority"
	} else if e.isPair() {
		text += ", none to spare"
	}

	if clusters > 1 {
		text = e.Cluster + ": " + text
	}

	return text
}

// String of a wait: who, why, and what to do.
func (w Wait) String() string {
	out := fmt.Sprintf("%s (%s %s)", w.Machine, w.Condition, w.Reason)
	if w.Message != "" {
		out += ": " + w.Message
	}

	switch {
	case w.Todo == "":
	case strings.Contains(w.Message, "\n"): // A list has lines.
		out += "\nTo do: " + w.Todo
	case strings.HasSuffix(out, "?"):
		out += " To do: " + w.Todo
	default:
		out = strings.TrimRight(out, ".") + ". To do: " + w.Todo
	}

	return out
}

// lines of a verdict.
func (v Verdict) lines() []string {
	var out []string

	switch v.Outcome {
	case Done:
		switch v.Effect {
		case EffectNone:
			out = append(out, "Verdict: done. The edit does nothing.")
		case EffectUnwritten:
			out = append(out, "Verdict: done. Nothing is written of what runs: the edit says the same in other words, or is for later.")
		default:
			out = append(out, fmt.Sprintf("Verdict: done after %s.", v.At))
		}
	case Stopped:
		out = append(out, fmt.Sprintf("Verdict: none. It goes on after %s.", v.At))
	case Waits:
		out = append(out, fmt.Sprintf("Verdict: waits for a person after %s, with %s.", v.At, counted(len(v.Waits), "condition")))
	case Refused:
		out = append(out, "Verdict: refused. What is refused changes nothing; above is what to correct.")
	case Stuck:
		out = append(out, fmt.Sprintf("Verdict: stuck after %s.", v.At))
	}

	for _, what := range v.Without {
		out = append(out, "  Does not reach what runs: "+what)
	}

	for _, cluster := range v.Lost {
		out = append(out, fmt.Sprintf("  The etcd of %s loses its majority.", cluster))
	}

	for _, f := range v.Faults {
		out = append(out, "  must never happen: "+f)
	}

	// The steps have said the others.
	if v.Outcome == Stuck {
		for _, w := range together(v.Waits) {
			out = append(out, "  "+w.String())
		}
	}

	return out
}

// warnings in lines.
func (r Rehearsal) warnings() []string {
	var out []string
	for _, w := range r.Warnings {
		out = append(out, "Warning: "+w)
	}

	return out
}

// sums in lines.
func (r Rehearsal) sums() []string {
	s := r.Sums
	out := []string{fmt.Sprintf("Sums: %s, %d made, %d destroyed.", counted(s.Restarts, "restart"), len(s.Made), len(s.Destroyed)+len(s.DataDestroyed))}

	if len(s.DataDestroyed) > 0 {
		out = append(out, "  Destroyed with data disks: "+strings.Join(s.DataDestroyed, ", ")+".")
	}

	if len(s.LetGo) > 0 {
		out = append(out, "  Stays in Proxmox, and is nobody's: "+strings.Join(s.LetGo, ", ")+".")
	}

	if s.LongestAway > 0 {
		out = append(out, fmt.Sprintf("  Longest out of service: %s, for %s.", s.LongestWho, s.LongestAway))
	}

	if s.NoMajority > 0 {
		out = append(out, fmt.Sprintf("  An API does not answer for %s.", s.NoMajority))
	}

	for _, e := range s.LowestVotes {
		if e.isTold() {
			out = append(out, fmt.Sprintf("  Lowest votes of %s: %d of %d.", e.Cluster, e.Votes, e.Members))
		}
	}

	return out
}

// width of a line of text.
const width = 140

// wrapped text, whose lines but the first are indented. A word that is longer than a line stays whole.
func wrapped(text string, indent int) string {
	var out []string

	for line := range strings.SplitSeq(text, "\n") {
		begin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		rest := begin

		for word := range strings.FieldsSeq(line) {
			if rest != begin && indent+len(rest)+1+len(word) > width {
				out, rest = append(out, rest), begin
			}

			if rest != begin {
				rest += " "
			}

			rest += word
		}

		out = append(out, rest)
	}

	return strings.Join(out, "\n"+strings.Repeat(" ", indent))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}

	return fmt.Sprintf("%d %ss", n, what)
}
