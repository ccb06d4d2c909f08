package validate

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestNamesOfOtherThings: a name that is plainly something else has a sentence of its own, and any other wrong name that of its rule.
func TestNamesOfOtherThings(t *testing.T) {
	cases := map[string]struct {
		reason, name string
		check        func(*field.Path, string) field.ErrorList
		want         string // The beginning of the only fault; empty: none.
	}{
		"Bridge":         {"As Proxmox names it.", "vmbr0", Bridge, ""},
		"VLAN":           {"As the node's interfaces are named.", "vmbr0.100", Bridge, "is an interface of the node for a VLAN, and no bridge: write bridge: vmbr0 and vlan: 100"},
		"NoTag":          {"No number of a VLAN.", "vmbr0.x", Bridge, "must be the name of a bridge"},
		"NoBridge":       {"No name before the dot.", ".100", Bridge, "must be the name of a bridge"},
		"RequiredBridge": {"An interface of its own has no default.", "", requiredBridge, "must be the name of a bridge"},
		"RequiredVLAN":   {"The same sentence.", "vmbr0.100", requiredBridge, "is an interface of the node for a VLAN"},
		"Mapping":        {"A name.", "gpu0", Mapping, ""},
		"PCI":            {"As lspci has it.", "01:00.0", Mapping, "is the address of a device"},
		"PCIDomain":      {"As Proxmox has it.", "0000:01:00", Mapping, "is the address of a device"},
		"USB":            {"As lsusb has it.", "10c4:ea60", Mapping, "is the address of a device"},
		"Pool":           {"One within another.", "infra/dns", Pool, ""},
		"PoolOpen":       {"No name behind it.", "infra/", Pool, "a / stands between the names"},
		"PoolEmpty":      {"No name between them.", "infra//dns", Pool, "a / stands between the names"},
		"NoPool":         {"Any other wrong name.", "in fra", Pool, "must be the name of a Proxmox resource pool"},
		"NoMapping":      {"Any other wrong name.", "0gpu", Mapping, "must be the name of a resource mapping"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			errs := tc.check(field.NewPath("spec"), tc.name)
			if len(errs) > 1 || (len(errs) == 1) != (tc.want != "") || len(errs) == 1 && !strings.HasPrefix(errs[0].Detail, tc.want) {
				t.Errorf("%s\ngot %v, want %q", tc.reason, errs, tc.want)
			}
		})
	}
}

// TestNoBridge: names of ports and bonds, and not those that people give to bridges and VNets.
func TestNoBridge(t *testing.T) {
	for _, name := range []string{"bond0", "eth0", "eno1", "eno2np1", "ens18", "enp3s0", "enp3s0f1np1", "enx001122334455", "nic0", "wlan0", "wlp2s0", "wlp0s20f3", "wlo1", "wlx001122334455", "lo"} {
		if NoBridge(name) == "" {
			t.Errorf("%s: nothing is said of it", name)
		}
	}

	for _, name := range []string{"", "vmbr0", "vmbr100", "vnet1", "lan", "local", "engine", "wlan", "wlan20", "wlanguest", "wlopen", "wlprivate", "wlx", "bonding", "ovsbr0", "br0", "storage", "nicolas"} {
		if why := NoBridge(name); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}
