package controlplane

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// catalogueOfRange has a range of three VMIDs.
func catalogueOfRange(from int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig",
		"metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{
			"defaults": map[string]any{"site": "home"},
			"sites": map[string]any{"home": map[string]any{
				"nodes": map[string]any{"pve": map[string]any{}}, "vmIds": map[string]any{"from": from, "to": from + 2},
			}},
		},
	}}
}

// TestRangeWithContainers lets a machine be made with a VMID of a range, of which containers that no claim has have all others, as docs/containers.md promises. The
// catalogue is that of its claim, so it runs alone.
func TestRangeWithContainers(t *testing.T) {
	const from, free = 5720, 5722

	for _, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := on.rig(t)
			must(t, r.apply(t.Context(), catalogueOfRange(from)))
			t.Cleanup(func() { r.forget(t, []*unstructured.Unstructured{catalogueOfRange(from)}) })

			made := born(free)
			made.check = isAsItWas(from, "pve", "coral", "nvr")

			r.live(t, life{
				reason: "Proxmox refuses a VM with the VMID of a container, and the next VMID of the range is tried until one is free.",
				claim:  with(machine("life-range", free), "proxmox.vmId", nil), ids: []int{from, from + 1, free},
				hand: func(w *standin.World) {
					w.AddContainer(frigate(from, "pve"))
					w.AddContainer(frigate(from+1, "pve"))
				},
				steps: []step{
					made,
					{
						does: "the claim is deleted", remove: true, gone: []string{kindVM, kindImage}, check: isAsItWas(from+1, "pve", "coral", "nvr"),
						written: []string{"stop VM 5722", "destroy VM 5722"},
					},
				},
			})
		})
	}
}
