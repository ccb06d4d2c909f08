package site

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A node is one node in Proxmox with the managed resources of a claim, and a provider that does what bpg/proxmox v0.111.1 does.
type node struct {
	t    *testing.T
	rand *rand.Rand
	log  []string

	has     map[string]proxmox.SiteParameters // The node's interfaces.
	site    *machine.Site
	written map[string]proxmox.SitePart
	// What the provider has reported of a managed resource, if anything, and the generation of the managed resource.
	reports     map[string]proxmox.ObservedSitePart
	generations map[string]int64
	offered     map[string]map[string]bool // The words that the function has shown, by part; used ones are false.
	allowed     map[string]string          // The words for which interruptions were written.
	ownsFrom    map[string]bool            // Interfaces that the provider created.
	reached     map[string]int
}

func (n *node) note(format string, args ...any) { n.log = append(n.log, fmt.Sprintf(format, args...)) }

func (n *node) fail(format string, args ...any) {
	n.t.Helper()
	n.t.Fatalf("%s\nafter:\n%s", fmt.Sprintf(format, args...), strings.Join(n.log, "\n"))
}

// observed managed resources, as the provider has read them last.
func (n *node) observed() map[string]proxmox.ObservedSitePart {
	out := map[string]proxmox.ObservedSitePart{}

	for name, r := range n.written {
		o := observed(r, proxmox.SiteObservation{})
		o.Metadata.Generation, o.Status = n.generations[name], n.reports[name].Status
		out[name] = o
	}

	return out
}

// report what the provider finds of a managed resource now.
func (n *node) report(name string) {
	r := n.written[name]
	o := observed(r, proxmox.SiteObservation{}, not(bridgeAbsent))

	if there, ok := n.has[r.Spec.ForProvider.Name]; ok {
		o = observed(r, proxmox.SiteObservation{ID: "pve1:" + there.Name, SiteParameters: there}, is(proxmox.ConditionSynced), is(proxmox.ConditionReady))
	}

	for i := range o.Status.Conditions {
		o.Status.Conditions[i].ObservedGeneration = n.generations[name]
	}

	n.reports[name] = o
}

// turn calls the function, and writes what it says. What it leaves out is deleted.
func (n *node) turn() {
	p := Decide(Request{Site: n.site, Observed: proxmox.State{SiteParts: n.observed()}, Flavour: proxmox.Cluster})
	r := Render(p)

	for _, part := range p.Parts {
		n.reached[string(part.Action)]++

		if part.Hash != "" {
			if n.offered[part.Name] == nil {
				n.offered[part.Name] = map[string]bool{}
			}

			if _, known := n.offered[part.Name][part.Hash]; !known {
				n.offered[part.Name][part.Hash] = true
			}
		}

		if part.Writing == WritesNow && len(part.Interruptions) == 0 && slices.ContainsFunc(part.Changes, func(c change.Change) bool { return c.Effect == Interruption }) {
			n.reached["interrupts"]++
			n.allowed[part.Name] = part.Allow
		}
	}

	all := maps.Clone(r.Parts)
	maps.Copy(all, r.Looks)

	for name, before := range n.written {
		if _, ok := all[name]; !ok && proxmox.MayDelete(before.Spec.ManagementPolicies) {
			n.note("the provider deletes %s", before.Spec.ForProvider.Name)
			n.reached["deletes"]++

			key := "pve1/" + before.Spec.ForProvider.Name
			if !slices.Contains(n.site.Removals, key) || n.site.DeletionPolicy != v1alpha1.DeletionDelete {
				n.fail("%s is deleted, and nobody said so", key)
			}

			delete(n.has, before.Spec.ForProvider.Name)
		}
	}

	for name, now := range all {
		if before, ok := n.written[name]; !ok || !reflect.DeepEqual(before.Spec, now.Spec) {
			n.note("write %s %v %+v", name, now.Spec.ManagementPolicies, now.Spec.ForProvider)
			n.generations[name]++
		}

		if _, ok := n.written[name]; !ok {
			delete(n.reports, name)
		}
	}

	n.written = all
}

// provide lets the provider work on a managed resource.
func (n *node) provide(name string) {
	r := n.written[name]
	want, policies := r.Spec.ForProvider, r.Spec.ManagementPolicies
	there, ok := n.has[want.Name]

	defer n.report(name)

	switch {
	case proxmox.OnlyObserves(policies):
	case !ok:
		n.note("the provider creates %s", want.Name)
		n.reached["creates"]++
		n.ownsFrom[want.Name] = true
		n.has[want.Name] = want
	case proxmox.MayUpdate(policies) && !same(there, want):
		n.note("the provider changes %s", want.Name)
		n.changes(there, want)
		n.has[want.Name] = want
	}
}

// changes holds a change of the provider to the rules.
func (n *node) changes(from, to proxmox.SiteParameters) {
	if !n.ownsFrom[to.Name] {
		n.fail("%s is changed, which the claim did not create", to.Name)
	}

	if len(to.Ports) == 0 && len(from.Ports) > 0 {
		n.fail("the last port of %s is removed", to.Name)
	}

	to.Comment = from.Comment
	if same(from, to) {
		n.reached["comment"]++
		return
	}

	// The claim may have changed since the change was written.
	if !n.offered[to.Name][n.allowed[to.Name]] {
		n.fail("%s is interrupted, and word %q was not offered, or has counted: %v", to.Name, n.allowed[to.Name], n.offered[to.Name])
	}

	n.offered[to.Name][n.allowed[to.Name]] = false
}

func same(a, b proxmox.SiteParameters) bool {
	a.TimeoutReload, b.TimeoutReload = 0, 0
	a.Ports, b.Ports = slices.Sorted(slices.Values(a.Ports)), slices.Sorted(slices.Values(b.Ports))

	return reflect.DeepEqual(a, b)
}

// edit the claim, or the node by hand.
func (n *node) edit() {
	pick := func(of ...string) string { return of[n.rand.IntN(len(of))] }

	if n.rand.IntN(3) == 0 {
		name := pick("vmbr0", "vmbr1", "vmbr2")
		// What somebody changes in the seconds in which the provider changes the same interface is undone: the plugin writes the whole interface.
		r, managed := n.written["bridge-pve1-"+name]
		writing := managed && (proxmox.MayUpdate(r.Spec.ManagementPolicies) || !same(r.Spec.ForProvider, n.has[name]))

		if i, ok := n.has[name]; ok && !writing {
			i.MTU, i.Address = []int64{0, 1500, 9000}[n.rand.IntN(3)], pick("", "10.0.0.1/24", "10.0.0.2/24")
			n.has[name] = i
			n.note("by hand: %+v", i)

		}

		return
	}

	n.site.Parts, n.site.Removals = nil, nil
	n.site.DeletionPolicy = []v1alpha1.DeletionPolicy{v1alpha1.DeletionOrphan, v1alpha1.DeletionDelete}[n.rand.IntN(2)]

	for _, name := range []string{"vmbr0", "vmbr1", "vmbr2"} {
		if n.rand.IntN(4) == 0 {
			if n.rand.IntN(2) == 0 {
				n.site.Removals = append(n.site.Removals, "pve1/"+name)
			}

			continue
		}

		p := machine.SitePart{
			Kind: machine.SiteBridge, Node: "pve1", Name: name, Path: "spec", Comment: pick("", "a", "b"), MTU: []int64{0, 1500, 9000}[n.rand.IntN(3)],
			Address: pick("", "10.0.0.1/24"), VLANAware: n.rand.IntN(2) == 0, Allow: pick(append([]string{"", "a000000000"}, slices.Sorted(maps.Keys(n.offered[name]))...)...),
		}
		if n.rand.IntN(2) == 0 {
			p.Ports = []string{pick("enp2s0", "enp3s0")}
		}

		n.site.Parts = append(n.site.Parts, p)
	}

	n.note("claim: %+v, %v, %s", n.site.Parts, n.site.Removals, n.site.DeletionPolicy)
}

// TestRandomSites edits random sites beside random changes in Proxmox: nothing is interrupted without its word, and nothing of somebody else is touched.
func TestRandomSites(t *testing.T) {
	reached := map[string]int{}

	for seed := range uint64(400) {
		no, yes := false, true
		n := &node{
			t: t, rand: rand.New(rand.NewPCG(seed, 1)), site: aSite(), written: map[string]proxmox.SitePart{}, reports: map[string]proxmox.ObservedSitePart{}, generations: map[string]int64{}, //nolint:gosec // A test.
			offered: map[string]map[string]bool{}, allowed: map[string]string{}, ownsFrom: map[string]bool{}, reached: reached,
			has: map[string]proxmox.SiteParameters{
				"vmbr0":  {NodeName: "pve1", Name: "vmbr0", Ports: []string{"eno1"}, Address: "192.168.4.2/24", VLANAware: &no, Autostart: &yes},
				"enp2s0": {NodeName: "pve1", Name: "enp2s0"}, "enp3s0": {NodeName: "pve1", Name: "enp3s0"},
			},
		}

		for range 60 {
			switch k := n.rand.IntN(10); {
			case k == 0:
				n.edit()
			case k < 5:
				n.turn()
			default:
				for _, name := range slices.Sorted(maps.Keys(n.written)) {
					if n.rand.IntN(2) == 0 {
						n.provide(name)
					}
				}
			}
		}
	}

	for _, want := range []string{"creates", "deletes", "comment", "interrupts", string(ActionTake), string(ActionKeep), string(ActionDrop), string(ActionFollow), string(ActionLook)} {
		if reached[want] == 0 {
			t.Errorf("no site reached %s: %v", want, reached)
		}
	}
}
