package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// maxAttempts is what the provider accepts of maxRestart and maxRelocate.
const maxAttempts = 10

// availability checks what a claim asks of Proxmox's HA manager, and what of the claim would contradict it.
func availability(at *field.Path, m *v1alpha1.MachineFields) field.ErrorList {
	if m.HA == nil {
		return nil
	}

	errs := between(at.Child("ha", "maxRestart"), m.HA.MaxRestart, 0, maxAttempts)
	errs = append(errs, between(at.Child("ha", "maxRelocate"), m.HA.MaxRelocate, 0, maxAttempts)...)

	if m.HA.Enabled == nil {
		errs = append(errs, field.Required(at.Child("ha", "enabled"), "must be true or false: whether Proxmox's HA manager manages the VM"))
	}

	if m.HA.Enabled == nil || !*m.HA.Enabled {
		return errs
	}

	if m.Power == v1alpha1.PowerUnmanaged {
		errs = append(errs, field.Invalid(at.Child("power"), string(m.Power),
			"ha and power: Unmanaged exclude each other: Proxmox's HA manager starts a VM that you stop. Set power: Running or Stopped"))
	}

	if m.Proxmox.Migrate {
		errs = append(errs, field.Invalid(at.Child("proxmox", "migrate"), true,
			"ha and proxmox.migrate exclude each other: the provider would migrate the VM back that HA has moved. Remove migrate"))
	}

	if len(m.Devices.PCI)+len(m.Devices.USB) > 0 {
		errs = append(errs, field.Forbidden(at.Child("devices"),
			"ha and devices exclude each other: a VM with devices of its node cannot move. Remove one of them"))
	}

	return errs
}
