package preview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// A Plan is what becomes of machines.
type Plan struct {
	Machines []MachinePlan `json:"machines"`
	NotNamed []string      `json:"notNamed,omitempty"` // Machines in the same namespaces that are not among the claims.
}

// Has says whether a machine has an effect.
func (p Plan) Has(e Effect) bool {
	return slices.ContainsFunc(p.Machines, func(m MachinePlan) bool { return slices.Contains(m.Effects, e) })
}

// Count the machines in a state.
func (p Plan) Count(s State) int {
	n := 0

	for _, m := range p.Machines {
		if m.State == s {
			n++
		}
	}

	return n
}

// NameOf a claim: its kind and its name, with its namespace.
func (p Configuration) NameOf(c Claim) string {
	kind, namespace, name := p.identity(c.Object)

	return MachinePlan{Kind: kind, Namespace: namespace, Name: name}.title()
}

// NamespaceOf a claim, or of the claim that a composite belongs to; default where it names none, as kubectl has it.
func (p Configuration) NamespaceOf(c Claim) string {
	_, namespace, _ := p.identity(c.Object)

	return namespace
}

func (m MachinePlan) title() string {
	if m.Namespace == "" {
		return m.Kind + " " + m.Name
	}

	return m.Kind + " " + m.Namespace + "/" + m.Name
}

// Write the plan as text, json or markdown.
func (p Plan) Write(w io.Writer, format string, colour bool) error {
	var text string

	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)

		return errors.Wrap(encoder.Encode(p), "cannot write")
	case "markdown":
		text = p.markdown()
	default:
		text = p.text(colour)
	}

	_, err := io.WriteString(w, text)

	return errors.Wrap(err, "cannot write")
}

// words of an effect in a list of changes.
func (e Effect) words() string {
	return map[Effect]string{
		EffectWait: "waits for a reboot", EffectChange: "at once", EffectReboot: "needs a reboot", EffectRefused: "refused",
	}[e]
}

// paint an effect's words on a terminal.
func (e Effect) paint(text string, colour bool) string {
	const (
		red    = "\x1b[31m"
		yellow = "\x1b[33m"
		plain  = "\x1b[0m"
	)

	switch {
	case !colour:
		return text
	case e == EffectRefused || e == EffectReplace || e == EffectDestroy || e == EffectQuorum:
		return red + text + plain
	case e == EffectReboot:
		return yellow + text + plain
	}

	return text
}

// text of a plan: each machine that is not kept as it is, and a line about all.
func (p Plan) text(colour bool) string {
	var out strings.Builder

	for _, m := range p.Machines {
		if m.State == StateKept && len(m.Notes) == 0 {
			continue
		}

		fmt.Fprintf(&out, "%s: %s\n", m.title(), m.verdict(colour))

		for _, s := range m.Steps {
			out.WriteString(s.text(colour))
		}

		for _, n := range m.Refused {
			fmt.Fprintf(&out, "  %s\n", EffectRefused.paint("refused: "+n, colour))
		}

		for _, n := range m.Notes {
			fmt.Fprintf(&out, "  %s\n", n)
		}

		if m.Fault != "" {
			fmt.Fprintf(&out, "  %s\n", strings.ReplaceAll(m.Fault, "\n", "\n  "))
		}

		out.WriteString("\n")
	}

	out.WriteString(p.total() + "\n")

	return out.String()
}

// text of a step.
func (s PlanStep) text(colour bool) string {
	var out strings.Builder

	fmt.Fprintf(&out, "  %s: %s\n", s.Resource, s.Action)

	for _, c := range s.Changes {
		fmt.Fprintf(&out, "    %s\n", c.Effect.paint(c.words(s.subject()), colour))

		if why := cmp.Or(c.Because, c.why(s.subject())); why != "" {
			fmt.Fprintf(&out, "      %s\n", why)
		}
	}

	for _, n := range s.Notes {
		fmt.Fprintf(&out, "    %s\n", n)
	}

	return out.String()
}

// String is a change in one line.
func (c PlanChange) String() string {
	return c.Effect.words() + ": " + change.Change{Field: c.Field, Has: c.From, Wanted: c.To}.String()
}

// verdict on a machine, in some words.
func (m MachinePlan) verdict(colour bool) string {
	text := string(m.State)

	var grave []string

	for _, e := range m.Effects {
		if (e != EffectCreate || m.State != StateNew) && m.State != StateRefused {
			grave = append(grave, e.paint(string(e), colour))
		}
	}

	if len(grave) > 0 {
		text += " (" + strings.Join(grave, ", ") + ")"
	}

	return text
}

// total of a plan, in a line, and the machines that it is not about.
func (p Plan) total() string {
	var parts []string

	for _, s := range []State{StateNew, StateChanged, StateRefused, StateKept, StateGone, StateFaulty} {
		// Who asked for a change reads that there is none.
		if n := p.Count(s); n > 0 || s == StateChanged && p.Count(StateRefused) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}

	if len(parts) == 0 {
		parts = []string{"no machines"}
	}

	text := "Plan: " + strings.Join(parts, ", ") + "."

	var grave []string

	for _, e := range []Effect{EffectReboot, EffectRefused, EffectReplace, EffectDestroy, EffectQuorum} {
		n := 0

		for _, m := range p.Machines {
			if slices.Contains(m.Effects, e) && m.State != StateRefused {
				n++
			}
		}

		if n > 0 {
			grave = append(grave, fmt.Sprintf("%s: %d", e, n))
		}
	}

	if len(grave) > 0 {
		text += " Machines with " + strings.Join(grave, ", ") + "."
	}

	if len(p.NotNamed) > 0 {
		text += "\nThere, and not among these claims: " + strings.Join(p.NotNamed, ", ") + ". --prune plans their deletion."
	}

	return text
}

// markdown of a plan, for a comment on a pull request.
func (p Plan) markdown() string {
	var out strings.Builder

	fmt.Fprintf(&out, "### Machines\n\n%s\n", strings.ReplaceAll(p.total(), "\n", "\n\n"))

	if len(p.Machines) == p.Count(StateKept) {
		return out.String()
	}

	out.WriteString("\n| machine | | effects |\n| --- | --- | --- |\n")

	for _, m := range p.Machines {
		if m.State != StateKept {
			var effects []string
			for _, e := range m.Effects {
				effects = append(effects, string(e))
			}

			fmt.Fprintf(&out, "| %s | %s | %s |\n", cell(m.title()), m.State, strings.Join(effects, ", "))
		}
	}

	for _, m := range p.Machines {
		if m.State == StateKept {
			continue
		}

		fmt.Fprintf(&out, "\n<details><summary>%s: %s</summary>\n\n", cell(m.title()), m.State)

		details := Plan{Machines: []MachinePlan{m}}.text(false)
		details, _, _ = strings.Cut(details, "\nPlan: ")
		fmt.Fprintf(&out, "````text\n%s\n````\n\n</details>\n", strings.TrimRight(details, "\n"))
	}

	return out.String()
}

// cell of a table, in which a bar would begin another.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
