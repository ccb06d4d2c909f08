package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// damages are ways in which what is observed can be half there, although nothing happened to the machine.
var damages = map[string]func(w *world, vm map[string]any, d draw){
	"VMWithoutStatus":     func(_ *world, vm map[string]any, _ draw) { delete(vm, "status") },
	"VMWithEmptyStatus":   func(_ *world, vm map[string]any, _ draw) { vm["status"] = map[string]any{} },
	"VMWithoutAtProvider": func(_ *world, vm map[string]any, _ draw) { delete(object(vm["status"]), "atProvider") },
	"VMWithNullAtProvider": func(_ *world, vm map[string]any, _ draw) {
		if s := object(vm["status"]); len(s) > 0 {
			s["atProvider"] = nil
		}
	},
	"VMWithoutConditions": func(_ *world, vm map[string]any, _ draw) { delete(object(vm["status"]), "conditions") },
	"NobodyHasConditions": func(w *world, _ map[string]any, _ draw) {
		for _, o := range w.observed {
			delete(object(o["status"]), "conditions")
		}
	},
	"OneConditionGone": func(_ *world, vm map[string]any, d draw) {
		status := object(vm["status"])
		if all, _ := status["conditions"].([]any); len(all) > 0 {
			i := d.IntN(len(all))
			status["conditions"] = slices.Delete(slices.Clone(all), i, i+1)
		}
	},
	"ConditionsUnknown": func(_ *world, vm map[string]any, _ draw) {
		for _, c := range conditionsOf(vm) {
			if c["type"] == "Ready" || c["type"] == "Synced" {
				c["status"] = "Unknown"
			}
		}
	},
	"FilesGone": func(w *world, _ map[string]any, _ draw) { without(w, proxmox.FileKind) },
	"ImageGone": func(w *world, _ map[string]any, _ draw) { without(w, proxmox.DownloadFileKind) },
	"FilesWithoutStatus": func(w *world, _ map[string]any, _ draw) {
		for _, o := range w.observed {
			if o["kind"] == proxmox.FileKind {
				delete(o, "status")
			}
		}
	},
	"AgentAway": func(_ *world, vm map[string]any, d draw) {
		at := object(object(vm["status"])["atProvider"])
		for _, list := range []string{"networkInterfaceNames", "macAddresses", "ipv4Addresses", "ipv6Addresses"} {
			if d.chance(70) {
				at[list] = pick[any](d, []any{}, nil, []any{nil})
			}
		}
	},
	"RaggedAddresses": func(_ *world, vm map[string]any, _ draw) {
		at := object(object(vm["status"])["atProvider"])
		at["ipv4Addresses"], at["macAddresses"] = []any{[]any{}, []any{"192.168.4.9"}, nil}, []any{""}
	},
	"BeingDeleted": func(w *world, _ map[string]any, d draw) {
		for _, name := range sortedKeys(anyValues(w.observed)) {
			if d.chance(50) {
				object(w.observed[name]["metadata"])["deletionTimestamp"] = "2026-01-02T00:00:00Z"
			}
		}
	},
	"NoAnnotations": func(w *world, _ map[string]any, _ draw) {
		for _, o := range w.observed {
			was := annotation(o, proxmox.AdoptedAnnotation)
			delete(object(o["metadata"]), "annotations")

			// That somebody else made a VM is remembered nowhere else; without it what no claim can say of it is let go.
			if was != "" {
				object(o["metadata"])["annotations"] = map[string]any{proxmox.AdoptedAnnotation: was}
			}
		}
	},
	"NoExternalName": func(w *world, _ map[string]any, _ draw) {
		for _, o := range w.observed {
			delete(object(object(o["metadata"])["annotations"]), proxmox.ExternalNameAnnotation)
		}
	},
	"NoLabels": func(_ *world, vm map[string]any, _ draw) { delete(object(vm["metadata"]), "labels") },
	"NoPolicies": func(_ *world, vm map[string]any, _ draw) {
		// Of a VM that is looked at, this would not be half of what is there, but all rights for the provider.
		if !onlyLooked(vm) {
			delete(object(vm["spec"]), "managementPolicies")
		}
	},
	"Strangers": func(w *world, _ map[string]any, d draw) {
		for i, kind := range some(d, "ConfigMap", "EnvironmentVM", "EnvironmentFile", "EnvironmentDownloadFile", "Usage") {
			if o := stranger(w, kind); o != nil {
				w.observed[fmt.Sprintf("%s-%d", strings.ToLower(kind), i)] = o
			}
		}
	},
	"CompositeForgets": func(w *world, _ map[string]any, _ draw) { delete(w.composite, "status") },
	"ProviderFails": func(_ *world, vm map[string]any, _ draw) {
		reports(vm, "True", "False", "False", "update failed: async update failed: something that nobody has seen before")
	},
	"Restarting": func(_ *world, vm map[string]any, _ draw) {
		reports(vm, "True", "False", "True", "connect failed: cannot initialize the Terraform plugin SDK async external client")
	},
}

func without(w *world, kind string) {
	for name, o := range w.observed {
		if o["kind"] == kind {
			delete(w.observed, name)
		}
	}
}

// stranger is a composed resource that nobody here made; nil where there is none of its kind.
func stranger(w *world, kind string) map[string]any {
	for _, o := range w.observed {
		if o["kind"] == kind {
			other := object(runtimeCopy(o))
			object(other["metadata"])["name"] = "stranger"

			return other
		}
	}

	if strings.HasPrefix(kind, "Environment") {
		return nil
	}

	return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "stranger"}}
}

func anyValues[T any](m map[string]T) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}

	return out
}

// halfSeenFaults damages what is observed, one VM of the machine above all, and runs the claim over it.
func halfSeenFaults(t testing.TB, w *world, d draw) []string {
	t.Helper()

	if len(vmsOf(w)) == 0 {
		return nil
	}

	vm := w.observed[pick(d, vmsOf(w)...)]

	var done []string

	for _, name := range sortedKeys(anyValues(damages)) {
		if d.chance(12) {
			done = append(done, name)
			damages[name](w, vm, d)
		}
	}

	faults := faultsOf(w, ask(t, w))
	if len(faults) > 0 {
		faults = append(faults, fmt.Sprintf("observed: %v", done))
	}

	return faults
}
