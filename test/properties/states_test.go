package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// damages are ways in which what is observed can be half there, although nothing happened to the machine.
var damages = map[string]func(m *world.Machine, vm map[string]any, d draw){
	"VMWithoutStatus":     func(_ *world.Machine, vm map[string]any, _ draw) { delete(vm, "status") },
	"VMWithEmptyStatus":   func(_ *world.Machine, vm map[string]any, _ draw) { vm["status"] = map[string]any{} },
	"VMWithoutAtProvider": func(_ *world.Machine, vm map[string]any, _ draw) { delete(world.Object(vm["status"]), "atProvider") },
	"VMWithNullAtProvider": func(_ *world.Machine, vm map[string]any, _ draw) {
		if s := world.Object(vm["status"]); len(s) > 0 {
			s["atProvider"] = nil
		}
	},
	"VMWithoutConditions": func(_ *world.Machine, vm map[string]any, _ draw) { delete(world.Object(vm["status"]), "conditions") },
	"NobodyHasConditions": func(m *world.Machine, _ map[string]any, _ draw) {
		for _, o := range m.Observed {
			delete(world.Object(o["status"]), "conditions")
		}
	},
	"OneConditionGone": func(_ *world.Machine, vm map[string]any, d draw) {
		status := world.Object(vm["status"])
		if all, _ := status["conditions"].([]any); len(all) > 0 {
			i := d.IntN(len(all))
			status["conditions"] = slices.Delete(slices.Clone(all), i, i+1)
		}
	},
	"ConditionsUnknown": func(_ *world.Machine, vm map[string]any, _ draw) {
		for _, c := range world.Conditions(vm) {
			if c["type"] == "Ready" || c["type"] == "Synced" {
				c["status"] = "Unknown"
			}
		}
	},
	"FilesGone": func(m *world.Machine, _ map[string]any, _ draw) { without(m, world.FileKind) },
	"ImageGone": func(m *world.Machine, _ map[string]any, _ draw) { without(m, world.DownloadFileKind) },
	"FilesWithoutStatus": func(m *world.Machine, _ map[string]any, _ draw) {
		for _, o := range m.Observed {
			if o["kind"] == world.FileKind {
				delete(o, "status")
			}
		}
	},
	"AgentAway": func(_ *world.Machine, vm map[string]any, d draw) {
		at := world.Object(world.Object(vm["status"])["atProvider"])
		for _, list := range []string{"networkInterfaceNames", "macAddresses", "ipv4Addresses", "ipv6Addresses"} {
			if d.chance(70) {
				at[list] = pick[any](d, []any{}, nil, []any{nil})
			}
		}
	},
	"RaggedAddresses": func(_ *world.Machine, vm map[string]any, _ draw) {
		at := world.Object(world.Object(vm["status"])["atProvider"])
		at["ipv4Addresses"], at["macAddresses"] = []any{[]any{}, []any{"192.168.4.9"}, nil}, []any{""}
	},
	"BeingDeleted": func(m *world.Machine, _ map[string]any, d draw) {
		for _, name := range world.Keys(m.Observed) {
			if d.chance(50) {
				world.Object(m.Observed[name]["metadata"])["deletionTimestamp"] = "2026-01-02T00:00:00Z"
			}
		}
	},
	"NoAnnotations": func(m *world.Machine, _ map[string]any, _ draw) {
		for _, o := range m.Observed {
			kept := map[string]any{}

			// That somebody else made a VM is remembered nowhere else; without it what no claim can say of it is let go. Neither is
			// that the provider may still create a VM, or that it began to: whatever has the VMID would count as the machine's, or as
			// nobody's.
			for _, a := range []string{proxmox.AdoptedAnnotation, proxmox.CreatingAnnotation, proxmox.CreatePendingAnnotation} {
				if was := world.Annotation(o, a); was != "" {
					kept[a] = was
				}
			}

			delete(world.Object(o["metadata"]), "annotations")

			if len(kept) > 0 {
				world.Object(o["metadata"])["annotations"] = kept
			}
		}
	},
	"NoExternalName": func(m *world.Machine, _ map[string]any, _ draw) {
		for _, o := range m.Observed {
			delete(world.Object(world.Object(o["metadata"])["annotations"]), world.ExternalName)
		}
	},
	"NoLabels": func(_ *world.Machine, vm map[string]any, _ draw) { delete(world.Object(vm["metadata"]), "labels") },
	"NoPolicies": func(_ *world.Machine, vm map[string]any, _ draw) {
		// For a VM that the provider may only observe, missing policies would not be a damage: they are all rights.
		if !onlyObserved(vm) {
			delete(world.Object(vm["spec"]), "managementPolicies")
		}
	},
	"Strangers": func(m *world.Machine, _ map[string]any, d draw) {
		for i, kind := range some(d, "ConfigMap", "EnvironmentVM", "EnvironmentFile", "EnvironmentDownloadFile", "Usage") {
			if o := stranger(m, kind); o != nil {
				m.Observed[fmt.Sprintf("%s-%d", strings.ToLower(kind), i)] = o
			}
		}
	},
	"CompositeForgets": func(m *world.Machine, _ map[string]any, _ draw) { delete(m.Composite, "status") },
	"ProviderFails": func(_ *world.Machine, vm map[string]any, _ draw) {
		world.Report(vm, "True", "False", "False", "update failed: async update failed: something that nobody has seen before")
	},
	"Restarting": func(_ *world.Machine, vm map[string]any, _ draw) {
		world.Report(vm, "True", "False", "True", "connect failed: cannot initialize the Terraform plugin SDK async external client")
	},
}

func without(m *world.Machine, kind string) {
	for name, o := range m.Observed {
		if o["kind"] == kind {
			delete(m.Observed, name)
		}
	}
}

// stranger is a composed resource that nobody here made; nil where there is none of its kind.
func stranger(m *world.Machine, kind string) map[string]any {
	for _, o := range m.Observed {
		if o["kind"] == kind {
			other := world.Object(world.Copy(o))
			world.Object(other["metadata"])["name"] = "stranger"

			return other
		}
	}

	if strings.HasPrefix(kind, "Environment") {
		return nil
	}

	return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "stranger"}}
}

// halfSeenFaults damages what is observed, one VM of the machine above all, and runs the claim over it.
func halfSeenFaults(t testing.TB, m *world.Machine, d draw) []string {
	t.Helper()

	if len(vmsOf(m)) == 0 {
		return nil
	}

	vm := m.Observed[pick(d, vmsOf(m)...)]

	var done []string

	for _, name := range world.Keys(damages) {
		if d.chance(12) {
			done = append(done, name)
			damages[name](m, vm, d)
		}
	}

	faults := faultsOf(m, m.Call())
	if len(faults) > 0 {
		faults = append(faults, fmt.Sprintf("observed: %v", done))
	}

	return faults
}
