package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// DNSEndpoint of a machine, with records.
func DNSEndpoint(m machine.Identity, records []externaldns.Record) externaldns.Endpoint {
	return externaldns.New(records, m.Namespace, proxmox.Metadata{Labels: LabelsOf(m)})
}

// RetainDNSEndpoint is a DNSEndpoint as it was written before.
func RetainDNSEndpoint(o externaldns.Observed) externaldns.Endpoint {
	return externaldns.New(o.Spec.Endpoints, o.Metadata.Namespace, Ours(o.Metadata.Metadata))
}
