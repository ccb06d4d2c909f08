package controlplane

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
)

// seen counts what Crossplane has heard of composites, also what it then looked away from.
var seen = regexp.MustCompile(`(?m)^circuit_breaker_events_total\{.*\} ([0-9]+)$`)

// budget of events of a machine until it is ready, with some room for the turns of Crossplane that begin with an old composite in its
// cache. Crossplane counts each update of a composite or managed resource twice, and by its own limits takes 100 at once and one more each
// second. Above it, it looks once in half a minute for five minutes. The provider's own writes, and Crossplane's to a new composite,
// are 65 to 95 of them whatever the function does, and 27 those of the Usage that keeps the claim of a machine without snippets while its VM is made:
// docs/performance.md has all. How many more a machine with snippets makes depends on how busy
// the computer is, so its budget is a ratio to the plain machine that was made on the same plane just before.
const (
	budgetPlain   = 130
	ratioSnippets = 1.4
)

// TestCircuit makes machines on a plane with Crossplane's own limits, at the pace of the provider, and counts the events.
func TestCircuit(t *testing.T) {
	t.Parallel() // On a plane of its own.

	r := stockRig(t, "circuit")

	plain := machine("circuit-plain", 5900)
	data := machine("circuit-data", 5901)
	_ = unstructured.SetNestedField(data.Object, "#cloud-config\ntimezone: Europe/Berlin\n", "spec", "bootstrap", "userData")

	// With the first one, Crossplane begins to watch its kinds. It reacts to the second one sooner, and writes more.
	first, second := circuitServer("circuit-first", 5902), with(circuitServer("circuit-second", 5903), "k3s.cluster", "home")

	var cluster *k3s.Cluster

	budget := budgetPlain

	for _, claim := range []*unstructured.Unstructured{plain, data, first, second} {
		if claim == second { // The others need no catalogue.
			cluster = r.observingNamed(t, "None", second.GetName())
		}

		events, opens, begin := r.counted(t, seen), r.counted(t, opened), time.Now()

		must(t, r.apply(t.Context(), claim))
		must(t, r.ready(t.Context(), claim))

		n := r.counted(t, seen) - events
		t.Logf("%s is ready after %s and %d events; Crossplane stopped listening %d times",
			claim.GetName(), time.Since(begin).Round(time.Second), n, r.counted(t, opened)-opens)

		if n == 0 || n > budget {
			t.Errorf("%s: %d events, want some, and no more than %d", claim.GetName(), n, budget)
		}

		if claim == plain {
			budget = int(ratioSnippets * float64(n))
		}
	}

	t.Run("Node", func(t *testing.T) { r.nodeEvents(t, cluster, second) })
	t.Run("DeletedWhileMade", func(t *testing.T) { r.deletedWhileMade(t, machine("circuit-deleted", 5904), 5904) })
}

// deletedWhileMade: a claim whose VM is being made cannot be deleted, or the VM would stay in Proxmox. Once it is there, both go. At the pace of the
// provider there is time to see it.
func (r *rig) deletedWhileMade(t *testing.T, claim *unstructured.Unstructured, id int) {
	must(t, r.apply(t.Context(), claim))

	must(t, r.until(t.Context(), "a Usage keeps the claim", func(ctx context.Context) (bool, string) {
		all, err := r.usages(ctx, claim.GetNamespace())
		if err != nil || !slices.Contains(all, claim.GetName()) {
			return false, fmt.Sprint(all, err)
		}

		// Crossplane refuses the deletion of what it has marked, which comes after the Usage.
		is := claim.DeepCopy()
		err = r.Client.Get(ctx, client.ObjectKeyFromObject(claim), is)

		return err == nil && is.GetLabels()["crossplane.io/in-use"] == "true", fmt.Sprint(is.GetLabels(), err)
	}))

	if err := r.Client.Delete(t.Context(), claim.DeepCopy()); err == nil || !strings.Contains(err.Error(), "is being made") {
		t.Errorf("the deletion of a claim whose VM is being made ended with: %v", err)
	}

	must(t, r.ready(t.Context(), claim))
	must(t, r.remove(t.Context(), claim))
	must(t, r.until(t.Context(), "the VM is destroyed", func(context.Context) (bool, string) {
		return r.world.VM(id) == nil, "it is there"
	}))
}

// circuitServer is the claim of the first server of a K3s cluster.
func circuitServer(name string, id int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode",
		"metadata": map[string]any{"name": name, "namespace": machines},
		"spec": map[string]any{
			"image": "debian-12", "deletionPolicy": "Delete", "deletionProtection": false,
			"size":    map[string]any{"cores": int64(2), "memory": "4Gi", "disk": "30Gi"},
			"network": map[string]any{"dhcp": true},
			"proxmox": map[string]any{"node": "pve", "vmId": id},
			"k3s":     map[string]any{"role": "server", "init": true, "version": "v1.33.6+k3s1"},
		},
	}}
}

// counted is the sum of the counters of Crossplane that match.
func (r *rig) counted(t *testing.T, counters *regexp.Regexp) int {
	t.Helper()

	body, err := get(t.Context(), r.Metrics)
	must(t, err)

	all := 0

	for _, m := range counters.FindAllStringSubmatch(body, -1) {
		n, err := strconv.Atoi(m[1])
		must(t, err)

		all += n
	}

	return all
}
