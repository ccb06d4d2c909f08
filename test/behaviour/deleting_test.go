package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// capable is what a Crossplane from 2.2 on says of itself.
var capable = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}

// TestProtection is a Usage of the generation that Crossplane has, beside everything else, and goes when it is lifted.
func TestProtection(t *testing.T) {
	cases := map[string]struct {
		reason       string
		installation world.Installation
		alone        bool // Whether the composite has no claim.
		caps         []fnv1.Capability
		name         string
		want         map[string]any
	}{
		"Claim": {
			reason: "The claim itself cannot be deleted.", installation: world.Installations[0], caps: capable, name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra-machines"},
				"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "resourceRef": map[string]any{"name": "dns01"}}},
			},
		},
		"ClaimOfOld": {
			reason: "Crossplane 1.20 can keep the composite only.", installation: world.Installations[1], name: "protects-composite",
			want: map[string]any{
				"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{},
				"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "resourceRef": map[string]any{"name": "dns01-x7f2k"}}},
			},
		},
		"Namespaced": {
			reason: "A namespaced composite is what a person deletes.", installation: world.Installations[2], caps: capable, name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra-machines"},
				"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "resourceRef": map[string]any{"name": "dns01"}}},
			},
		},
		"NamespacedOfOld": {
			reason: "It exists from 2.0 on only, which has the group.", installation: world.Installations[2], name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra-machines"},
				"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "resourceRef": map[string]any{"name": "dns01"}}},
			},
		},
		"Cluster": {
			reason: "Without a claim and a namespace.", installation: world.Installations[0], alone: true, caps: capable, name: "protects-composite",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "ClusterUsage", "metadata": map[string]any{},
				"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "resourceRef": map[string]any{"name": "dns01-x7f2k"}}},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := exampleIn(t, "nixos/dns01", tc.installation)

			if tc.alone {
				delete(m.Spec(), "claimRef")
				delete(world.Object(m.Composite["metadata"]), "labels")
			}

			m.Capabilities = tc.caps
			free := m.Rest()

			m.Spec()["deletionProtection"] = true

			kept := m.Rest()
			got := world.Desired(kept, tc.name)

			if why, _ := world.Object(got["spec"])["reason"].(string); why == "" {
				t.Errorf("%s\nnobody says why: %v", tc.reason, got)
			}

			delete(world.Object(got["spec"]), "reason")

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if kept.GetDesired().GetResources()[tc.name].GetReady() != fnv1.Ready_READY_TRUE {
				t.Errorf("%s\nthe machine waits for its Usage", tc.reason)
			}

			delete(kept.GetDesired().GetResources(), tc.name)
			m.only(free, kept, nil)

			// Lifted, it goes, and nothing else does.
			m.Spec()["deletionProtection"] = false
			m.only(free, m.Rest(), nil)
		})
	}
}

// TestProtectionOfANode of a K3sCluster: it has the namespace of the cluster's claim, and there is no claim of its own that could be kept.
func TestProtectionOfANode(t *testing.T) {
	m := exampleIn(t, "k3s-cluster/server-1", world.Installations[0])
	composedBy(m.Machine, "home-x7f2k", "infra-machines")
	m.Capabilities = capable
	m.Spec()["deletionProtection"] = true

	rsp := m.Rest()
	if rsp.GetDesired().GetResources()["protects-claim"] != nil {
		t.Error("a Usage keeps a claim that does not exist")
	}

	got := world.Desired(rsp, "protects-composite")
	delete(world.Object(got["spec"]), "reason")

	want := map[string]any{
		"apiVersion": "protection.crossplane.io/v1beta1", "kind": "ClusterUsage", "metadata": map[string]any{},
		"spec": map[string]any{"of": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode", "resourceRef": map[string]any{"name": "home-x7f2k-server-1"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestProtectionThroughAnUpgrade of Crossplane: a Usage stays what it is. One of another kind under its name would leave the first one behind, which would keep
// the machine for ever.
func TestProtectionThroughAnUpgrade(t *testing.T) {
	m := exampleIn(t, "nixos/dns01", world.Installations[0])
	delete(m.Spec(), "claimRef")
	delete(world.Object(m.Composite["metadata"]), "labels")

	m.Spec()["deletionProtection"] = true
	before := world.Desired(m.Rest(), "protects-composite")

	if before["apiVersion"] != "apiextensions.crossplane.io/v1beta1" || before["kind"] != "Usage" {
		t.Fatalf("the Usage is %v", before)
	}

	m.Capabilities = capable

	if diff := cmp.Diff(before, world.Desired(m.Rest(), "protects-composite")); diff != "" {
		t.Errorf("-before the upgrade, +after it:\n%s", diff)
	}
}

// TestProtectionWhileCrossplaneFetches: a Usage that was left out for one call would let somebody delete the machine.
func TestProtectionWhileCrossplaneFetches(t *testing.T) {
	for _, in := range world.Installations {
		for _, caps := range [][]fnv1.Capability{capable, nil} {
			m := exampleIn(t, "nixos/dns01", in)
			m.Capabilities = caps
			m.Spec()["deletionProtection"] = true
			settled := m.Rest()

			req := m.Request()
			req.RequiredResources, req.Meta.Capabilities = nil, caps

			rsp := m.ask(req)

			for name, r := range settled.GetDesired().GetResources() {
				if diff := cmp.Diff(r.GetResource(), rsp.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
					t.Errorf("%s: %s while Crossplane looks: -settled, +kept:\n%s", in.Name, name, diff)
				}
			}
		}
	}
}

// TestProtectionByItself: a K3s server that would be destroyed with its claim is kept, unless the claim says otherwise.
func TestProtectionByItself(t *testing.T) {
	cases := map[string]struct {
		reason  string
		example string
		edit    string
		want    bool
	}{
		"Server":         {reason: "It stays in Proxmox anyway.", example: "k3s-cluster/server-2", edit: "{}"},
		"ServerToDelete": {reason: "Its state goes with it.", example: "k3s-cluster/server-2", edit: "deletionPolicy: Delete", want: true},
		"ServerLifted":   {reason: "Somebody said so.", example: "k3s-cluster/server-2", edit: "{deletionPolicy: Delete, deletionProtection: false}"},
		"Agent":          {reason: "The cluster makes its pods elsewhere.", example: "k3s-cluster/agent-1", edit: "{deletionPolicy: Delete, disks: null}"},
		"AgentWithData":  {reason: "Nobody makes its data elsewhere.", example: "k3s-cluster/agent-1", edit: "deletionPolicy: Delete", want: true},
		"Data":           {reason: "A file that is pruned from Git must not take data with it.", example: "plain-debian/files01", edit: "{}", want: true},
		"DataLifted":     {reason: "Somebody said so.", example: "plain-debian/files01", edit: "deletionProtection: false"},
		"Machine":        {reason: "Only where its claim asks for it.", example: "nixos/dns01", edit: "{}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, tc.example)
			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))

			if got := world.Desired(m.Call(), "protects-composite") != nil; got != tc.want {
				t.Errorf("%s\nprotected: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestDeletionPolicy is written as management policies, which the provider heeds, and the files go with their VM.
func TestDeletionPolicy(t *testing.T) {
	for policy, want := range map[string][]any{
		"Delete": {"Observe", "Create", "Update", "Delete"},
		"Orphan": {"Observe", "Create", "Update"},
	} {
		m := example(t, "nixos/dns01")
		m.Spec()["deletionPolicy"] = policy

		for name, r := range m.Settle().GetDesired().GetResources() {
			got := world.Object(r.GetResource().AsMap()["spec"])["managementPolicies"]
			if diff := cmp.Diff(any(want), got); diff != "" {
				t.Errorf("%s with %s: -want, +got:\n%s", name, policy, diff)
			}
		}
	}
}
