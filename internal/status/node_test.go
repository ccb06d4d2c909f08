package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRefusalOfK3s: the message has the words that a person finds in the guest.
func TestRefusalOfK3s(t *testing.T) {
	const (
		member   = `("duplicate node name found" or "Node password rejected, duplicate hostname")`
		password = `K3s refuses this VM ("Node password rejected, duplicate hostname")`
	)

	cases := map[string]struct {
		reason string
		role   v1alpha1.K3sRole
		etcd   proxmox.Etcd
		want   string
	}{
		"Server":  {reason: "etcd has one member of a name, and is asked first.", role: v1alpha1.K3sServer, want: member},
		"Agent":   {reason: "An agent has no member.", role: v1alpha1.K3sAgent, want: password},
		"NoEtcd":  {reason: "Nor has a server with another datastore.", role: v1alpha1.K3sServer, etcd: proxmox.EtcdOutside, want: password},
		"HasEtcd": {reason: "So is one that says so.", role: v1alpha1.K3sServer, etcd: proxmox.EtcdMember, want: member},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := observedServer(t, func(n *node.Node) { n.Status.NodeInfo.SystemUUID = otherUUID })
			in.Machine.K3s.Role, in.Machine.K3s.Etcd = tc.role, tc.etcd

			var joined Condition

			for _, c := range Machine(in).Conditions {
				if c.Type == TypeNodeJoined {
					joined = c
				}
			}

			if joined.Reason != ReasonOtherMachine || !strings.Contains(joined.Message, tc.want) {
				t.Errorf("%s\nNodeJoined is %s: %s", tc.reason, joined.Reason, joined.Message)
			}
		})
	}
}
