package preview

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// A Named composite.
type Named struct {
	Name      string // Of its claim, as people call it: Machine infra-machines/git01.
	Composite unstructured.Unstructured
}

// A Rename is what an edit most likely means that deletes one claim and makes another with something that no two machines have. It is none: a claim's name is
// the machine's identity.
type Rename struct {
	From, To string // As people call the claims.
	Shares   string // What both have.
}

// Renames among the claims that an edit deletes and those that it makes, in the order of these. A claim that adopts is none.
func Renames(gone, born []Named) []Rename {
	var out []Rename

	for _, b := range born {
		if _, adopts, _ := unstructured.NestedFieldNoCopy(b.Composite.Object, "spec", "adopt"); adopts {
			continue
		}

		for _, g := range gone {
			if shares := sharesIdentity(g.Composite, b.Composite); shares != "" {
				out = append(out, Rename{From: g.Name, To: b.Name, Shares: shares})

				break
			}
		}
	}

	return out
}

// String is the warning, as it is said of the new claim.
func (r Rename) String() string {
	return fmt.Sprintf("it has %s of %s, which this edit deletes. That is no rename: under another name it is another machine, made anew with empty disks, and with deletionPolicy: Orphan "+
		"the former one runs on beside it. docs/day-two.md, \"Another name\", says how what there is gets another name", r.Shares, r.From)
}

// A Move is what an edit most likely means that makes a claim of a kind and a name that another namespace has, whose file is gone. It is none: the namespace is
// a part of the machine's identity.
type Move struct {
	From, To string // As people call the claims.
}

// Moves of machines and clusters among the claims whose files are gone and those that an edit makes, in the order of these. A claim that adopts is none.
func Moves(left, born []Named) []Move {
	var out []Move

	for _, b := range born {
		if _, adopts, _ := unstructured.NestedFieldNoCopy(b.Composite.Object, "spec", "adopt"); adopts || !isGuest(b.Composite) && kindOf(b.Composite) != claim.KindK3sCluster {
			continue
		}

		for _, l := range left {
			if l.Name != b.Name && kindOf(l.Composite) == kindOf(b.Composite) && ownName(l.Composite) == ownName(b.Composite) {
				out = append(out, Move{From: l.Name, To: b.Name})

				break
			}
		}
	}

	return out
}

// String is the warning, as it is said of the new claim.
func (m Move) String() string {
	return fmt.Sprintf("it has the name of %s, whose file is gone. That is no move: in another namespace it is another one, made anew with empty disks, and Flux or Argo CD with prune deletes the "+
		"former claim, and destroys what it has as its deletionPolicy says. docs/day-two.md, \"Another name\", says how what there is gets another claim", m.From)
}

// TellRenames tells the new machines of a plan that they have something of one which it deletes. stories are those of all of them.
func (r Renderer) TellRenames(p *Plan, stories []Story) {
	var gone, born []Named

	at := map[string]int{}

	for i, m := range p.Machines {
		at[m.title()] = i
	}

	for _, s := range stories {
		name := r.Configuration.NameOf(s.Claim)

		i, ok := at[name]
		if !ok || p.Machines[i].State != StateGone && p.Machines[i].State != StateNew {
			continue
		}

		scene, err := r.Scene(s)
		if err != nil {
			continue // It is a fault of the plan.
		}

		if n := (Named{Name: name, Composite: scene.Is}); p.Machines[i].State == StateGone {
			gone = append(gone, n)
		} else {
			born = append(born, n)
		}
	}

	for _, rename := range Renames(gone, born) {
		m := &p.Machines[at[rename.To]]
		m.Notes = append(m.Notes, "warning: "+rename.String())
	}
}

// isGuest says whether a composite is of a kind with a VM or a container of its own.
func isGuest(o unstructured.Unstructured) bool {
	return slices.Contains([]string{claim.KindMachine, claim.KindK3sNode, claim.KindContainer}, kindOf(o))
}

// identities are what a machine has that no other one may have, by the words for it.
var identities = []struct { //nolint:gochecknoglobals // A constant table.
	words   string
	machine []string // The field of a machine or a container.
	node    string   // The field of a node of a K3sCluster.
}{
	{"the VMID", []string{"proxmox", "vmId"}, "vmId"},
	{"the address", []string{"network", "ip"}, "ip"},
	{"the MAC address", []string{"network", "mac"}, "mac"},
}

// sharesIdentity says what two composites have of which each machine has its own; empty for nothing.
func sharesIdentity(gone, born unstructured.Unstructured) string {
	for _, i := range identities {
		has := valuesOf(gone, i.machine, i.node)
		if slices.ContainsFunc(valuesOf(born, i.machine, i.node), func(v string) bool { return slices.Contains(has, v) }) {
			return i.words
		}
	}

	cluster := ownField(gone, "cluster")

	switch {
	case kindOf(gone) == claim.KindK3sCluster && kindOf(born) == claim.KindK3sCluster && cluster != "" && cluster == ownField(born, "cluster"):
		return "the K3s cluster"
	case !isGuest(gone) || !isGuest(born):
		return ""
	case cmp.Or(ownField(gone, "hostname"), ownName(gone)) == cmp.Or(ownField(born, "hostname"), ownName(born)):
		return "the host name"
	case reflect.DeepEqual(ownSpec(gone), ownSpec(born)):
		return "all settings"
	default:
		return ""
	}
}

// valuesOf a field of a machine, or of all nodes that a K3sCluster names.
func valuesOf(o unstructured.Unstructured, machine []string, node string) []string {
	var out []string

	if isGuest(o) {
		out = append(out, ownField(o, machine...))
	}

	if kindOf(o) == claim.KindK3sCluster {
		nodes, _, _ := unstructured.NestedSlice(o.Object, "spec", "nodes")
		for _, n := range nodes {
			if n, ok := n.(map[string]any); ok && n[node] != nil {
				out = append(out, fmt.Sprint(n[node]))
			}
		}
	}

	return slices.DeleteFunc(out, func(v string) bool { return v == "" })
}

// ownField of a spec, as text; empty where it has none.
func ownField(o unstructured.Unstructured, path ...string) string {
	v, ok, _ := unstructured.NestedFieldNoCopy(o.Object, append([]string{"spec"}, path...)...)
	if !ok {
		return ""
	}

	return fmt.Sprint(v)
}

// ownSpec is a spec without what Crossplane writes there.
func ownSpec(o unstructured.Unstructured) map[string]any {
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	for _, f := range machinery() {
		delete(spec, f)
	}

	return spec
}
