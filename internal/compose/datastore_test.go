package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestDatastoreOfBirth: no server is made that would serve another cluster than the servers that exist.
func TestDatastoreOfBirth(t *testing.T) {
	outside := map[string]any{"datastore-cafile": "/etc/ssl/x.crt"}

	cases := map[string]struct {
		reason  string
		servers []proxmox.Etcd
		config  map[string]any
		force   string
		exists  bool
		init    bool
		want    []string
	}{
		"OutsideBesideMembers": {
			reason: "Its state would be elsewhere than theirs.", servers: []proxmox.Etcd{proxmox.EtcdMember, proxmox.EtcdNone}, config: outside,
			want: []string{"spec.k3s.config[datastore-cafile]: Forbidden: the servers of the cluster keep its state in etcd on their own disks (s0), and this one would keep it in a " +
				"datastore outside of them: K3s would serve another cluster from there. Remove the key"},
		},
		"MemberBesideOutside": {
			reason: "It would start an etcd of its own.", servers: []proxmox.Etcd{proxmox.EtcdOutside},
			want: []string{"spec.k3s.config[datastore-cafile]: Forbidden: the servers of the cluster keep its state in a datastore outside of them (s0), and this one would start an etcd of " +
				"its own: K3s would serve another cluster. Write what they have"},
		},
		"Outside":      {reason: "As all of them.", servers: []proxmox.Etcd{proxmox.EtcdOutside, proxmox.EtcdOutside}, config: outside},
		"GivenUp":      {reason: "A server without a member is one of theirs.", servers: []proxmox.Etcd{proxmox.EtcdMember}, config: map[string]any{"disable-etcd": true}},
		"OneOfThem":    {reason: "Somebody moves the cluster, and one server has it already.", servers: []proxmox.Etcd{proxmox.EtcdMember, proxmox.EtcdOutside}, config: outside},
		"NobodyNoted":  {reason: "Servers of an earlier release say nothing.", servers: []proxmox.Etcd{""}, config: outside},
		"First":        {reason: "There is nobody else.", config: outside},
		"StartsItself": {reason: "It joins nobody.", servers: []proxmox.Etcd{proxmox.EtcdMember}, config: outside, init: true},
		"Exists":       {reason: "A VM that exists is never frozen.", servers: []proxmox.Etcd{proxmox.EtcdMember}, config: outside, exists: true},
		"Forced":       {reason: "A person has changed the servers.", servers: []proxmox.Etcd{proxmox.EtcdMember}, config: outside, force: "2026-11-20"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &call{claim: claim.Claim{K3sNode: &v1alpha1.K3sNodeSpec{K3s: v1alpha1.K3s{Config: tc.config}}}}
			c.claim.K3sNode.Lifecycle.Force = tc.force

			for i, has := range tc.servers {
				vm, _ := madeServer("s"+string(rune('0'+i)), "{}")
				vm.Metadata.Labels = map[string]string{proxmox.K3sRoleLabel: "server", proxmox.EtcdLabel: string(has)}
				c.otherServerVMs = append(c.otherServerVMs, vm)
			}

			if tc.exists {
				c.facts.Observed.VMs = map[string]proxmox.ObservedVM{"vm": {}}
			}

			var got []string
			for _, err := range datastoreOfBirth(c, &machine.Machine{K3s: &machine.K3s{Role: v1alpha1.K3sServer, Config: tc.config, Init: tc.init}}, catalog.Catalog{}) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndatastoreOfBirth(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
