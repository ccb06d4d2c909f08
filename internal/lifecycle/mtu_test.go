package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestOtherMTU(t *testing.T) {
	server := func(name string, mtu int64) proxmox.ObservedVM {
		vm := proxmox.ObservedVM{}
		vm.Spec.ForProvider.Name = name
		vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{MTU: &mtu}}

		return vm
	}
	unsaid := server("s0", 0)
	unsaid.Spec.ForProvider.NetworkDevice[0].MTU = nil
	adopted := proxmox.ObservedVM{}
	adopted.Metadata.Annotations = map[string]string{proxmox.AdoptedAnnotation: "true"}

	const ends = "): large packets between Pods of these nodes are lost. Give all nodes of a cluster one MTU."

	cases := map[string]struct {
		reason  string
		own     int64
		vms     map[string]proxmox.ObservedVM
		servers []proxmox.ObservedVM
		want    string
	}{
		"NoServers":    {reason: "The first node.", own: 9000},
		"Same":         {reason: "The usual case.", own: 9000, servers: []proxmox.ObservedVM{server("s0", 9000)}},
		"BothUnsaid":   {reason: "Proxmox's default is one value.", servers: []proxmox.ObservedVM{unsaid, server("s1", 0)}},
		"DefaultSaid":  {reason: "It may be written out.", own: 1500, servers: []proxmox.ObservedVM{unsaid}},
		"Larger":       {reason: "Large packets are lost.", own: 9000, servers: []proxmox.ObservedVM{server("s1", 1400), unsaid}, want: "spec.network.mtu: the node has an MTU of 9000, and the servers of its cluster have another one (s0 1500, s1 1400" + ends},
		"Unsaid":       {reason: "So they are the other way round.", servers: []proxmox.ObservedVM{server("s1", 9000)}, want: "spec.network.mtu: the node has an MTU of 1500, and the servers of its cluster have another one (s1 9000" + ends},
		"OneHasIt":     {reason: "An edit goes from node to node.", own: 9000, servers: []proxmox.ObservedVM{unsaid, server("s1", 9000)}},
		"Bridge":       {reason: "Nobody knows the bridge's.", own: 1, servers: []proxmox.ObservedVM{server("s1", 9000)}},
		"OthersBridge": {reason: "Nor that of another one.", own: 9000, servers: []proxmox.ObservedVM{server("s1", 1), {}}},
		"Adopted":      {reason: "An adopted VM keeps its own.", vms: map[string]proxmox.ObservedVM{FirstVM: adopted}, servers: []proxmox.ObservedVM{server("s1", 9000)}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{Machine: &machine.Machine{NICs: []machine.NIC{{MTU: tc.own}}}, Roles: Roles{Active: FirstVM}}
			r.Observed.VMs, r.Owner.Composite = tc.vms, "s9"

			if got := OtherMTU(r, tc.servers); got != tc.want {
				t.Errorf("%s\n-want %s\n+got  %s", tc.reason, tc.want, got)
			}
		})
	}
}
