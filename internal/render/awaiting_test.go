package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAwaiting: the snippets and images of a new VM tell other machines what it will need, where nodes are chosen by their memory, and only
// until there is a VM.
func TestAwaiting(t *testing.T) {
	reserves := func(m *machine.Machine) { m.MemoryMiB, m.Placement.Reserves = 4096, machine.ReservesMemory }
	counted := func(m *machine.Machine) {
		m.Placement.Reserves, m.Cores, m.Boot.DiskGiB, m.Disks = machine.ReservesSize, 2, 30, []machine.Disk{{Name: "d", SizeGiB: 10}}
	}

	imported := func(m *machine.Machine) {
		m.Boot.Source, m.Boot.Volume, m.Boot.Download = machine.SourceImport, "local:import/y.qcow2", nil
	}

	cases := map[string]struct {
		reason   string
		machine  *machine.Machine
		observed proxmox.State
		want     string // Of what is in the list.
		told     []string
	}{
		"New":         {reason: "An image is small, and seldom changes.", machine: withUserData(reserves), want: "vm 4096", told: []string{"image"}},
		"Counted":     {reason: "A quota counts cores and disks, too.", machine: withUserData(reserves, counted), want: "vm 4096 2 40", told: []string{"image"}},
		"NoImage":     {reason: "Without an image, snippets tell it.", machine: withUserData(reserves, imported), want: "vm 4096", told: []string{"meta-data", "user-data"}},
		"NoInventory": {reason: "Nobody chooses by memory.", machine: withUserData()},
		"Exists":      {reason: "The VM itself tells more.", machine: withUserData(), observed: existing(t, withUserData(reserves))},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d, err := Describe(requestOf(t, tc.machine, tc.observed))
			if err != nil {
				t.Fatal(err)
			}

			var told []string

			look := func(name string, m proxmox.Metadata) {
				got := m.Annotations[proxmox.ReservesAnnotation]
				if (m.Labels[proxmox.AwaitsVMLabel] == "true") != (got != "") || got != "" && got != tc.want {
					t.Errorf("%s\n%s: want %q, got %q with labels %v", tc.reason, name, tc.want, got, m.Labels)
				}

				if got != "" {
					told = append(told, name[:strings.LastIndex(name, "-")])
				}
			}

			for n, f := range d.Files {
				look(n, f.Metadata)
			}

			for n, f := range d.Images {
				look(n, f.Metadata)
			}

			slices.Sort(told)

			if diff := cmp.Diff(tc.told, told); diff != "" || len(d.Files) != 2 {
				t.Errorf("%s\n%d snippets; what tells it: -want, +got:\n%s", tc.reason, len(d.Files), diff)
			}
		})
	}
}

// TestSpreadLabel: all that belongs to a machine of a group is found by the group.
func TestSpreadLabel(t *testing.T) {
	d := describe(t, withUserData(func(m *machine.Machine) { m.Placement.Spread = "dns" }))

	for n, f := range d.Files {
		if f.Metadata.Labels[proxmox.SpreadLabel] != "dns" {
			t.Errorf("%s has labels %v", n, f.Metadata.Labels)
		}
	}

	for n, f := range d.Images {
		if f.Metadata.Labels[proxmox.SpreadLabel] != "dns" {
			t.Errorf("%s has labels %v", n, f.Metadata.Labels)
		}
	}
}
