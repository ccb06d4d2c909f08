package lint

import "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"

// firewall that drops nothing, and rules of one that is off.
func (r redundancy) firewall(f *v1alpha1.Firewall) {
	if f == nil {
		return
	}

	rules := len(f.Allow) > 0 || f.Preset != "" && f.Preset != v1alpha1.PresetNone
	off := f.Enabled != nil && !*f.Enabled

	switch {
	case off && rules:
		r.warn("spec.firewall.enabled", "false: preset and allow have no effect beside it: remove them, or enabled")
	case !off && !rules:
		r.warn("spec.firewall", "drops nothing, since it has neither a preset nor allow: write preset: ssh, or what allow lets in; for no firewall, enabled: false")
	}
}
