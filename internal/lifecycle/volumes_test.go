package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/volume"
)

// TestHeldVolumes: what is on a Node that is gone keeps whoever has its host name, and is named only to who is known to have been the Node.
func TestHeldVolumes(t *testing.T) {
	on := func(node, name string) volume.Volume {
		var v volume.Volume

		v.Spec.ClaimRef = volume.ClaimRef{Namespace: "media", Name: name}
		v.Spec.NodeAffinity.Required.Terms = []volume.Term{{Expressions: []volume.Requirement{{Key: hostnameLabel, Operator: "In", Values: []string{node}}}}}
		v.Status.Phase = "Bound"

		return v
	}

	cases := map[string]struct {
		reason string
		joined NodeJoin
		edit   func(s *Situation)
		want   []string
	}{
		"Seen":     {"It was the Node.", NodeJoinSeen, nil, []string{"media/films", "media/photos"}},
		"Assumed":  {"It was ready before anybody read its Node.", NodeJoinAssumed, nil, []string{"media/films", "media/photos"}},
		"Stranger": {"Anybody can have the name.", NodeJoinNone, nil, []string{"2 on Node worker-9, which nobody has seen to be this machine's"}},
		"Known":    {"Its Node is there, and has its UUID.", NodeJoinNone, func(s *Situation) { s.nodeOwner = &NodeOwner{Ownership: OwnershipOurs} }, []string{"media/films", "media/photos"}},
		"Other":    {"The Node is another machine's.", NodeJoinSeen, func(s *Situation) { s.nodeOwner = &NodeOwner{Ownership: OwnershipOther} }, nil},
		"HostName": {
			"The volumes name the host name of its Node.", NodeJoinSeen,
			func(s *Situation) {
				s.Node.Name, s.Node.Node, s.nodeOwner = "worker", &node.Node{}, &NodeOwner{Ownership: OwnershipOurs}
				s.Node.Node.Metadata.Labels = map[string]string{hostnameLabel: "worker-9"}
			},
			[]string{"media/films", "media/photos"},
		},
		"Keeps":       {"Its disks stay.", NodeJoinSeen, func(s *Situation) { s.Machine.DeletionPolicy = v1alpha1.DeletionOrphan }, nil},
		"Unprotected": {"Its catalogue does not ask for it.", NodeJoinSeen, func(s *Situation) { s.Machine.K3s.ProtectVolumes = false }, nil},
		"Elsewhere":   {"The volumes are those of another cluster.", NodeJoinSeen, func(s *Situation) { s.Machine.K3s.Observe = machine.ObserveNone }, nil},
		"NoNode":      {"It is no node of K3s.", NodeJoinSeen, func(s *Situation) { s.Machine.K3s = nil }, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := pooledVM("self")
			vm.Metadata.Annotations[proxmox.NodeJoinedAnnotation] = string(tc.joined)

			s := Situation{Request: Request{
				Machine:  &machine.Machine{DeletionPolicy: v1alpha1.DeletionDelete, K3s: &machine.K3s{ProtectVolumes: true, Observe: machine.ObserveHere}},
				Roles:    Roles{Active: FirstVM},
				Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: vm}},
				Node:     ReadNode{Name: "worker-9", Sight: object.SightClear},
				Volumes:  []volume.Volume{on("worker-9", "photos"), on("worker-9", "films"), on("worker-1", "books")},
			}}

			if tc.edit != nil {
				tc.edit(&s)
			}

			if diff := cmp.Diff(tc.want, HeldVolumes(s)); diff != "" {
				t.Errorf("%s\nHeldVolumes(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
