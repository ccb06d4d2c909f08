package site

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const mark = "[ProxmoxSite infra/home]"

// aBridge of the claim.
func aBridge() machine.SitePart {
	return machine.SitePart{
		Kind: machine.SiteBridge, Node: "pve1", Name: "vmbr1", Path: "spec.nodes.pve1.bridges[vmbr1]", Ports: []string{"enp2s0"}, MTU: 9000, Address: "10.0.9.2/24", Comment: "storage",
	}
}

func aVLAN() machine.SitePart {
	return machine.SitePart{Kind: machine.SiteVLAN, Node: "pve1", Name: "vmbr1.30", Path: "spec.nodes.pve1.vlans[vmbr1.30]", Interface: "vmbr1", Tag: 30}
}

func aPool() machine.SitePart {
	return machine.SitePart{Kind: machine.SitePool, Name: "k3s", Path: "spec.pools[k3s]"}
}

func aSite(parts ...machine.SitePart) *machine.Site {
	return &machine.Site{
		Identity: machine.Identity{Kind: "ProxmoxSite", Namespace: "infra", Name: "home", UID: "u"}, ProviderConfig: "home", ProviderConfigKind: "ClusterProviderConfig", Parts: parts,
		DeletionPolicy: v1alpha1.DeletionOrphan,
	}
}

// A world is what there is of a site.
type world struct {
	site     *machine.Site
	observed map[string]proxmox.ObservedSitePart
	guests   []Guest
}

func (w world) decide() Plan {
	return Decide(Request{Site: w.site, Observed: proxmox.State{SiteParts: w.observed}, Flavour: proxmox.Cluster, Guests: w.guests})
}

// observed is a managed resource as it was written, with conditions.
func observed(r proxmox.SitePart, at proxmox.SiteObservation, conditions ...proxmox.Condition) proxmox.ObservedSitePart {
	o := proxmox.ObservedSitePart{APIVersion: r.APIVersion, Kind: r.Kind, Spec: r.Spec}
	o.Metadata.Metadata = r.Metadata
	o.Status.AtProvider, o.Status.Conditions = at, conditions

	return o
}

func is(typ string) proxmox.Condition { return proxmox.Condition{Type: typ, Status: "True"} }

func not(message string) proxmox.Condition {
	return proxmox.Condition{Type: proxmox.ConditionSynced, Status: "False", Reason: proxmox.ReasonError, Message: message}
}

const bridgeAbsent = "observe failed: cannot run import: Error: Linux Bridge interface not found: import failed"

// look answers a look of a plan: with an interface, or with words.
func (w *world) look(p Plan, name string, at *proxmox.SiteObservation, words string) {
	r, ok := Render(p).Looks[name]
	if !ok {
		panic(name + " is not looked for")
	}

	if at == nil {
		w.observed[name] = observed(r, proxmox.SiteObservation{}, not(words))
		return
	}

	at.ID = "pve1:" + at.Name
	w.observed[name] = observed(r, *at, is(proxmox.ConditionSynced), is(proxmox.ConditionReady))
}

// lookNames of a plan, by what they look for.
func lookName(p Plan, what string) string { return p.lookName(what) }

// living is a part that exists as the claim has it, but for an edit.
func (w *world) living(part machine.SitePart, edit func(*proxmox.SiteParameters), annotations map[string]string) {
	has := described(part, mark)
	if edit != nil {
		edit(&has)
	}

	p := Plan{Request: Request{Site: w.site, Flavour: proxmox.Cluster}}
	r := p.written(Part{SitePart: part, Parameters: has}, proxmox.WithoutUpdate(proxmox.Policies(false)))

	maps.Copy(r.Metadata.Annotations, annotations)

	w.observed[ResourceName(part)] = observed(r, proxmox.SiteObservation{ID: importName(part), SiteParameters: has}, is(proxmox.ConditionSynced), is(proxmox.ConditionReady))
}

func newWorld(parts ...machine.SitePart) *world {
	return &world{site: aSite(parts...), observed: map[string]proxmox.ObservedSitePart{}}
}

func nic(name, address string) *proxmox.SiteObservation {
	return &proxmox.SiteObservation{SiteParameters: proxmox.SiteParameters{NodeName: "pve1", Name: name, Address: address}}
}

// TestBirth: nothing is created before it is known that the name is free, and that its ports are there and have no address.
func TestBirth(t *testing.T) {
	type answers struct {
		name, port             *proxmox.SiteObservation
		nameWords, portWords   string
		withoutName, withoutPt bool
	}

	cases := map[string]struct {
		reason string
		answers
		want Action
		look Look
		says string
	}{
		"Asks":        {"nobody has answered yet", answers{withoutName: true, withoutPt: true}, ActionLook, LookUnknown, "looking whether"},
		"PortUnknown": {"the port has not been read", answers{nameWords: bridgeAbsent, withoutPt: true}, ActionLook, LookFree, "reading interface enp2s0"},
		"NameUnknown": {"the name has not been looked for", answers{withoutName: true, port: nic("enp2s0", "")}, ActionLook, LookUnknown, "looking whether"},
		"Creates":     {"both are well", answers{nameWords: bridgeAbsent, port: nic("enp2s0", "")}, ActionCreate, LookFree, ""},
		"OtherError":  {"an error is no answer: there may be one", answers{nameWords: "Error listing network interfaces", port: nic("enp2s0", "")}, ActionLook, LookUnknown, "looking whether"},
		"Taken":       {"somebody else's", answers{name: nic("vmbr1", ""), port: nic("enp2s0", "")}, ActionLook, LookTaken, "which the claim did not create"},
		"NoPort":      {"there is no such port", answers{nameWords: bridgeAbsent, portWords: bridgeAbsent}, ActionLook, LookFree, "has no interface enp2s0"},
		"PortAddress": {"the port has the node's address", answers{nameWords: bridgeAbsent, port: nic("enp2s0", "192.168.4.2/24")}, ActionLook, LookFree, "has the address 192.168.4.2/24"},
		"Again": {
			"its comment says that it is the claim's: it is taken as it is",
			answers{
				name: &proxmox.SiteObservation{SiteParameters: proxmox.SiteParameters{NodeName: "pve1", Name: "vmbr1", Comment: "old " + mark, MTU: 1500}},
				port: nic("enp2s0", ""),
			},
			ActionTake, LookOurs, "",
		},
		"OtherClaim": {
			"its comment names another claim",
			answers{
				name: &proxmox.SiteObservation{SiteParameters: proxmox.SiteParameters{NodeName: "pve1", Name: "vmbr1", Comment: "[ProxmoxSite infra/other]"}},
				port: nic("enp2s0", ""),
			},
			ActionLook, LookTaken, "which the claim did not create",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(aBridge())
			first := w.decide()

			if !tc.withoutName {
				w.look(first, lookName(first, "bridge-pve1-vmbr1"), tc.name, tc.nameWords)
			}

			if !tc.withoutPt {
				w.look(first, lookName(first, "port-pve1-enp2s0"), tc.port, tc.portWords)
			}

			p := w.decide()
			part := p.Parts[0]

			if part.Action != tc.want || part.Look != tc.look || !strings.Contains(reasonOf(part), tc.says) {
				t.Errorf("%s: got %s, %s, %q", tc.reason, part.Action, part.Look, reasonOf(part))
			}

			r := Render(p)
			if made, ok := r.Parts["bridge-pve1-vmbr1"]; ok && proxmox.MayUpdate(made.Spec.ManagementPolicies) {
				t.Errorf("the provider may change what it has not read: %v", made.Spec.ManagementPolicies)
			}
		})
	}
}

// TestNeeds: a VLAN interface waits for its bridge of the same claim, and a bridge for a VLAN interface that is its port.
func TestNeeds(t *testing.T) {
	w := newWorld(aBridge(), aVLAN())
	first := w.decide()
	w.look(first, lookName(first, "vlan-pve1-vmbr1.30"), nil, "Error: Linux VLAN interface not found")

	if part := w.decide().Parts[1]; part.Action != ActionLook || !strings.Contains(part.Waits, "waits for vmbr1") {
		t.Errorf("want it to wait for its bridge: %s %q", part.Action, part.Waits)
	}

	w.living(aBridge(), nil, nil)

	if part := w.decide().Parts[1]; part.Action != ActionCreate {
		t.Errorf("want it to be created: %s %q %q", part.Action, part.Waits, part.Problem)
	}

	port := machine.SitePart{Kind: machine.SiteVLAN, Node: "pve1", Name: "enp2s0.7", Interface: "enp2s0", Tag: 7, Address: "10.0.0.1/24"}
	b := aBridge()
	b.Ports = []string{"enp2s0.7"}
	w = newWorld(b, port)

	if part := w.decide().Parts[0]; !strings.Contains(part.Problem, "has the address 10.0.0.1/24") {
		t.Errorf("want a port with an address to be refused: %q", part.Problem)
	}
}

// TestExchangedPorts: interfaces that are to have each other's ports wait for each other for good, which a person is told in place of a word that changes nothing.
func TestExchangedPorts(t *testing.T) {
	bridge := func(name, port string) machine.SitePart {
		return machine.SitePart{Kind: machine.SiteBridge, Node: "pve1", Name: name, Path: "spec.nodes.pve1.bridges[" + name + "]", Ports: []string{port}}
	}

	cases := map[string]struct {
		reason string
		ports  [3]string // Of vmbr1, vmbr2 and vmbr3, which have p1, p2 and p3.
		rings  bool
	}{
		"Two":    {"each waits for the other", [3]string{"p2", "p1", "p3"}, true},
		"Three":  {"the third waits for the first", [3]string{"p2", "p3", "p1"}, true},
		"Passed": {"the last one lets go of its port", [3]string{"p2", "p3", "p4"}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			for i, bridgeName := range []string{"vmbr1", "vmbr2", "vmbr3"} {
				w.site.Parts = append(w.site.Parts, bridge(bridgeName, tc.ports[i]))
				w.living(bridge(bridgeName, []string{"p1", "p2", "p3"}[i]), nil, nil)
			}

			first := w.decide().Parts[0]
			if rings := strings.Contains(first.Problem, "p2 of node pve1 belongs to vmbr2, which waits in turn for what vmbr1 has"); rings != tc.rings || !rings && !strings.Contains(first.Waits, "no longer has p2") {
				t.Errorf("%s: problem %q, waits %q", tc.reason, first.Problem, first.Waits)
			}
		})
	}
}

// TestWhatAnotherInterfaceHas: a port, or an address, that another interface has in Proxmox would cut off its VMs, or the node.
func TestWhatAnotherInterfaceHas(t *testing.T) {
	other := aBridge()
	other.Name, other.Path = "vmbr2", "spec.nodes.pve1.bridges[vmbr2]"

	const stays = "belongs to vmbr1, which the claim no longer has, and which stays in Proxmox with it. Write vmbr1 into the claim again, without "

	cases := map[string]struct {
		reason    string
		edit      func(*machine.SitePart) // Of the other bridge.
		there     bool                    // Whether the first bridge is still in the claim, without port and address.
		elsewhere bool
		want      Action
		says      string
		kept      Action // Of the first bridge.
	}{
		"Port":      {reason: "the bridge that is removed keeps its port", edit: func(b *machine.SitePart) { b.Address = "" }, want: ActionLook, says: "enp2s0 of node pve1 " + stays + "enp2s0", kept: ActionKeep},
		"Address":   {reason: "it keeps its address, too", edit: func(b *machine.SitePart) { b.Ports = nil }, want: ActionLook, says: "10.0.9.2/24 of node pve1 " + stays + "10.0.9.2/24", kept: ActionKeep},
		"Neither":   {reason: "they have nothing to do with each other", edit: func(b *machine.SitePart) { b.Ports, b.Address = nil, "10.0.8.2/24" }, want: ActionCreate, kept: ActionDrop},
		"Moved":     {reason: "the first bridge has not let go of its port", edit: func(b *machine.SitePart) { b.Address = "" }, there: true, want: ActionLook, says: "It waits until vmbr1 of node pve1 no longer has enp2s0.", kept: ActionFollow},
		"Elsewhere": {reason: "another node has ports of its own", edit: func(b *machine.SitePart) { b.Node = "pve2" }, elsewhere: true, want: ActionLook, says: "The provider is reading interface enp2s0 of node pve2.", kept: ActionDrop},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := other
			tc.edit(&b)

			w := newWorld(b)
			if tc.there {
				first := aBridge()
				first.Ports, first.Address = nil, ""
				w.site.Parts = append(w.site.Parts, first)
			}

			w.living(aBridge(), nil, nil)

			plan := w.decide()
			if tc.elsewhere {
				w.look(plan, lookName(plan, "bridge-pve2-vmbr2"), nil, bridgeAbsent)
			} else {
				w.look(plan, lookName(plan, "bridge-pve1-vmbr2"), nil, bridgeAbsent)

				if len(b.Ports) > 0 {
					w.look(w.decide(), lookName(plan, "port-pve1-enp2s0"), nic("enp2s0", ""), "")
				}
			}

			plan = w.decide()

			var got, kept Part
			for _, part := range plan.Parts {
				if part.Name == "vmbr2" {
					got = part
				} else {
					kept = part
				}
			}

			if said := got.Problem + got.Waits; got.Action != tc.want || !strings.Contains(said, tc.says) || tc.says == "" && said != "" {
				t.Errorf("%s: got %s, %q", tc.reason, got.Action, said)
			}

			if kept.Action != tc.kept {
				t.Errorf("%s: the first bridge: got %s, %q", tc.reason, kept.Action, kept.Problem)
			}
		})
	}
}

// TestEdits: what an edit of a bridge does.
func TestEdits(t *testing.T) {
	yes := true

	cases := map[string]struct {
		reason string
		edit   func(*proxmox.SiteParameters)
		field  string
		effect change.Effect
	}{
		"Comment":   {"free", func(p *proxmox.SiteParameters) { p.Comment = "old " + mark }, "comment", change.InPlace},
		"Ports":     {"interrupts", func(p *proxmox.SiteParameters) { p.Ports = []string{"enp3s0"} }, "ports", Interruption},
		"Aware":     {"interrupts", func(p *proxmox.SiteParameters) { p.VLANAware = &yes; p.VIDs = "2-4094" }, "vlanAware", Interruption},
		"MTU":       {"interrupts", func(p *proxmox.SiteParameters) { p.MTU = 0 }, "mtu", Interruption},
		"Address":   {"interrupts", func(p *proxmox.SiteParameters) { p.Address = "10.0.9.9/24" }, "address", Interruption},
		"Address6":  {"interrupts", func(p *proxmox.SiteParameters) { p.Address6 = "fd00::1/64" }, "address6", Interruption},
		"Unsorted":  {"the order of ports is nothing", func(p *proxmox.SiteParameters) { p.Ports = []string{"enp2s0"} }, "", ""},
		"Gateway":   {"the claim has none, and keeps it", func(p *proxmox.SiteParameters) { p.Gateway = "10.0.9.1" }, "", ""},
		"Autostart": {"the claim has none, and keeps it", func(p *proxmox.SiteParameters) { no := false; p.Autostart = &no }, "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(aBridge())
			w.living(aBridge(), tc.edit, nil)
			p := w.decide()

			if name == "Ports" {
				w.look(p, lookName(p, "port-pve1-enp2s0"), nic("enp2s0", ""), "")
				p = w.decide()
			}

			part := p.Parts[0]
			all := append(append(append([]change.Change{}, part.Changes...), part.Interruptions...), part.Refused...)

			switch {
			case tc.field == "" && (len(all) > 0 || part.Writing != WritesNothing):
				t.Fatalf("%s: %v", tc.reason, all)
			case tc.field == "":
				return
			case len(all) != 1 || all[0].Field != "spec.nodes.pve1.bridges[vmbr1]."+tc.field || all[0].Effect != tc.effect:
				t.Fatalf("%s: %v", tc.reason, all)
			case (part.Writing != WritesNothing) != (tc.effect == change.InPlace):
				t.Fatalf("%s: writing is %q", tc.reason, part.Writing)
			case tc.effect == change.InPlace:
				return
			}

			if got := Render(p).Parts["bridge-pve1-vmbr1"].Spec.ManagementPolicies; proxmox.MayUpdate(got) {
				t.Errorf("the provider may change it without the word: %v", got)
			}

			// With the word, it happens; with another one, it does not.
			for word, want := range map[string]bool{part.Hash: true, "a000000000": false} {
				w.site.Parts[0].Allow = word

				allowed := w.decide().Parts[0]
				if (allowed.Writing != WritesNothing) != want {
					t.Errorf("word %s: writing is %q, want %v", word, allowed.Writing, want)
				}

				if want {
					if diff := cmp.Diff(described(aBridge(), mark), allowed.Parameters); diff != "" {
						t.Errorf("-want, +got:\n%s", diff)
					}
				}
			}
		})
	}
}

// TestWordCountsOnce: when it has done its work, the same change waits for another word.
func TestWordCountsOnce(t *testing.T) {
	w := newWorld(aBridge())
	older := func(p *proxmox.SiteParameters) { p.MTU = 1500 }
	w.living(aBridge(), older, nil)
	word := w.decide().Parts[0].Hash
	w.site.Parts[0].Allow = word
	w.living(aBridge(), nil, nil)

	p := w.decide()
	if p.Parts[0].Allowed != word {
		t.Fatalf("want the word to be kept, got %q", p.Parts[0].Allowed)
	}

	w.living(aBridge(), older, Render(p).Parts["bridge-pve1-vmbr1"].Metadata.Annotations)

	if part := w.decide().Parts[0]; part.Writing != WritesNothing || part.Hash == word {
		t.Errorf("the word counted twice: %q %s", part.Writing, part.Hash)
	}
}

// TestLastPort: the provider cannot remove it, and Proxmox keeps it.
func TestLastPort(t *testing.T) {
	without := aBridge()
	without.Ports = nil
	w := newWorld(without)
	w.living(aBridge(), nil, nil)

	part := w.decide().Parts[0]
	if len(part.Refused) != 1 || part.Writing != WritesNothing || len(part.Interruptions) > 0 {
		t.Errorf("want it to be refused: %+v", part)
	}
}

// TestNewPort: a change of ports looks at the new ones, also where the word is there.
func TestNewPort(t *testing.T) {
	w := newWorld(aBridge())
	w.living(aBridge(), func(p *proxmox.SiteParameters) { p.Ports = []string{"enp3s0"} }, nil)

	p := w.decide()
	w.site.Parts[0].Allow = p.Parts[0].Hash

	if w.decide().Parts[0].Writing != WritesNothing {
		t.Error("the port was not read before")
	}

	w.look(p, lookName(p, "port-pve1-enp2s0"), nic("enp2s0", "192.168.4.2/24"), "")

	if part := w.decide().Parts[0]; part.Writing != WritesNothing || !strings.Contains(part.Problem, "has the address") {
		t.Errorf("want it refused: %+v", part)
	}
}

// TestRemoval: what the claim no longer has.
func TestRemoval(t *testing.T) {
	cases := map[string]struct {
		reason   string
		deletion v1alpha1.DeletionPolicy
		named    bool
		mayGo    bool // Whether its policies have Delete.
		guests   []Guest
		vlan     bool
		want     Action
		deletes  bool
		says     string
	}{
		"Orphan":      {reason: "it stays in Proxmox", deletion: v1alpha1.DeletionOrphan, want: ActionDrop},
		"OrphanFirst": {reason: "first the policies", deletion: v1alpha1.DeletionOrphan, mayGo: true, want: ActionKeep},
		"NotNamed":    {reason: "the claim does not say so", deletion: v1alpha1.DeletionDelete, mayGo: true, want: ActionKeep, says: "does not name it"},
		"NamedFirst":  {reason: "first the policies", deletion: v1alpha1.DeletionDelete, named: true, want: ActionKeep, deletes: true},
		"Named":       {reason: "then it goes", deletion: v1alpha1.DeletionDelete, named: true, mayGo: true, want: ActionDrop, deletes: true},
		"VM":          {reason: "a VM uses it", deletion: v1alpha1.DeletionDelete, named: true, mayGo: true, guests: []Guest{{"VM dns01", []string{"pve1"}, []string{"vmbr1"}}}, want: ActionKeep, says: "in use: VM dns01"},
		"VMs": {
			reason: "those of others have no names, and are said once", deletion: v1alpha1.DeletionDelete, named: true, mayGo: true, want: ActionKeep, says: "in use: VM dns01, a VM of another claim.",
			guests: []Guest{{"a VM of another claim", []string{"pve1"}, []string{"vmbr1"}}, {"VM dns01", []string{"pve1"}, []string{"vmbr1"}}, {"a VM of another claim", []string{"pve1"}, []string{"vmbr1"}}},
		},
		"VMElsewhere": {reason: "on another node", deletion: v1alpha1.DeletionDelete, named: true, mayGo: true, guests: []Guest{{"VM dns01", []string{"pve2"}, []string{"vmbr1"}}}, want: ActionDrop, deletes: true},
		"VLAN":        {reason: "a VLAN interface of the claim is on it", deletion: v1alpha1.DeletionDelete, named: true, mayGo: true, vlan: true, want: ActionKeep, says: "in use: VLAN interface vmbr1.30"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			if tc.vlan {
				w.site.Parts = []machine.SitePart{aVLAN()}
			}

			w.living(aBridge(), nil, nil)

			o := w.observed["bridge-pve1-vmbr1"]
			o.Spec.ManagementPolicies = proxmox.Policies(proxmox.Deletion(tc.mayGo))
			w.observed["bridge-pve1-vmbr1"] = o
			w.guests, w.site.DeletionPolicy = tc.guests, tc.deletion

			if tc.named {
				w.site.Removals = []string{"pve1/vmbr1"}
			}

			p := w.decide()
			part := p.Parts[len(p.Parts)-1]

			if part.Action != tc.want || part.Deletes != tc.deletes || !strings.Contains(part.Problem, tc.says) {
				t.Errorf("%s: got %s, deletes %v, %q", tc.reason, part.Action, part.Deletes, part.Problem)
			}

			kept, ok := Render(p).Parts["bridge-pve1-vmbr1"]
			if ok && proxmox.MayDelete(kept.Spec.ManagementPolicies) != tc.deletes {
				t.Errorf("%s: policies %v", tc.reason, kept.Spec.ManagementPolicies)
			}
		})
	}
}

// TestDeletion: what the end of the claim may delete.
func TestDeletion(t *testing.T) {
	w := newWorld(aBridge(), aPool())
	w.living(aBridge(), nil, nil)
	w.living(aPool(), nil, nil)

	for name, tc := range map[string]struct {
		policy       v1alpha1.DeletionPolicy
		guests       []Guest
		bridge, pool bool
	}{
		"Orphan": {policy: v1alpha1.DeletionOrphan},
		"Delete": {policy: v1alpha1.DeletionDelete, bridge: true, pool: true},
		"Used":   {policy: v1alpha1.DeletionDelete, guests: []Guest{{"VM dns01", []string{"pve1"}, []string{"vmbr1"}}}, pool: true},
	} {
		w.site.DeletionPolicy, w.guests = tc.policy, tc.guests
		r := Render(w.decide())

		for resource, want := range map[string]bool{"bridge-pve1-vmbr1": tc.bridge, "pool-k3s": tc.pool} {
			if got := r.Parts[resource].Spec.ManagementPolicies; proxmox.MayDelete(got) != want {
				t.Errorf("%s: %s: policies %v", name, resource, got)
			}
		}
	}
}

// TestTainted: what the provider has given up stays in Proxmox, and is taken by another managed resource.
func TestTainted(t *testing.T) {
	for name, mayDelete := range map[string]bool{"Drops": false, "FirstThePolicies": true} {
		w := newWorld(aBridge())
		w.living(aBridge(), nil, nil)

		o := w.observed["bridge-pve1-vmbr1"]
		o.Spec.ManagementPolicies = proxmox.Policies(proxmox.Deletion(mayDelete))
		o.Status.Conditions = proxmox.Conditions{not("plan failed: Instance cannot be destroyed: Resource has lifecycle.prevent_destroy set")}
		w.observed["bridge-pve1-vmbr1"] = o
		w.site.DeletionPolicy = v1alpha1.DeletionDelete

		part := w.decide().Parts[0]
		kept, ok := Render(w.decide()).Parts["bridge-pve1-vmbr1"]

		if (part.Action == ActionDrop) == mayDelete || ok && proxmox.MayDelete(kept.Spec.ManagementPolicies) {
			t.Errorf("%s: %s %v", name, part.Action, kept.Spec.ManagementPolicies)
		}
	}
}

// TestBirthEnds: whose the interface is that the provider shows after a creation.
func TestBirthEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		at         proxmox.SiteObservation
		conditions []proxmox.Condition
		want       State
		action     Action
	}{
		"Ours": {proxmox.SiteObservation{ID: "pve1:vmbr1", SiteParameters: described(aBridge(), mark)}, nil, StateLiving, ActionFollow},
		// Where Proxmox reports no comment, the plugin shows that of the managed resource.
		"NotBegun": {proxmox.SiteObservation{ID: "pve1:vmbr1", SiteParameters: described(aBridge(), mark)}, nil, StateForeign, ActionLook},
		"Foreign":  {proxmox.SiteObservation{ID: "pve1:vmbr1", SiteParameters: proxmox.SiteParameters{Name: "vmbr1"}}, nil, StateForeign, ActionLook},
		"Begun":    {proxmox.SiteObservation{}, nil, StateCreating, ActionKeep},
		"Failed": {
			proxmox.SiteObservation{},
			[]proxmox.Condition{{Type: proxmox.ConditionReady, Status: "False"}, {Type: proxmox.ConditionLastAsync, Status: "False", Message: "x"}},
			StateFailed, ActionCreate,
		},
	} {
		w := newWorld(aBridge())
		w.living(aBridge(), nil, map[string]string{proxmox.CreatingAnnotation: "none"})

		o := w.observed["bridge-pve1-vmbr1"]
		if name != "NotBegun" {
			o.Metadata.Annotations[proxmox.CreatePendingAnnotation] = "2026-11-20T10:00:00Z"
		}

		o.Spec.ManagementPolicies = proxmox.CreatePolicies()
		o.Status.AtProvider = tc.at

		if tc.conditions != nil {
			o.Status.Conditions = tc.conditions
		}

		w.observed["bridge-pve1-vmbr1"] = o

		if part := w.decide().Parts[0]; part.State != tc.want || part.Action != tc.action {
			t.Errorf("%s: %s %s", name, part.State, part.Action)
		}
	}
}

// TestOneByOne: interfaces of a node are created one after the other, those of other nodes and pools at once.
func TestOneByOne(t *testing.T) {
	part := func(node, name string) machine.SitePart {
		return machine.SitePart{Kind: machine.SiteBridge, Node: node, Name: name, Path: "spec"}
	}
	w := newWorld(part("pve1", "vmbr1"), part("pve1", "vmbr2"), part("pve2", "vmbr1"), aPool())

	first := w.decide()
	for _, of := range first.Parts {
		w.look(first, lookName(first, of.Resource), nil, "Linux Bridge interface not found, external resource does not exist")
	}

	actions := func() string {
		var out []string
		for _, of := range w.decide().Parts {
			out = append(out, string(of.Action))
		}

		return strings.Join(out, ", ")
	}

	if got, want := actions(), "Create, Look, Create, Create"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}

	for resource, r := range Render(w.decide()).Parts {
		w.observed[resource] = observed(r, proxmox.SiteObservation{})
	}

	if got, want := actions(), "Keep, Look, Keep, Keep"; got != want {
		t.Errorf("while the provider creates: want %s, got %s", want, got)
	}

	w.living(part("pve1", "vmbr1"), nil, nil)

	if got, want := actions(), "Follow, Create, Keep, Keep"; got != want {
		t.Errorf("afterwards: want %s, got %s", want, got)
	}
}

// TestReadBefore: what the provider has read before the managed resource had its parameters does not count. Somebody may have changed it since.
func TestReadBefore(t *testing.T) {
	w := newWorld(aBridge())
	w.living(aBridge(), func(p *proxmox.SiteParameters) { p.Comment = "old " + mark }, nil)

	name := "bridge-pve1-vmbr1"
	write := func(fresh bool) proxmox.SitePart {
		r := Render(w.decide()).Parts[name]
		o := observed(r, w.observed[name].Status.AtProvider, is(proxmox.ConditionSynced), is(proxmox.ConditionReady))
		o.Metadata.Generation = w.observed[name].Metadata.Generation + 1

		if o.Status.Conditions[0].ObservedGeneration = 1; fresh {
			o.Status.Conditions[0].ObservedGeneration = o.Metadata.Generation
		}

		w.observed[name] = o

		return r
	}

	if r := write(false); proxmox.MayUpdate(r.Spec.ManagementPolicies) || !strings.HasPrefix(r.Spec.ForProvider.Comment, "storage") {
		t.Fatalf("want the new comment, and no update: %+v", r.Spec)
	}

	w.observed[name] = func() proxmox.ObservedSitePart { o := w.observed[name]; o.Metadata.Generation = 2; return o }()

	if r := write(true); proxmox.MayUpdate(r.Spec.ManagementPolicies) {
		t.Fatal("the provider has not read it since")
	}

	// Somebody has changed it meanwhile.
	o := w.observed[name]
	o.Status.AtProvider.MTU = 1500
	w.observed[name] = o

	if r := write(true); proxmox.MayUpdate(r.Spec.ManagementPolicies) || r.Spec.ForProvider.MTU != 1500 {
		t.Fatalf("want the change to stay: %+v", r.Spec)
	}

	if r := write(false); !proxmox.MayUpdate(r.Spec.ManagementPolicies) {
		t.Fatal("the provider has read it as it is")
	}

	// While the provider is at it, it stays so.
	if r := write(false); !proxmox.MayUpdate(r.Spec.ManagementPolicies) {
		t.Fatal("the update was withdrawn")
	}
}

// TestGone: an interface that the provider does not find any more is created again as it was. What the provider read before says nothing any more.
func TestGone(t *testing.T) {
	for name, conditions := range map[string]proxmox.Conditions{
		"Creating": {{Type: proxmox.ConditionReady, Status: "False", Reason: "Creating"}, is(proxmox.ConditionSynced)},
		"Absent":   {is(proxmox.ConditionReady), not("observe failed: external resource does not exist")},
	} {
		w := newWorld(aBridge())
		w.living(aBridge(), nil, nil)

		o := w.observed["bridge-pve1-vmbr1"]
		o.Status.Conditions = conditions
		w.observed["bridge-pve1-vmbr1"] = o
		w.site.Parts[0].Comment = "other"

		p := w.decide()
		r := Render(p)
		report := ReportOn(p, r, nil, nil)

		if p.Parts[0].Action != ActionKeep || r.Parts["bridge-pve1-vmbr1"].Spec.ForProvider.Comment != "storage "+mark {
			t.Errorf("%s: want it as it was: %+v", name, p.Parts[0])
		}

		if report.Ready["bridge-pve1-vmbr1"] || report.Status.Present != "0/1" {
			t.Errorf("%s: want it not to be there: %+v", name, report.Status)
		}
	}
}

// TestOthersBridge: what somebody puts in the place of a part is never the claim's, and is not deleted with it.
func TestOthersBridge(t *testing.T) {
	w := newWorld(aBridge())
	w.site.DeletionPolicy = v1alpha1.DeletionDelete
	w.living(aBridge(), func(s *proxmox.SiteParameters) { s.Comment = "made by hand" }, nil)

	o := w.observed["bridge-pve1-vmbr1"]
	o.Spec.ManagementPolicies = proxmox.Policies(true)
	w.observed["bridge-pve1-vmbr1"] = o

	p := w.decide()
	if part := p.Parts[0]; part.State != StateForeign || part.Action != ActionKeep || part.Deletes {
		t.Errorf("while its managed resource may delete it: %s %s, deletes %t", part.State, part.Action, part.Deletes)
	}

	kept := Render(p).Parts["bridge-pve1-vmbr1"]
	if proxmox.MayDelete(kept.Spec.ManagementPolicies) || proxmox.MayUpdate(kept.Spec.ManagementPolicies) {
		t.Fatalf("want policies without Delete and Update, got %v", kept.Spec.ManagementPolicies)
	}

	o.Spec.ManagementPolicies = kept.Spec.ManagementPolicies
	w.observed["bridge-pve1-vmbr1"] = o

	if part := w.decide().Parts[0]; part.Action != ActionLook || !strings.Contains(part.Problem, "did not create") {
		t.Errorf("then: %s %q", part.Action, part.Problem)
	}
}

// TestFailedEdited: a creation that failed is tried again as it is; an edited one begins with the looks.
func TestFailedEdited(t *testing.T) {
	for name, tc := range map[string]struct {
		ports []string
		want  Action
	}{"Same": {[]string{"enp2s0"}, ActionCreate}, "Edited": {[]string{"eno1"}, ActionDrop}} {
		edited := aBridge()
		edited.Ports = tc.ports

		w := newWorld(edited)
		w.living(aBridge(), nil, map[string]string{proxmox.CreatingAnnotation: "none"})

		o := w.observed["bridge-pve1-vmbr1"]
		o.Spec.ManagementPolicies, o.Status.AtProvider = proxmox.CreatePolicies(), proxmox.SiteObservation{}
		o.Status.Conditions = []proxmox.Condition{{Type: proxmox.ConditionReady, Status: "False"}, {Type: proxmox.ConditionLastAsync, Status: "False", Message: "x"}}
		w.observed["bridge-pve1-vmbr1"] = o

		if part := w.decide().Parts[0]; part.State != StateFailed || part.Action != tc.want {
			t.Errorf("%s: %s %s", name, part.State, part.Action)
		}
	}
}

// TestWordStays: who takes a word out of the claim does not make it count again.
func TestWordStays(t *testing.T) {
	w := newWorld(aBridge())
	w.living(aBridge(), nil, map[string]string{proxmox.AllowedAnnotation: "a1"})

	if part := w.decide().Parts[0]; part.Allowed != "a1" {
		t.Errorf("want the word a1 to be kept, got %q", part.Allowed)
	}
}

// TestBackInTheClaim: what is being deleted, and is in the claim again, is not to go.
func TestBackInTheClaim(t *testing.T) {
	w := newWorld(aBridge())
	w.site.DeletionPolicy = v1alpha1.DeletionDelete
	w.living(aBridge(), nil, nil)

	o := w.observed["bridge-pve1-vmbr1"]
	o.Spec.ManagementPolicies, o.Metadata.DeletionTimestamp = proxmox.Policies(true), "2026-11-20T10:00:00Z"
	o.Status.Conditions = []proxmox.Condition{is(proxmox.ConditionSynced), {Type: proxmox.ConditionReady, Status: "False", Reason: "Deleting"}}
	w.observed["bridge-pve1-vmbr1"] = o

	if kept := Render(w.decide()).Parts["bridge-pve1-vmbr1"]; proxmox.MayDelete(kept.Spec.ManagementPolicies) {
		t.Errorf("want policies without Delete, got %v", kept.Spec.ManagementPolicies)
	}
}

// TestKeptUser: a VLAN interface that was removed from the claim and stays in Proxmox still uses its bridge.
func TestKeptUser(t *testing.T) {
	w := newWorld()
	w.site.DeletionPolicy, w.site.Removals = v1alpha1.DeletionDelete, []string{"pve1/vmbr1"}
	w.living(aBridge(), nil, nil)
	w.living(aVLAN(), nil, nil)

	for _, part := range w.decide().Parts {
		if part.Name == "vmbr1" && (part.Action != ActionKeep || part.Deletes || !strings.Contains(part.Problem, "vmbr1.30")) {
			t.Errorf("%s, deletes %t: %s", part.Action, part.Deletes, part.Problem)
		}
	}

	w.site.Removals = append(w.site.Removals, "pve1/vmbr1.30")

	for _, part := range w.decide().Parts {
		if part.Problem != "" || !part.Deletes {
			t.Errorf("%s is named, too: %s, deletes %t: %s", part.Name, part.Action, part.Deletes, part.Problem)
		}
	}
}

// TestAddressInProxmox: an interface of the claim that still has an address is no port.
func TestAddressInProxmox(t *testing.T) {
	vlan, bridge := aVLAN(), aBridge()
	vlan.Interface, vlan.Name = "enp2s0", "enp2s0.30"
	bridge.Ports = []string{vlan.Name}

	w := newWorld(vlan, bridge)
	w.living(vlan, func(s *proxmox.SiteParameters) { s.Address = "192.168.4.2/24" }, nil)
	w.look(w.decide(), lookName(w.decide(), "bridge-pve1-vmbr1"), nil, bridgeAbsent)

	if part := w.decide().Parts[1]; part.Action != ActionLook || !strings.Contains(part.Problem, "192.168.4.2/24") {
		t.Errorf("%s %q", part.Action, part.Problem)
	}
}
