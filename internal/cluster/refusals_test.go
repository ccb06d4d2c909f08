package cluster

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestRefusals: what a part of the claim cannot have keeps the other parts from nothing, and is said when nothing else is to do.
func TestRefusals(t *testing.T) {
	s := newStory(t, claimed(1, 2))
	s.complete(40)
	s.log = nil

	// The class of the server is refused, that of the agents is not, and there is one agent more.
	s.spec.Servers.Class, s.spec.Agents[0].Class, s.spec.Agents[0].Count = "none", "xlarge", 3
	s.refusals.Refuse("server-0", field.ErrorList{field.NotFound(field.NewPath("spec", "servers", "class"), "none")})

	p := s.settle(60)
	s.logged("worker-2 Create", "worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot")

	const want = `This part of the cluster's claim is refused, and the rest takes effect: spec.servers.class: "none": does not exist.`
	if p.State != v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	if got := ReportOn(p, s.site.children(), "", s.refusals).Conditions[0]; got.Status != "False" || got.Message != want {
		t.Errorf("SpecValid: %+v", got)
	}

	s.spec.Servers.Class, s.refusals = "medium", Refusals{}
	s.complete(10)
}

// TestTogetherByGroup: a fault of what a pool shares refuses the changes of the others of the pool in the same group of fields, and nothing else.
func TestTogetherByGroup(t *testing.T) {
	spec := claimed(3, 2)
	has := map[string]any{"class": "medium", "network": map[string]any{"bridge": "vmbr0"}}
	asks := func(edit func(map[string]any)) map[string]any {
		out := map[string]any{"class": "medium", "network": map[string]any{"bridge": "vmbr0"}}
		edit(out)

		return out
	}
	other := asks(func(s map[string]any) { group(s, "network")["bridge"] = "vmbr1" })

	members := []Member{
		{Node: "server-0", Role: v1alpha1.K3sServer, Spec: other},
		{Node: "server-1", Role: v1alpha1.K3sServer, Spec: other},
		{Node: "server-2", Role: v1alpha1.K3sServer, Spec: asks(func(s map[string]any) { s["class"] = "large" })},
		{Node: "server-3", Role: v1alpha1.K3sServer, Spec: other}, // It does not exist.
		{Node: "worker-0", Role: v1alpha1.K3sAgent, Spec: other},
	}

	children := map[string]Child{}
	for _, m := range members {
		if m.Node != "server-3" {
			children[m.Node] = Child{Role: m.Role, Spec: has}
		}
	}

	fault := field.ErrorList{field.Forbidden(field.NewPath("spec", "servers", "template", "network", "bridge"), "no")}

	var got Refusals
	got.Refuse("server-0", fault)
	got.Together(members, spec, children)

	if diff := cmp.Diff(map[string]field.ErrorList{"server-0": fault, "server-1": fault}, got.Nodes); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestStanding: without the release that cannot be, the cluster stands by the newest one that its servers were asked to run.
func TestStanding(t *testing.T) {
	node := func(role Role, asked, runs string) Child {
		return Child{Role: role, Spec: withVersion(map[string]any{}, asked), Version: runs}
	}

	for name, tc := range map[string]struct {
		reason   string
		children map[string]Child
		want     string
	}{
		"AllAlike":  {"The one that all have.", map[string]Child{"a": node(v1alpha1.K3sServer, "v1.33.6+k3s1", "")}, "v1.33.6+k3s1"},
		"OnTheWay":  {"A rollout that has begun goes on.", map[string]Child{"a": node(v1alpha1.K3sServer, "v1.34.2+k3s1", ""), "b": node(v1alpha1.K3sServer, "v1.33.6+k3s1", "")}, "v1.34.2+k3s1"},
		"Catalogue": {"The catalogue said it: what runs.", map[string]Child{"a": node(v1alpha1.K3sServer, "", "v1.33.6+k3s1")}, "v1.33.6+k3s1"},
		"Agents":    {"Agents follow their servers.", map[string]Child{"a": node(v1alpha1.K3sServer, "v1.33.6+k3s1", ""), "w": node(v1alpha1.K3sAgent, "v1.35.1+k3s1", "")}, "v1.33.6+k3s1"},
		"NoServer":  {"Nothing to stand by.", map[string]Child{"w": node(v1alpha1.K3sAgent, "v1.33.6+k3s1", "")}, "v1.36.0+k3s1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Standing(v1alpha1.K3sClusterSpec{Version: "v1.36.0+k3s1"}, tc.children).Version; got != tc.want {
				t.Errorf("%s want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// addressed is a cluster of three servers with fixed addresses.
func addressed(t *testing.T) *story {
	t.Helper()

	spec := claimed(3, 1)
	spec.Nodes = []v1alpha1.ClusterNode{
		{Name: "server-0", IP: "192.168.4.50/24"}, {Name: "server-1", IP: "192.168.4.51/24"}, {Name: "server-2", IP: "192.168.4.52/24"},
	}

	s := newStory(t, spec)
	s.complete(40)
	s.log = nil

	return s
}

// TestIdentities: an address, MAC or VMID is free only when no other node's VM has it.
func TestIdentities(t *testing.T) {
	t.Run("Swap", func(t *testing.T) {
		s := addressed(t)
		s.spec.Nodes[0].IP, s.spec.Nodes[1].IP = "192.168.4.51/24", "192.168.4.50/24"
		p := s.settle(30)
		s.logged()

		const want = "server-0 is to have 192.168.4.51, which server-1 has, and that one waits for what server-0 has: two VMs would have one address for a while. " +
			"Give server-0 in one commit a value that nobody has, and, when that is rolled out, in a second commit what this claim gives them now."
		if p.State != v1alpha1.RolloutBlocked || p.Message != want {
			t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
		}

		// The two commits that it says.
		s.spec.Nodes[0].IP, s.spec.Nodes[1].IP = "192.168.4.59/24", "192.168.4.51/24"
		s.complete(30)
		s.spec.Nodes[0].IP, s.spec.Nodes[1].IP = "192.168.4.51/24", "192.168.4.50/24"
		s.complete(30)
		s.logged("server-0 Change", "server-0 Replace", "server-1 Change", "server-1 Replace", "server-0 Change", "server-0 Replace")
	})

	t.Run("Chain", func(t *testing.T) {
		s := addressed(t)
		s.spec.Nodes[0].IP, s.spec.Nodes[1].IP = "192.168.4.51/24", "192.168.4.53/24"
		s.complete(30)
		s.logged("server-1 Change", "server-1 Replace", "server-0 Change", "server-0 Replace")
	})

	t.Run("New", func(t *testing.T) {
		s := addressed(t)
		s.spec.Agents[0].Count = 2
		s.spec.Nodes = append(s.spec.Nodes, v1alpha1.ClusterNode{Name: "worker-1", IP: "192.168.4.52/24"})
		p := s.settle(30)
		s.logged()

		if want := "worker-1 is to have 192.168.4.52, which is server-2's: give one of them another value."; p.State != v1alpha1.RolloutBlocked || p.Message != want {
			t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
		}
	})

	t.Run("HeldUp", func(t *testing.T) {
		const held = "server-0 is to have 192.168.4.51, which server-1's VM has until a new one replaces it, and that waits: DrainBlocked: No Node is known to be the VM."

		s := addressed(t)
		s.spec.Nodes[0].IP, s.spec.Nodes[1].IP = "192.168.4.51/24", "192.168.4.53/24"
		s.call()

		w := s.world()
		c := w.Children["server-1"]
		c.Need, c.Held = NeedBlocked, Hold{Reason: "DrainBlocked", Message: "No Node is known to be the VM."}
		w.Children["server-1"] = c

		if p, want := Decide(w), held; p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, want) {
			t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
		}
	})

	t.Run("Inherited", func(t *testing.T) {
		s := addressed(t)
		s.spec.Servers.Count, s.spec.Agents[0].Count = new(int64(1)), 2
		s.spec.Nodes = append(s.spec.Nodes, v1alpha1.ClusterNode{Name: "worker-1", IP: "192.168.4.52/24"})
		s.complete(60)

		if got := strings.Join(s.log, ", "); got != "server-2 Remove, worker-1 Create, server-1 Remove" && got != "server-2 Remove, server-1 Remove, worker-1 Create" {
			t.Errorf("want worker-1 to be created when server-2 is gone, got %s", got)
		}
	})
}

// TestIdentitiesUntilAnotherVM: a node of K3s has its address until another VM replaces it, whatever its claim says by now. Nobody takes it over before, and
// who replaces the VM is said.
func TestIdentitiesUntilAnotherVM(t *testing.T) {
	s := addressed(t)
	s.spec.Rollout.ReplacePolicy = v1alpha1.ReplaceOnRequest
	s.spec.Nodes[0].IP = "192.168.4.59/24"
	s.settle(30)

	s.log = nil
	s.spec.Agents[0].Count = 2
	s.spec.Nodes = append(s.spec.Nodes, v1alpha1.ClusterNode{Name: "worker-1", IP: "192.168.4.50/24"})

	p := s.settle(10)
	if want := "worker-1 is to have 192.168.4.50, which server-0's VM has until a new one replaces it: set lifecycle.replace to a new value for server-0."; p.State !=
		v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	s.logged()

	s.setNode("server-0", func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace = "address" })
	s.complete(30)
	s.logged("worker-1 Create")
}

// TestHad: what a node's status says of the identities with which its VM runs.
func TestHad(t *testing.T) {
	applied := map[string]any{"network": map[string]any{"ip": "192.168.4.50/24"}, "proxmox": map[string]any{"vmId": 4711.0}}

	for name, tc := range map[string]struct {
		reason   string
		refused  []string
		answered bool
		want     map[string][]string
	}{
		"AtRest": {reason: "What the node has answered is its spec.", answered: true},
		"Refused": {
			reason: "A node of K3s keeps its address until another VM replaces it.", answered: true, want: map[string][]string{"network.ip": {"192.168.4.7"}},
			refused: []string{"spec.image: debian-12 to debian-13", "spec.network.ip: 192.168.4.7/24 to 192.168.4.9/24"},
		},
		"DHCP":   {reason: "An address of a lease is nobody's in a claim.", answered: true, refused: []string{"spec.network.ip: dhcp to 192.168.4.9/24"}, want: map[string][]string{"network.ip": {"dhcp"}}},
		"None":   {reason: "It had no address.", answered: true, refused: []string{"spec.network.ip: none to 192.168.4.9/24"}},
		"Edited": {reason: "The node has not answered: its VM is as it was.", want: map[string][]string{"network.ip": {"192.168.4.50"}, "proxmox.vmId": {"4711"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, hadOf(applied, tc.refused, tc.answered)); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDrainTakenBack: whether a node is drained follows the claim at once where its drain cannot go on, since its turn cannot end else.
func TestDrainTakenBack(t *testing.T) {
	spec := claimed(3, 1)
	spec.Rollout.Drain = true
	s := newStory(t, spec)
	s.complete(40)

	c := &s.site.nodes["server-1"].child
	c.Need, c.Turn, c.Held = NeedReplacing, TurnReplaced, Hold{Reason: "DrainBlocked", Message: "Set spec.k3s.drain to false, or spec.lifecycle.force."}

	if p := Decide(s.world()); !strings.Contains(p.Message, "Set spec.rollout.drain to false, or spec.nodes[server-1].lifecycle.force.") {
		t.Errorf("want the fields of the cluster's claim, got %s", p.Message)
	}

	if group(c.Spec, "k3s")["drain"] != true {
		t.Fatalf("want a node that is drained, got %v", c.Spec)
	}

	s.spec.Rollout.Drain = false

	for _, step := range Decide(s.world()).Steps {
		if drain, said := group(step.Spec, "k3s")["drain"]; step.Node == "server-1" && said {
			t.Errorf("want no drain, got %v", drain)
		}
	}
}

// TestWhatHoldsATurn: what only a person can end is Blocked, in the node's own words, and what helps reaches a node that is to go.
func TestWhatHoldsATurn(t *testing.T) {
	s := scaled(t, true)
	s.site.nodes["worker-2"].undrainable = true

	for range 6 {
		s.call()
	}

	s.site.nodes["worker-2"].child.Held = Hold{Reason: "DrainBlocked", Message: "No Node is known to be the VM."}

	p := s.call()
	if want := "worker-2 is being removed, and cannot go on: DrainBlocked: No Node is known to be the VM."; p.State != v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	s.spec.Nodes = []v1alpha1.ClusterNode{{Name: "worker-2", Lifecycle: v1alpha1.NodeLifecycle{Force: "f", Replace: "r"}}}
	s.call()

	l := group(s.site.nodes["worker-2"].child.Spec, "lifecycle")
	if l["force"] != "f" || l["replace"] != nil {
		t.Errorf("want force and no replace at a node that is to go, got %v", l)
	}
}

// TestUnaccepted: a turn whose spec the API server refuses is Blocked, and is tried again.
func TestUnaccepted(t *testing.T) {
	s := newStory(t, claimed(1, 1))
	s.complete(40)

	s.spec.Agents[0].Class = "xlarge"
	w := s.world()
	w.Unaccepted = map[string]bool{"worker-0": true}

	p := Decide(w)
	if want := "The API server did not take the new spec of worker-0: the events of the cluster's composite have its words."; p.State != v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	if p.Turn == nil || p.Turn.Action != ActionChange {
		t.Errorf("want the change to be tried again, got %+v", p.Turn)
	}
}

// TestFounderAgain: a replacement of the server that started the cluster is taken back, and so are the servers that it was to join: its claim says again what
// its VM is, and nothing waits.
func TestFounderAgain(t *testing.T) {
	s := newStory(t, claimed(1, 0))
	s.complete(40)

	c := &s.site.nodes["server-0"].child
	c.Spec, c.Need, c.Founded = asJoiner(c.Spec, s.world().Members[0].Spec), NeedNewVM, true

	for _, step := range Decide(s.world()).Steps {
		if k := group(step.Spec, "k3s"); k["init"] != true || k["server"] != group(s.world().Members[0].Founder, "k3s")["server"] {
			t.Errorf("want the spec of a founder, got %v", k)
		}
	}
}

// TestStandingRelease: where the claim's release cannot be, the newest one stands that servers were asked to run or run: an earlier one would downgrade them.
func TestStandingRelease(t *testing.T) {
	server := func(asked, runs string) Child {
		return Child{Role: v1alpha1.K3sServer, Spec: map[string]any{"k3s": map[string]any{"version": asked}}, Version: runs, VersionSeen: true}
	}

	for name, tc := range map[string]struct {
		reason   string
		children map[string]Child
		planned  []string
		want     string
	}{
		"New":      {reason: "Nobody was asked for anything.", want: "v1.38.2+k3s1"},
		"Asked":    {reason: "The specs say it.", children: map[string]Child{"a": server("v1.35.6+k3s1", "v1.35.6+k3s1"), "b": server("v1.36.2+k3s1", "v1.35.6+k3s1")}, want: "v1.36.2+k3s1"},
		"Upgraded": {reason: "A Plan has upgraded one whose spec follows later.", children: map[string]Child{"a": server("v1.35.6+k3s1", "v1.36.2+k3s1"), "b": server("v1.35.6+k3s1", "v1.35.6+k3s1")}, want: "v1.36.2+k3s1"},
		"Planned":  {reason: "A Plan may be upgrading one now.", children: map[string]Child{"a": server("v1.35.6+k3s1", "v1.35.6+k3s1")}, planned: []string{"v1.36.2+k3s1"}, want: "v1.36.2+k3s1"},
		"Agent":    {reason: "An agent decides nothing.", children: map[string]Child{"a": {Role: v1alpha1.K3sAgent, Version: "v1.37.0+k3s1"}, "b": server("", "v1.35.6+k3s1")}, want: "v1.35.6+k3s1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Standing(v1alpha1.K3sClusterSpec{Version: "v1.38.2+k3s1"}, tc.children, tc.planned...).Version; got != tc.want {
				t.Errorf("%s\ngot %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestNobodyIsDowngraded: no Plan names a node that runs a later release.
func TestNobodyIsDowngraded(t *testing.T) {
	s := upgraded(t, 3, 1)
	for _, n := range s.site.nodes {
		n.child.Version, n.child.VersionSeen = newRelease, true
	}

	s.spec.Version = oldRelease
	w := s.world()
	w.System.Version = oldRelease

	for role, p := range Decide(w).Upgrades {
		if len(p.Nodes) > 0 {
			t.Errorf("the Plan of %s would downgrade %v to %s", role, p.Nodes, p.Version)
		}
	}
}

// TestTogether: a fault of what a pool shares refuses the edit of its other nodes in the same fields, and nothing else.
func TestTogether(t *testing.T) {
	gateway := field.Invalid(field.NewPath("spec", "servers", "template", "network", "gateway"), "10.30.0.1", "is outside")
	address := field.Invalid(field.NewPath("spec", "nodes").Index(0).Child("ip"), "10.30.0.1", "is outside")

	const network, class = "network", "class"

	for name, tc := range map[string]struct {
		reason string
		edits  map[string]string // What each node is to change.
		faults field.ErrorList   // Of server-0.
		want   map[string]field.ErrorList
	}{
		"SamePart": {
			reason: "server-1 would be replaced into a network that its cluster does not follow to.", edits: map[string]string{"server-0": network, "server-1": network, "worker-0": network},
			faults: field.ErrorList{gateway}, want: map[string]field.ErrorList{"server-0": {gateway}, "server-1": {gateway}},
		},
		"Alike":     {reason: "What is as it was has nothing to refuse.", edits: map[string]string{"server-0": network}, faults: field.ErrorList{gateway}, want: map[string]field.ErrorList{"server-0": {gateway}}},
		"OwnEntry":  {reason: "An entry is one node's.", edits: map[string]string{"server-0": network, "server-1": network}, faults: field.ErrorList{address}, want: map[string]field.ErrorList{"server-0": {address}}},
		"Unrefused": {reason: "Nothing is wrong.", edits: map[string]string{"server-1": network}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)

			members, err := Members(machine.Identity{Name: "home", Composite: "home"}, spec, false)
			if err != nil {
				t.Fatal(err)
			}

			children := map[string]Child{}

			for _, m := range members {
				c := Child{Role: m.Role, Template: m.Template, Spec: maps.Clone(m.Spec)}

				switch tc.edits[m.Node] {
				case network:
					c.Spec["network"], c.Template = map[string]any{"ip": "192.168.4.9", "gateway": "192.168.4.1"}, "before"
				case class:
					c.Spec["class"], c.Template = "small", "before"
				}

				children[m.Node] = c
			}

			// One that is to be created is no half of an edit.
			delete(children, "server-2")

			var got Refusals

			got.Refuse("server-0", tc.faults)
			got.Together(members, spec, children)

			if diff := cmp.Diff(tc.want, got.Nodes); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
