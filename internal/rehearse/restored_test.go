package rehearse

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestRestored: the control plane of a cluster that runs is lost, another one takes over its VMs from the claim, and the claim is edited there. What the VMs read
// was written by the control plane before it, so that no managed resource has it.
func TestRestored(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   []string
	}{
		"RestoredGrows":   {"An agent more is made, and nothing is done to the nodes that were taken over.", []string{"count: 2", "count: 3"}},
		"RestoredReboots": {"Servers that were taken over are restarted one after another, with the snippets that they have.", []string{"class: server}", "class: server-large}"}},
		"RestoredImage":   {"VMs that were taken over are not made anew for another image, which is said.", []string{"class: server}", "class: server, image: debian-12}"}},
		"RestoredForgets": {"When all have joined, the claim can be what it was before.", nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			claim, observed := restored(t)
			if tc.edit == nil {
				claim = aCluster
			}

			in := edited(t, aCluster, nil)
			in.Machines[0].Was, in.Machines[0].Is = nil, sceneOf(t, strings.NewReplacer(tc.edit...).Replace(claim), preview.WorldWith(observed))[in.Machines[0].Name]

			r := rehearsed(t, in)
			if r.Verdict.Outcome != Done || len(r.Verdict.Faults) > 0 || len(r.Before.Done) > 0 || len(r.Before.Waits) > 0 {
				t.Errorf("%s got %+v", tc.reason, r.Verdict)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}

// restored is aCluster on the control plane after the one that it was born on: its claim, and what was observed there.
func restored(t *testing.T) (claim string, observed []unstructured.Unstructured) {
	t.Helper()

	p, err := begin(context.Background(), edited(t, aCluster, nil))
	if err != nil {
		t.Fatal(err)
	}

	p.settle()

	a, before := p.actors[0], p.actors[0].machine.Proxmox
	ids, plans := map[string]int{}, map[string]any{}

	for id, vm := range before.VMs {
		full := fmt.Sprint(vm.Config["name"])
		ids[strings.TrimPrefix(full, "home-")], vm.Owner = id, ""

		// The API server of the next control plane makes up other UIDs, and no composite has the system UUID of such a VM.
		uuid := fmt.Sprintf("9d0e5f7c-0000-4000-8000-%012d", id)
		world.Object(world.Object(p.cluster.Nodes[full]["status"])["nodeInfo"])["systemUUID"] = uuid

		for _, config := range []map[string]any{vm.Config, vm.Running} {
			world.Object(world.List(config["smbios"])[0])["uuid"] = uuid
		}
	}

	// commit the claim with the VM of each node, and its plan where there is one.
	commit := func() preview.Scene {
		nodes := make([]string, 0, len(ids))

		for name, id := range ids {
			adopts := fmt.Sprintf("{name: %s, adoptVm: {vmId: %d}}", name, id)
			if plans[name] != nil {
				adopts = fmt.Sprintf("{name: %s, adoptVm: {vmId: %d, approve: %q}}", name, id, plans[name])
			}

			nodes = append(nodes, adopts)
		}

		slices.Sort(nodes)

		head, _, _ := strings.Cut(aCluster, "  nodes:")
		claim = head + "  nodes: [" + strings.Join(nodes, ", ") + "]\n"

		return sceneOf(t, claim, preview.World{})[a.Name]
	}

	p.cluster.Machines, a.machine, a.nodes, a.Was = nil, nil, nil, nil
	a.Is = commit()
	p.enter(a, a.Is, a.Is.Is)
	a.machine.Proxmox = before
	p.settle()

	for _, node := range a.nodes.Names() {
		plans[node] = world.Object(world.Object(a.nodes.Named(node).Composite["status"])["adoption"])["plan"]
	}

	scene := commit()
	a.machine.Composite["spec"] = world.Object(world.Copy(scene.Is.Object))["spec"]
	p.settle()

	return claim, observedOf(p)
}
