package preview

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// runningNode is a node of a cluster whose Kubernetes Node was seen with a release.
func runningNode(o unstructured.Unstructured, release string) unstructured.Unstructured {
	node := joined(o)
	node.SetUID(types.UID("uid-of-" + node.GetName()))

	status, _ := node.Object["status"].(map[string]any)
	status["kubernetes"] = map[string]any{"name": node.GetName(), "joined": true, "ready": true, "version": release}

	return node
}

// writtenPlan is the Object of a Plan as provider-kubernetes leaves it.
func writtenPlan(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()
	o.SetGeneration(1)

	manifest, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider", "manifest")
	o.Object["status"] = map[string]any{
		"conditions": []any{condition("Synced", "True", "ReconcileSuccess", "", 1)}, "atProvider": map[string]any{"manifest": manifest},
	}

	return o
}

// TestPlanOfAnUpgradeInPlace: the plan of a new release says in words who upgrades K3s and in which order, and replaces no VM.
func TestPlanOfAnUpgradeInPlace(t *testing.T) {
	document := strings.Replace(aCluster, "  version: v1.33.6+k3s1\n", "  version: v1.33.6+k3s1\n  cluster: home\n  upgrade: SystemUpgrade\n", 1)
	catalogue := clusterCatalogue + "  clusters: {home: {observe: Object, providerConfig: home}}\n"

	was, _ := renderClusterWith(t, FlavourNamespaced, document, catalogue)
	if was.Err != nil {
		t.Fatal(was.Err)
	}

	objects := []unstructured.Unstructured{was.Turn.Composite}
	plans := 0

	for _, o := range was.Turn.Composed {
		if o.GetKind() == "Object" {
			plans++

			objects = append(objects, writtenPlan(o))
		}
	}

	for _, c := range was.Nodes {
		node := runningNode(c.Claim.Object, "v1.33.6+k3s1")
		objects = append(objects, node)

		for _, o := range c.Turn.Composed {
			owner := metav1.GetControllerOf(&o)
			owner.UID = node.GetUID()
			o.SetOwnerReferences([]metav1.OwnerReference{*owner})
			objects = append(objects, made(o))
		}
	}

	if plans != 2 {
		t.Errorf("the preview of the cluster has %d Plans, want those of servers and agents", plans)
	}

	configuration, err := Load(FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	c := was.Claim
	c.Object = parsed(t, strings.Replace(document, "v1.33.6+k3s1", "v1.33.7+k3s3", 1))

	story, err := World{Flavour: FlavourNamespaced, Objects: objects}.Story(t.Context(), configuration, Files{}, c)
	if err != nil {
		t.Fatal(err)
	}

	all := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true}.Plan(t.Context(), []Story{story})
	want := []PlanStep{
		{Resource: "server-0", Action: "upgrade", Notes: []string{"K3s v1.33.7+k3s3 by system-upgrade-controller, servers first, one at a time"}},
		{Resource: "server-1", Action: "keep", Notes: []string{"waits for server-0"}},
		{Resource: "server-2", Action: "keep", Notes: []string{"waits for server-0"}},
		{Resource: "worker-0", Action: "keep", Notes: []string{"waits for server-0, server-1, server-2"}},
		{Resource: "worker-1", Action: "keep", Notes: []string{"waits for server-0, server-1, server-2"}},
	}

	if diff := cmp.Diff(want, all[0].Steps); diff != "" {
		t.Errorf("what becomes of the cluster: -want, +got:\n%s", diff)
	}

	if !slices.Equal(all[0].Effects, []Effect{EffectWait, EffectChange}) {
		t.Errorf("effects are %v", all[0].Effects)
	}

	for _, m := range all[1:] {
		if slices.Contains(m.Effects, EffectReplace) || slices.Contains(m.Effects, EffectReboot) || m.State == StateChanged {
			t.Errorf("%s is %s, with %v; want its VM as it is", m.title(), m.State, m.Effects)
		}
	}
}
