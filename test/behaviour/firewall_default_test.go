package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// byDefault sets the default firewall of the catalogue, as YAML; without one where it is empty.
func (m *machine) byDefault(firewall string) *machine {
	m.t.Helper()

	data := world.Object(m.Catalogue["data"])

	defaults := world.Object(world.Copy(data["defaults"]))
	if defaults == nil {
		defaults = map[string]any{}
	}

	delete(defaults, "firewall")

	if firewall != "" {
		defaults["firewall"] = world.FromYAML(m.t, firewall)
	}

	data["defaults"] = defaults

	return m
}

const aDefault = "{preset: ssh, allow: [{port: 9100}]}"

// guestsOfAllKinds take a default firewall when they are made.
func guestsOfAllKinds(t *testing.T) map[string]func() *machine {
	t.Helper()

	return map[string]func() *machine{
		"Machine": func() *machine { return example(t, "nixos/dns01") },
		"K3sNode": func() *machine { return example(t, "k3s-cluster/agent-1") },
		"Container": func() *machine {
			return ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve, vmId: 153}}")
		},
	}
}

// TestADefaultFirewallStays: what a guest was made with counts, whatever becomes of the default and of the catalogue, and nobody waits for anything.
func TestADefaultFirewallStays(t *testing.T) {
	t.Parallel()

	edits := map[string]struct {
		reason string
		edit   func(*machine)
		stage  string
	}{
		"Changed": {"Other rules are for guests that are made from now on.", func(m *machine) { m.byDefault("{preset: ssh, allow: [{port: 9200}]}") }, "Filtering"},
		"Off":     {"A switch is one of them.", func(m *machine) { m.byDefault("{enabled: false}") }, "Filtering"},
		"Faulty":  {"Nobody reads it for a guest that exists.", func(m *machine) { m.byDefault("{preset: k3s-server}") }, "Filtering"},
		"Unknown": {"A name that no site has is one for guests to come.", func(m *machine) { m.byDefault("{allow: [{group: nobody}]}") }, "Filtering"},
		"Removed": {"It is not opened.", func(m *machine) { m.byDefault("") }, "Filtering"},
		"Lost":    {"Nobody knows the guest's site.", func(m *machine) { m.Catalogue = nil }, "FirewallStands"},
	}

	for kind, made := range guestsOfAllKinds(t) {
		for name, tc := range edits {
			t.Run(kind+name, func(t *testing.T) {
				t.Parallel()

				m := made().byDefault(aDefault)
				m.t = t
				m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "ProviderHealthy": "NoError"})

				wall := m.Proxmox.Firewalls[m.number()]
				if wall == nil || !wall.Drops() || len(wall.Rules) < 3 {
					t.Fatalf("it is made with %+v", wall)
				}

				before, written := world.Copy(map[string]any{"options": wall.Options, "rules": wall.Rules}), len(m.walls())
				m.Proxmox.Done = nil

				tc.edit(m)
				m.says(m.Rest(), map[string]string{"FirewallApplied": tc.stage})
				m.did()

				if diff := cmp.Diff(before, any(map[string]any{"options": wall.Options, "rules": wall.Rules})); diff != "" || len(m.walls()) != written {
					t.Errorf("%s\n%v: -before, +after:\n%s", tc.reason, m.walls(), diff)
				}
			})
		}
	}
}

// TestADefaultFirewallComesLater: a guest that exists is not closed by an edit that no claim shows, however it is called for afterwards; one that is made to
// replace it takes the default.
func TestADefaultFirewallComesLater(t *testing.T) {
	t.Parallel()

	for kind, made := range guestsOfAllKinds(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			m := made()
			m.t = t
			m.Rest()
			m.Proxmox.Done = nil

			m.byDefault(aDefault).Rest()
			m.did()

			// The claim has one for a while.
			world.Merge(m.Spec(), world.FromYAML(t, "firewall: {enabled: false}"))
			m.Rest()
			delete(m.Spec(), "firewall")
			m.Rest()

			if wall := m.Proxmox.Firewalls[m.number()]; wall != nil && (wall.Drops() || len(wall.Rules) > 0) || len(m.walls()) > 0 {
				t.Errorf("it has %+v, %v", wall, m.walls())
			}
		})
	}
}

// TestADefaultFirewallOfAReplacement is that of the day on which it is made: it is a new guest. What is replaced keeps its own as long as it is there.
func TestADefaultFirewallOfAReplacement(t *testing.T) {
	t.Parallel()

	vm := func(t *testing.T) *machine {
		m, _ := living(t, "nixos/dns01", dhcp, "deletionPolicy: Orphan")
		return m
	}
	container := func(t *testing.T) *machine {
		return replaceable(t, map[string]any{"from": 4000.0, "to": 4099.0}, "deletionProtection: false")
	}

	for name, tc := range map[string]struct {
		reason string
		made   func(*testing.T) *machine
		after  string
		drops  bool
	}{
		"VM":        {"It was made without one.", vm, aDefault, true},
		"Container": {"It was made without one.", container, aDefault, true},
		"None":      {"There is no default.", vm, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := tc.made(t).byDefault(tc.after)
			old := m.number()
			m.replace("a")
			m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

			if wall := m.Proxmox.Firewalls[m.number()]; m.number() == old || wall.Drops() != tc.drops {
				t.Errorf("%s %d has %+v", tc.reason, m.number(), wall)
			}

			if m.Proxmox.Firewalls[old].Drops() {
				t.Errorf("the old one has %+v", m.Proxmox.Firewalls[old])
			}
		})
	}
}

// TestADefaultFirewallAndTheClaim: what the claim says takes its place as a whole, and what the guest was made with is there again without it.
func TestADefaultFirewallAndTheClaim(t *testing.T) {
	t.Parallel()

	m := example(t, "nixos/dns01").byDefault(aDefault)
	m.Rest()

	for _, tc := range []struct {
		reason, firewall, stage string
		rules                   int
	}{
		{"Nothing of the default is left.", "firewall: {preset: ssh}", "Filtering", 2},
		{"There is a way to have none.", "firewall: {enabled: false, preset: null}", "SwitchedOff", 0},
		{"The claim leaves it to the default again.", "", "Filtering", 3},
	} {
		if tc.firewall == "" {
			delete(m.Spec(), "firewall")
		} else {
			world.Merge(m.Spec(), world.FromYAML(t, tc.firewall))
		}

		m.byDefault("{allow: [{port: 1}]}") // Which is none of this guest's business.
		m.says(m.Rest(), map[string]string{"FirewallApplied": tc.stage})

		if wall := m.Proxmox.Firewalls[m.number()]; len(wall.Rules) != tc.rules {
			t.Errorf("%s %+v", tc.reason, wall)
		}
	}
}

// TestADefaultFirewallOfAnAdoptedVM: it keeps its own, before and after.
func TestADefaultFirewallOfAnAdoptedVM(t *testing.T) {
	t.Parallel()

	m := adopting(t, plain, fake.HandMade(t)).byDefault(aDefault)
	m.Proxmox.Firewalls[108] = byHand(map[string]any{"dport": "8006"})
	m.Rest()
	m.says(m.approved(), map[string]string{"MachineReady": "Running"})
	m.Rest()

	if diff := cmp.Diff(byHand(map[string]any{"dport": "8006"}), m.Proxmox.Firewalls[108]); diff != "" || len(m.walls()) > 0 {
		t.Errorf("%v: -before, +after:\n%s", m.walls(), diff)
	}
}

// TestADefaultFirewallWithAnOldProvider: a machine is made without it, and says so.
func TestADefaultFirewallWithAnOldProvider(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		if in.Name != "legacy" {
			continue
		}

		m := exampleIn(t, "nixos/dns01", in).byDefault(aDefault)

		first := m.Call()
		if got := world.Compact(first.GetResults()); !strings.Contains(got, "v1.9.1 or later") || world.Fatal(first) != "" {
			t.Errorf("got %s", got)
		}

		m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"})

		for name, o := range m.Observed {
			if world.Annotation(o, proxmox.FirewallDefaultAnnotation) != "" || proxmox.FirewalledVM(name) != "" {
				t.Errorf("%s", name)
			}
		}
	}
}

// TestADefaultFirewallWhileItIsMade: an edit of the default that meets a guest in the middle of being made decides once, whenever it comes. From then on,
// nothing changes any more.
func TestADefaultFirewallWhileItIsMade(t *testing.T) {
	t.Parallel()

	for kind, made := range guestsOfAllKinds(t) {
		for _, edits := range [][2]string{{aDefault, ""}, {"", aDefault}, {aDefault, "{allow: [{port: 443}]}"}} {
			for turns := range 8 {
				m := made().byDefault(edits[0])
				for range turns {
					m.Turn()
				}

				m.byDefault(edits[1])
				m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"})

				remembered := ""
				for _, o := range m.Observed {
					remembered += world.Annotation(o, proxmox.FirewallDefaultAnnotation)
				}

				wall := m.Proxmox.Firewalls[m.number()]
				if has := wall.Drops(); has != (remembered != "") || len(m.walls()) > 0 != has {
					t.Errorf("%s after %d turns from %q to %q: it remembers %q and has %+v", kind, turns, edits[0], edits[1], remembered, wall)
				}

				m.Proxmox.Done = nil
				m.byDefault(edits[0]).Rest()
				m.did()
			}
		}
	}
}

// TestADefaultFirewallAsksNobody: an edit of the default is none of a guest that exists, so nothing of it waits for an approval; what the claim says against
// it does.
func TestADefaultFirewallAsksNobody(t *testing.T) {
	t.Parallel()

	m := example(t, "nixos/dns01").byDefault(aDefault)
	world.Merge(m.Spec(), world.FromYAML(t, "lifecycle: {approval: Always}"))
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "FirewallApplied": "Filtering"})

	m.byDefault("{preset: ssh}")
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "FirewallApplied": "Filtering"})

	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh}"))
	m.says(m.Rest(), map[string]string{"Approved": "WaitingForApproval", "FirewallApplied": "FirewallStands"})

	delete(m.Spec(), "firewall")
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "FirewallApplied": "Filtering"})

	if wall := m.Proxmox.Firewalls[m.number()]; len(wall.Rules) != 3 {
		t.Errorf("it has %+v", wall)
	}
}

// TestADefaultFirewallOfACluster: a default that no guest can be made with holds up new nodes, and neither the ones that are there nor their cluster.
func TestADefaultFirewallOfACluster(t *testing.T) {
	t.Parallel()

	m := aCluster(t, "{deletionPolicy: Delete, deletionProtection: false}")
	m.joins()
	m.byDefault("{preset: k3s-agent}")
	m.edit("{deletionPolicy: Orphan}")
	m.says(m.Turn(), map[string]string{"SpecValid": "Valid"})

	if got := world.Object(m.Observed[firstServer]["spec"])["deletionPolicy"]; got != "Orphan" {
		t.Errorf("the node has %v", got)
	}

	m.edit("{agents: [{name: worker, count: 1, class: own, template: {proxmox: {site: home, node: pve}}}]}")

	rsp := m.Turn()
	if got := world.Message(rsp, "SpecValid"); !strings.Contains(got, "data.defaults.firewall.preset") || m.Observed["worker-0"] != nil {
		t.Errorf("the new node: %s", got)
	}

	m.byDefault(aDefault).Turn()

	if m.Observed["worker-0"] == nil {
		t.Errorf("the new node is not made: %v", world.Keys(m.Observed))
	}
}
