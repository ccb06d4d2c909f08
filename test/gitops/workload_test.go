package gitops

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestProgramsFollowMachines: the Kustomization of example/workload is one that Flux takes, and what it waits for is the last wave of machines.
func TestProgramsFollowMachines(t *testing.T) {
	programs := unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(read(t, repository+"/example/workload/flux/programs.yaml")), &programs.Object); err != nil {
		t.Fatal(err)
	}

	depends, _, _ := unstructured.NestedSlice(programs.Object, "spec", "dependsOn")
	if len(depends) != 1 {
		t.Fatalf("programs depend on %v", depends)
	}

	name, _ := depends[0].(map[string]any)["name"].(string)

	for _, cluster := range inWaves {
		last := layer(t, cluster, name)
		if last.GetLabels()["layer"] != "machines" {
			t.Errorf("%s: %s has no machines: %v", cluster, name, last.GetLabels())
		}

		for _, l := range layersOf(t, cluster) {
			if l.GetLabels()["layer"] == "machines" && l.GetName() > name {
				t.Errorf("%s: wave %s comes after the one that programs wait for", cluster, l.GetName())
			}
		}
	}

	if out, err := newValidator(t, variants["namespaced"]).validate(t, []unstructured.Unstructured{programs}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
