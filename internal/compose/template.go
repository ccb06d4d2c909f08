package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// templateRequirement are the VMs with the VMID that a new VM is cloned from, among what the function asks Crossplane for.
const templateRequirement = "template-vm-id"

// checkTemplate refuses to clone a VM that another claim has. A template that the catalogue names is the platform's word, and nobody is asked. Nothing
// waits for the answer: Crossplane calls again with it before it applies anything.
func checkTemplate(c *call, m *machine.Machine) field.ErrorList {
	if m == nil || m.Boot.Template == nil || !m.Boot.Template.Unnamed {
		return nil
	}

	t := m.Boot.Template

	vms, _, err := c.vms(templateRequirement, vmIDLabel(t.VMID))
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec", "image"), err)}
	}

	owner := c.facts.Owner
	owner.ProviderConfigRef = c.flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})

	if whose, _ := owner.ClaimedBy(t.VMID, lifecycle.Others(vms, nil)); whose != "" {
		return field.ErrorList{resolve.TemplateTaken(m, lifecycle.AnotherClaim)}
	}

	return nil
}
