package lifecycle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	// defaultMTU is Proxmox's for an interface that says none, in bytes.
	defaultMTU = 1500
	// bridgeMTU stands for the MTU of the bridge, which nobody knows.
	bridgeMTU = 1
)

// OtherMTU is a warning of a K3s node whose first interface has another MTU than those of all servers of its cluster: flannel takes it for the network of Pods,
// and what is larger than the other side's is lost. Empty where one server has the same, or none is known: an edit goes from node to node.
func OtherMTU(r Request, servers []proxmox.ObservedVM) string {
	own := r.Machine.NICs[0].MTU
	if own == bridgeMTU || own == 0 && Adopts(r.Machine.Adopt, r.Roles, r.Observed.VMs) {
		return ""
	}

	if own == 0 {
		own = defaultMTU
	}

	var other []string

	for _, vm := range servers {
		has := mtuOf(vm)

		switch {
		case has == bridgeMTU || r.Owner.Owns(vm) || !r.Kin.Has(vm):
		case has == own:
			return ""
		default:
			other = append(other, fmt.Sprintf("%s %d", message.Excerpt(r.Kin.ServerOf(vm)), has))
		}
	}

	if len(other) == 0 {
		return ""
	}

	slices.Sort(other)

	return "spec.network.mtu: the node has an MTU of " + strconv.FormatInt(own, 10) + ", and the servers of its cluster have another one (" +
		strings.Join(other[:min(len(other), mostMTUs)], ", ") + "): large packets between Pods of these nodes are lost. Give all nodes of a cluster one MTU."
}

// mostMTUs are the most servers that a warning of MTUs names.
const mostMTUs = 3

// mtuOf the first interface of a VM, as it is written for the provider.
func mtuOf(vm proxmox.ObservedVM) int64 {
	devices := vm.Spec.ForProvider.NetworkDevice
	if len(devices) == 0 {
		return bridgeMTU // Of what says no interface, nobody knows it.
	}

	if n := devices[0].MTU; n != nil && *n != 0 {
		return *n
	}

	return defaultMTU
}
