package diagnose

// imageRows: cloud images and templates.
var imageRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The text ends with a hint at the version of Proxmox, which is wrong.
		Name: "image.timeout", text: has(`failed waiting for url download`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Node <node> took longer than half an hour to download the image.",
		Remedy: "It is tried again. If the line is that slow, put the file on the node by hand and name it in the catalogue: " +
			"images.<image>.volume instead of url.",
	},
	{
		Name: "image.unreachable", text: has(`Could not get file metadata(?s:.*)invalid server response: '5\d\d`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Node <node> cannot reach the server of the image.",
		Remedy: "The node itself downloads: `curl -I` with the catalogue's images.<image>.url on the node must work; look at its DNS, its " +
			"gateway and its proxy (`pvesh get /cluster/options`).",
	},
	{
		Name: "image.url", text: has(`Could not get file metadata`), Class: ClassConfigurationError,
		Meaning: "There is no image under the catalogue's URL.",
		Remedy:  "Correct images.<image>.url in the catalogue. Servers remove old builds: pin a release that stays.",
	},
	{
		Name: "image.extension", text: has(`wrong file extension`), Class: ClassValidationFailed, Pauses: true,
		Meaning: "Proxmox refuses the file name of the image.",
		Remedy:  "Images for import end in .qcow2, .raw or .vmdk: set images.<image>.fileName in the catalogue.",
	},
	{
		Name: "image.exists", text: has(`File already exists in the datastore`), Class: ClassNoError, Retryable: true,
		Meaning: "The image is on the datastore already, and is used as it is.",
		Remedy:  "Nothing has to be done.",
	},
	{
		Name: "vmid.taken", Class: ClassConfigurationError, Pauses: true,
		text:    has(`error cloning VM: the requested resource already exists|config file already exists`),
		Meaning: "There is a VM with this number already.",
		Remedy: "A number is looked at before it is used (condition VMIDInUse), so this one was taken in the meantime. Choose a free one in " +
			"spec.proxmox.vmId (`pvesh get /cluster/nextid`), or give new machines a range of their own: catalogue key sites.<site>.vmIds.",
	},
	{
		Name: "template.node", text: has(`unable to find configuration file for VM`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "The template is on another node.",
		Remedy:  "Say which: catalogue key images.<image>.templateNode. `pvesh get /cluster/resources --type vm` shows where it is.",
	},
	{
		Name: "template.missing", text: has(`error cloning VM: the requested resource does not exist`), Class: ClassConfigurationError,
		Meaning: "The template does not exist.",
		Remedy:  "Correct spec.image, or images.<image>.template and templateNode in the catalogue; `qm list` on the node shows its templates.",
	},
	{
		// A container has the number: the look at VMs does not see it, and the provider takes Proxmox' "already exists" for success.
		Name: "vmid.container", Class: ClassConfigurationError, Pauses: true,
		text:    has(`(?s)create failed: .*qemu-server/\d+\.conf' does not exist`),
		Meaning: "Something that is no VM has this number in Proxmox, most likely a container.",
		Remedy: "`pvesh get /cluster/resources` shows it; nothing was done to it. Choose a free number in spec.proxmox.vmId (`pvesh get /cluster/nextid`), " +
			"and give machines a range that containers keep out of: catalogue key sites.<site>.vmIds.",
	},
	{
		Name: "image.missing", text: has(`cannot import from '`), Class: ClassConfigurationError, Retryable: true,
		Meaning: "The image that the disk is to be made from is not on the node.",
		Remedy: "`pvesm list <datastore> --content import` on the node shows what there is. A volume that the claim or the catalogue names " +
			"(images.<image>.volume) has to be put there by hand.",
	},
}

// storageRows: datastores.
var storageRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "storage.missing", text: has(`storage '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "A datastore that this machine needs does not exist on node <node>.",
		Remedy: "`pvesm status` on the node lists its datastores. Correct spec.proxmox.storage, spec.disks[].storage, or " +
			"sites.<site>.nodes.<node>.datastores (disks, images, snippets) in the catalogue.",
	},
	{
		Name: "storage.content", Class: ClassConfigurationError,
		text: has(`is not configured for content-type|does not support content-type|failed to read file from "|failed to determine the datastore path|` +
			`can't upload to storage type|does not support content type`),
		Meaning: "A datastore does not take this kind of content.",
		Remedy: "Images need `import`, snippets need `snippets`, both on a datastore with a path (directory, NFS, CIFS), and disks need " +
			"`images`: `pvesm set <datastore> --content import,snippets,iso,vztmpl,backup` sets the whole list. Or choose others in the " +
			"catalogue: sites.<site>.nodes.<node>.datastores.",
	},
	{
		// Proxmox, ZFS, LVM and the kernel, each in its own words.
		Name: "storage.full", Class: ClassQuotaExceeded,
		text:    has(`No space left on device|out of space|[Ii]nsufficient free space|[Dd]isk quota exceeded|not enough free space`),
		Meaning: "A datastore that this machine needs is full.",
		Remedy: "`pvesm status` on node <node> says which. Make room, or choose another datastore in spec.proxmox.storage or " +
			"spec.disks[].storage, or a smaller disk for a machine that is still to be made.",
	},
	{
		Name: "memory.full", text: has(`Cannot allocate memory`), Class: ClassQuotaExceeded,
		Meaning: "Node <node> has too little free memory for the VM.",
		Remedy:  "Stop or move another VM, or give this one less: spec.size.memory.",
	},
	{
		// Proxmox: ZFS, LVM, directories. It pauses, though mending outside would do: each try leaves more disks behind.
		Name: "storage.leftover", Class: ClassConfigurationError, Pauses: true,
		text:    has(`dataset already exists|Logical Volume "[^"]*" already exists|disk image '[^']*' already exists`),
		Meaning: "The datastore still holds a disk of a former VM with this number.",
		Remedy: "`pvesm list <datastore> --vmid <vmId>` on the node shows it. Nothing here deletes it, for it may hold data: `pvesm free " +
			"<volume>` once nobody needs it, or choose another spec.proxmox.vmId.",
	},
}

// changeRows: changes that a VM cannot make, or not now.
var changeRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "disk.shrink", Class: ClassImmutableChange, Pauses: true,
		text:    has(`Cannot shrink|shrinking disks is not supported|is lower than current size`),
		Meaning: "A disk is to become smaller, which Proxmox never does.",
		Remedy: "Set its size back to what the VM has. The claim's own figures are never rendered that way; condition ReplacementRequired " +
			"names them. A VM with smaller disks is a new one: set spec.lifecycle.replace to a new word.",
	},
	{
		Name: "reboot.resize", text: has(`cannot resize disks while`), Class: ClassRebootRequired, Retryable: true,
		Meaning: "A disk grows together with a change that waits for a power cycle.",
		Remedy:  "Nothing has to be done: the next try grows the disk.",
	},
	{
		Name: "reboot.needed", text: has(`automatic power-offs/reboots are disabled`), Class: ClassRebootRequired,
		Meaning: "A change needs the VM to be stopped, and nothing here stops a VM by surprise.",
		Remedy: "When it suits you, set spec.lifecycle.reboot to a new word (spec.lifecycle.rebootPolicy: WhenNeeded does so by itself), or shut " +
			"the VM down in Proxmox: the change is made while it is stopped, and a VM that is to run is started again.",
	},
	{
		Name: "protected", text: has(`protection mode enabled`), Class: ClassProtected,
		Meaning: "The VM is protected in Proxmox: it was stopped, and cannot be removed.",
		Remedy: "`qm set <vmId> --protection 0` on the node lets the deletion go on. To keep the VM, set the claim's deletionPolicy to Orphan " +
			"before it is deleted.",
	},
	{
		Name: "busy", text: has(`cannot start async `), Class: ClassBusy, Retryable: true,
		Meaning: "The provider still works on this managed resource.",
		Remedy:  "Nothing has to be done; one operation may take up to an hour.",
	},
	{
		Name: "vm.locked", text: has(`VM is locked|can't lock file`), Class: ClassBusy, Retryable: true, // Proxmox.
		Meaning: "Proxmox has locked the VM or its datastore for another task, for instance a backup.",
		Remedy: "Nothing has to be done while that task runs. If none runs (`qm config <vmId>` shows the lock), `qm unlock <vmId>` on the node " +
			"takes a lock off that was left behind.",
	},
}
