package diagnose

// startRows: causes for which a node does not start a VM or a container. A task that failed comes with its whole log, so QEMU's own words are among them.
var startRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// PVE/Network.pm and pve-bridge of qemu-server.
		Name: "start.bridge", text: has(`\bbridge '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "Node <node> has no bridge or VNet of the name that an interface of the machine asks for.",
		Remedy: "`ip -br link` on the node lists its bridges. Correct the claim's bridge (spec.network.bridge, or the one of the interface) or " +
			"sites.<site>.network.bridge in the catalogue, or create the bridge. A VNet is on the nodes of its zone only, and only after `pvesh set /cluster/sdn`.",
	},
	{
		// PVE/Network/SDN/Zones/Plugin.pm, PVE/Network.pm. tteck/Proxmox#3105: a VNet has its own tag already.
		Name: "start.vlan", Class: ClassConfigurationError,
		text:    has(`vlans are not allowed on vnet|no physical interface on bridge '|vlan aware feature need to be enabled|unable to add vlan \d+ to interface`),
		Meaning: "The bridge or VNet of an interface takes no VLAN tag on node <node>, and the claim gives the interface one.",
		Remedy:  "A VNet of a VLAN zone brings its own tag: remove vlan from the interface. For a bridge, make it VLAN aware (`bridge-vlan-aware yes`) with a physical port, on every node of the site.",
	},
	{
		// PVE/Network/SDN: what was changed and never applied, and zones with a list of nodes.
		Name: "start.vnet", Class: ClassConfigurationError,
		text:    has(`vnet \S+ is not allowed on this node|sdn (?:vnet|zone) '[^']*' does not exist|can't find any free ip`),
		Meaning: "An interface of the machine asks for a VNet that node <node> does not have, or for which the IPAM of its zone has no address.",
		Remedy: "Datacenter > SDN shows the zones with their nodes, and what was changed and not applied yet: `pvesh set /cluster/sdn` applies it. Add the node to the zone, give the VNet a " +
			"subnet with a dhcp-range where the zone has DHCP, or choose another bridge in the claim.",
	},
	{
		Name: "start.mtu", text: has(`MTU (?:size )?'?\d+'? is bigger than (?:the )?bridge MTU`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "An interface of the machine has a larger MTU than its bridge on node <node>.",
		Remedy: "Raise the MTU of the bridge and of its ports on every node of the site (and of the switch), or lower the interface's mtu in the claim. The value 1 takes over " +
			"the bridge's.",
	},
	{
		Name: "start.kvm", text: has(`KVM virtualisation configured, but not available|Could not access KVM kernel module`), Class: ClassConfigurationError, // Proxmox, QEMU.
		Meaning: "Node <node> cannot run VMs: its processor's virtualisation is switched off.",
		Remedy: "Enable VT-x or AMD-V in the node's firmware. If the node is itself a VM, enable nested virtualisation on its host, and give it the CPU type " +
			"`host`. `ls /dev/kvm` on the node shows whether it is there.",
	},
	{
		// QEMU, PVE/QemuServer/CPUConfig.pm. kubevirt/kubevirt#5068, GNS3/gns3-server#1774: the registers of a host that is a VM itself.
		Name: "start.cpu", Class: ClassConfigurationError,
		text: has(`[Hh]ost doesn't support requested feature|unable to find CPU model|CPU model '[^']*' does not exist|[Cc]ustom cputype '[^']*' not found|` +
			`failed to set MSR 0x|kvm_buf_set_msrs: Assertion`),
		Meaning: "The processor of node <node> cannot give the VM the CPU type that it asks for, or Proxmox does not know that type.",
		Remedy: "Choose an older type in cpuType (spec.size.cpuType, or the class), such as x86-64-v2-AES, which every node of the last ten years has. Custom types are those of " +
			"/etc/pve/virtual-guest/cpu-models.conf. On a node that is a VM itself, take another type than `host`.",
	},
	{
		Name: "start.cores", text: has(`MAX \d+ vcpus allowed per VM on this node`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "The VM has more cores than node <node> has threads, and Proxmox does not start it.",
		Remedy:  "Reduce spec.size.cores, or choose a larger node. (`nproc` on the node counts its threads.)",
	},
	{
		// PVE/QemuServer/Memory.pm.
		Name: "start.memory", Class: ClassConfigurationError,
		text: has(`[Hh]ugepages? allocation failed|your system doesn't support hugepages|host NUMA node\d+ doesn't exist|` +
			`NUMA needs to be enabled for memory hotplug|memory size \(\d+\) must be aligned to|total memory for NUMA nodes must be equal`),
		Meaning: "The VM has settings for huge pages, NUMA or memory hotplug that do not fit node <node> or spec.size.memory. The function renders none of them, so that " +
			"somebody set them in Proxmox, or they came with the template.",
		Remedy: "`qm config <vmId>` shows them. Take them away (`qm set <vmId> --delete hugepages,numa0`, `qm set <vmId> --hotplug disk,network,usb`), also from the " +
			"template.",
	},
	{
		// PVE/QemuServer/Machine.pm; QEMU. After a migration from a newer node, or on a node after an upgrade that dropped old versions.
		Name: "start.machine", Class: ClassConfigurationError,
		text:    has(`is too old to run machine type|[Uu]nsupported machine type`),
		Meaning: "The VM is pinned to a version of its chipset that QEMU on node <node> does not have, or has no longer.",
		Remedy: "`qm config <vmId>` shows it (machine). If the node is older than the one that the VM comes from, upgrade it. Otherwise take a version that there is: " +
			"`qm set <vmId> --machine q35` (or pc, as it was) has the newest.",
	},
	{
		// PVE/QemuServer/OVMF.pm. Also when the disk of the firmware is made.
		Name: "start.firmware", text: has(`EFI (?:base|vars) image '[^']*' not found|no OVMF images known for`), Class: ClassConfigurationError,
		Meaning: "Node <node> does not have the firmware that a VM with UEFI starts from.",
		Remedy: "`apt install pve-edk2-firmware` on the node; for a VM with an ARM processor, it is pve-edk2-firmware-aarch64. Or take an image that starts without: " +
			"spec.firmware.type BIOS.",
	},
	{
		// PVE/QemuServer.pm: start_swtpm.
		Name: "start.tpm", text: has(`command '[^'\n]*swtpm[^\n]*' failed|failed to start swtpm`), Class: ClassProviderError, Retryable: true,
		Meaning: "Proxmox could not start the VM's TPM on node <node>.",
		Remedy:  "The task log names the cause: the datastore of the TPM's state (`qm config <vmId>`, tpmstate0), or a damaged one, whose only remedy is a backup. `dpkg -l swtpm` on the node shows whether it is installed.",
	},
	{
		// PVE/Systemd.pm. kevoreilly/CAPEv2#868.
		Name: "start.scope", text: has(`timeout waiting on systemd|Unit \d+\.scope (?:already exists|was already loaded)`), Class: ClassBusy, Retryable: true,
		Meaning: "Node <node> still holds the VM's earlier run, or is too busy to begin another one.",
		Remedy: "`systemctl status qemu.slice` on the node shows <vmId>.scope. If it has no process any more, `systemctl stop <vmId>.scope` and `systemctl reset-failed <vmId>.scope` free it. " +
			"A process that cannot be ended waits for its datastore: look there first.",
	},
	{
		// PVE/QemuServer.pm, PVE/Storage.pm.
		Name: "vm.template", text: has(`can't start a vm if it's a template|Cannot convert a template back to a regular VM|base volume '[^']*' is still in use`), Class: ClassConfigurationError,
		Meaning: "Somebody made a template of the VM, which never starts again, and does not go while linked clones use its disks.",
		Remedy: "To keep the template, set deletionPolicy to Orphan before you delete its claim, and apply a claim under another name for the machine. A deletion continues once its linked clones are gone, " +
			"or have disks of their own (`qm disk move`).",
	},
	{
		// PVE/GuestHelpers.pm of pve-guest-common. A start fails with its pre-start; the function renders no hook script.
		Name: "start.hook", text: has(`hookscript error for \d+|hookscript volume '|script '[^']*:snippets/[^']*' (?:does not exist|is not executable)`), Class: ClassConfigurationError,
		Meaning: "The VM or container has a hook script, and it is not there on node <node>, or fails, so that Proxmox does not start the guest.",
		Remedy: "`qm config <vmId>` (`pct config`) names it (hookscript); somebody set it in Proxmox, or it came with the template. Put the script onto the node and make it executable (`chmod +x`), mend what it " +
			"complains of in the task log, or take it away, as root: `qm set <vmId> --delete hookscript`.",
	},
	{
		// PVE/QemuServer/Cloudinit.pm reads the snippet whenever the VM starts.
		Name: "start.snippet", text: has(`can't open '[^']*/snippets/[^']*' - |volume '[^']*:snippets/[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "A snippet of the VM, most likely cloud-init's, is not on node <node>, and Proxmox does not start a VM without it.",
		Remedy: "`qm config <vmId>` names it (cicustom; a hookscript is somebody's own), and `pvesm list <datastore> --content snippets` lists what is there. Put one that the claim " +
			"names (spec.bootstrap.snippets) there: the VM starts with the provider's next try. The provider itself writes any other one that was deleted, with its next poll. If the VM was moved, its snippets are on " +
			"the old node: copy them, or keep snippets on a datastore that all nodes share.",
	},
	{
		// QEMU locks the files of disks. canonical/multipass#3690.
		Name: "start.disklock", Class: ClassBusy, Retryable: true,
		text:    has(`Failed to get (?:shared )?"\w+" lock|Is another process using the image`),
		Meaning: "Another process on the machine's node, or on another one with the same datastore, has a disk or the image of the VM open.",
		Remedy: "It is another VM with the same disk, a backup, or a `qemu-img` of somebody: `qm config <vmId>` names the disk, and `fuser -v` or `lsof` on its file who has it. Never " +
			"start two VMs with one disk: it would be lost.",
	},
	{
		// QEMU, block/qcow2.c.
		Name: "storage.corrupt", Class: ClassNodeUnhealthy,
		text:    has(`qcow2: Image is corrupt|[Ii]mage is corrupt; cannot be opened`),
		Meaning: "A disk of the VM, a qcow2 file, is damaged, and QEMU does not open it any more.",
		Remedy: "Copy the file first. Then `qemu-img check` says how much is lost, and `qemu-img check -r leaks` mends what loses nothing. Look why it happened (a full datastore, a node " +
			"that lost power, two VMs with one disk). A backup is the safer remedy.",
	},
	{
		// run_command of pve-common; config_aware_timeout of qemu-server.
		Name: "start.timeout", text: has(`(?:/usr/bin/kvm |start failed: )[^\n]*got timeout`), Class: ClassBusy, Retryable: true,
		Meaning: "The VM took longer to start than Proxmox waits for it.",
		Remedy: "A node that is short of memory, or a datastore that is slow, makes a start that long: check both (`free -m`, `pvesm status`). With " +
			"passed-through devices, all of the VM's memory is reserved first.",
	},
	{
		Name: "vm.shutdown", text: has(`VM quit/powerdown failed|VM \d+ is running - destroy failed`), Class: ClassProviderError, Retryable: true, // Proxmox.
		Meaning: "The guest did not shut down in the time that it has for it, and still runs.",
		Remedy: "Look at the VM's console: a guest that waits for a job or for a dialog does not shut down, and one without ACPI or agent does not hear of it. " +
			"Shut it down from inside. If `qm status <vmId> --verbose` says paused or io-error, mend its datastore and run `qm resume <vmId>` first. `qm stop <vmId>` is like pulling the plug.",
	},
	{
		// QEMU. bpg/terraform-provider-proxmox#502: two VMs that start at one moment are given one port.
		Name: "start.port", text: has(`failed to initialize spice server|reds_init_socket: |-(?:vnc|serial|chardev) [^\n]*(?:Address already in use|Failed to bind)`), Class: ClassBusy, Retryable: true,
		Meaning: "The VM was given a port on node <node> that another process has, most often a VM that started at the same moment.",
		Remedy:  "You need not do anything: the next attempt takes another port. If the error stays, `ss -ltnp` on the node shows who has it.",
	},
	{
		// qemu-server, pve-bridge. After the rows that know why.
		Name: "start.interface", text: has(`pve-bridge failed with status`), Class: ClassConfigurationError,
		Meaning: "Proxmox could not connect an interface of the VM to its bridge or VNet on node <node>.",
		Remedy:  "The line above that in the task log of VM <vmId> has the cause. `ip -br link` and `bridge vlan` on the node show its bridges; compare them with `qm config <vmId>`.",
	},
}
