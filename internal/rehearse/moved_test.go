package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMoved: a guest that is taken to another network without its address is warned of, once for all to whom it happens.
func TestMoved(t *testing.T) {
	const (
		keeps  = " while the VM runs: the guest keeps its address, so that it is reached there only if that is the network of its address, too"
		leases = " while the VM runs: if that is another network, DHCP gives it another address there, with which K3s does not know the node"
		vlan   = "NIC 0 goes from vmbr0 to VLAN 30 of vmbr0"
	)

	byDHCP := func(claim string) string {
		return strings.NewReplacer("ip: 192.168.4.61", "dhcp: true", "ip: 192.168.4.99", "dhcp: true").Replace(claim)
	}

	for name, tc := range map[string]struct {
		reason    string
		claim     string
		edit      []string
		catalogue []string
		want      []string
	}{
		"VLAN": {reason: "Only the VLAN.", claim: aMachine, edit: []string{"ip: 192.168.4.61", "ip: 192.168.4.61, vlan: 30"}, want: []string{"git01: " + vlan + keeps}},
		"Both": {
			reason: "The address waits for a power cycle.", claim: aMachine, edit: []string{"ip: 192.168.4.61", "ip: 10.30.0.5/24, gateway: 10.30.0.1, vlan: 30"},
			want: []string{"git01: " + vlan + keeps},
		},
		"Restarted": {
			reason: "After the restart the guest has both.", claim: aMachine,
			edit: []string{"ip: 192.168.4.61}", "ip: 10.30.0.5/24, gateway: 10.30.0.1, vlan: 30}\n  lifecycle: {reboot: a}"},
		},
		"Site": {
			reason: "One line of the site moves all servers at once.", claim: aCluster, catalogue: []string{"network: {bridge: vmbr0,", "network: {bridge: vmbr0, vlan: 30,"},
			want: []string{"server-0, server-1, server-2: " + vlan + keeps, "worker-0, worker-1: " + vlan + leases},
		},
		"SiteOfAnotherNetwork": {
			reason: "The servers' addresses are nobody's there, so that they stay.", claim: aCluster,
			catalogue: []string{"network: {bridge: vmbr0,", "network: {bridge: vmbr0, vlan: 30,", "gateway: 192.168.4.1", "gateway: 10.30.0.1", "192.168.4.100-192.168.4.119", "10.30.0.100-10.30.0.119"},
			want:      []string{"worker-0, worker-1: " + vlan + leases},
		},
		"NodeWithAnotherAddress": {
			reason: "A node of K3s keeps its address, and its network with it.", claim: aNode, edit: []string{"ip: 192.168.4.99", "ip: 10.30.0.5/24, gateway: 10.30.0.1, vlan: 30"},
		},
		"NodeByDHCP":    {reason: "Another lease is another node.", claim: byDHCP(aNode), edit: []string{"dhcp: true", "dhcp: true, vlan: 30"}, want: []string{"agent-9: " + vlan + leases}},
		"MachineByDHCP": {reason: "A guest by DHCP follows.", claim: byDHCP(aMachine), edit: []string{"dhcp: true", "dhcp: true, vlan: 30"}},
		"Replaced": {
			reason: "A new VM has both from the start.", claim: aNode,
			edit: []string{"ip: 192.168.4.99", "ip: 10.30.0.5/24, gateway: 10.30.0.1, vlan: 30", "lifecycle: {", "lifecycle: {replace: a, "},
		},
		"Stopped": {reason: "A guest that does not run has both at its start.", claim: aMachine + "  power: Stopped\n", edit: []string{"ip: 192.168.4.61", "ip: 192.168.4.61, vlan: 30"}},
		"MTU":     {reason: "The network is the same.", claim: aMachine, edit: []string{"ip: 192.168.4.61", "ip: 192.168.4.61, mtu: 9000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := editOf(t, tc.claim, tc.edit, tc.catalogue)

			var got []string

			for _, w := range rehearsed(t, in).Warnings {
				if strings.Contains(w, ": NIC ") {
					got = append(got, w)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
