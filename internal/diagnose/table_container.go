package diagnose

// containerRows: containers. None pauses: the function lets the provider change a container only while there is something to change.
var containerRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "container.update", text: has(`no options specified`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "This release of the provider cannot start or stop a container.",
		Remedy:  "Upgrade provider-proxmox-bpg to v1.14.0 or later.",
	},
	{
		Name: "container.root", text: has(`is only allowed for root@pam`), Class: ClassAuthenticationError, // Proxmox.
		Meaning: "Proxmox lets only root@pam make this change, whatever the privileges of the provider's token.",
		Remedy:  "Make the change in Proxmox as root, on node <node>, and write it into the claim as far as the claim has a field for it.",
	},
	{
		// Proxmox's "already exists" is an HTTP 500: provider-proxmox-bpg v1.18.0 asks once more, takes the second one for its own success, and waits half
		// an hour for a container that is not on its node (CreateContainer and WaitForContainerConfigUnlock of bpg/terraform-provider-proxmox v0.111.1).
		Name: "container.vmid", Class: ClassConfigurationError,
		text: has(`error creating container: (?s:.*)(?:CT|VM) \d+ already exists|` +
			`^(?:ReconcileError: create failed: )?apply failed: (?s:.*)timeout while waiting for container \d+ configuration to become unlocked`),
		Meaning: "A VM or a container with VMID <vmId> exists, perhaps on another node.",
		Remedy: "Nothing of it is changed. If it is the claim's own container, which somebody moved, move it back (`pct migrate <vmId> <node>` where it is). Else choose a " +
			"free VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid`).",
	},
	{
		Name: "container.protected", text: has(`can't remove CT \d+ (?s:.*)protection mode enabled`), Class: ClassProtected, // Proxmox.
		Meaning: "The container has Proxmox's protection flag: the provider stopped the container, but cannot remove it.",
		Remedy: "`pct set <vmId> --protection 0` on the node lets the deletion continue. While its claim exists, set spec.proxmox.protection: false. To keep a container, set " +
			"deletionPolicy to Orphan before you delete its claim.",
	},
	{
		Name: "container.template", text: has(`unable to create CT (?s:.*)vztmpl(?s:.*)does not exist`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "The template of the container is not on node <node>.",
		Remedy: "Correct spec.image (`pveam list <datastore>` on the node lists its templates). An adopted container that is gone from Proxmox cannot be created " +
			"again: restore it there, or delete the claim.",
	},
	{
		// PVE/LXC/Setup*.pm. community-scripts/ProxmoxVE#7731.
		Name: "container.system", text: has(`unable to detect OS distribution|unsupported (?:\w+ ){1,4}(?:version|release) '`), Class: ClassConfigurationError,
		Meaning: "Proxmox on node <node> does not know the system in the container's template, or not in this version.",
		Remedy: "Update pve-container on the node (`apt update && apt install pve-container`), which knows newer releases, or choose an older template. A template " +
			"must be a container's (`pveam available`), and no image for VMs.",
	},
	{
		Name: "container.archive", Class: ClassConfigurationError, // PVE/LXC/Create.pm.
		text: has(`file does not look like a template archive|less than 10 members in archive|no 'sbin' directory [^\n]*found in archive|` +
			`command '[^\n]*(?:lxc-usernsexec|\btar) [^\n]*' failed: exit code`),
		Meaning: "Node <node> could not unpack the container's template.",
		Remedy: "The file is damaged or is no template: delete it (`pvesm list <datastore> --content vztmpl`, `pvesm free <volume>`), and let it be downloaded again. If it is whole, the " +
			"datastore does not take an unprivileged container's owners (NFS, CIFS): choose another one for the container's disk.",
	},
	{
		Name: "container.start", text: has(`startup for container '\d+' failed|lxc-start[^\n]* failed`), Class: ClassProviderError, Retryable: true, // PVE/LXC.pm.
		Meaning: "Proxmox could not start the container.",
		Remedy: "`pct start <vmId> --debug` on node <node> shows the cause: a bridge or a mount point that is not there, a range of ids that /etc/subuid does not " +
			"allow, or a system too old for the node's control groups (systemd before 232).",
	},
}
