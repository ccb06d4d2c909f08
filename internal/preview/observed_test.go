package preview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// object reads one manifest.
func object(t *testing.T, text string) unstructured.Unstructured {
	t.Helper()

	o := unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}

	return o
}

// stageOf the claim home/a, as the claims package has it.
func stageOf(t *testing.T) *stage {
	t.Helper()

	return &stage{composite: object(t, `{apiVersion: homelab.io/v1alpha1, kind: XMachine,
		metadata: {name: a-xyz, labels: {crossplane.io/claim-name: a, crossplane.io/claim-namespace: home}}}`)}
}

// namespacedStageOf the composite home/a.
func namespacedStageOf(t *testing.T) *stage {
	t.Helper()

	return &stage{composite: object(t, `{apiVersion: homelab.io/v1alpha1, kind: Machine, metadata: {name: a, namespace: home}}`)}
}

func TestBelongs(t *testing.T) {
	cases := map[string]struct {
		reason   string
		stage    func(*testing.T) *stage
		metadata string
		want     bool
	}{
		"NoLabels": {reason: "Without labels a resource is anybody's.", stage: stageOf, metadata: `{}`, want: true},
		"ByHand":   {reason: "What a cluster has and nobody composed is a person's.", stage: stageOf, metadata: `{uid: "1"}`},
		"Composed": {
			reason: "A cluster's composed resource says whose it is.", stage: stageOf, want: true,
			metadata: `{uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XMachine, name: a-7pvwx, uid: "2", controller: true}], labels: {crossplane.io/claim-name: a}}`,
		},
		"Claim":          {reason: "The claim's name fits.", stage: stageOf, metadata: `{labels: {crossplane.io/claim-name: a}}`, want: true},
		"OtherClaim":     {reason: "Another claim's resource is another machine's.", stage: stageOf, metadata: `{labels: {crossplane.io/claim-name: b}}`},
		"OtherNamespace": {reason: "So is one of the same name elsewhere.", stage: stageOf, metadata: `{labels: {crossplane.io/claim-name: a, crossplane.io/claim-namespace: work}}`},
		"Composite":      {reason: "The composite's name fits.", stage: stageOf, metadata: `{labels: {crossplane.io/composite: a-xyz}}`, want: true},
		"OtherComposite": {reason: "Without a claim the composite's name counts.", stage: stageOf, metadata: `{labels: {crossplane.io/composite: b-xyz}}`},
		"ClustersOwnName": {
			reason: "A cluster draws the composite's name; the claim's counts.", stage: stageOf,
			metadata: `{labels: {crossplane.io/composite: a-7pvwx, crossplane.io/claim-name: a, crossplane.io/claim-namespace: home}}`, want: true,
		},
		"NameAsIs": {
			reason: "In a namespaced package the composite has the name that a person gave it.", stage: namespacedStageOf,
			metadata: `{namespace: home, labels: {crossplane.io/composite: a}}`, want: true,
		},
		"Leaves": {
			reason: "Crossplane takes the label of the composite off what it deletes, whosever it was.", stage: namespacedStageOf,
			metadata: `{namespace: home, uid: "1", deletionTimestamp: "2026-11-29T01:06:44Z", labels: {homelab.io/machine: b},
				ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: Machine, name: b, uid: "2", controller: true}]}`,
		},
		"LeavesSoon": {
			reason: "It takes the label off first: what has none yet is whose its owner says.", stage: namespacedStageOf,
			metadata: `{namespace: home, uid: "1", labels: {homelab.io/machine: b},
				ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: Machine, name: b, uid: "2", controller: true}]}`,
		},
		"LeavesSoonOfAClaim": {
			reason: "So it is where the owner is a claim's composite.", stage: stageOf,
			metadata: `{uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XMachine, name: b-7pvwx, uid: "2", controller: true}]}`,
		},
		"LeavesSoonOfALongerName": {
			reason: "A claim's name may begin with another one's.", stage: stageOf,
			metadata: `{uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XMachine, name: a-b-7pvwx, uid: "2", controller: true}]}`,
		},
		"Labelless": {
			reason: "Somebody may take the labels off a file.", stage: stageOf, want: true,
			metadata: `{uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XMachine, name: a-7pvwx, uid: "2", controller: true}]}`,
		},
		"OtherKind": {
			reason: "A Container may have the name of a Machine.", stage: namespacedStageOf,
			metadata: `{namespace: home, uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: Container, name: a, uid: "2", controller: true}], labels: {crossplane.io/composite: a}}`,
		},
		"OtherKindOfClaim": {
			reason: "So may a claim.", stage: stageOf,
			metadata: `{uid: "1", ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XContainer, name: a-x, uid: "2", controller: true}], labels: {crossplane.io/claim-name: a}}`,
		},
		"NamespacedElsewhere": {
			reason: "Names count within a namespace.", stage: namespacedStageOf,
			metadata: `{namespace: work, labels: {crossplane.io/composite: a}}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.stage(t).belongs(object(t, "metadata: "+tc.metadata))); diff != "" {
				t.Errorf("\n%s\nbelongs(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObserve(t *testing.T) {
	const (
		own = `apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata:
  name: a-7pvwx-1
  labels: {crossplane.io/claim-name: a, crossplane.io/claim-namespace: default, crossplane.io/composite: a-7pvwx}
  ownerReferences: [{apiVersion: homelab.io/v1alpha1, kind: XMachine, name: a-7pvwx, uid: u-1, controller: true}]
`
		other = `apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata:
  name: b-1
  labels: {crossplane.io/claim-name: b, crossplane.io/claim-namespace: default, crossplane.io/composite: b-xyz}
`
		composite = `apiVersion: homelab.io/v1alpha1
kind: XMachine
metadata: {name: a-7pvwx, uid: u-2, labels: {crossplane.io/claim-name: a, crossplane.io/claim-namespace: default}}
status: {vmId: 153}
`
		itsClaim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: default}\nstatus: {vmId: 154}\n"
	)

	type want struct {
		Name, UID            string
		Status               any
		Observed, Neighbours []string
		Nodes                []string
	}

	cases := map[string]struct {
		reason string
		text   string
		want   want
	}{
		"Own": {
			reason: "The composite is the one that owns what is observed.",
			text:   own,
			want:   want{Name: "a-7pvwx", UID: "u-1", Observed: []string{"a-7pvwx-1"}},
		},
		"Others": {
			reason: "Other machines' resources are what the function may ask for.",
			text:   own + "---\n" + other,
			want:   want{Name: "a-7pvwx", UID: "u-1", Observed: []string{"a-7pvwx-1"}, Neighbours: []string{"b-1"}},
		},
		"WithComposite": {
			reason: "What the composite reported last is known.",
			text:   own + "---\n" + composite,
			want:   want{Name: "a-7pvwx", UID: "u-2", Status: map[string]any{"vmId": 153.0}, Observed: []string{"a-7pvwx-1"}},
		},
		"WithClaim": {
			reason: "The claim reports the same.",
			text:   own + "---\n" + itsClaim,
			want:   want{Name: "a-7pvwx", UID: "u-1", Status: map[string]any{"vmId": 154.0}, Observed: []string{"a-7pvwx-1"}},
		},
		"WithBoth": {
			reason: "The composite knows more than its claim, whichever comes first.",
			text:   own + "---\n" + composite + "---\n" + itsClaim,
			want:   want{Name: "a-7pvwx", UID: "u-2", Status: map[string]any{"vmId": 153.0}, Observed: []string{"a-7pvwx-1"}},
		},
		"Nodes": {
			reason: "A Node is no composed resource, whatever its labels say.",
			text:   own + "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: server-1}}\n- {apiVersion: v1, kind: Node, metadata: {name: server-2}}\n",
			want:   want{Name: "a-7pvwx", UID: "u-1", Observed: []string{"a-7pvwx-1"}, Nodes: []string{"server-1", "server-2"}},
		},
		"OtherComposite": {
			reason: "Another machine's composite says nothing of this one.",
			text:   own + "---\n" + "apiVersion: homelab.io/v1alpha1\nkind: XMachine\nmetadata: {name: b-xyz, labels: {crossplane.io/claim-name: b}}\nstatus: {vmId: 1}\n",
			want:   want{Name: "a-7pvwx", UID: "u-1", Observed: []string{"a-7pvwx-1"}},
		},
	}

	pkg := claimsPackage(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			documents, err := manifest.Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}

			r := Renderer{Configuration: pkg}
			s := &stage{composite: compositeOf(object(t, claimText("Machine", "a")), pkg.definitions[0])}
			r.observe(s, manifest.Objects(documents), true)

			got := want{
				Name: s.composite.GetName(), UID: string(s.composite.GetUID()), Status: s.composite.Object["status"],
				Observed: names(s.observed), Neighbours: names(s.neighbours), Nodes: names(s.nodes),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nobserve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func names(objects []unstructured.Unstructured) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.GetName())
	}

	return out
}

func TestFlavourRenders(t *testing.T) {
	groups := []string{
		"virtualenvironmentvm.crossplane.io", "virtualenvironmentvm.proxmoxbpg.crossplane.io", "virtualenvironmentvm.proxmoxbpg.m.crossplane.io",
	}

	cases := map[string]struct {
		reason string
		want   []bool
	}{
		FlavourLegacy:     {reason: "The old provider has groups without its name.", want: []bool{true, false, false}},
		FlavourClaims:     {reason: "Cluster-scoped resources of the present provider.", want: []bool{false, true, false}},
		FlavourNamespaced: {reason: "Namespaced resources of the present provider.", want: []bool{false, false, true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := []bool{}
			for _, g := range groups {
				got = append(got, flavours()[name].renders(g))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nrenders(...) of %v: -want, +got:\n%s", tc.reason, groups, diff)
			}
		})
	}
}
