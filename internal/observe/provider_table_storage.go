package observe

// imageRows: cloud images and templates.
var imageRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		// The text ends with a hint at the version of Proxmox, which is wrong.
		name: "image.timeout", text: has(`failed waiting for url download`), class: ReasonNetworkError, retryable: true,
		meaning: "Node <node> took longer than half an hour to download the image.",
		remedy: "It is tried again. If the line is that slow, put the file on the node by hand and name it in the catalogue: " +
			"images.<image>.volume instead of url.",
	},
	{
		name: "image.unreachable", text: has(`Could not get file metadata(?s:.*)invalid server response: '5\d\d`), class: ReasonNetworkError, retryable: true,
		meaning: "Node <node> cannot reach the server of the image.",
		remedy: "The node itself downloads: `curl -I` with the catalogue's images.<image>.url on the node must work; look at its DNS, its " +
			"gateway and its proxy (`pvesh get /cluster/options`).",
	},
	{
		name: "image.url", text: has(`Could not get file metadata`), class: ReasonConfigurationError,
		meaning: "There is no image under the catalogue's URL.",
		remedy:  "Correct images.<image>.url in the catalogue. Servers remove old builds: pin a release that stays.",
	},
	{
		name: "image.extension", text: has(`wrong file extension`), class: ReasonValidationFailed,
		meaning: "Proxmox refuses the file name of the image.",
		remedy:  "Images for import end in .qcow2, .raw or .vmdk: set images.<image>.fileName in the catalogue.",
	},
	{
		name: "image.exists", text: has(`File already exists in the datastore`), class: ReasonNoError, retryable: true,
		meaning: "The image is on the datastore already, and is used as it is.",
		remedy:  "Nothing has to be done.",
	},
	{
		name: "vmid.taken", text: has(`error cloning VM: the requested resource already exists|config file already exists`), class: ReasonConfigurationError,
		meaning: "There is a VM with this number already.",
		remedy: "Choose a free number in spec.proxmox.vmId (`pvesh get /cluster/nextid`), or give new machines a range of their own: catalogue " +
			"key sites.<site>.vmIds.",
	},
	{
		name: "template.node", text: has(`unable to find configuration file for VM`), class: ReasonConfigurationError, // Proxmox.
		meaning: "The template is on another node.",
		remedy:  "Say which: catalogue key images.<image>.templateNode. `pvesh get /cluster/resources --type vm` shows where it is.",
	},
	{
		name: "template.missing", text: has(`error cloning VM: the requested resource does not exist`), class: ReasonConfigurationError,
		meaning: "The template does not exist.",
		remedy:  "Correct spec.image, or images.<image>.template and templateNode in the catalogue; `qm list` on the node shows its templates.",
	},
	{
		name: "image.missing", text: has(`cannot import from '`), class: ReasonConfigurationError, retryable: true,
		meaning: "The image that the disk is to be made from is not on the node.",
		remedy: "`pvesm list <datastore> --content import` on the node shows what there is. A volume that the claim or the catalogue names " +
			"(images.<image>.volume) has to be put there by hand.",
	},
}

// storageRows: datastores.
var storageRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "storage.missing", text: has(`storage '[^']*' does not exist`), class: ReasonConfigurationError,
		meaning: "A datastore that this machine needs does not exist on node <node>.",
		remedy: "`pvesm status` on the node lists its datastores. Correct spec.proxmox.storage, spec.disks[].storage, or " +
			"sites.<site>.nodes.<node>.datastores (disks, images, snippets) in the catalogue.",
	},
	{
		name: "storage.content", class: ReasonConfigurationError,
		text: has(`is not configured for content-type|does not support content-type|failed to read file from "|failed to determine the datastore path|` +
			`can't upload to storage type|does not support content type`),
		meaning: "A datastore does not take this kind of content.",
		remedy: "Images need `import`, snippets need `snippets`, both on a datastore with a path (directory, NFS, CIFS), and disks need " +
			"`images`: `pvesm set <datastore> --content import,snippets,iso,vztmpl,backup` sets the whole list. Or choose others in the " +
			"catalogue: sites.<site>.nodes.<node>.datastores.",
	},
	{
		// Proxmox, ZFS, LVM and the kernel, each in its own words.
		name: "storage.full", class: ReasonQuotaExceeded,
		text:    has(`No space left on device|out of space|[Ii]nsufficient free space|[Dd]isk quota exceeded|not enough free space`),
		meaning: "A datastore that this machine needs is full.",
		remedy: "`pvesm status` on node <node> says which. Make room, or choose another datastore in spec.proxmox.storage or " +
			"spec.disks[].storage, or a smaller disk for a machine that is still to be made.",
	},
	{
		name: "memory.full", text: has(`Cannot allocate memory`), class: ReasonQuotaExceeded,
		meaning: "Node <node> has too little free memory for the VM.",
		remedy:  "Stop or move another VM, or give this one less: spec.size.memory.",
	},
	{
		// Proxmox: ZFS, LVM, directories.
		name: "storage.leftover", class: ReasonConfigurationError,
		text:    has(`dataset already exists|Logical Volume "[^"]*" already exists|disk image '[^']*' already exists`),
		meaning: "The datastore still holds a disk of a former VM with this number.",
		remedy: "`pvesm list <datastore> --vmid <vmId>` on the node shows it. Nothing here deletes it, for it may hold data: `pvesm free " +
			"<volume>` once nobody needs it, or choose another spec.proxmox.vmId.",
	},
}

// changeRows: changes that a VM cannot make, or not now.
var changeRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "disk.shrink", text: has(`Cannot shrink|shrinking disks is not supported|is lower than current size`), class: ReasonImmutableChange,
		meaning: "A disk is to become smaller, which Proxmox never does.",
		remedy: "Set its size back to what the VM has. The claim's own figures are never rendered that way; condition ReplacementRequired " +
			"names them.",
	},
	{
		name: "reboot.resize", text: has(`cannot resize disks while`), class: ReasonRebootRequired, retryable: true,
		meaning: "A disk grows together with a change that waits for a power cycle.",
		remedy:  "Nothing has to be done: the next try grows the disk.",
	},
	{
		name: "reboot.needed", text: has(`automatic power-offs/reboots are disabled`), class: ReasonRebootRequired,
		meaning: "A change needs the VM to be stopped, and nothing here stops a VM by surprise.",
		remedy:  "When it suits you, set spec.power to Stopped, wait until the machine is, and set it back to Running.",
	},
	{
		name: "protected", text: has(`protection mode enabled`), class: ReasonProtected,
		meaning: "The VM is protected in Proxmox: it was stopped, and cannot be removed.",
		remedy: "`qm set <vmId> --protection 0` on the node lets the deletion go on. To keep the VM, set the claim's deletionPolicy to Orphan " +
			"before it is deleted.",
	},
	{
		name: "busy", text: has(`cannot start async `), class: ReasonBusy, retryable: true,
		meaning: "The provider still works on this managed resource.",
		remedy:  "Nothing has to be done; one operation may take up to an hour.",
	},
	{
		name: "vm.locked", text: has(`VM is locked|can't lock file`), class: ReasonBusy, retryable: true, // Proxmox.
		meaning: "Proxmox has locked the VM or its datastore for another task, for instance a backup.",
		remedy: "Nothing has to be done while that task runs. If none runs (`qm config <vmId>` shows the lock), `qm unlock <vmId>` on the node " +
			"takes a lock off that was left behind.",
	},
}
