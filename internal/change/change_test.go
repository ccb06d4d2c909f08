package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, want := range []Change{
		{Field: "spec.size.memory", Has: "4Gi", Wanted: "8Gi"},
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
