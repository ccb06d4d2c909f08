package container

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// errorsOf are the errors that the provider reports, the container's first. What a check of a VMID finds is no error.
func errorsOf(p Plan) []status.Finding {
	out := status.Findings(p.Observed.Containers, proxmox.ContainerKind, func(o proxmox.ObservedContainer) bool { return o.ObserveOnly() && o.FoundNone() })
	for i, f := range out {
		out[i].Row = changedByHand(f.Row)
	}

	slices.SortStableFunc(out, func(a, b status.Finding) int {
		switch {
		case a.Name == p.Guest:
			return -1
		case b.Name == p.Guest:
			return 1
		}

		return 0
	})

	return slices.Concat(out,
		status.Findings(p.Observed.VMs, proxmox.VMKind, nil),
		status.Findings(p.Observed.DownloadFiles, proxmox.DownloadFileKind, proxmox.AlreadyPresent),
		firewallErrors(p))
}

// changedByHand is the row of a managed resource that differs in what cannot change, for a container: the provider (v1.18.0) would make another one, and may
// not. The function writes no such change, and takes back those of a managed resource.
func changedByHand(r diagnose.Row) diagnose.Row {
	if r.Name != diagnose.RowImmutable {
		return r
	}

	r.Meaning = "Somebody changed container <vmId> in Proxmox in what the provider cannot change: a mount point, the datastore of the root file system, whether it is unprivileged, or into a template. " +
		"It stays as it is, nothing is destroyed, and all other changes of it wait."
	r.Remedy = "If it was moved to another node, this passes in a moment. Otherwise undo it on node <node>: `pct config <vmId>` shows what the container has, and forProvider of its managed resource what it had. " +
		"Take off a mount point of your own (`pct set <vmId> --delete mp5`; a volume stays as unused), and put one back that is gone (`pct set <vmId> --mp0 <volume>,mp=<path>`)."

	return r
}

// provider is the condition on what the provider reports.
func (t reporter) provider() status.Condition {
	m := t.plan.Container

	return status.ProviderHealthy(t.errors, m.Identity, func(f status.Finding) map[string]string {
		return map[string]string{
			"<node>": cmp.Or(f.Node, m.Placement.Node), "<vmId>": strconv.FormatInt(VMIDOf(m), 10), "<site>": m.Placement.Site, "<image>": m.Boot.Image,
		}
	})
}

// firewallErrors are the errors that the provider reports of the container's own firewall.
func firewallErrors(p Plan) []status.Finding {
	out := slices.Concat(
		status.Findings(p.Observed.Firewalls.Options, proxmox.FirewallOptionsKind, nil), status.Findings(p.Observed.Firewalls.Rules, proxmox.FirewallRulesKind, nil))
	for i := range out {
		out[i].Row = ofContainer(out[i].Row)
	}

	return out
}

// ofContainer is a row about the firewall of a VM with the container in the VM's place.
func ofContainer(r diagnose.Row) diagnose.Row {
	words := strings.NewReplacer("VM <vmId>", "container <vmId>", "(VM, Firewall)", "(CT, Firewall)", "the VM's firewall", "the container's firewall")
	r.Meaning, r.Remedy = words.Replace(r.Meaning), words.Replace(r.Remedy)

	return r
}
