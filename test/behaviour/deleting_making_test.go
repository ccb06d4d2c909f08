package behaviour

import (
	"maps"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// makingUsage is the composed resource name of the Usage that keeps the claim of a cluster scoped composite while its VM is being made.
const makingUsage = "protects-composite-making"

// TestDeletedWhileMade: what the provider makes it may destroy only once it is known to be the claim's. A claim that is deleted before that would leave
// it behind in Proxmox, running and nobody's.
func TestDeletedWhileMade(t *testing.T) {
	for name, tc := range map[string]struct {
		unit  string
		begin func(*testing.T) *machine
		has   func(*machine) bool // Whether Proxmox has it.
	}{
		"Machine":    {"VM", func(t *testing.T) *machine { return exampleIn(t, "plain-debian/files01", world.Installations[0]) }, hasVM},
		"Namespaced": {"VM", func(t *testing.T) *machine { return exampleIn(t, "plain-debian/files01", world.Installations[2]) }, hasVM},
		"Container": {
			"container",
			func(t *testing.T) *machine {
				return ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve, vmId: 153}}")
			},
			func(m *machine) bool { return m.Proxmox.Containers[153] != nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := tc.begin(t)
			m.Spec()["deletionPolicy"], m.Spec()["deletionProtection"] = "Delete", false

			for i := 0; i < 10 && !tc.has(m); i++ {
				m.Turn()
			}

			if !tc.has(m) {
				t.Fatal("nothing is made")
			}

			if why := world.KeptBy(m.Machine); !strings.Contains(why, "the "+tc.unit+" of this claim is being made") {
				t.Errorf("while it is made the claim is kept by %q", why)
			}

			m.Rest()

			if why := world.KeptBy(m.Machine); why != "" {
				t.Errorf("what is there keeps its claim: %s", why)
			}

			if m.Leave(); tc.has(m) {
				t.Error("it stays in Proxmox without a claim")
			}
		})
	}
}

func hasVM(m *machine) bool { return len(m.Proxmox.VMs) > 0 }

// TestOtherwiseKeptWhileMade: what is to stay in Proxmox keeps nobody from deleting its claim, and protection has a Usage of its own. A machine with
// snippets leaves it to the policy of install/deletion.
func TestOtherwiseKeptWhileMade(t *testing.T) {
	for name, spec := range map[string]map[string]any{
		"Orphan":    {"deletionPolicy": "Orphan", "deletionProtection": false},
		"Protected": {"deletionPolicy": "Delete", "deletionProtection": true},
		"Snippets": {
			"deletionPolicy": "Delete", "deletionProtection": false,
			"bootstrap": map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := exampleIn(t, "plain-debian/files01", world.Installations[0])
			maps.Copy(m.Spec(), spec)

			for range 10 {
				if m.Turn().GetDesired().GetResources()[makingUsage] != nil {
					t.Fatal("a Usage keeps the claim while its VM is made")
				}
			}
		})
	}
}
