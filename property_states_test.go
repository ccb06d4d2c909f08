package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// damages are ways in which what is observed can be half there, although nothing happened to the machine.
var damages = map[string]func(w *world, d draw){
	"VMWithoutStatus":     func(w *world, _ draw) { delete(w.observed["vm"], "status") },
	"VMWithEmptyStatus":   func(w *world, _ draw) { w.observed["vm"]["status"] = map[string]any{} },
	"VMWithoutAtProvider": func(w *world, _ draw) { delete(object(w.observed["vm"]["status"]), "atProvider") },
	"VMWithNullAtProvider": func(w *world, _ draw) {
		if s := object(w.observed["vm"]["status"]); len(s) > 0 {
			s["atProvider"] = nil
		}
	},
	"VMWithoutConditions": func(w *world, _ draw) { delete(object(w.observed["vm"]["status"]), "conditions") },
	"NobodyHasConditions": func(w *world, _ draw) {
		for _, o := range w.observed {
			delete(object(o["status"]), "conditions")
		}
	},
	"OneConditionGone": func(w *world, d draw) {
		status := object(w.observed["vm"]["status"])
		if all, _ := status["conditions"].([]any); len(all) > 0 {
			i := d.IntN(len(all))
			status["conditions"] = slices.Delete(slices.Clone(all), i, i+1)
		}
	},
	"ConditionsUnknown": func(w *world, _ draw) {
		for _, c := range conditionsOf(w.observed["vm"]) {
			if c["type"] == "Ready" || c["type"] == "Synced" {
				c["status"] = "Unknown"
			}
		}
	},
	"FilesGone": func(w *world, _ draw) { without(w, proxmox.FileKind) },
	"ImageGone": func(w *world, _ draw) { without(w, proxmox.DownloadFileKind) },
	"FilesWithoutStatus": func(w *world, _ draw) {
		for _, o := range w.observed {
			if o["kind"] == proxmox.FileKind {
				delete(o, "status")
			}
		}
	},
	"AgentAway": func(w *world, d draw) {
		at := object(object(w.observed["vm"]["status"])["atProvider"])
		for _, list := range []string{"networkInterfaceNames", "macAddresses", "ipv4Addresses", "ipv6Addresses"} {
			if d.chance(70) {
				at[list] = pick[any](d, []any{}, nil, []any{nil})
			}
		}
	},
	"RaggedAddresses": func(w *world, _ draw) {
		at := object(object(w.observed["vm"]["status"])["atProvider"])
		at["ipv4Addresses"], at["macAddresses"] = []any{[]any{}, []any{"192.168.4.9"}, nil}, []any{""}
	},
	"BeingDeleted": func(w *world, d draw) {
		for _, name := range sortedKeys(anyValues(w.observed)) {
			if d.chance(50) {
				object(w.observed[name]["metadata"])["deletionTimestamp"] = "2026-01-02T00:00:00Z"
			}
		}
	},
	"NoAnnotations": func(w *world, _ draw) {
		for _, o := range w.observed {
			was := annotation(o, proxmox.AdoptedAnnotation)
			delete(object(o["metadata"]), "annotations")

			// That somebody else made a VM is remembered nowhere else; without it what no claim can say of it is let go.
			if was != "" {
				object(o["metadata"])["annotations"] = map[string]any{proxmox.AdoptedAnnotation: was}
			}
		}
	},
	"NoExternalName": func(w *world, _ draw) {
		for _, o := range w.observed {
			delete(object(object(o["metadata"])["annotations"]), proxmox.ExternalNameAnnotation)
		}
	},
	"NoLabels": func(w *world, _ draw) { delete(object(w.observed["vm"]["metadata"]), "labels") },
	"NoPolicies": func(w *world, _ draw) {
		// Of a VM that is looked at, this would not be half of what is there, but all rights for the provider.
		if !onlyLooked(w.observed["vm"]) {
			delete(object(w.observed["vm"]["spec"]), "managementPolicies")
		}
	},
	"Strangers": func(w *world, d draw) {
		for i, kind := range some(d, "ConfigMap", "EnvironmentVM", "EnvironmentFile", "EnvironmentDownloadFile", "Usage") {
			if o := stranger(w, kind); o != nil {
				w.observed[fmt.Sprintf("%s-%d", strings.ToLower(kind), i)] = o
			}
		}
	},
	"CompositeForgets": func(w *world, _ draw) { delete(w.composite, "status") },
	"ProviderFails": func(w *world, _ draw) {
		reports(w.observed["vm"], "True", "False", "False", "update failed: async update failed: something that nobody has seen before")
	},
	"Restarting": func(w *world, _ draw) {
		reports(w.observed["vm"], "True", "False", "True", "connect failed: cannot initialize the Terraform plugin SDK async external client")
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

// halfSeenFaults damages what is observed, and runs the first or the second spec over it.
func halfSeenFaults(t testing.TB, p pair, w *world, d draw) []string {
	t.Helper()

	if d.chance(60) {
		p.edit(w)
	}

	var done []string

	for _, name := range sortedKeys(anyValues(damages)) {
		if w.observed["vm"] != nil && d.chance(12) {
			done = append(done, name)
			damages[name](w, d)
		}
	}

	faults := faultsOf(w, ask(t, w))
	if len(faults) > 0 {
		faults = append(faults, fmt.Sprintf("observed: %v", done))
	}

	return faults
}
