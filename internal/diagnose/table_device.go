package diagnose

// deviceRows: a node does not start a VM because of a device of the node that is passed through.
var deviceRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// QEMU. Before memory.full, whose words it has, and whose remedy does not help. kubevirt/kubevirt#14593, bpg/terraform-provider-proxmox#1353.
		Name: "device.memory", Class: ClassQuotaExceeded,
		text:    has(`VFIO_MAP_DMA failed|vfio_(?:container_)?dma_map ?\(`),
		Meaning: "QEMU could not open the VM's memory to the device that is passed through on node <node>.",
		Remedy: "All of the VM's memory is taken at its start and locked for the device, so that ballooning gives nothing back: `free -m` on the node must have all of spec.size.memory. With `Invalid " +
			"argument`, the node's IOMMU reaches fewer addresses than the guest uses: take cpuType `host`, which knows that limit.",
	},
	{
		// PVE/QemuServer/PCI.pm, PVE/SysFSTools.pm; QEMU. harvester/harvester#6892.
		Name: "device.driver", Class: ClassConfigurationError,
		text:    has(`can't unbind/bind PCI group to VFIO|[Cc]an(?:no|')t bind \S+ to vfio|/dev/vfio/\d+'?: No such file|error getting device from group`),
		Meaning: "Node <node> could not take a device away from its own driver, to give it to the VM.",
		Remedy: "`lspci -nnk` on the node shows the driver in use: keep it from the device (`options vfio-pci ids=<vendor:device>` in /etc/modprobe.d, and the driver after vfio-pci), run " +
			"`update-initramfs -u -k all`, and restart the node at a time of your choice. A device that shows the node's own console stays with the node.",
	},
	{
		// PVE/QemuServer/PCI.pm; QEMU. gnif/vendor-reset#46, whose assertion follows a reset that failed.
		Name: "device.reset", Class: ClassNodeUnhealthy,
		text:    has(`can't reset PCI device|no available reset mechanism|stuck in D3|/sys/bus/pci/devices/\S+/reset'|pci_irq_handler: Assertion`),
		Meaning: "A device that is passed through did not reset on node <node> after its last VM, and serves no other one before it has.",
		Remedy: "Only a restart of the node resets it for certain, at a time of your choice. `/sys/bus/pci/devices/<address>/reset_method` lists what the device can; some cards of AMD need the kernel module " +
			"vendor-reset. Stop such a machine as seldom as possible.",
	},
	{
		// PVE/SysFSTools.pm of pve-common, PVE/QemuServer/PCI.pm; QEMU. mbilker/vgpu_unlock-rs#10, anomixer/proxmox-vgpu-installer#17.
		Name: "device.vgpu", Class: ClassConfigurationError, Retryable: true,
		text: has(`has no available instances of '|could not create '[^']*' for pci devices|` +
			`/sys/bus/\S+/[0-9a-f]{8}-[0-9a-f-]{27}\b[^\n]*(?:failed|error|Could not)`),
		Meaning: "The card on node <node> gives the VM no vGPU of the kind that it asks for: all are taken, the card has been split in another way, or its driver on the node failed.",
		Remedy: "`pvesh get /nodes/<node>/hardware/pci/<address>/mdev` lists the kinds with what is left of each, and the node's log (nvidia-vgpu-mgr) says why one failed. A card of NVIDIA often has one kind at a time: " +
			"stop the VM that has another one. What an earlier start left behind: `mdevctl list`, `mdevctl stop -u <uuid>`. No claim asks for a vGPU (docs/outside.md, \"Passed-through devices\").",
	},
	{
		// PVE/QemuServer/PCI.pm, USB.pm; PVE/Mapping of pve-guest-common.
		Name: "device.mapping", Class: ClassConfigurationError,
		text:    has(`(?:PCI|USB) device mapping (?:not found|invalid)|no PCI device found for|no pci device info for device|missing mapped devices`),
		Meaning: "A device that the VM asks for is not on node <node>: the mapping has no device of this node, or the hardware changed since.",
		Remedy: "Datacenter > Resource Mappings shows each mapping's devices, node by node, and marks those that changed: correct the entry of this node, or " +
			"place the machine on a node that has the device (spec.proxmox.node).",
	},
	{
		Name: "device.used", Class: ClassConfigurationError, // Proxmox.
		text: has(`PCI device '[^']*' (?:is )?(?:already in use|currently reserved for use) by VMID|could not find a free device for 'hostpci|` +
			`vfio [^\n]*Device or resource busy`),
		Meaning: "Another VM on node <node> uses the device that this VM asks for.",
		Remedy:  "A device serves one running VM at a time. Stop the other VM, or add another device to the mapping (Datacenter > Resource Mappings).",
	},
	{
		Name: "device.iommu", Class: ClassConfigurationError, // Proxmox, QEMU.
		text:    has(`IOMMU not present|[Nn]o IOMMU detected|group \d+ is not viable|all devices within the iommu_group`),
		Meaning: "Node <node> cannot pass the device through: its IOMMU is off, or the device shares its group with one that the node itself uses.",
		Remedy: "Enable VT-d or AMD-Vi in the node's firmware, and, with Intel, `intel_iommu=on` on the kernel's command line. `pvesh get " +
			"/nodes/<node>/hardware/pci` lists the devices with their groups: all of a group go to one VM, or the device goes into another slot.",
	},
	{
		// PVE/QemuServer/PCI.pm. bpg/terraform-provider-proxmox#1806.
		Name: "device.chipset", Class: ClassConfigurationError,
		text:    has(`q35 machine model is not enabled`),
		Meaning: "The VM passes a device through as PCI Express, and its chipset is not q35, most likely since it was cloned from a template with another one.",
		Remedy: "Make the template with q35 (`qm set <template> --machine q35`, before its system is installed, since network interfaces have other names then), or choose another " +
			"image, and replace the machine: spec.lifecycle.replace.",
	},
}
