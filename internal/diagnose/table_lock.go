package diagnose

// locked begins what Proxmox says of a guest with a lock, PVE/AbstractConfig.pm of pve-guest-common: check_lock. The lock's name follows.
const locked = `(?:VM|CT)(?: \d+)? is locked \(`

// lockRows: locks of guests that say what stopped halfway. What ends each is another thing, and `qm unlock` by itself ends few of them: some locks
// stand for disks that are not whole. The row vm.locked, behind all others, has the locks that only stand in the way, such as a backup's.
var lockRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The lock stays for as long as the machine's memory lies on the disk.
		Name: "vm.suspended", text: has(locked + `suspend(?:ed|ing)\)`), Class: ClassConfigurationError,
		Meaning: "Somebody has suspended the VM to its disk, and Proxmox changes nothing of it before it runs again.",
		Remedy:  "`qm resume <vmId>` on the node lets it run on where it was. (Not `qm unlock`: it throws the saved memory away, and the guest starts as after a power cut.)",
	},
	{
		// A restore over a VM that exists has the lock of a creation, too.
		Name: "vm.halfmade", text: has(locked + `(?:create|clone|import)\)`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox is still making the VM or container, or restores it from a backup, or stopped halfway.",
		Remedy: "Wait for the task (`pvenode task list --source active --vmid <vmId>`). If none runs, its disk is not whole, and unlocking does not help. After a restore that stopped, keep it, and restore the " +
			"backup again (docs/outside.md, \"Restoring a VM\"). Otherwise make sure by its name and " +
			"its notes that it is this machine's, and that it never ran: then `qm unlock <vmId> && qm destroy <vmId>` (`pct`) on the node removes it, and the provider makes it anew.",
	},
	{
		// PVE/QemuServer.pm: destroy_vm leaves a configuration with nothing but this lock, so that nobody takes the VMID meanwhile.
		Name: "vm.emptied", text: has(locked + `(?:destroyed|restore)\)`), Class: ClassConfigurationError,
		Meaning: "A deletion of the VM or container, or a restore over it, runs or stopped halfway: Proxmox has nothing of its configuration but the lock, and perhaps not all of its disks any more.",
		Remedy: "Wait for the task (`pvenode task list --source active --vmid <vmId>`). If none runs, do not unlock it as it is: the provider would give the empty guest new disks. `pvesm list <datastore> --vmid <vmId>` shows " +
			"which disks are left. To have the guest back, pause its managed resource, and restore its backup (docs/outside.md, \"Restoring a VM\"; `qm unlock <vmId>` first). If it was to go, `qm destroy <vmId> " +
			"--skiplock` (`pct unlock <vmId> && pct destroy <vmId>`) on the node ends that.",
	},
	{
		// Corsinvest/cv4pve-autosnap#46, apprell/proxmox-autosnap#24.
		Name: "vm.snapshot", text: has(locked + `(?:snapshot|snapshot-delete|rollback)\)`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox takes, removes or rolls back to a snapshot of the VM or container, or stopped halfway.",
		Remedy: "Wait for the task (`pvenode task list --source active --vmid <vmId>`): a large snapshot takes long to go. If none runs, `qm unlock <vmId>` (`pct unlock`) on the node, and end what " +
			"stopped: `qm listsnapshot <vmId>`, and `qm delsnapshot <vmId> <snapshot> --force` for a snapshot that is half taken or half gone. Repeat a rollback before the VM runs again, since some of its " +
			"disks may be rolled back and others not.",
	},
	{
		// Telmate/proxmox-api-go#490.
		Name: "vm.migrating", text: has(locked + `migrate\)`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox is moving the VM or container to another node, or stopped halfway.",
		Remedy: "Wait for the task, which runs on the node that the guest comes from. If none does, see that it runs on no other node (`qm list` on both; it must not run twice), and run `qm unlock <vmId>` (`pct unlock`) " +
			"on the node that has its configuration: `pvesh get /cluster/resources --type vm` names that one.",
	},
	{
		// PVE/API2/LXC/Status.pm, PVE/CLI/pct.pm of pve-container.
		Name: "container.mounted", text: has(locked + `mounted\)`), Class: ClassConfigurationError,
		Meaning: "Somebody has mounted the container's disks on node <node> (`pct mount`), and Proxmox does not start or change it meanwhile.",
		Remedy:  "`pct unmount <vmId>` on the node. (Not `pct unlock`: the node and the container would then write to one file system.)",
	},
}
