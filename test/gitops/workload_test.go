package gitops

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	decoder "k8s.io/apimachinery/pkg/util/yaml"
)

// workload are the Kustomizations of a file of example/workload/flux.
func workload(t *testing.T, file string) []unstructured.Unstructured {
	t.Helper()

	var out []unstructured.Unstructured

	for d := decoder.NewYAMLOrJSONDecoder(strings.NewReader(read(t, repository+"/example/workload/flux/"+file)), 4096); ; {
		o := unstructured.Unstructured{}
		if err := d.Decode(&o.Object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}

		out = append(out, o)
	}
}

// TestProgramsFollowMachines: the Kustomization of example/workload is one that Flux takes, and what it waits for is the last wave of machines.
func TestProgramsFollowMachines(t *testing.T) {
	all := workload(t, "programs.yaml")

	depends := dependencies(all[0])
	if len(all) != 1 || len(depends) != 1 {
		t.Fatalf("%d Kustomizations, and programs depend on %v", len(all), depends)
	}

	name := depends[0]

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

	if out, err := newValidator(t, variants["namespaced"]).validate(t, all); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// says gives an object one more condition.
func says(typ, status, reason string) change {
	return func(t *testing.T, o *unstructured.Unstructured) {
		t.Helper()

		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		list = append(list, map[string]any{
			"type": typ, "status": status, "reason": reason, "lastTransitionTime": "2026-11-20T18:43:26Z", "observedGeneration": o.GetGeneration(),
		})

		if err := unstructured.SetNestedSlice(o.Object, list, "status", "conditions"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRolesFollowMachines holds the health checks of example/workload/flux/roles.yaml to claims in every state: those of the layers of machines, and a machine that
// is to join or to converge has done so.
func TestRolesFollowMachines(t *testing.T) {
	all := workload(t, "roles.yaml")
	if len(all) != 2 {
		t.Fatalf("%d Kustomizations, want that of the machine and that of its role", len(all))
	}

	cases := machineStates()

	for name, tc := range map[string]machineState{
		"Joined":            {reason: "The node is in its cluster.", changes: []change{says("NodeJoined", "True", "Joined")}, want: current},
		"NotJoined":         {reason: "The VM runs, and is no node yet.", changes: []change{says("NodeJoined", "False", "NotYet")}, want: inProgress},
		"NobodyReadsNodes":  {reason: "Nobody knows whether it has joined.", changes: []change{says("NodeJoined", "Unknown", "NotReported")}, want: inProgress},
		"Converged":         {reason: "The guest runs its revision.", changes: []change{says("Converged", "True", "Applied")}, want: current},
		"ConvergedToReboot": {reason: "It has, but for its kernel.", changes: []change{says("Converged", "True", "GuestRebootPending")}, want: current},
		"NotConverged":      {reason: "The first run has not ended.", changes: []change{says("Converged", "Unknown", "NotReported")}, want: inProgress},
		"RolledBack":        {reason: "The guest needs another revision, which is no commit of its claim.", changes: []change{says("Converged", "False", "RolledBack")}, want: inProgress},
	} {
		tc.state = "healthy"
		cases[name] = tc
	}

	// The states are those of claims whose conditions say of which generation they are: Crossplane 2.
	for name, tc := range cases {
		for _, cluster := range []string{"claims", "namespaced"} {
			t.Run(name+"/"+cluster, func(t *testing.T) {
				o := recorded(t, cluster, tc.state)
				for _, c := range tc.changes {
					c(t, o)
				}

				if got := evaluated(t, evaluatorOf(t, all[0], o), o); got != tc.want {
					t.Errorf("%s %s, want %s", tc.reason, got, tc.want)
				}
			})
		}
	}
}

// TestRolesAreLayers: what example/workload/flux/roles.yaml has fits into example/flux.
func TestRolesAreLayers(t *testing.T) {
	all := workload(t, "roles.yaml")
	machine, role := all[0], all[1]

	if got := dependencies(role); !slices.Equal(got, []string{machine.GetName()}) {
		t.Errorf("the role depends on %v, want its machine %s", got, machine.GetName())
	}

	if machine.GetLabels()["layer"] != "" {
		t.Error("the health checks of example/flux replace those of the machine: it has their label")
	}

	for _, cluster := range []string{"claims", "namespaced"} {
		for _, name := range dependencies(machine) {
			layer(t, cluster, name)
		}

		ours, theirs := checks(t, machine)[0], checks(t, layer(t, cluster, "machines-1"))[0]
		if ours.Failed != theirs.Failed || !strings.HasPrefix(ours.Current, theirs.Current+" && ") {
			t.Errorf("%s: the health checks are not those of the layers of machines with something more", cluster)
		}

		if out, err := newValidator(t, variants[cluster]).validate(t, all); err != nil {
			t.Errorf("%s: %v\n%s", cluster, err, out)
		}
	}
}
