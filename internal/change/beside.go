package change

import (
	"fmt"
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Beside are the options of Proxmox that the provider writes when it adopts a VM although no field of the claim changes them: it
// writes some options as a whole, and spells out defaults. Proxmox lists them as pending, so they take effect at the next power
// cycle. unset are options that the VM does not have, see [proxmox.Found].
func Beside(has, wanted proxmox.VMParameters, unset []string) []Change {
	var out []Change

	beside := func(option, was, is string) {
		out = append(out, Change{Field: "option " + option, Has: was, Wanted: is, Effect: Reboot})
	}

	// The provider reads less of the option than it has, and the timeout, which is the provider's own, makes it write the option. In a
	// VM that has the claim's own description, the provider wrote the option before.
	if has.Description != wanted.Description && !reflect.DeepEqual(has.Agent, wanted.Agent) && len(wanted.Agent) > 0 {
		beside("agent", "as set in Proxmox", agentOption(wanted.Agent[0]))
	}

	// The provider reads what is not set as its own defaults.
	if memory(has) != memory(wanted) && len(wanted.Memory) > 0 && wanted.Memory[0].Floating == 0 {
		beside("balloon", "0 or not set", "0")
	}

	if cores(has)+cpuType(has) != cores(wanted)+cpuType(wanted) && len(wanted.CPU) > 0 {
		besideCores(has, wanted.CPU[0], beside)
	}

	for _, option := range unset {
		switch option {
		case proxmox.OptionScsihw:
			beside(option, "", wanted.ScsiHardware)
		case proxmox.OptionOstype:
			beside(option, "", wanted.OperatingSystem[0].Type)
		}
	}

	return out
}

// besideCores are the options that the provider writes with the number of cores, or with the type of the processor.
func besideCores(has proxmox.VMParameters, cpu proxmox.CPU, beside func(option, was, is string)) {
	if cpu.Type == defaultCPUType && cpuType(has) == defaultCPUType {
		beside("cpu", defaultCPUType+" or not set", defaultCPUType)
	}

	if !cpu.NUMA {
		beside("numa", "0 or not set", "0")
	}

	if cpu.Sockets == 1 {
		beside("sockets", "1 or not set", "1")
	}
}

// defaultCPUType is the type that the provider reads where none is set.
const defaultCPUType = "qemu64"

// agentOption is the option as the provider writes it.
func agentOption(a proxmox.Agent) string {
	digit := map[bool]int{true: 1}

	return fmt.Sprintf("enabled=%d,fstrim_cloned_disks=%d,type=%s", digit[a.Enabled], digit[a.Trim], a.Type)
}
