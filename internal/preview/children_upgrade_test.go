package preview

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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

// editOfRunning is a plan of a K3sCluster whose nodes run: document is its claim, and edit what becomes of that.
func editOfRunning(t *testing.T, document, catalogue string, edit func(string) string) (all []MachinePlan, plans int) {
	t.Helper()

	c, objects, plans := runningCluster(t, document, catalogue)

	return planOver(t, objects, c, edit(document)), plans
}

// runningCluster is the claim of a K3sCluster whose nodes run, and what there is of it; plans are how many Plans of system-upgrade-controller it has.
func runningCluster(t *testing.T, document, catalogue string) (c Claim, objects []unstructured.Unstructured, plans int) {
	t.Helper()

	was, _ := renderClusterWith(t, FlavourNamespaced, document, catalogue)
	if was.Err != nil {
		t.Fatal(was.Err)
	}

	objects = []unstructured.Unstructured{was.Turn.Composite}

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

	return was.Claim, objects, plans
}

// planOver objects is the plan of a claim, as it is edited.
func planOver(t *testing.T, objects []unstructured.Unstructured, c Claim, document string) []MachinePlan {
	t.Helper()

	configuration, err := Load(FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	c.Object = parsed(t, document)

	story, err := World{Flavour: FlavourNamespaced, Objects: objects}.Story(t.Context(), configuration, Files{}, c)
	if err != nil {
		t.Fatal(err)
	}

	return Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true}.Plan(t.Context(), []Story{story})
}

// TestPlanOfAnEarlierRelease: nobody gets it, not even the next VMs, and the plan says so although it changes nothing.
func TestPlanOfAnEarlierRelease(t *testing.T) {
	all, _ := editOfRunning(t, aCluster, clusterCatalogue, func(s string) string { return strings.Replace(s, "v1.33.6+k3s1", "v1.33.4+k3s1", 1) })

	want := []string{"warning: The next VM of server-0, server-1, server-2 and 2 more comes with K3s v1.33.6+k3s1, and not with v1.33.4+k3s1, which is older than what runs: " +
		"write v1.33.6+k3s1 as the version."}
	if diff := cmp.Diff(want, all[0].Notes); diff != "" || all[0].State != StateKept {
		t.Errorf("%s, -want, +got:\n%s", all[0].State, diff)
	}

	same, _ := editOfRunning(t, aCluster, clusterCatalogue, func(s string) string { return s })
	if len(same[0].Notes) > 0 {
		t.Errorf("the claim as it is has notes: %q", same[0].Notes)
	}
}

// TestPlanOfMoreServers: they come one after the other, and the plan of the first has a word of the next.
func TestPlanOfMoreServers(t *testing.T) {
	all, _ := editOfRunning(t, aCluster, clusterCatalogue, func(s string) string { return strings.Replace(s, "count: 3", "count: 5", 1) })

	want := []PlanStep{
		{Resource: "server-3", Action: "create", Notes: []string{"it does not exist yet"}},
		{Resource: "server-4", Action: "wait", Notes: []string{"waits for server-3"}},
	}
	if diff := cmp.Diff(want, all[0].Steps); diff != "" || all[0].State != StateChanged {
		t.Errorf("%s, -want, +got:\n%s", all[0].State, diff)
	}
}

// TestPlanWithoutSecrets: where nobody gives the plan the Secret of the token, it says of all else whether a VM was made with it, and what its turn does.
func TestPlanWithoutSecrets(t *testing.T) {
	const edited = `class: small, template: {bootstrap: {userData: "#cloud-config\ntimezone: Europe/Berlin\n"}}`

	all, _ := editOfRunning(t, aCluster, clusterCatalogue, func(s string) string {
		return strings.Replace(s, "{name: worker, count: 2, class: small", "{name: worker, count: 2, "+edited, 1)
	})
	if !slices.Contains(all[0].Effects, EffectReplace) {
		t.Errorf("the cluster's plan does not say that VMs are replaced: %v", all[0].Effects)
	}

	i := slices.IndexFunc(all, func(m MachinePlan) bool { return m.Name == "lab-worker-0" })
	if i < 0 || !slices.Equal(all[i].Effects, []Effect{EffectNewVM}) {
		t.Fatalf("worker-0: %+v", all)
	}

	want := []string{"Secret infra/k3s-token is not here: a dummy stands for its content.", "spec.agents[worker].template.bootstrap.userData (timezone). The VM keeps running"}
	for k, w := range want {
		if len(all[i].Notes) != len(want) || !strings.Contains(all[i].Notes[k], w) {
			t.Errorf("want %q in %q", w, all[i].Notes)
		}
	}
}

// TestPlanWithoutSecretsAndFiles: where nobody gives the plan what the VMs were made with, either, nothing is said of it.
func TestPlanWithoutSecretsAndFiles(t *testing.T) {
	c, objects, _ := runningCluster(t, aCluster, clusterCatalogue)
	objects = slices.DeleteFunc(objects, func(o unstructured.Unstructured) bool { return o.GetKind() == "EnvironmentFile" })

	// They were made with a token, and not with the dummy of the test.
	for _, o := range objects {
		if a := o.GetAnnotations(); a[proxmox.BootstrapHashAnnotation] != "" {
			a[proxmox.BootstrapHashAnnotation] = "0123456789abcdef"
			o.SetAnnotations(a)
		}
	}

	for _, m := range planOver(t, objects, c, aCluster) {
		if m.State != StateKept || len(m.Notes) > 0 {
			t.Errorf("%s is %s: %q", m.title(), m.State, m.Notes)
		}
	}
}

// TestPlanOfARenamedCluster: it is a new one, whose nodes cannot have the addresses of those that run.
func TestPlanOfARenamedCluster(t *testing.T) {
	document := strings.TrimSpace(aCluster) + "\n  nodes: [{name: server-0, ip: 192.168.4.211}]\n"
	all, _ := editOfRunning(t, document, clusterCatalogue, func(s string) string { return strings.Replace(s, "{name: lab,", "{name: den,", 1) })

	const want = "server-0: The VM is not created, because 192.168.4.211 of spec.nodes[server-0].ip is the address of infra/lab-server-0"
	if all[0].State != StateNew || !slices.ContainsFunc(all[0].Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("want %q in %q", want, all[0].Notes)
	}
}

// TestPlanOfATokenThatGoes: nodes that run would keep their settings from then on, and new ones could not join: the edit is refused before the first turn.
func TestPlanOfATokenThatGoes(t *testing.T) {
	all, _ := editOfRunning(t, aCluster, clusterCatalogue, func(s string) string { return strings.Replace(s, "trustOnFirstUse: true", "trustOnFirstUse: false", 1) })

	if all[0].State != StateRefused || !slices.Equal(all[0].Refused, []string{"spec.token.trustOnFirstUse: is missing: the nodes join with the token of the first server only with trustOnFirstUse: true; or write joinToken, one of their own"}) {
		t.Errorf("%s: %q", all[0].State, all[0].Refused)
	}
}

// TestPlanOfAnUpgradeInPlace: the plan of a new release says in words who upgrades K3s and in which order, and replaces no VM.
func TestPlanOfAnUpgradeInPlace(t *testing.T) {
	document := strings.Replace(aCluster, "  version: v1.33.6+k3s1\n", "  version: v1.33.6+k3s1\n  cluster: home\n  upgrade: SystemUpgrade\n", 1)
	catalogue := clusterCatalogue + "  clusters: {home: {observe: Object, providerConfig: home}}\n"

	all, plans := editOfRunning(t, document, catalogue, func(s string) string { return strings.Replace(s, "v1.33.6+k3s1", "v1.33.7+k3s3", 1) })
	if plans != 2 {
		t.Errorf("the preview of the cluster has %d Plans, want those of servers and agents", plans)
	}

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
