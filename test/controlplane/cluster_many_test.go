package controlplane

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

var clusters = flag.Int("clusters", 0, "how many K3sClusters of five nodes are measured, such as 20: make scale-clusters")

// TestTwoClusters lets two clusters of equal name and shape, in two namespaces, be born at the same time. Neither takes a VMID, an address or a
// node of the other's, and nothing happens to one when the other is deleted.
func TestTwoClusters(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		m := newManyClusters(t, r, 2, func(int) string { return "many-home" })
		m.born(t)

		before := m.records()
		m.deleted(t, 0)

		for node, vm := range m.records() {
			if before[node] != vm {
				t.Errorf("%s has %s, and had %s before the other cluster was deleted", node, vm, before[node])
			}
		}
	})
}

// TestManyClusters measures what clusters of five nodes cost while they are made and at rest: docs/performance.md.
func TestManyClusters(t *testing.T) {
	if *clusters == 0 {
		t.Skip("takes long: make scale-clusters")
	}

	r := quietRig(t, *clusters)
	m := newManyClusters(t, r, *clusters, func(i int) string { return fmt.Sprintf("scale-%04d", i) })

	before, begin := r.meters(t), time.Now()
	m.born(t)

	settled, nodes := r.meters(t), float64(5**clusters)
	making := settled.since(before)
	t.Logf("%d clusters of five nodes are complete after %s; for each node: %.1f calls, %.0f ms of the function, %.0f ms of Crossplane",
		*clusters, time.Since(begin).Round(time.Second), making.Calls/nodes, 1000*making.FunctionSeconds/nodes, 1000*making.CrossplaneSeconds/nodes)

	plane.Rest(t.Context(), 30*time.Second) // What follows on being ready.

	settled = r.meters(t)
	versions := m.versions(t)

	plane.Rest(t.Context(), *stillness)

	composites := nodes + float64(*clusters)
	rest := r.meters(t).since(settled)
	t.Logf("at rest, for each of %.0f composites and minute: %.2f calls, %.1f ms of the function, %.1f ms of Crossplane; the function had at most %.0f MiB, Crossplane %.0f",
		composites, rest.Calls/composites/stillness.Minutes(), 1000*rest.FunctionSeconds/composites/stillness.Minutes(),
		1000*rest.CrossplaneSeconds/composites/stillness.Minutes(), settled.functionMiB, settled.crossplaneMiB)

	for name, version := range m.versions(t) {
		if versions[name] != version {
			t.Errorf("%s changed at rest", name)
		}
	}
}

// manyClusters are clusters that are alike, each in a namespace of its own.
type manyClusters struct {
	*rig

	claims []*unstructured.Unstructured
}

// manyFrom is the first VMID of these clusters.
const manyFrom = 20001

func newManyClusters(t *testing.T, r *rig, n int, name func(i int) string) manyClusters {
	t.Helper()

	m := manyClusters{rig: r}
	entries := map[string]any{}

	for i := range n {
		namespace, entry := fmt.Sprintf("many-%d", i), fmt.Sprintf("many%d", i)
		entries[entry] = map[string]any{"server": fmt.Sprintf("https://10.5.%d.1:6443", i), "version": "v1.33.6+k3s1"}

		must(t, client.IgnoreAlreadyExists(r.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})))

		token := tokenOfNodes()
		token.Namespace = namespace
		must(t, r.Client.Create(t.Context(), token))
		t.Cleanup(func() { must(t, client.IgnoreNotFound(r.Client.Delete(context.Background(), token))) })

		claim := edited(clusterClaim(), map[string]any{"cluster": entry})
		claim.SetName(name(i))
		claim.SetNamespace(namespace)

		nodes, _, err := unstructured.NestedSlice(claim.Object, "spec", "nodes")
		must(t, err)

		for j := range nodes {
			nodes[j].(map[string]any)["ip"] = fmt.Sprintf("10.5.%d.%d/16", i, 11+j) //nolint:forcetypeassert // As the claim has it.
		}

		must(t, unstructured.SetNestedSlice(claim.Object, nodes, "spec", "nodes"))

		agents, _, err := unstructured.NestedSlice(claim.Object, "spec", "agents")
		must(t, err)

		template := agents[0].(map[string]any)["template"].(map[string]any) //nolint:forcetypeassert // As the claim has it.
		template["network"] = map[string]any{"gateway": "10.5.255.254"}
		must(t, unstructured.SetNestedSlice(claim.Object, agents, "spec", "agents"))
		must(t, unstructured.SetNestedMap(claim.Object, template, "spec", "servers", "template"))

		m.claims = append(m.claims, claim)
	}

	catalogue := catalogueOfNodes("None")
	must(t, unstructured.SetNestedMap(catalogue.Object, entries, "data", "clusters"))
	must(t, unstructured.SetNestedMap(catalogue.Object, map[string]any{"from": int64(manyFrom), "to": int64(manyFrom + 8*n)},
		"data", "sites", "home", "vmIds"))
	must(t, r.apply(t.Context(), catalogue))
	t.Cleanup(func() {
		for i := range m.claims {
			m.gone(t, i)
		}

		r.forget(t, []*unstructured.Unstructured{catalogue})
	})

	return m
}

// born are all of them at once: K3s reports in each guest that runs.
func (m manyClusters) born(t *testing.T) {
	t.Helper()
	defer m.reporting(t)()

	g, ctx := errgroup.WithContext(t.Context())
	for _, c := range m.claims {
		g.Go(func() error { return m.apply(ctx, c) })
	}

	must(t, g.Wait())

	for _, c := range m.claims {
		must(t, m.untilWithin(t.Context(), time.Duration(len(m.claims))*time.Minute+plane.Ceiling, c.GetNamespace()+"/"+c.GetName()+" is complete",
			func(ctx context.Context) (bool, string) {
				now, err := m.now(ctx, c)
				if err != nil {
					return false, err.Error()
				}

				message, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "message")

				return condition(now, "RolledOut").status == "True" && condition(now, "Ready").status == "True", message + ", " + conditions(now)
			}))
	}

	m.apart(t)
}

// reporting lets every guest say that its K3s has joined, until the function that is returned ends it.
func (m manyClusters) reporting(t *testing.T) (end func()) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})

	go func() {
		defer close(done)

		for ctx.Err() == nil {
			m.world.Edit(func(vms map[int]*standin.VM) {
				for id, vm := range vms {
					if id >= manyFrom && vm.Started {
						vm.Links = []string{"k3s-joined"}
					}
				}
			})
			plane.Rest(ctx, 200*time.Millisecond)
		}
	}()

	return func() { cancel(); <-done }
}

// apart checks that no two nodes have the same VM or address, and that each has the address that its claim gave it.
func (m manyClusters) apart(t *testing.T) {
	t.Helper()

	vms := map[string]string{}

	for i, c := range m.claims {
		now, err := m.now(t.Context(), c)
		must(t, err)

		nodes, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")
		must(t, err)

		if len(nodes) != 5 {
			t.Errorf("%s/%s has %d nodes", c.GetNamespace(), c.GetName(), len(nodes))
		}

		for j, n := range nodes {
			n := n.(map[string]any) //nolint:forcetypeassert // As the XRD has it.
			who, vm := c.GetNamespace()+"/"+fmt.Sprint(n["name"]), fmt.Sprint(n["vmId"])

			if other := vms[vm]; other != "" {
				t.Errorf("%s and %s have VM %s", who, other, vm)
			}

			vms[vm] = who

			if want := fmt.Sprintf("10.5.%d.%d", i, 11+j); n["address"] != want {
				t.Errorf("%s has address %v, want %s", who, n["address"], want)
			}
		}
	}
}

// records are the VMs of the last cluster with their disks, as they are in Proxmox, by node. A VM that is made anew has another disk.
func (m manyClusters) records() map[string]string {
	guests, out := m.world.Guests(), map[string]string{}

	for _, g := range guests {
		if last := fmt.Sprintf("10.5.%d.", len(m.claims)-1); strings.HasPrefix(g.Address, last) {
			out[g.Address] = fmt.Sprintf("%s, disk %s, booted %s", g, g.Disk, g.Booted)
		}
	}

	return out
}

// deleted is a cluster, with all its VMs, and no other one.
func (m manyClusters) deleted(t *testing.T, i int) {
	t.Helper()

	vms := m.world.VMs()
	m.gone(t, i)

	if now := m.world.VMs(); len(others(vms, now)) != 5 {
		t.Errorf("VMs are %v, and were %v before a cluster of five was deleted", now, vms)
	}

	if len(m.records()) != 5 {
		t.Errorf("the other cluster has %v", m.records())
	}
}

// gone is a cluster once its VMs are.
func (m manyClusters) gone(t *testing.T, i int) {
	t.Helper()

	ctx, c := context.Background(), m.claims[i]
	must(t, client.IgnoreNotFound(m.Client.Delete(ctx, c.DeepCopy())))
	must(t, m.until(ctx, "nothing is left of "+c.GetNamespace()+"/"+c.GetName(), func(ctx context.Context) (bool, string) {
		_, err := m.now(ctx, c)

		var left []string

		for _, g := range m.world.Guests() {
			if strings.HasPrefix(g.Address, fmt.Sprintf("10.5.%d.", i)) {
				left = append(left, g.String())
			}
		}

		slices.Sort(left)

		return apierrors.IsNotFound(err) && len(left) == 0, fmt.Sprintf("%v; left are %s", err, strings.Join(left, ", "))
	}))
}

// versions of clusters and nodes.
func (m manyClusters) versions(t *testing.T) map[string]string {
	t.Helper()

	out := map[string]string{}

	for _, kind := range []string{"K3sCluster", "XK3sCluster", "XK3sNode"} {
		for _, o := range m.list(t, m.claims[0].GroupVersionKind().GroupVersion().WithKind(kind)) {
			out[kind+" "+o.GetNamespace()+"/"+o.GetName()] = o.GetResourceVersion()
		}
	}

	return out
}
