package controlplane

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// opened counts how often Crossplane looked away from a composite that had too many events.
var (
	opened = regexp.MustCompile(`(?m)^circuit_breaker_opens_total\{.*\} [1-9]`)
	events = regexp.MustCompile(`(?m)^circuit_breaker_events_total\{.*\} .*$`)
)

// TestCircuit makes machines on a plane with Crossplane's own limits, at the pace of the provider. Crossplane allows a composite
// 50 updates of itself and what it composes at once, and one more every two seconds. Beyond that it looks away for
// minutes, so that a machine that is ready does not say so.
func TestCircuit(t *testing.T) {
	if why := absent(current); why != "" {
		claims.rig(t) // It says what that means.
	}

	r := stockRig(t, "circuit")

	plain := machine("circuit-plain", 5900)
	data := machine("circuit-data", 5901)
	_ = unstructured.SetNestedField(data.Object, "#cloud-config\ntimezone: Europe/Berlin\n", "spec", "bootstrap", "userData")

	server := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode",
		"metadata": map[string]any{"name": "circuit-server", "namespace": machines},
		"spec": map[string]any{
			"image": "debian-12", "deletionPolicy": "Delete", "protection": false,
			"size":    map[string]any{"cores": int64(2), "memory": "4Gi", "disk": "30Gi"},
			"network": map[string]any{"dhcp": true},
			"proxmox": map[string]any{"node": "pve", "vmId": int64(5902)},
			"k3s":     map[string]any{"role": "server", "init": true, "version": "v1.33.6+k3s1"},
		},
	}}

	for _, claim := range []*unstructured.Unstructured{plain, data, server} {
		begin := time.Now()

		must(t, r.apply(t.Context(), claim))
		must(t, r.ready(t.Context(), claim))

		body, err := get(t.Context(), r.Metrics)
		must(t, err)

		t.Logf("%s is ready after %s; events so far:\n%s", claim.GetName(), time.Since(begin).Round(time.Second), strings.Join(events.FindAllString(body, -1), "\n"))

		if opened.MatchString(body) {
			t.Errorf("Crossplane looks away from %s: too much happens to its composite while it is made", claim.GetName())
		}
	}
}
