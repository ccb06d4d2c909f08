package change

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func tags(p proxmox.VMParameters) string { return strings.Join(p.Tags, ", ") }

func power(p proxmox.VMParameters) string {
	if p.Started {
		return "Running"
	}

	return "Stopped"
}

func onBoot(p proxmox.VMParameters) string { return strconv.FormatBool(p.OnBoot) }

// unsaidOnBoot: an adopted VM starts with its node or not, as somebody chose.
func unsaidOnBoot(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.OnBootUnsaid {
		to.OnBoot = made.OnBoot
	}
}

// unsaidStartup: so does its place in the order.
func unsaidStartup(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.Adopted && len(to.Startup) == 0 {
		to.Startup = made.Startup
	}
}

func startup(p proxmox.VMParameters) string {
	if len(p.Startup) == 0 {
		return ""
	}

	s := p.Startup[0]

	return fmt.Sprintf("order %d, up %d s, down %d s", s.Order, s.UpDelay, s.DownDelay)
}

func cores(p proxmox.VMParameters) string {
	if len(p.CPU) == 0 {
		return ""
	}

	return strconv.FormatInt(p.CPU[0].Cores, 10)
}

// fieldCPUType is the field of a VM's CPU type, and formerCPUType what earlier releases called it where a VM notes what it runs with.
const (
	fieldCPUType  = "spec.size.cpuType"
	formerCPUType = "cpuType"
)

func cpuType(p proxmox.VMParameters) string {
	if len(p.CPU) == 0 {
		return ""
	}

	return p.CPU[0].Type
}

func memory(p proxmox.VMParameters) string {
	if len(p.Memory) == 0 {
		return ""
	}

	return fmt.Sprintf("%d MiB", p.Memory[0].Dedicated)
}

func memoryFloor(p proxmox.VMParameters) string {
	if len(p.Memory) == 0 || p.Memory[0].Floating == 0 {
		return ""
	}

	return fmt.Sprintf("%d MiB", p.Memory[0].Floating)
}

// unsaidMemoryFloor: an adopted VM keeps its ballooning, or has none.
func unsaidMemoryFloor(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.Adopted && len(to.Memory) > 0 && len(made.Memory) > 0 && to.Memory[0].Floating == 0 {
		to.Memory[0].Floating = made.Memory[0].Floating
	}
}

func display(p proxmox.VMParameters) string {
	if len(p.VGA) == 0 {
		return ""
	}

	return p.VGA[0].Type
}

// unsaidDisplay: an adopted VM keeps its display.
func unsaidDisplay(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.Adopted && len(to.VGA) == 0 {
		to.VGA = made.VGA
	}
}

func agent(p proxmox.VMParameters) string {
	if len(p.Agent) == 0 || !p.Agent[0].Enabled {
		return "off"
	}

	return "on"
}

// unsaidAgent: the channel to the guest agent stays as it is, and so does whether there is one where other user-data, or the disk of
// another image, would bring the agent or leave it out: the guest has what it was created with. The function always sets how long the
// provider waits: with the default, the provider could never read a VM without an agent.
func unsaidAgent(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	frozen := c.Adopted || c.AgentAtFirstBoot || bootSource(*to) != bootSource(made) || !bootsAs(*to, made, c)

	if len(made.Agent) == 0 || len(to.Agent) == 0 {
		if frozen {
			to.Agent = made.Agent
		}

		return
	}

	has, want := made.Agent[0], &to.Agent[0]
	want.Trim, want.Type = has.Trim, has.Type

	if frozen {
		want.Enabled = has.Enabled
	}

	// To write the option again would be for nothing: the provider waits for no agent.
	if c.Adopted && !want.Enabled && has.Timeout != "" {
		want.Timeout = has.Timeout
	}
}

// bootsAs says whether a VM would be set up by what set it up: by nothing, where it has no cloud-init drive and somebody installed the agent by hand; by
// user-data of Proxmox; or by other user-data.
func bootsAs(to, made proxmox.VMParameters, c Circumstances) bool {
	if len(made.Initialization) == 0 || len(to.Initialization) == 0 {
		return len(made.Initialization) == len(to.Initialization)
	}

	return c.Native == (made.Initialization[0].UserDataFileID == "")
}

func pci(p proxmox.VMParameters) string {
	var out []string
	for _, d := range p.HostPCI {
		out = append(out, d.Mapping)
	}

	return strings.Join(out, ", ")
}

func usb(p proxmox.VMParameters) string {
	var out []string
	for _, d := range p.USB {
		out = append(out, d.Mapping)
	}

	return strings.Join(out, ", ")
}

// unsaidHardware: hardware without a field in the claim.
func unsaidHardware(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	to.ACPI, to.TabletDevice, to.KeyboardLayout = made.ACPI, made.TabletDevice, made.KeyboardLayout
	to.ScsiHardware, to.OperatingSystem = made.ScsiHardware, made.OperatingSystem
	to.SerialDevice, to.SMBIOS = made.SerialDevice, made.SMBIOS
	to.TimeoutCreate = made.TimeoutCreate

	if len(to.CPU) > 0 && len(made.CPU) > 0 {
		to.CPU[0].Sockets, to.CPU[0].NUMA = made.CPU[0].Sockets, made.CPU[0].NUMA
	}

	for i := range to.HostPCI {
		d := &to.HostPCI[i]
		if i < len(made.HostPCI) {
			d.Device, d.PCIe, d.ROMBar = made.HostPCI[i].Device, made.HostPCI[i].PCIe, made.HostPCI[i].ROMBar
			continue
		}

		d.Device = freeSlot(to.HostPCI[:i])
	}

	for i := range to.USB {
		if i < len(made.USB) {
			to.USB[i].USB3 = made.USB[i].USB3
		}
	}

	to.Protection, to.Template = made.Protection, made.Template

	if c.Adopted {
		unsaidAdopted(to, made)
	}
}

// freeSlot is the first address of a passed-through device that none of the devices has.
func freeSlot(devices []proxmox.HostPCI) string {
	for i := 0; ; i++ {
		slot := "hostpci" + strconv.Itoa(i)
		if !slices.ContainsFunc(devices, func(d proxmox.HostPCI) bool { return d.Device == slot }) {
			return slot
		}
	}
}

// unsaidAdopted: what somebody else chose for the VM stays where the claim chooses nothing. Package resolve leaves such a
// choice out of an adopted machine, in place of a default.
func unsaidAdopted(to *proxmox.VMParameters, made proxmox.VMParameters) {
	if len(to.CPU) > 0 && len(made.CPU) > 0 && to.CPU[0].Cores == 0 {
		to.CPU[0].Cores = made.CPU[0].Cores
	}

	if len(to.CPU) > 0 && len(made.CPU) > 0 && to.CPU[0].Type == "" {
		to.CPU[0].Type = made.CPU[0].Type
	}

	if len(to.Memory) > 0 && len(made.Memory) > 0 && to.Memory[0].Dedicated == 0 {
		to.Memory[0].Dedicated = made.Memory[0].Dedicated
	}

	if len(to.HostPCI) == 0 {
		to.HostPCI = made.HostPCI
	}

	if len(to.USB) == 0 {
		to.USB = made.USB
	}
}
