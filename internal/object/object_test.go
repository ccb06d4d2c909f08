package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// observed Object from YAML, as Crossplane sends it.
func observed(t *testing.T, text string) Observed {
	t.Helper()

	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}

	s, err := structpb.NewStruct(content)
	if err != nil {
		t.Fatal(err)
	}

	o, err := Read[Observed](s)
	if err != nil {
		t.Fatal(err)
	}

	return o
}

// TestSees: what an Object shows of a Node, and what it does not show although its status still has a Node.
func TestSees(t *testing.T) {
	const (
		spec = "kind: Object\nmetadata: {generation: 2}\nspec: {managementPolicies: [Observe], forProvider: {manifest: {metadata: {name: server-1}}}}\n"
		node = "atProvider: {manifest: {metadata: {name: server-1}, status: {nodeInfo: {systemUUID: a}}}}"
	)

	cases := map[string]struct {
		reason string
		object string
		found  bool
		sight  Sight
	}{
		"New":  {reason: "The provider has not looked.", object: spec, sight: SightPending},
		"Read": {reason: "The Node, as it was read.", object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'True'}]}", found: true},
		"Gone": {
			reason: "What was read before stays in the status.", sight: SightClear,
			object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'False', message: 'observe failed: external resource does not exist'}]}",
		},
		"StaleGeneration": {
			reason: "What the provider says is about the Object before the last edit.", sight: SightPending,
			object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'True', observedGeneration: 1}]}",
		},
		"StaleName": {
			reason: "The Object reads another Node since the last poll.", sight: SightPending,
			object: spec + "status: {atProvider: {manifest: {metadata: {name: server-2}}}, conditions: [{type: Synced, status: 'True'}]}",
		},
		"OtherName": {
			reason: "The Object is about another name.", sight: SightPending,
			object: "spec: {forProvider: {manifest: {metadata: {name: server-2}}}}\nstatus: {" + node + ", conditions: [{type: Synced, status: 'True'}]}",
		},
		"Forbidden": {
			reason: "RBAC refuses.", sight: SightForbidden,
			object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'False', message: 'observe failed: cannot get object: nodes \"server-1\" is forbidden: x'}]}",
		},
		"Unauthorized": {
			reason: "The credentials have expired.", sight: SightForbidden,
			object: spec + "status: {conditions: [{type: Synced, status: 'False', message: 'observe failed: cannot get object: Unauthorized'}]}",
		},
		"NoConfig": {
			reason: "The configuration is missing.", sight: SightNoConfig,
			object: spec + "status: {conditions: [{type: Synced, status: 'False', message: 'connect failed: cannot get provider config: x not found'}]}",
		},
		"Unreachable": {
			reason: "The cluster is down.", sight: SightUnreachable,
			object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'False', message: 'observe failed: cannot get object: i/o timeout'}]}",
		},
		"Paused": {
			reason: "Nobody looks any more.", sight: SightUnreachable,
			object: spec + "status: {" + node + ", conditions: [{type: Synced, status: 'False', reason: ReconcilePaused}]}",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n, sight := observed(t, tc.object).Sees("server-1")
			if (n != nil) != tc.found || sight != tc.sight {
				t.Errorf("%s\nwant found %t and sight %q, got %v and %q", tc.reason, tc.found, tc.sight, n, sight)
			}
		})
	}
}

// TestRetained: an Object stays as it was written, in its API, through a reading and a writing.
func TestRetained(t *testing.T) {
	m := proxmox.Metadata{Labels: map[string]string{"a": "b"}}

	for _, want := range []Object{NewReading(Cluster, "home", "server-1", m), NewDeletion(Namespaced, "home", "server-1", m)} {
		manifest, err := ManifestOf(want)
		if err != nil {
			t.Fatal(err)
		}

		o, err := Read[Observed](manifest)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, o.Retained(m)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
}

// TestNames: the Objects of a machine are told from what other steps of a Composition compose.
func TestNames(t *testing.T) {
	for name, vm := range map[string]string{"node": "", DeletionOf("vm"): "vm", DeletionOf("vm-0123456789"): "vm-0123456789", "node-deletion": "", "vm": ""} {
		if got := VMOf(name); got != vm {
			t.Errorf("VMOf(%q): want %q, got %q", name, vm, got)
		}
	}

	kind := func(k string) *structpb.Struct {
		return &structpb.Struct{Fields: map[string]*structpb.Value{"kind": structpb.NewStringValue(k)}}
	}

	if !Is(Reading, kind(Kind)) || !Is(DeletionOf("vm"), kind(Kind)) || Is(Reading, kind("ConfigMap")) || Is("other", kind(Kind)) {
		t.Error("Is() does not know its own")
	}
}
