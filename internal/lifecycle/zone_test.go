package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestZone: what becomes of the label of a Node whose VM is on pve2, by the label that it has and by what the Object said last.
func TestZone(t *testing.T) {
	is := object.Zone{Node: "server-1", UID: "a", Zone: "pve2"}
	writes, was := is, is
	writes.Writing = true
	was.Zone = "pve1"
	wrote := was
	wrote.Writing = true
	of := func(z object.Zone) *object.ObservedZone {
		o := &object.ObservedZone{}
		o.Spec = object.NewZone(object.Cluster, "home", z, proxmox.Metadata{}).Spec

		return o
	}
	other := was
	other.UID = "b"

	cases := map[string]struct {
		reason string
		found  string
		object *object.ObservedZone
		change func(*Plan)
		want   Zone
	}{
		"First":     {reason: "There is no label yet.", want: Zone{State: ZoneWriting, Object: &writes}},
		"Right":     {reason: "There is nothing to write.", found: "pve2", want: Zone{State: ZoneLabelled, Found: "pve2", Object: &is}},
		"Written":   {reason: "The Object may write no more.", found: "pve2", object: of(writes), want: Zone{State: ZoneLabelled, Found: "pve2", Object: &is}},
		"Moved":     {reason: "The label before is the function's.", found: "pve1", object: of(was), want: Zone{State: ZoneWriting, Found: "pve1", Object: &writes}},
		"Moving":    {reason: "What is read can be older than what is written.", found: "pve1", object: of(writes), want: Zone{State: ZoneWriting, Found: "pve1", Object: &writes}},
		"Foreign":   {reason: "The function wrote none.", found: "rack-1", want: Zone{State: ZoneOther, Found: "rack-1"}},
		"Rewritten": {reason: "Somebody wrote over it.", found: "rack-1", object: of(was), want: Zone{State: ZoneOther, Found: "rack-1"}},
		"NewNode":   {reason: "The Object was of the Node before.", found: "pve1", object: of(other), want: Zone{State: ZoneOther, Found: "pve1"}},
		"Gone":      {reason: "An Object of no Node could make one.", object: of(wrote), change: func(p *Plan) { p.Node.Node = nil }, want: Zone{State: ZoneNoNode}},
		"Unread": {
			reason: "What is being written stays so.", object: of(wrote), want: Zone{State: ZoneNoNode, Object: &wrote},
			change: func(p *Plan) { p.Node.Node, p.Node.Sight = nil, object.SightUnreachable },
		},
		"Claimed": {reason: "The kubelet writes it.", change: func(p *Plan) { p.Machine.K3s.Labels = map[string]string{node.ZoneLabel: "a"} }, want: Zone{State: ZoneClaimed}},
		"NoKind":  {reason: "Crossplane cannot apply an Object.", change: func(p *Plan) { p.Objects.NoKind = true }, want: Zone{State: ZoneNoKind}},
		"Unasked": {reason: "Nothing changes for others.", object: of(was), change: func(p *Plan) { p.Machine.K3s.ZoneLabel = "" }, want: Zone{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := agentPlan(false)
			p.Machine.K3s.ZoneLabel = machine.ZoneProxmoxNode
			vm := p.Observed.VMs[FirstVM]
			vm.Status.AtProvider.NodeName = "pve2"
			p.Observed.VMs[FirstVM] = vm
			p.Node.Node.Metadata.Name, p.Node.Node.Metadata.UID = "server-1", "a"

			if tc.found != "" {
				p.Node.Node.Metadata.Labels = map[string]string{node.ZoneLabel: tc.found}
			}

			p.Objects.Zone = tc.object
			if tc.change != nil {
				tc.change(p)
			}

			if diff := cmp.Diff(tc.want, (zoner{&p.Situation}).decide()); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
