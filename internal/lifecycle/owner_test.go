package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestOwns holds whose a managed resource is: what is wrongly the machine's would be changed and destroyed with it.
func TestOwns(t *testing.T) {
	owner := Owner{Composite: "db", Kind: "ProxmoxMachine", Root: "db", Machine: "db", Namespace: "infra"}
	ofCluster := Owner{Composite: "home-server-1", Kind: "K3sNode", Root: "home", Machine: "infra/server-1", Namespace: "infra"}

	cases := map[string]struct {
		reason     string
		owner      Owner
		namespace  string
		controller proxmox.OwnerReference
		labels     map[string]string
		want       bool
	}{
		"Controlled": {reason: "It is the composite's.", owner: owner, namespace: "infra", controller: proxmox.OwnerReference{Kind: "ProxmoxMachine", Name: "db", Controller: true}, want: true},
		"Elsewhere": {
			reason: "A composite of the same name in another namespace is another one.", owner: owner, namespace: "web",
			controller: proxmox.OwnerReference{Kind: "ProxmoxMachine", Name: "db", Controller: true},
		},
		"LabelledElsewhere": {reason: "Anybody can write a label.", owner: owner, namespace: "web", labels: map[string]string{proxmox.CompositeLabel: "db"}},
		"OtherKind": {
			reason: "Composites of two kinds can have one name.", owner: owner, namespace: "infra",
			controller: proxmox.OwnerReference{Kind: "K3sNode", Name: "db", Controller: true},
		},
		"OtherController": {
			reason: "Its labels do not count beside its controller.", owner: owner, namespace: "infra",
			controller: proxmox.OwnerReference{Kind: "ProxmoxMachine", Name: "web", Controller: true}, labels: map[string]string{proxmox.CompositeLabel: "db"},
		},
		"Restored": {reason: "A backup has no controllers.", owner: owner, namespace: "infra", labels: map[string]string{proxmox.CompositeLabel: "db"}, want: true},
		"Sibling": {
			reason: "All nodes of a cluster have its label.", owner: ofCluster, namespace: "infra",
			labels: map[string]string{proxmox.CompositeLabel: "home", proxmox.MachineLabel: "infra/server-2"},
		},
		"RestoredNode": {
			reason: "Its own label tells it from its siblings.", owner: ofCluster, namespace: "infra",
			labels: map[string]string{proxmox.CompositeLabel: "home", proxmox.MachineLabel: "infra/server-1"}, want: true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var vm proxmox.ObservedVM

			vm.Metadata.Namespace, vm.Metadata.Labels = tc.namespace, tc.labels
			if tc.controller.Name != "" {
				vm.Metadata.OwnerReferences = []proxmox.OwnerReference{tc.controller}
			}

			if got := tc.owner.Owns(vm); got != tc.want {
				t.Errorf("%s\nOwns(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
