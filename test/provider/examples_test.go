package provider

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A story is a folder of example/: claims, a catalogue, Secrets.
type story struct {
	name     string
	claims   []unstructured.Unstructured
	required []unstructured.Unstructured
}

// stories are all examples. An example that nobody lists here is still one.
func stories(t *testing.T) []story {
	t.Helper()

	folders, err := filepath.Glob(filepath.Join(repository, "example", "*"))
	if err != nil {
		t.Fatal(err)
	}

	var out []story

	for _, f := range folders {
		files, err := filepath.Glob(filepath.Join(f, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		s := story{name: filepath.Base(f)}

		for _, file := range files {
			objects, err := ReadObjects(file)
			if err != nil {
				t.Fatal(err)
			}

			for _, o := range objects {
				if strings.HasPrefix(o.GetAPIVersion(), "homelab.io/") {
					s.claims = append(s.claims, o)
				} else {
					s.required = append(s.required, o)
				}
			}
		}

		if len(s.claims) > 0 {
			out = append(out, s)
		}
	}

	return out
}

// clusters are what the hosts of the stories hold before their first claim, as their texts say.
func clusters() map[string]Cluster {
	return map[string]Cluster{
		"appliance": {Volumes: []string{"local:import/haos_ova-14.2.qcow2"}},
		"homelab-k3s": {
			Volumes: []string{
				"local:snippets/k3s-server-fun-bedbug.yaml", "local:snippets/k3s-server-pve.yaml", "local:snippets/k3s-server-still-fawn.yaml",
			},
			ImagesOnLocal: true,
		},
		"k3s-cluster":  {Volumes: []string{"local:snippets/k3s-token.yaml"}},
		"nixos":        {Templates: map[int]Template{9000: template("pve")}},
		"plain-debian": {},
	}
}

// TestExamples lets the function and the provider make every machine of every example, in every way to install the
// project, until nothing changes any more.
func TestExamples(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			needTerraform(t)

			replay := &Replay{}
			made := map[string]int{}

			for _, api := range []API{APIClaims, APILegacy, APINamespaced} {
				for kind, n := range s.settle(t, api, replay) {
					made[kind] += n
				}
			}

			if made[KindVM] != 3*len(s.claims) {
				t.Errorf("want %d VMs, made %v", 3*len(s.claims), made)
			}

			t.Logf("made %v, of which %d had the same text in another flavour", made, replay.Hits)
		})
	}
}

// settle makes all claims of a story in one cluster, one after the other, and counts what was made.
func (s story) settle(t *testing.T, api API, replay *Replay) map[string]int {
	t.Helper()

	f := startFunction(t)
	made := map[string]int{}

	var bench *Bench

	for _, claim := range s.claims {
		c := s.control(t, api, claim)
		c.Function, c.Replay = f, replay

		if bench == nil {
			bench = startBench(t, clusters()[s.name], s.nodes(t, c)...)
		}

		c.Bench = bench

		rounds, err := c.Settle(t.Context())
		if err != nil {
			t.Fatalf("%s, %s: %v", api, claim.GetName(), err)
		}

		if last := rounds[len(rounds)-1]; !last.Ready {
			t.Errorf("%s, %s is not ready: %v", api, claim.GetName(), c.Composite.Object["status"])
		}

		for name, d := range c.composed {
			made[d.resource.Kind]++

			if fl, err := d.resource.Flavour(); err != nil || fl != api.flavour() {
				t.Errorf("%s, %s: %s is of flavour %s: %v", api, claim.GetName(), name, fl, err)
			}
		}
	}

	s.checkCluster(t, bench, replay)

	return made
}

// control of a claim, without a cluster.
func (s story) control(t *testing.T, api API, claim unstructured.Unstructured) *Control {
	t.Helper()

	c := &Control{Composite: CompositeOf(claim, api), Required: s.required}

	var err error
	if c.Input, err = Input(repository, api, c.Composite.GetKind()); err != nil {
		t.Fatal(err)
	}

	return c
}

// nodes are resources that name every node of the story's catalogue and claims.
func (s story) nodes(t *testing.T, _ *Control) []Resource {
	t.Helper()

	names := map[string]bool{}

	for _, claim := range s.claims {
		if n, _, _ := unstructured.NestedString(claim.Object, "spec", "proxmox", "node"); n != "" {
			names[n] = true
		}
	}

	for _, o := range s.required {
		sites, _, _ := unstructured.NestedMap(o.Object, "data", "sites")
		for _, site := range sites {
			nodes, _, _ := unstructured.NestedMap(map[string]any{"site": site}, "site", "nodes")
			for n := range nodes {
				names[n] = true
			}
		}
	}

	out := make([]Resource, 0, len(names))
	for _, n := range slices.Sorted(maps.Keys(names)) {
		out = append(out, Resource{Kind: KindVM, Spec: Spec{ForProvider: map[string]any{"nodeName": n}}})
	}

	return out
}

// checkCluster looks at what is there in the end: every VM that Terraform made runs as it was asked to, and nothing waits
// for a restart.
func (story) checkCluster(t *testing.T, b *Bench, replay *Replay) {
	t.Helper()

	state, err := b.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for id, vm := range state.VMs {
		if vm.Config["template"] == "1" {
			continue
		}

		if vm.Status != "running" || len(vm.Pending) > 0 {
			t.Errorf("VM %s is %s, pending: %v", id, vm.Status, vm.Pending)
		}
	}

	_ = replay
}
