package compose

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// anObject of JSON.
func anObject(t *testing.T, document string) *structpb.Struct {
	t.Helper()

	s := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(document), s); err != nil {
		t.Fatal(err)
	}

	return s
}

// edit a field of an object, by its path.
func editField(t *testing.T, o *structpb.Struct, path string, value any) {
	t.Helper()

	steps := strings.Split(path, "/")
	for _, step := range steps[:len(steps)-1] {
		if o.GetFields()[step].GetStructValue() == nil {
			o.Fields[step] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
		}

		o = o.GetFields()[step].GetStructValue()
	}

	v, err := structpb.NewValue(value)
	if err != nil {
		t.Fatal(err)
	}

	o.Fields[steps[len(steps)-1]] = v
}

// aServer is a K3sNode that runs, with defaults of the API server, fields of Crossplane's own and a default that somebody wrote.
const aServer = `{
	"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode",
	"metadata": {
		"name": "server-1", "namespace": "clusters", "uid": "its-own", "labels": {"team": "b", "crossplane.io/composite": "server-1"},
		"annotations": {"crossplane.io/composition-resource-name": "server-0"},
		"managedFields": [{"manager": "kustomize-controller", "operation": "Apply"}]
	},
	"spec": {
		"class": "small", "power": "Running", "network": {"ip": "192.168.4.11/24"}, "proxmox": {"node": "pve1", "vmId": 4101},
		"k3s": {"role": "server", "clusterName": "home", "init": true, "version": "v1.33.6+k3s1", "token": {"file": "/etc/token"}},
		"crossplane": {"compositionRef": {"name": "k3snodes"}}
	},
	"status": {"vmId": 4101, "node": "pve1", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "True"}]}
}`

// adoptionRequest is a call for a cluster whose first server is a K3sNode that exists.
func adoptionRequest(t *testing.T, server *structpb.Struct) *fnv1.RunFunctionRequest {
	t.Helper()

	req := clusterRequest(t)
	composite := req.GetObserved().GetComposite().GetResource()
	editField(t, composite, "spec/nodes", []any{map[string]any{"name": "server-0", "adopt": "server-1"}})
	editField(t, composite, "spec/rollout", map[string]any{"pause": true})

	delete(req.GetRequiredResources(), memberRequirement+"server-0")
	req.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{}
	req.RequiredResources[adoptRequirement+"server-0"] = &fnv1.Resources{}

	if server != nil {
		req.RequiredResources[adoptRequirement+"server-0"].Items = []*fnv1.Resource{{Resource: server}}
	}

	return req
}

// TestAdopted: the node is rendered with the spec that it has, to the letter, and nothing else is.
func TestAdopted(t *testing.T) {
	rsp := Answer(adoptionRequest(t, anObject(t, aServer)))

	want := map[string]*fnv1.Resource{"server-0": {Ready: fnv1.Ready_READY_FALSE, Resource: anObject(t, `{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode",
		"metadata": {
			"name": "server-1", "namespace": "clusters", "labels": {"team": "a", "homelab.io/k3scluster": "home"},
			"annotations": {"homelab.io/cluster-adopted": "true"}
		},
		"spec": {
			"class": "small", "power": "Running", "network": {"ip": "192.168.4.11/24"}, "proxmox": {"node": "pve1", "vmId": 4101},
			"k3s": {"role": "server", "clusterName": "home", "init": true, "version": "v1.33.6+k3s1", "token": {"file": "/etc/token"}}
		}
	}`)}}
	if diff := cmp.Diff(want, rsp.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	says(t, rsp, "server-0 adopts K3sNode server-1: nothing changes on its VM 4101; 0 of 4 nodes are done.")
}

// says checks what the status of a cluster says of its rollout.
func says(t *testing.T, rsp *fnv1.RunFunctionResponse, want string) {
	t.Helper()

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Fatal(r.GetMessage())
		}
	}

	rollout := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["rollout"].GetStructValue()
	if got := rollout.GetFields()["message"].GetStringValue(); got != want {
		t.Errorf("the status says\n%q; want\n%q", got, want)
	}
}

func TestAdoptionIsRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*structpb.Struct)
		gone   bool
		says   string
	}{
		"Missing": {reason: "Nothing is created in its place.", gone: true, says: "there is no K3sNode of that name in namespace clusters"},
		"Deleting": {
			reason: "It goes, and would take the node along.",
			edit:   func(o *structpb.Struct) { editField(t, o, "metadata/deletionTimestamp", "2026-11-20T00:00:00Z") },
			says:   "it is being deleted",
		},
		"Controlled": {
			reason: "Crossplane would fail on it for ever.",
			edit: func(o *structpb.Struct) {
				editField(t, o, "metadata/ownerReferences", []any{map[string]any{"kind": "K3sCluster", "name": "lab", "uid": "another", "controller": true}})
			},
			says: "it is controlled by K3sCluster lab",
		},
		"Role": {
			reason: "A server counts for quorum.",
			edit:   func(o *structpb.Struct) { editField(t, o, "spec/k3s/role", "agent") },
			says:   "its role is agent, and server-0 is a node with role server",
		},
		"OtherCluster": {
			reason: "Its votes are another cluster's.",
			edit:   func(o *structpb.Struct) { editField(t, o, "spec/k3s/clusterName", "lab") },
			says:   "it is a node of cluster lab, and not of this one, with k3s.clusterName: home",
		},
		"EntryOfTheSameName": {
			reason: "An entry of the catalogue is another cluster.",
			edit: func(o *structpb.Struct) {
				editField(t, o, "spec/k3s/cluster", "home")
				delete(o.GetFields()["spec"].GetStructValue().GetFields()["k3s"].GetStructValue().GetFields(), "clusterName")
			},
			says: "it is a node of cluster home, and not of this one, with k3s.clusterName: home",
		},
		"NoCluster": {
			reason: "Nobody knows whose server it is.",
			edit: func(o *structpb.Struct) {
				delete(o.GetFields()["spec"].GetStructValue().GetFields()["k3s"].GetStructValue().GetFields(), "clusterName")
			},
			says: "it does not say which cluster it is a node of: set k3s.clusterName: home in it first, if it is one of this cluster",
		},
		"FormerName": {
			reason: "Two names of one field contradict each other.",
			edit:   func(o *structpb.Struct) { editField(t, o, "spec/protection", true) },
			says:   "its spec has protection, which is the former name of deletionProtection, and the cluster writes that: rename it first",
		},
		"NotAgreed": {
			reason: "Crossplane would stop at a reference to it.",
			edit:   func(o *structpb.Struct) { editField(t, o, "metadata/annotations", map[string]any{}) },
			says:   "its annotation does not agree to that: kubectl annotate k3snodes.homelab.io server-1 -n clusters --overwrite crossplane.io/composition-resource-name=server-0",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := anObject(t, aServer)
			if tc.edit != nil {
				tc.edit(server)
			}

			if tc.gone {
				server = nil
			}

			req := adoptionRequest(t, server)
			// Also where nothing else holds it.
			editField(t, req.GetObserved().GetComposite().GetResource(), "spec/rollout", map[string]any{})

			rsp := Answer(req)
			says(t, rsp, "server-0 does not adopt K3sNode server-1: "+tc.says+".")

			if got := rsp.GetDesired().GetResources(); len(got) > 0 {
				t.Errorf("%s\n%v is rendered", tc.reason, slices.Collect(maps.Keys(got)))
			}
		})
	}
}

// claimedAdoption is the same where K3sNodes are claims.
func claimedAdoption(t *testing.T, edit func(*structpb.Struct)) *fnv1.RunFunctionRequest {
	t.Helper()

	server := anObject(t, aServer)
	editField(t, server, "kind", "XK3sNode")
	editField(t, server, "metadata/name", "server-1-x7k2p")
	editField(t, server, "spec/claimRef", map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "name": "server-1", "namespace": "clusters"})
	delete(server.GetFields()["metadata"].GetStructValue().GetFields(), "namespace")

	if edit != nil {
		edit(server)
	}

	req := adoptionRequest(t, server)
	composite := req.GetObserved().GetComposite().GetResource()
	editField(t, composite, "kind", "X"+claim.KindK3sCluster)
	editField(t, composite, "metadata/name", "home-a1b2c")
	editField(t, composite, "metadata/labels", map[string]any{"crossplane.io/claim-name": "home", "crossplane.io/claim-namespace": "clusters"})
	editField(t, composite, "spec/claimRef", map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sCluster", "name": "home", "namespace": "clusters"})
	editField(t, composite, "spec/nodes", []any{map[string]any{"name": "server-0", "adopt": "server-1-x7k2p"}})
	delete(composite.GetFields()["metadata"].GetStructValue().GetFields(), "namespace")

	req.RequiredResources[adoptClaimRequirement+"server-0"] = &fnv1.Resources{}

	return req
}

func TestAdoptionFromClaims(t *testing.T) {
	const refused = "server-0 does not adopt K3sNode server-1-x7k2p: "

	there := &fnv1.Resources{Items: []*fnv1.Resource{{Resource: anObject(t, `{"kind": "K3sNode", "metadata": {"name": "server-1", "namespace": "clusters"}}`)}}}

	cases := map[string]struct {
		reason string
		node   func(*structpb.Struct)
		edit   func(*fnv1.RunFunctionRequest)
		nodes  []string
		says   string
	}{
		"Adopted": {
			reason: "Its claim is gone.", nodes: []string{"server-0"},
			says: "server-0 adopts K3sNode server-1-x7k2p: nothing changes on its VM 4101; 0 of 4 nodes are done.",
		},
		"Claimed": {
			reason: "The claim writes the spec, too.", edit: func(r *fnv1.RunFunctionRequest) { r.RequiredResources[adoptClaimRequirement+"server-0"] = there },
			says: refused + "its claim K3sNode server-1 still exists, and would go on to write it: docs/clusters.md has the steps.",
		},
		"NotAnswered": {
			reason: "Whether there is a claim is not known yet.", edit: func(r *fnv1.RunFunctionRequest) { delete(r.GetRequiredResources(), adoptClaimRequirement+"server-0") },
		},
		"OtherNamespace": {
			reason: "Its Secrets are another team's.", node: func(o *structpb.Struct) { editField(t, o, "spec/claimRef/namespace", "payments") },
			says: refused + "it is a K3sNode of another namespace.",
		},
		"OtherNamespaceControlled": {
			reason: "Nobody is told who has it, or whether it goes.", says: refused + "it is a K3sNode of another namespace.",
			node: func(o *structpb.Struct) {
				editField(t, o, "spec/claimRef/namespace", "payments")
				editField(t, o, "metadata/deletionTimestamp", "2026-11-20T00:00:00Z")
				editField(t, o, "metadata/ownerReferences", []any{map[string]any{"kind": "XK3sCluster", "name": "billing-a1b2c", "controller": true}})
			},
		},
		"OtherNamespaceClaimed": {
			reason: "Nor what its claim is called.", says: refused + "it is a K3sNode of another namespace.",
			node: func(o *structpb.Struct) { editField(t, o, "spec/claimRef/namespace", "payments") },
			edit: func(r *fnv1.RunFunctionRequest) { r.RequiredResources[adoptClaimRequirement+"server-0"] = there },
		},
		"NoNamespace": {
			reason: "Nobody knows whose it is.", node: func(o *structpb.Struct) { delete(o.GetFields()["spec"].GetStructValue().GetFields(), "claimRef") },
			says: refused + "it is a K3sNode of no namespace.",
		},
		"OfADissolvedCluster": {
			reason: "It has the namespace of the cluster that it was a node of.", nodes: []string{"server-0"},
			node: func(o *structpb.Struct) {
				delete(o.GetFields()["spec"].GetStructValue().GetFields(), "claimRef")
				editField(t, o, "metadata/labels", map[string]any{"crossplane.io/claim-namespace": "clusters"})
			},
			says: "server-0 adopts K3sNode server-1-x7k2p: nothing changes on its VM 4101; 0 of 4 nodes are done.",
		},
		"OldCrossplane": {
			reason: "Crossplane 1.20 fetches nothing from a namespace.",
			edit: func(r *fnv1.RunFunctionRequest) {
				// A Secret of the nodes that follow would be a fault of its own.
				editField(t, r.GetObserved().GetComposite().GetResource(), "spec/token", map[string]any{"file": "/etc/token", "trustOnFirstUse": true})
				r.ExtraResources, r.RequiredResources = map[string]*fnv1.Resources{catalogRequirement: r.GetRequiredResources()[catalogRequirement]}, nil
			},
			says: refused + "this Crossplane (before 2.0) cannot tell whether its claim still exists: upgrade Crossplane first, or move the VM with adopt.vmId of a K3sNode.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := claimedAdoption(t, tc.node)
			if tc.edit != nil {
				tc.edit(req)
			}

			rsp := Answer(req)
			says(t, rsp, tc.says)

			if diff := cmp.Diff(tc.nodes, slices.Sorted(maps.Keys(rsp.GetDesired().GetResources()))); diff != "" {
				t.Errorf("%s\nnodes: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAdoptedWithDataDisks: a VM may have disks that its spec does not have any more.
func TestAdoptedWithDataDisks(t *testing.T) {
	req := adoptionRequest(t, anObject(t, aServer))
	req.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: anObject(t, `{
		"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": "EnvironmentVM",
		"metadata": {"name": "server-1-1", "namespace": "clusters", "ownerReferences": [{"name": "server-1", "controller": true}]},
		"spec": {"forProvider": {"disk": [{"interface": "scsi0"}, {"interface": "scsi1"}]}}
	}`)}}}

	annotations := metadataOf(Answer(req).GetDesired().GetResources()["server-0"].GetResource())["annotations"].GetStructValue().AsMap()
	if diff := cmp.Diff(map[string]any{"homelab.io/cluster-adopted": "true", "homelab.io/cluster-data-disks": "true"}, annotations); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestAdoptionOfAnInvalidSpec: what the node would get in its turn is checked before.
func TestAdoptionOfAnInvalidSpec(t *testing.T) {
	req := adoptionRequest(t, anObject(t, aServer))
	editField(t, req.GetObserved().GetComposite().GetResource(), "spec/servers/template", map[string]any{"proxmox": map[string]any{"storage": 7.0}})

	rsp := Answer(req)

	results := rsp.GetResults()
	if len(results) == 0 || !strings.Contains(results[0].GetMessage(), "spec.servers.template.proxmox.storage") {
		t.Errorf("results are %v; want the fault of the template", results)
	}
}

// TestLeaving: what is waited for before a turn are VMs whose nodes are gone, and not those of nodes that have left the cluster or were never of it.
func TestLeaving(t *testing.T) {
	vm := func(name, composite, root string) *fnv1.Resource {
		return &fnv1.Resource{Resource: anObject(t, `{
			"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": "EnvironmentVM",
			"metadata": {"name": "`+name+`", "namespace": "clusters", "ownerReferences": [{"name": "`+composite+`", "controller": true}],
				"labels": {"crossplane.io/composite": "`+root+`", "homelab.io/machine": "`+composite+`"}}
		}`)}
	}
	node := &fnv1.Resources{Items: []*fnv1.Resource{{Resource: anObject(t, `{"kind": "K3sNode", "metadata": {"name": "home-server-2", "namespace": "clusters"}}`)}}}

	cases := map[string]struct {
		reason string
		vm     *fnv1.Resource
		node   *fnv1.Resources
		want   []string
	}{
		"Gone":        {"Its node was created by the cluster.", vm("a", "home-server-2", "home"), &fnv1.Resources{}, []string{"server-2"}},
		"AdoptedGone": {"Its node was adopted.", vm("a", "server-3", "home"), &fnv1.Resources{}, []string{"server-3"}},
		"Foreign":     {"It was never a node.", vm("a", "server-3", "server-3"), nil, nil},
		"HasLeft":     {"Its node lives on outside of the cluster.", vm("a", "home-server-2", "home"), node, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			composite := req.GetObserved().GetComposite().GetResource().AsMap()
			req.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{tc.vm}}

			if tc.node != nil {
				req.RequiredResources[leavingRequirement+composerOf(tc.vm)] = tc.node
			}

			c := clusterCall{call: &call{req: req, rsp: &fnv1.RunFunctionResponse{}, composite: composite}}
			c.call.claim = claim.Decode(composite)
			c.id, c.spec = c.call.claim.Identity, *c.call.claim.K3sCluster
			c.call.flavour = flavour(nil, composite)

			got, known, err := c.leaving(nil)
			if err != nil || !known {
				t.Fatalf("known is %v, error is %v", known, err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// composerOf is the name of a VM's composite.
func composerOf(vm *fnv1.Resource) string {
	return controllerOf(vm.GetResource())["name"].GetStringValue()
}
