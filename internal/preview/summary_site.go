package preview

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// describeSitePart on a line.
func describeSitePart(out *strings.Builder, o proxmox.ObservedSitePart) {
	p := o.Spec.ForProvider

	if o.ObserveOnly() {
		fmt.Fprintf(out, "  %s: the provider only looks whether it is there\n", sitePart(o))
		return
	}

	fmt.Fprintf(out, "  %s", sitePart(o))

	var said []string

	if len(p.Ports) > 0 {
		said = append(said, "ports "+strings.Join(p.Ports, " "))
	}

	if p.VLANAware != nil && *p.VLANAware {
		said = append(said, "VLAN aware")
	}

	for _, a := range []string{p.Address, p.Address6} {
		if a != "" {
			said = append(said, a)
		}
	}

	if p.MTU != 0 {
		said = append(said, fmt.Sprintf("MTU %d", p.MTU))
	}

	if len(said) > 0 {
		fmt.Fprintf(out, ": %s", strings.Join(said, ", "))
	}

	fmt.Fprintf(out, " (%s)\n", p.Comment)
}

// sitePart is a bridge, a VLAN interface or a pool as people call it.
func sitePart(o proxmox.ObservedSitePart) string {
	p := o.Spec.ForProvider

	switch o.Kind {
	case proxmox.PoolKind:
		return "pool " + p.PoolID
	case proxmox.VLANKind:
		return "VLAN interface " + p.NodeName + "/" + p.Name
	case proxmox.BridgeKind:
		if o.ObserveOnly() {
			return "interface " + p.NodeName + "/" + p.Name
		}
	}

	return "bridge " + p.NodeName + "/" + p.Name
}

// siteDeletion is what becomes of a bridge, a VLAN interface or a pool whose claim is deleted, and whether it is deleted in Proxmox.
func siteDeletion(object *structpb.Struct) (PlanStep, bool, error) {
	o, err := proxmox.ObserveSitePart(object)
	if err != nil || o.ObserveOnly() {
		return PlanStep{}, false, err
	}

	out := PlanStep{Resource: sitePart(o), Action: compose.Removed, Notes: []string{"stays in Proxmox as it is"}}
	deletes := proxmox.MayDelete(o.Spec.ManagementPolicies)

	if deletes {
		out.Notes = []string{"is deleted in Proxmox"}
	}

	return out, deletes, nil
}
