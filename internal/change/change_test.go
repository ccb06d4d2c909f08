package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, want := range []Change{
		{Field: "spec.size.memory", Has: "4 GiB", Wanted: "8 GiB"},
		{Field: "spec.network.ip", Has: "192.168.4.7/24 via 192.168.4.1, auto", Wanted: "dhcp"},
		{Field: "spec.proxmox.vlan", Wanted: "20"},
		{Field: "spec.proxmox.vlan", Has: "20"},
	} {
		got, ok := Parse(want.String())
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("Parse(%q): ok %v, -want, +got:\n%s", want, ok, diff)
		}
	}

	for _, line := range []string{"", "spec.size.memory", "spec.size.memory: 4Gi"} {
		if got, ok := Parse(line); ok {
			t.Errorf("Parse(%q) is %v, want none", line, got)
		}
	}
}

// TestSizes: people read sizes in one unit; the hashes of approvals have them as the first release wrote them, or each would be asked for again.
func TestSizes(t *testing.T) {
	cases := map[string]struct {
		change         Change
		read, recorded string
	}{
		"Memory":   {Change{Field: "spec.size.memory", Has: "4096 MiB", Wanted: "8192 MiB"}, "spec.size.memory: 4 GiB to 8 GiB", "spec.size.memory: 4096 MiB to 8192 MiB"},
		"NotWhole": {Change{Field: "spec.size.memory", Has: "512 MiB", Wanted: "4096 MiB"}, "spec.size.memory: 512 MiB to 4 GiB", "spec.size.memory: 512 MiB to 4096 MiB"},
		"None":     {Change{Field: "spec.swap", Has: "0 MiB"}, "spec.swap: 0 MiB to none", "spec.swap: 0 MiB to none"},
		"Disk":     {Change{Field: "spec.size.disk", Has: "40 GiB", Wanted: "80 GiB"}, "spec.size.disk: 40 GiB to 80 GiB", "spec.size.disk: 40 GiB to 80 GiB"},
		"Claimed":  {Change{Field: "spec.disks[data].size", Has: "30Gi", Wanted: "2Ti"}, "spec.disks[data].size: 30 GiB to 2 TiB", "spec.disks[data].size: 30Gi to 2Ti"},
		"Number":   {Change{Field: "spec.size.cores", Has: "1024", Wanted: "2048"}, "spec.size.cores: 1024 to 2048", "spec.size.cores: 1024 to 2048"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.change.String(); got != tc.read {
				t.Errorf("String(): want %q, got %q", tc.read, got)
			}

			if got := tc.change.Recorded(); got != tc.recorded {
				t.Errorf("Recorded(): want %q, got %q", tc.recorded, got)
			}
		})
	}
}
