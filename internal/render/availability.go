package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// haResources are the entries of Proxmox's HA manager that are to be, by composed resource name.
func (w writer) haResources() map[string]proxmox.HAResource {
	out := make(map[string]proxmox.HAResource, len(w.plan.Availability.Steps))

	for vm, step := range w.plan.Availability.Steps {
		name := proxmox.HAResourceOf(vm)
		o, there := w.r.Observed.HAResources[name]
		of := w.r.Observed.VMs[vm]

		if step.Writing == lifecycle.HAStays {
			r := o.Retained(Ours(o.Metadata.Metadata), step.MayDelete)
			r.Spec.ForProvider.State = step.State

			// Without its name, the provider would add the VM to HA once more.
			if o.Metadata.ExternalName() == "" && w.r.Flavour != proxmox.Legacy {
				annotate(&r.Metadata, proxmox.ExternalNameAnnotation, o.Spec.ForProvider.ResourceID)
			}

			out[name] = observed(w.plan.Steps[vm], r)

			continue
		}

		p := proxmox.HAResourceParameters{
			State: step.State, MaxRestart: w.r.Machine.HA.MaxRestart, MaxRelocate: w.r.Machine.HA.MaxRelocate, HAKept: proxmox.KeptOfHA(o),
		}
		r := proxmox.NewHAResource(w.r.Flavour.HAResourceAPIVersion(), of.Spec.ProviderConfigRef, w.r.unsearched(), step.MayDelete, proxmox.VMIDOf(of), p)

		// What this provider says of an entry that does not exist is not known, so it is told the name of the entry once that exists.
		if w.r.Flavour == proxmox.Legacy && o.Metadata.ExternalName() == "" {
			delete(r.Metadata.Annotations, proxmox.ExternalNameAnnotation)
		}

		if step.Writing == lifecycle.HALooks && w.r.Flavour != proxmox.Legacy {
			r.Spec.ManagementPolicies = proxmox.ObserveOnly()
		}

		// Under another API version this would be another resource, and the old one would be deleted.
		if there {
			r.APIVersion = o.APIVersion
		}

		out[name] = r
	}

	return out
}
