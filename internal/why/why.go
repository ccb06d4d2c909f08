package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A condition of an object, as far as people care.
type condition struct {
	kind, status, reason, message string
	since                         time.Time

	row row // Of the reason in conditions.md.
}

// typed is a condition of a composite as a person reads it who has the claim of a node's cluster.
func (c condition) typed(composite unstructured.Unstructured) condition {
	c.row = read().rows[key(c.kind, c.status, c.reason)]

	c.row.means, c.row.todo = ofGuest(composite, c.row.means), ofGuest(composite, c.row.todo)

	for _, text := range []*string{&c.message, &c.row.means, &c.row.todo} {
		*text = cluster.Typed(composite.Object, *text)
	}

	return c
}

// What the document calls the guest of a claim, and how it starts anew, in words for both kinds of guests; and these for each kind.
var (
	forVM        = strings.NewReplacer("VM or container", "VM", "power cycle or restart", "power cycle")    //nolint:gochecknoglobals // A constant.
	forContainer = strings.NewReplacer("VM or container", "container", "power cycle or restart", "restart") //nolint:gochecknoglobals // A constant.
)

// ofGuest is a text of the document in the words for the guest of a composite.
func ofGuest(composite unstructured.Unstructured, text string) string {
	if isContainer(composite) {
		return forContainer.Replace(text)
	}

	return forVM.Replace(text)
}

func isContainer(composite unstructured.Unstructured) bool {
	return strings.TrimPrefix(composite.GetKind(), "X") == claim.KindContainer
}

// causes are the types of conditions in the order in which one explains the other: who has an invalid spec need not read on.
var causes = []string{ //nolint:gochecknoglobals // A constant list.
	"SpecValid", "Synced", "ProviderHealthy", "VMIDInUse", "MachineReady", "SiteReady", "Approved", "HighlyAvailable", "NodeDrained", "NodeJoined",
	"EtcdMember", "NodeReady", "ZoneLabelled", "Converged",
	"FirewallApplied", "ServersReady", "NodesLost", "SpreadBroken", "SnapshotsTaken", "RolledOut", "ReplacementRequired", "BootstrapCurrent",
	"RebootPending", "InterruptionPending", "VersionCurrent", "Ready",
}

// noVM is what NodeJoined says where nothing is made yet that could join: why not is another condition's.
const noVM = "because there is no VM yet"

// fatal is the reason that Crossplane gives the conditions of a call that failed.
const fatal = "FatalError"

// A Story is what there is to say of a machine.
type Story struct {
	Text  string // One paragraph; faults of a claim have lines of their own.
	Waits bool   // Whether the machine waits for something or somebody.
}

// Explain a machine: its claim or its composite, as kubectl prints it.
func Explain(machine unstructured.Unstructured, now time.Time) Story {
	all := conditions(machine)
	title := titleOf(machine)

	switch {
	case machine.GetDeletionTimestamp() != nil:
		return Story{Waits: true, Text: deletion(title, machine.GetDeletionTimestamp().Time, of(all, "ProviderHealthy", "Synced"), now)}
	case proxmox.IsPaused(machine.GetAnnotations()):
		return Story{Waits: true, Text: title + " is paused: it has the annotation " + proxmox.PausedAnnotation + ", so that Crossplane does nothing " +
			"for it. To do: remove the annotation when it is to go on."}
	case len(all) == 0:
		return Story{Waits: true, Text: title + " has no condition yet: Crossplane has not taken it up" + created(machine, now) + ". To do: if that lasts, see whether Crossplane runs, and " +
			"whether `kubectl get xrds,compositions,functions` shows this project's as established and healthy."}
	}

	bad := unwell(all)
	if len(bad) == 0 {
		return Story{Text: title + " waits for nothing" + settled(all, now) + "."}
	}

	var text strings.Builder

	for i, c := range told(bad) {
		if i == 0 {
			fmt.Fprintf(&text, "%s: %s", title, sentence(c, now))
		} else {
			fmt.Fprintf(&text, " Besides, %s", sentence(c, now))
		}
	}

	text.WriteString(nodesOf(machine))

	return Story{Text: text.String(), Waits: true}
}

// deletion is what there is to say of a machine that is being deleted since a time, with what its bad conditions say.
func deletion(title string, when time.Time, says string, now time.Time) string {
	todo := "nothing, unless that lasts: then `kubectl machine trace` shows which resource stays, and why."
	if says != "" {
		todo = "what that says; the deletion then goes on by itself. If it does not, `kubectl machine trace` shows which resource stays, and why."
	}

	return title + " is being deleted " + since(when, now) + ". It waits for its managed resources, which Crossplane deletes first" + says + ". To do: " + todo
}

// titleOf a machine: its kind and name, and the VM where there is one.
func titleOf(machine unstructured.Unstructured) string {
	title := machine.GetKind() + " " + message.Excerpt(machine.GetName())

	var has []string

	if id, ok, _ := unstructured.NestedFieldNoCopy(machine.Object, "status", "vmId"); ok && id != nil {
		vm := fmt.Sprintf("VM %v", id)
		if isContainer(machine) {
			vm = fmt.Sprintf("container %v", id)
		}

		if node, _, _ := unstructured.NestedString(machine.Object, "status", "node"); node != "" {
			vm += " on " + message.Excerpt(node)
		}

		has = append(has, vm)
	}

	if address, _, _ := unstructured.NestedString(machine.Object, "status", "primaryAddress"); address != "" {
		has = append(has, message.Excerpt(address))
	}

	if len(has) > 0 {
		title += " (" + strings.Join(has, ", ") + ")"
	}

	return title
}

// sentence of a condition: its state, since when, what that means, what the function says, and what to do.
func sentence(c condition, now time.Time) string {
	r := c.row
	out := c.kind + " is " + c.status

	if c.reason != "" {
		out += " (" + c.reason + ")"
	}

	if t := since(c.since, now); t != "" {
		out += " " + t
	}

	out += "."

	switch {
	case r.means != "" && r.waits:
		out += " It waits for " + end(lower(first(r.means)))
	case r.means != "":
		out += " " + end(first(r.means))
	}

	if c.message != "" {
		out += " It says: " + c.message
	}

	gap := " "
	if strings.Contains(c.message, "\n") {
		gap = "\n" // Behind the lines of a list.
	} else {
		out = end(out)
	}

	if todo := todoOf(c); todo != "" {
		out += gap + "To do: " + end(todo)
	}

	return out
}

// todoOf a condition. Of some reasons the message says what to do, or there is nothing to do but to wait.
func todoOf(c condition) string {
	switch r := c.row; {
	case strings.Contains(c.message, "spec.") && strings.Contains(strings.ToLower(c.message), "set spec."):
		return "" // The message says it, with this machine's values.
	case strings.Contains(c.message, "Take them back in the claim"):
		return "" // So does this, and what the reason says beside it is for machines.
	case r.todo != "" && r.saidIn(c.message):
		return ""
	case r.todo != "":
		return lower(r.todo)
	case r.waits && strings.HasPrefix(r.means, "Your approval"):
		return "read the changes in status.adoption.changes, and copy status.adoption.plan into spec.adopt.approve."
	case r.waits && strings.HasPrefix(r.means, "You: "):
		return "" // The message says what, with this machine's values.
	case r.waits && strings.HasPrefix(r.means, "The Secret"):
		return "apply the Secret."
	case r.waits:
		return "nothing, unless that lasts: then `kubectl machine trace` shows which managed resource is not ready."
	case c.kind == "Synced":
		return "correct what the message names; Crossplane tries again by itself."
	case c.kind == "Ready":
		return "`kubectl machine trace` shows which managed resource is not ready."
	default:
		return ""
	}
}

// unwell are the conditions that leave somebody something to do. Where there is no Node, condition NodeJoined says whether there should be one.
func unwell(all []condition) []condition {
	bad := slices.DeleteFunc(slices.Clone(all), good)
	joins := slices.ContainsFunc(bad, func(c condition) bool { return c.kind == "NodeJoined" })

	return slices.DeleteFunc(bad, func(c condition) bool { return c.reason == "NoNode" && !joins })
}

// told are the bad conditions that have something of their own to say, the cause first.
func told(bad []condition) []condition {
	out := slices.DeleteFunc(slices.Clone(bad), func(c condition) bool {
		return slices.ContainsFunc(bad, func(other condition) bool { return refers(c, other) })
	})
	if len(out) == 0 {
		return nil
	}

	// The first one is told itself, so that nobody is left out for one that refers to it.
	return slices.Concat(out[:1], slices.DeleteFunc(slices.Clone(out[1:]), func(c condition) bool { return follows(out[0], c) }))
}

// follows says whether a bad condition is only the consequence of another, or says the same.
func follows(cause, c condition) bool {
	switch {
	case c.reason == fatal, c.kind == "Ready":
		return true
	case c.kind == "Synced":
		return cause.kind == "SpecValid"
	case c.kind == "MachineReady", c.kind == "SiteReady":
		return c.reason == "ProviderError" || c.reason == "VMIDInUse" || cause.kind == "SpecValid"
	case c.kind == "BootstrapCurrent":
		return c.reason == "TokenSecretMissing" || c.reason == "SecretMissing" || c.reason == "CatalogueEntryMissing" && cause.kind == "SpecValid"
	case c.kind == "NodeReady":
		// What is on a Proxmox node that does not answer does not report, either.
		return c.reason == cause.reason || cause.kind == "ProviderHealthy" && cause.reason == "NodeUnhealthy"
	default:
		return c.reason == cause.reason
	}
}

// refers says whether a bad condition has nothing to say but that another one of the machine, which is bad, too, says more. Of two that refer to one
// another, the first one is told.
func refers(c, other condition) bool {
	switch {
	case c.kind == other.kind:
		return false
	case c.kind == "EtcdMember" && other.kind == "NodeReady":
		return true // Of a server that is down, the last value says nothing.
	case (c.kind == "NodeReady" || c.kind == "NodeJoined" && c.reason == "NotYet") && other.kind == "MachineReady":
		// A VM that the provider cannot start reports nothing.
		return other.reason == "ProviderError" || strings.Contains(c.message, noVM)
	case strings.HasPrefix(c.row.todo, "See the condition that the message names"):
		return strings.Contains(c.message, "condition "+other.kind+" ")
	default:
		return slices.Contains(c.row.sees(), other.kind) && (!slices.Contains(other.row.sees(), c.kind) || place(other) < place(c))
	}
}

// good says whether a condition leaves nobody anything to do.
func good(c condition) bool {
	if c.reason == fatal || c.row.todo == nothing {
		return true
	}

	switch want := read().good[c.kind]; {
	case want == "either":
		return c.status != "False"
	case want != "":
		return c.status == want || c.status == "Unknown" && c.row.todo == "" && c.kind != "MachineReady"
	default: // Crossplane's own.
		return c.status == "True" || !slices.Contains(causes, c.kind)
	}
}

// conditions of an object in the order of causes; others behind them.
func conditions(machine unstructured.Unstructured) []condition {
	raw, _, _ := unstructured.NestedSlice(machine.Object, "status", "conditions")

	var out []condition

	for _, r := range raw {
		m, ok := r.(map[string]any)
		if !ok {
			continue
		}

		text := func(name string) string {
			s, _ := m[name].(string)
			return message.Lines(s)
		}

		c := condition{kind: text("type"), status: text("status"), reason: text("reason"), message: text("message")}
		c.message += adoption(machine, c.message)
		c.since, _ = time.Parse(time.RFC3339, text("lastTransitionTime"))
		out = append(out, c.typed(machine))
	}

	slices.SortStableFunc(out, func(a, b condition) int { return place(a) - place(b) })

	return out
}

// place of a condition in the order of causes.
func place(c condition) int {
	if i := slices.Index(causes, c.kind); i >= 0 {
		return i
	}

	return len(causes)
}

// since when something is so, in words; empty where nobody knows.
func since(when, now time.Time) string {
	if when.IsZero() {
		return ""
	}

	return fmt.Sprintf("since %s (%s)", when.UTC().Format("2006-01-02 15:04 MST"), Age(now.Sub(when)))
}

// Age is a duration as people say it.
func Age(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / u.unit); n == 1 {
			return "1 " + u.name
		} else if n > 1 {
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}

	return "less than a minute"
}

// settled is since when the machine is ready.
func settled(all []condition, now time.Time) string {
	for _, c := range all {
		if c.kind == "MachineReady" || c.kind == "SiteReady" {
			return ": " + c.kind + " is " + c.status + " (" + c.reason + ") " + since(c.since, now)
		}
	}

	return ""
}

func created(machine unstructured.Unstructured, now time.Time) string {
	if t := machine.GetCreationTimestamp(); !t.IsZero() {
		return ", and it was created " + Age(now.Sub(t.Time)) + " ago"
	}

	return ""
}

// of is what bad conditions of these types say, for a machine that is deleted.
func of(all []condition, types ...string) string {
	for _, c := range all {
		if slices.Contains(types, c.kind) && !good(c) && c.message != "" {
			return "; " + c.kind + " says: " + strings.TrimSuffix(c.message, ".")
		}
	}

	return ""
}

// first sentence of a text.
func first(text string) string {
	sentence, _, _ := strings.Cut(text, ". ")

	return sentence
}

// lower makes the first letter of a sentence small, unless it begins a name.
func lower(text string) string {
	if len(text) < 2 || strings.ToUpper(text[1:2]) == text[1:2] && text[1] != ' ' {
		return text
	}

	return strings.ToLower(text[:1]) + text[1:]
}

// end a sentence.
func end(s string) string { return message.Sentence(strings.TrimSpace(s)) }
