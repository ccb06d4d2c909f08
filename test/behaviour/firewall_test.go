package behaviour

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// walls are the composed resources of a machine's firewalls.
func (m *machine) walls() []string {
	var out []string

	for _, name := range world.Keys(m.Observed) {
		if proxmox.FirewalledVM(name) != "" {
			out = append(out, name)
		}
	}

	return out
}

// TestAFirewallFromTheStart is written when the VM exists, in both kinds of installations that have it; an old provider cannot change one.
func TestAFirewallFromTheStart(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := exampleIn(t, "nixos/dns01", in)
			world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh, allow: [{port: 53, protocol: udp}]}"))

			if in.Name == "legacy" {
				if got := world.Fatal(m.Call()); !strings.Contains(got, "spec.firewall: needs provider-proxmox-bpg v1.9.1 or later") {
					t.Errorf("got %q", got)
				}

				return
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "ProviderHealthy": "NoError"})

			wall := m.Proxmox.Firewalls[m.number()]
			if wall == nil || !wall.Drops() || len(wall.Rules) != 3 {
				t.Fatalf("firewall %+v", wall)
			}

			// An orphaned VM keeps it, and Proxmox deletes one with its VM: the provider has nothing to delete.
			for _, name := range m.walls() {
				if p := world.Policies(m.Observed[name]); strings.Contains(p, "Delete") {
					t.Errorf("%s: %s", name, p)
				}
			}
		})
	}
}

// TestAFirewallLeaves: it is switched off first, and nothing of it is left.
func TestAFirewallLeaves(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", "firewall: {preset: ssh}")
	m.Spec()["firewall"] = nil
	delete(m.Spec(), "firewall")

	first := m.Call()
	m.says(first, map[string]string{"FirewallApplied": "FirewallLeaving"})

	last := m.Rest()
	m.did("change firewall options of 100", "change networkDevice of 100")
	m.says(last, map[string]string{"FirewallApplied": "NoFirewall"})

	if wall := m.Proxmox.Firewalls[100]; wall.Options["enabled"] != false || len(wall.Rules) > 0 || len(m.walls()) > 0 {
		t.Errorf("left: %+v, %v", wall, m.walls())
	}
}

// TestAFirewallOfAReplacement: the new VM has a firewall of its own before it is the machine, and the old VM keeps its own as long as it is there.
func TestAFirewallOfAReplacement(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", dhcp, "firewall: {preset: ssh}", "deletionPolicy: Orphan")
	m.Provider.Stuck = []string{"firewall-options-vm-"}
	m.replace("a")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "Replacing", "FirewallApplied": "FirewallPending"})

	if !m.Proxmox.Firewalls[100].Drops() || len(m.walls()) != 4 {
		t.Errorf("the old VM: %+v, %v", m.Proxmox.Firewalls[100], m.walls())
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "FirewallApplied": "Filtering"})

	if !m.Proxmox.Firewalls[101].Drops() || !m.Proxmox.Firewalls[100].Drops() || len(m.walls()) != 2 {
		t.Errorf("got %+v, %+v, %v", m.Proxmox.Firewalls[100], m.Proxmox.Firewalls[101], m.walls())
	}
}

// TestAFirewallOfSomebody: rules that are there are neither replaced nor deleted, and the machine says so.
func TestAFirewallOfSomebody(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01")
	m.Proxmox.Firewalls[100] = &world.Firewall{Options: map[string]any{"enabled": true, "inputPolicy": "DROP"}, Rules: []any{map[string]any{"dport": "8006"}}}

	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh}"))
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "FirewallHasRules", "ProviderHealthy": "NoError"})

	delete(m.Spec(), "firewall")
	m.says(m.Rest(), map[string]string{"ProviderHealthy": "NoError"})

	want := &world.Firewall{Options: map[string]any{"enabled": true, "inputPolicy": "DROP"}, Rules: []any{map[string]any{"dport": "8006"}}}
	if diff := cmp.Diff(want, m.Proxmox.Firewalls[100]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestAFirewallWithoutItsCatalogue: the rules of a node stay, since the entry of its cluster decides on them.
func TestAFirewallWithoutItsCatalogue(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "k3s-cluster/agent-1", "firewall: {preset: k3s-agent}")
	id := m.number()
	before := m.Proxmox.Firewalls[id].Rules

	delete(world.Object(world.Object(m.Catalogue["data"])["clusters"]), "home")
	m.says(m.Rest(), map[string]string{"FirewallApplied": "FirewallStands"})

	// An edit that is not written has not arrived.
	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: k3s-agent, allow: [{port: 9100}]}"))

	applied := world.Object(world.Object(world.Status(m.Rest())["appliedSpec"])["firewall"])
	if diff := cmp.Diff(map[string]any{"preset": "k3s-agent"}, applied); diff != "" {
		t.Errorf("status.appliedSpec.firewall: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(before, m.Proxmox.Firewalls[id].Rules); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}

// TestAFirewallIsChangedByHand: what somebody changes in Proxmox is said as long as the provider has not set it back, which it does at its next turn, and
// whoever it is that cannot write says so, too.
func TestAFirewallIsChangedByHand(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		hand   map[string]any
		want   string
	}{
		"Off":  {"The switch.", map[string]any{"enabled": false}, "enabled is false, and is to be true."},
		"Open": {"What no rule accepts, and another one.", map[string]any{"inputPolicy": "ACCEPT", "macfilter": false}, "inputPolicy is ACCEPT, and is to be DROP; macfilter is false, and is to be true."},
		"Log":  {"What is written down.", map[string]any{"logLevelIn": "info"}, "logLevelIn is info, and is to be nolog."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01", "firewall: {preset: ssh}")
			m.Rest()
			before := maps.Clone(m.Proxmox.Firewalls[100].Options)

			maps.Copy(m.Proxmox.Firewalls[100].Options, tc.hand)
			m.Provide()

			got := m.Call()
			m.says(got, map[string]string{"FirewallApplied": "FirewallDiffers", "ProviderHealthy": "NoError", "MachineReady": "Running"})

			if message := world.Message(got, "FirewallApplied"); !strings.Contains(message, "than the provider wrote: "+tc.want) {
				t.Errorf("%s\n%s", tc.reason, message)
			}

			m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering"})

			if diff := cmp.Diff(before, m.Proxmox.Firewalls[100].Options); diff != "" {
				t.Errorf("%s\n-before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAnEditOfAFirewallIsNobodysHand: what the provider has read before it writes an edit is no difference.
func TestAnEditOfAFirewallIsNobodysHand(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", "firewall: {preset: ssh}")
	m.Rest()
	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh, log: info}"))

	for range 4 {
		if got := world.Reason(m.Turn(), "FirewallApplied"); got == "FirewallDiffers" {
			t.Error("an edit is said to be somebody's change in Proxmox")
		}
	}
}
