package gitops

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// k3sCluster is a K3sCluster whose rollout is complete. Crossplane's part of it is that of a recorded machine.
func k3sCluster(t *testing.T, cluster string) *unstructured.Unstructured {
	t.Helper()

	o := recorded(t, cluster, "healthy")
	o.SetKind("K3sCluster")

	claimed := objects(t, []byte(read(t, example+"/machines/k3s-cluster/lab.yaml")))[0]
	fields, _, _ := unstructured.NestedMap(claimed.Object, "spec")
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	applied, _, _ := unstructured.NestedMap(o.Object, "status", "appliedSpec")

	// What a person wrote of the machine makes way for the cluster's; Crossplane's own fields stay.
	for name := range applied {
		delete(spec, name)
	}

	maps.Copy(spec, runtime.DeepCopyJSON(fields))

	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	rolledOut := map[string]any{}

	conditions = slices.DeleteFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		typ, _ := m["type"].(string)

		if typ == "SpecValid" {
			maps.Copy(rolledOut, m)
		}

		return !slices.Contains([]string{"Synced", "Ready", "SpecValid", "Responsive"}, typ)
	})
	rolledOut["type"], rolledOut["status"], rolledOut["reason"] = "RolledOut", "True", "Complete"

	o.Object["spec"] = spec
	o.Object["status"] = map[string]any{"appliedSpec": fields, "conditions": append(conditions, rolledOut), "rollout": map[string]any{"state": "Complete"}}

	return o
}

// renewed is a cluster of which Crossplane and the function have said everything anew, about the spec that it has now.
func renewed(_ *testing.T, o *unstructured.Unstructured) {
	eachCondition(o, func(c map[string]any) {
		if _, dated := c["observedGeneration"]; dated {
			c["observedGeneration"] = o.GetGeneration()
		}

		c["lastTransitionTime"] = "2099-01-01T00:00:00Z"
	})
}

// TestK3sClusters holds the health check of a layer to a K3sCluster in every state of its rollout.
func TestK3sClusters(t *testing.T) {
	image := committed(set("debian-13", "spec", "servers", "image"))
	under := func(state string) []change {
		return []change{image, renewed, becomes("RolledOut", "False", state)}
	}

	cases := map[string]struct {
		reason  string
		changes []change
		want    string
	}{
		"NoStatus":      {"Crossplane has not seen it yet.", []change{without("status")}, inProgress},
		"Born":          {"The first nodes are being created.", []change{without("status", "appliedSpec"), becomes("RolledOut", "False", "Progressing"), becomes("Ready", "False", "Creating")}, inProgress},
		"Complete":      {"Every node is as the claim describes it.", nil, current},
		"JustCommitted": {"What is said is about the spec before.", []change{image}, inProgress},
		"PassedOn":      {"A claim says Ready and Synced of a generation that no function has seen.", []change{image, passedOn}, inProgress},
		"Progressing":   {"A node has its turn, and all of them are ready between two turns.", under("Progressing"), inProgress},
		"Waiting":       {"A node that is not ready may be ready again.", under("Waiting"), inProgress},
		"Paused":        {"Nobody knows when the pause ends.", under("Paused"), inProgress},
		"Blocked":       {"Only another commit helps.", under("Blocked"), failed},
		"Unblocked":     {"The commit that mends it must not be called failed for what it mends.", []change{becomes("RolledOut", "False", "Blocked"), image, passedOn}, inProgress},
		"Refused":       {"The function refused it.", []change{image, renewed, becomes("SpecValid", "False", "ValidationFailed")}, failed},
		"NotReadyAnyMore": {
			"Nobody edited it, and a node fails.", []change{becomes("Ready", "False", "Creating"), becomes("RolledOut", "False", "Waiting")}, inProgress,
		},
	}

	for name, tc := range cases {
		for _, cluster := range clusters {
			t.Run(name+"/"+cluster, func(t *testing.T) {
				o := k3sCluster(t, cluster)
				for _, c := range tc.changes {
					c(t, o)
				}

				if got := judge(t, cluster, "machines-1", o); got != tc.want {
					t.Errorf("%s %s, want %s", tc.reason, got, tc.want)
				}
			})
		}
	}
}

// TestK3sClusterLayer: the cluster has one layer for its claim, which waits for all that machines wait for, and for the kind.
func TestK3sClusterLayer(t *testing.T) {
	waves := 0

	for _, l := range layersOf(t, "k3s-cluster") {
		if l.GetLabels()["layer"] == "machines" {
			waves++
		}
	}

	if waves != 1 {
		t.Errorf("there are %d layers of machines, want one", waves)
	}

	l := layer(t, "k3s-cluster", "machines-1")
	if path, _, _ := unstructured.NestedString(l.Object, "spec", "path"); path != "./machines/k3s-cluster" {
		t.Errorf("the layer has path %s", path)
	}

	packages := layer(t, "k3s-cluster", "packages")
	waits, _, _ := unstructured.NestedSlice(packages.Object, "spec", "healthChecks")

	if !slices.ContainsFunc(waits, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["name"] == "k3sclusters.homelab.io" && m["kind"] == "CompositeResourceDefinition"
	}) {
		t.Errorf("packages are healthy before there is the kind: %v", waits)
	}
}
