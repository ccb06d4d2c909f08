package cluster

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// Changes says whether a member exists and would be written anew with this claim, in its turn.
func Changes(m Member, c Child) bool {
	return !c.Deleting && (len(changes(m, c)) > 0 || c.Template != m.Template)
}

// changes are the fields in which a node differs from what the claim describes.
func changes(m Member, c Child) []string {
	wanted, has := SpecOf(m, c), withoutRestore(c.Spec)
	out := differences(has, wanted)

	if c.Template != m.Template {
		out = append(out, slices.DeleteFunc(dropped(has, wanted), func(f string) bool { return f == "power" && isRunning(c.Spec) || slices.Contains(out, f) })...)
	}

	return slices.DeleteFunc(out, func(f string) bool {
		return f == "lifecycle" || f == "adopt" || f == "deletionPolicy" || f == "deletionProtection" || founds(c.Spec) && (f == "k3s.token" || f == "k3s.init")
	})
}

// isRunning says whether a spec asks for a VM that runs, which is the API server's default.
func isRunning(spec map[string]any) bool { return spec["power"] == string(v1alpha1.PowerRunning) }
