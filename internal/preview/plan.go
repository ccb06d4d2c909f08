package preview

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// reasonPlan is the reason of the results with which the function explains itself.
const reasonPlan = "Plan"

// pipelineStepPrefix is what Crossplane puts before the messages of a function.
var pipelineStepPrefix = regexp.MustCompile(`^Pipeline step "[^"]*": `)

// A plan is what the function says that it does, in the order in which it says so.
type plan []planned

// planned is what becomes of one composed resource.
type planned struct {
	name    string
	actions []string // What is done in one turn after the other.
	changes []string // What is changed, and what is not.
}

// add one line of the function's: the name of a composed resource, and what becomes of it. The first line of a resource says
// what is done with it, the others what is changed.
func (p plan) add(line string) plan {
	name, what, _ := strings.Cut(strings.Join(strings.Fields(line), " "), ": ")

	s := p.of(name)
	if s == nil {
		return append(p, planned{name: name, actions: []string{what}})
	}

	// A change that waits for a reboot is told as one that needs it while it is being written.
	change := strings.TrimPrefix(what, "waits for a reboot: ")
	if !slices.ContainsFunc(s.changes, func(c string) bool { return c == what || strings.HasSuffix(c, ": "+change) }) {
		s.changes = append(s.changes, what)
	}

	return p
}

// then is a plan that another one follows, a turn later. A resource that is kept once it exists is left out.
func (p plan) then(next plan) plan {
	for _, n := range next {
		s := p.of(n.name)
		if s == nil {
			p = append(p, n)
			continue
		}

		s.changes = n.changes

		if action := n.actions[0]; action != "keep" && action != s.actions[len(s.actions)-1] {
			s.actions = append(s.actions, action)
		}
	}

	return p
}

// of is what becomes of a composed resource; nil where nothing is said of it.
func (p plan) of(name string) *planned {
	for i := range p {
		if p[i].name == name {
			return &p[i]
		}
	}

	return nil
}

// String is a plan as comments, so that what is printed stays a stream of manifests.
func (p plan) String() string {
	if len(p) == 0 {
		return ""
	}

	var out strings.Builder

	out.WriteString("# The plan:\n")

	for _, s := range p {
		fmt.Fprintf(&out, "#   %s: %s\n", s.name, strings.Join(s.actions, ", then "))

		for _, c := range s.changes {
			fmt.Fprintf(&out, "#     %s\n", c)
		}
	}

	return out.String()
}

// remarks say what a preview cannot know.
func (s *stage) remarks(t Turn, p plan) []string {
	var out []string

	for _, name := range s.dummies {
		out = append(out, "Secret "+name+" is not here: a dummy stands for its content.")
	}

	inUse, without := addressTrouble(t)
	kept := len(inUse) > 0
	out = slices.Concat(out, inUse, without)

	if len(p) == 0 || s.fetch != nil {
		return out
	}

	checks := func(s planned) bool { return s.actions[0] == "check" }

	switch i := slices.IndexFunc(p, checks); {
	case i < 0 || s.given || kept:
	case kindOf(s.composite) == claim.KindProxmoxSite:
		out = append(out, "A preview does not ask Proxmox: it assumes that the names are free, and that ports exist and have no address.")
	case len(p[i].actions) > 1:
		out = append(out, "A preview does not ask Proxmox: it assumes that the VMID is free.")
	default:
		out = append(out, "A preview does not ask Proxmox: the next step depends on the result of the VMID check.")
	}

	if !s.given && (Rendered{Turn: t}).placement() != "" {
		out = append(out, "The node is chosen beside the machines of this preview alone: in the cluster, all its VMs and containers count.")
	}

	blocked := func(c map[string]any) bool { return c["reason"] == "ReplacementBlocked" }
	if len(s.neighbours) == 0 && slices.ContainsFunc(conditionsOf(t.Composite.Object), blocked) {
		out = append(out, "The preview has no VMs of other machines: for a K3s server, add the VMs of the other servers to OBSERVED.")
	}

	if s.given && !s.hasNodes() && slices.ContainsFunc(p, func(p planned) bool { return strings.HasPrefix(p.name, "Node ") }) {
		out = append(out, "The preview has no Kubernetes Nodes: add what `kubectl get nodes -o yaml` prints to OBSERVED or, with observe: Object, the Objects of the machines.")
	}

	return out
}

// addressTrouble is what a turn says of an address that somebody else has, and of one that is not there.
func addressTrouble(t Turn) (inUse, without []string) {
	for _, c := range conditionsOf(t.Composite.Object) {
		switch c["reason"] {
		case status.ReasonAddressInUse:
			inUse = append(inUse, fmt.Sprint(c["message"]))
		case status.ReasonAddressPoolExhausted, status.ReasonClaimingAddress, status.ReasonAddressClaimsMissing, status.ReasonClaimedAddressUnfit:
			without = append(without, fmt.Sprint("The VM has no address: ", c["message"]))
		}
	}

	return inUse, without
}

// hasNodes says whether there are Nodes, or Objects through which provider-kubernetes reads them.
func (s *stage) hasNodes() bool {
	isObject := func(o unstructured.Unstructured) bool { return o.GetKind() == "Object" }

	return len(s.nodes) > 0 || slices.ContainsFunc(s.observed, isObject)
}

// takePlan takes the plan out of the results of a turn, and returns the other results in the order of their text: Crossplane tells of
// composed resources in the order of a map, so that two previews of the same claim would differ. Without events, the function's other
// results go, too: they tell what happened since the last call, which nobody knows without the status of that.
func takePlan(results []Result, events bool) (rest []Result, p plan) {
	for _, r := range results {
		said := pipelineStepPrefix.ReplaceAllString(r.Message, "")

		switch {
		case r.Reason == reasonPlan && said != r.Message:
			p = p.add(said)
		case said != r.Message && !events:
		default:
			rest = append(rest, r)
		}
	}

	return inOrder(rest), p
}

// inOrder are results in the order of their documents, each of which is made once.
func inOrder(results []Result) []Result {
	type printed struct {
		result   Result
		document []byte
	}

	all := make([]printed, 0, len(results))
	for _, r := range results {
		all = append(all, printed{r, r.document()})
	}

	slices.SortStableFunc(all, func(a, b printed) int { return bytes.Compare(a.document, b.document) })

	for i, p := range all {
		results[i] = p.result
	}

	return results
}

// document of a result.
func (r Result) document() []byte {
	b, err := yaml.Marshal(r)
	if err != nil {
		return nil
	}

	return b
}
