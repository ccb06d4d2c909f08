package status

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// findings are the errors that the provider reports, the VMs' first, then by kind and name. class is the class of error
// that was reported before, NoError where there was none.
func findings(in *Input, class string) []Finding {
	vms := findingsOf(in, in.State.VMs, proxmox.VMKind, class)

	// The rows about a creation that failed halfway, and about a disk that is larger, speak of the machine's own VM. This one is somebody else's: VMIDInUse
	// says so.
	vms = slices.DeleteFunc(vms, func(f Finding) bool {
		own := f.Row.Class == diagnose.ClassTainted || f.Row.Class == diagnose.ClassImmutableChange

		return own && proxmox.CreationOf(in.State.VMs[f.Name]) == proxmox.CreationForeign
	})

	for i, f := range vms {
		vms[i].Row = cloudInitFiles(f.Row, in.Desired.VMs[f.Name], in.State.VMs[f.Name])
	}

	return slices.Concat(
		vms,
		findingsOf(in, in.State.Files, proxmox.FileKind, class),
		findingsOf(in, in.State.DownloadFiles, proxmox.DownloadFileKind, class),
		findingsOf(in, in.State.HAResources, proxmox.HAResourceKind, class),
		findingsOf(in, in.State.Firewalls.Options, proxmox.FirewallOptionsKind, class),
		findingsOf(in, in.State.Firewalls.Rules, proxmox.FirewallRulesKind, class),
	)
}

// cloudInitFiles is the row of a VM that differs in what cannot change, where that is cicustom: of the options that a person may change in Proxmox it is the
// only one for which the provider (v1.18.0) would make another VM. Nobody has to replace the VM for it.
func cloudInitFiles(r diagnose.Row, desired proxmox.VM, vm proxmox.ObservedVM) diagnose.Row {
	asked, has := desired.Spec.ForProvider.Initialization, vm.Status.AtProvider.Initialization
	if r.Name != diagnose.RowImmutable || len(asked) == 0 || len(has) == 0 || asked[0].CICustom() == has[0].CICustom() {
		return r
	}

	undo := "--delete cicustom"
	if files := asked[0].CICustom(); files != "" {
		undo = "--cicustom " + files
	}

	r.Meaning = "Somebody changed which files cloud-init reads (cicustom) of VM <vmId> in Proxmox. The guest has read them at its first boot and does not notice; all other changes of the VM wait."
	r.Remedy = "Undo it on node <node>: `qm set <vmId> " + undo + "`."

	return r
}

func findingsOf[P, S any](in *Input, observed map[string]proxmox.Observed[P, S], kind, class string) []Finding {
	var out []Finding

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		o := observed[name]
		if r, wrong := told(in, o, name, class); wrong {
			out = append(out, Finding{Row: r, Name: name, Kind: kind, APIVersion: o.APIVersion, Node: proxmox.NodeOf(o)})
		}
	}

	return out
}

// told is what is wrong with a managed resource, where it is as it is rendered now: paused for an error from this call on,
// or, where its claim changed, from this call on no more.
func told[P, S any](in *Input, o proxmox.Observed[P, S], name, class string) (diagnose.Row, bool) {
	r, wrong := diagnose.Of(o, class)

	if by, ok := in.Paused[name]; ok {
		if named, ok := diagnose.Named(by); ok {
			r = named
		}

		r.Paused = true

		return r, true
	}

	if in.Desired.Has(name) && r.Paused {
		return diagnose.Row{}, false
	}

	return r, wrong
}

// resumed says whether a managed resource was paused, and is so no more from this call on, or from an earlier one that the
// provider has not noticed yet.
func resumed[P, S any](e *providerErrors, o proxmox.Observed[P, S], name string) bool {
	_, paused := e.paused[name]

	return e.desired.Has(name) && !paused && o.Condition(proxmox.ConditionSynced).Reason == proxmox.ReasonPaused
}
