package compose

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// askingCall is a call in which Crossplane has fetched something.
func askingCall(fetched map[string]*fnv1.Resources) *call {
	return &call{
		req: &fnv1.RunFunctionRequest{
			Meta:              &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
			RequiredResources: fetched,
		},
		rsp: &fnv1.RunFunctionResponse{},
	}
}

// TestNodesHere: the Node of each VM is asked for by its name, and the answer is known when all of them are.
func TestNodesHere(t *testing.T) {
	vm := func(name string) proxmox.ObservedVM {
		out := proxmox.ObservedVM{}
		out.Spec.ForProvider.Name = name

		return out
	}
	nodeCalled := func(name string) *fnv1.Resources {
		return &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name},
		})}}}
	}
	one, two := nodeRequirement+"-one", nodeRequirement+"-two"

	cases := map[string]struct {
		reason  string
		vms     []proxmox.ObservedVM
		fetched map[string]*fnv1.Resources
		asks    []string
		nodes   []string
		known   bool
	}{
		"Nobody":  {reason: "There is nothing to ask.", known: true},
		"Asks":    {reason: "None is fetched.", vms: []proxmox.ObservedVM{vm("one"), vm("two")}, asks: []string{one, two}},
		"Half":    {reason: "One is not fetched.", vms: []proxmox.ObservedVM{vm("one"), vm("two")}, fetched: map[string]*fnv1.Resources{one: nodeCalled("one")}, asks: []string{one, two}, nodes: []string{"one"}},
		"Known":   {reason: "Both are, and one is not there.", vms: []proxmox.ObservedVM{vm("one"), vm("two")}, fetched: map[string]*fnv1.Resources{one: nodeCalled("one"), two: {}}, asks: []string{one, two}, nodes: []string{"one"}, known: true},
		"Another": {reason: "A Node of another name is not the VM's.", vms: []proxmox.ObservedVM{vm("one")}, fetched: map[string]*fnv1.Resources{one: nodeCalled("two")}, asks: []string{one}, known: true},
		"Unnamed": {reason: "A VM without a name has no Node.", vms: []proxmox.ObservedVM{vm("")}, known: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, of := askingCall(tc.fetched), &lifecycle.Servers{VMs: tc.vms}

			known, err := membership{c}.nodesHere(of)
			if err != nil || known != tc.known || of.Reading != lifecycle.NodesRead {
				t.Errorf("%s\nnodesHere(): want known %t, got %t, read %q, %v", tc.reason, tc.known, known, of.Reading, err)
			}

			if diff := cmp.Diff(tc.nodes, slices.Sorted(maps.Keys(of.Nodes))); diff != "" {
				t.Errorf("%s\nnodesHere(): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.asks, slices.Sorted(maps.Keys(c.rsp.GetRequirements().GetResources()))); diff != "" {
				t.Errorf("%s\nrequirements: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAddressOfClaim: an IPAddress counts only where it is the claim's own.
func TestAddressOfClaim(t *testing.T) {
	const address = "192.168.4.50"

	of := func(metadata map[string]any, claim string) map[string]*fnv1.Resources {
		return map[string]*fnv1.Resources{claimedAddressRequirement: {Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
			"apiVersion": "ipam.cluster.x-k8s.io/v1beta2", "kind": ipam.AddressKind, "metadata": metadata,
			"spec": map[string]any{"address": address, "prefix": 24, "claimRef": map[string]any{"name": claim}},
		})}}}}
	}

	cases := map[string]struct {
		reason  string
		fetched map[string]*fnv1.Resources
		want    string
		known   bool
	}{
		"Asks":     {reason: "It is not fetched."},
		"Missing":  {reason: "There is none.", fetched: map[string]*fnv1.Resources{claimedAddressRequirement: {}}, known: true},
		"Own":      {reason: "It is the claim's.", fetched: of(map[string]any{"name": "a", "namespace": "infra"}, "dns01"), want: address, known: true},
		"Others":   {reason: "It is another claim's.", fetched: of(map[string]any{"name": "a", "namespace": "infra"}, "dns02"), known: true},
		"Foreign":  {reason: "It is in another namespace.", fetched: of(map[string]any{"name": "a", "namespace": "team"}, "dns01"), known: true},
		"Deleting": {reason: "It goes.", fetched: of(map[string]any{"name": "a", "namespace": "infra", "deletionTimestamp": "2026-11-20T10:00:00Z"}, "dns01"), known: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ipam.ObservedClaim{APIVersion: "ipam.cluster.x-k8s.io/v1beta2"}
			o.Metadata.Name, o.Metadata.Namespace, o.Status.AddressRef.Name = "dns01", "infra", "a"

			got, known, err := claimer{askingCall(tc.fetched)}.address(o)
			if err != nil || known != tc.known || (got != nil) != (tc.want != "") || got != nil && got.Spec.Address != tc.want {
				t.Errorf("%s\naddress(): want %q, %t, got %v, %t, %v", tc.reason, tc.want, tc.known, got, known, err)
			}
		})
	}
}
