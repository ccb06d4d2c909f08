package diagnose

// imageRows: cloud images and templates.
var imageRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The message ends with a hint about the version of Proxmox, which is wrong.
		Name: "image.timeout", text: has(`failed waiting for url download`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Node <node> took longer than half an hour to download the image.",
		Remedy: "The provider retries. If the connection is that slow, put the file on the node by hand, and set " +
			"images.<image>.volume instead of url in the catalogue.",
	},
	{
		Name: "image.unreachable", text: has(`Could not get file metadata(?s:.*)invalid server response: '5\d\d`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Node <node> cannot reach the server of the image, or that server has an error.",
		Remedy: "The node itself downloads the image: `curl -I` with the URL of images.<image>.url must work on the node. Check " +
			"its DNS, its gateway and its proxy (`pvesh get /cluster/options`).",
	},
	{
		// Proxmox has asked the server of the image, or does not take the URL. Any other failure of this call is another row's.
		Name: "image.url", Class: ClassConfigurationError,
		text:    has(`Could not get file metadata(?s:.*)(?:invalid server response: '[1-4]\d\d|\(url: )`),
		Meaning: "The catalogue's URL does not lead to an image.",
		Remedy:  "Correct images.<image>.url in the catalogue. Servers remove old builds: use the URL of a release that stays.",
	},
	{
		Name: "image.extension", text: has(`wrong file extension`), Class: ClassValidationFailed, Pauses: true,
		Meaning: "Proxmox refuses the file name of the image.",
		Remedy:  "Images for import must end in .qcow2, .raw or .vmdk: set images.<image>.fileName in the catalogue.",
	},
	{
		Name: "image.exists", text: has(`File already exists in the datastore`), Class: ClassNoError, Retryable: true,
		Meaning: "The image is already on the datastore, and the machine uses it.",
		Remedy:  "You need not do anything.",
	},
	{
		Name: rowVMIDTaken, Class: ClassConfigurationError, Pauses: true,
		text:    has(`(?:config file|VM \d+) already exists`),
		Meaning: "A VM with this VMID exists.",
		Remedy: "The provider checks a VMID before it creates a VM (condition VMIDInUse), so somebody took this VMID meanwhile. " +
			"Choose a free VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid`), or reserve a range for machines: catalogue key " +
			"sites.<site>.vmIds.",
	},
	{
		Name: "template.node", text: has(`error cloning VM: (?s:.*)unable to find configuration file for VM`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "The template is on another node.",
		Remedy: "Set images.<image>.templateNode in the catalogue. `pvesh get /cluster/resources --type vm` shows the template's " +
			"node.",
	},
	{
		Name: "template.missing", text: has(`error cloning VM: (?s:.*)[Cc]onfiguration file '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "The template does not exist.",
		Remedy: "Correct spec.image, or images.<image>.template and templateNode in the catalogue; `qm list` on the node shows its " +
			"templates.",
	},
	{
		// A container without a claim has the VMID: the VMID check looks for VMs, and the provider takes Proxmox's "already exists" for success.
		Name: "vmid.container", Class: ClassConfigurationError, Pauses: true,
		text:    has(`(?s)create failed: .*qemu-server/\d+\.conf' does not exist|CT \d+ already exists`),
		Meaning: "A container has VMID <vmId> in Proxmox, or something else that is no VM: VMs and containers share VMIDs.",
		Remedy: "`pvesh get /cluster/resources --type vm` shows it, and its node; the provider did not change it. Choose a free VMID in spec.proxmox.vmId " +
			"(`pvesh get /cluster/nextid`), and reserve a range for machines that no container uses: catalogue key " +
			"sites.<site>.vmIds.",
	},
	{
		Name: "image.missing", text: has(`cannot import from '`), Class: ClassConfigurationError, Retryable: true,
		Meaning: "The image for the disk is not on the node.",
		Remedy: "`pvesm list <datastore> --content import` on the node lists its images. If claim or catalogue name a volume " +
			"(images.<image>.volume), put the file there by hand.",
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
		Meaning: "A datastore does not accept this kind of content.",
		Remedy: "Images need content type `import` and snippets need `snippets`, both on a datastore with a path (directory, NFS, " +
			"CIFS); disks need `images`. `pvesm set <datastore> --content import,snippets,iso,vztmpl,backup` sets the whole list. Or " +
			"choose other datastores in the catalogue: sites.<site>.nodes.<node>.datastores.",
	},
	{
		// Messages of Proxmox, ZFS, LVM and the kernel.
		Name: "storage.full", Class: ClassQuotaExceeded,
		text:    has(`No space left on device|out of space|[Ii]nsufficient free space|[Dd]isk quota exceeded|not enough free space`),
		Meaning: "A datastore that this machine needs is full.",
		Remedy: "`pvesm status` on node <node> names the datastore. Free space, or choose another datastore in " +
			"spec.proxmox.storage or spec.disks[].storage, or, for a machine without a VM, a smaller disk.",
	},
	{
		Name: "memory.full", text: has(`Cannot allocate memory`), Class: ClassQuotaExceeded,
		Meaning: "Node <node> has too little free memory for the VM.",
		Remedy:  "Stop or move another VM, or reduce spec.size.memory of this one.",
	},
	{
		// Proxmox: ZFS, LVM, directories. Pauses, although a fix outside the claim would do, because each attempt leaves more disks behind.
		Name: "storage.leftover", Class: ClassConfigurationError, Pauses: true,
		text:    has(`dataset already exists|Logical Volume "[^"]*" already exists|disk image '[^']*' already exists`),
		Meaning: "The datastore still holds a disk of an earlier VM with this VMID.",
		Remedy: "`pvesm list <datastore> --vmid <vmId>` on the node shows the disk. The provider does not delete it, because it " +
			"may hold data: run `pvesm free <volume>` once nobody needs it, or choose another VMID in spec.proxmox.vmId.",
	},
}

// changeRows: changes that a VM cannot make, or cannot make now.
var changeRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// Does not pause, because a paused resource is not polled: the function would never see the size that Proxmox has.
		Name: "disk.shrink", Class: ClassImmutableChange, Retryable: true,
		text:    has(`Cannot shrink|shrinking disks is not supported|is lower than current size`),
		Meaning: "A disk is larger in Proxmox than in the managed resource, most likely because somebody grew it there.",
		Remedy: "You need not do anything: disks do not shrink, and the function writes the larger size as soon as the provider " +
			"reports it. Condition ReplacementRequired then lists the smaller size of the claim.",
	},
	{
		Name: "reboot.resize", text: has(`cannot resize disks while`), Class: ClassRebootRequired, Retryable: true,
		Meaning: "A disk grows together with a change that waits for a power cycle.",
		Remedy:  "You need not do anything: the provider's next attempt grows the disk.",
	},
	{
		Name: "reboot.needed", text: has(`automatic power-offs/reboots are disabled`), Class: ClassRebootRequired,
		Meaning: "A change needs the VM to be stopped, and the function does not stop a VM without a request.",
		Remedy: "At a time of your choice, set spec.lifecycle.reboot to a new value (or set spec.lifecycle.rebootPolicy to " +
			"WhenNeeded), or shut the VM down in Proxmox. The provider makes the change while the VM is stopped, and starts the VM " +
			"again if it should run.",
	},
	{
		Name: "protected", text: has(`protection mode enabled`), Class: ClassProtected,
		Meaning: "The VM has Proxmox's protection flag: the provider stopped the VM, but cannot remove it.",
		Remedy: "`qm set <vmId> --protection 0` on the node lets the deletion continue. To keep a VM, set deletionPolicy to Orphan " +
			"before you delete its claim.",
	},
	{
		Name: "busy", text: has(`cannot start async `), Class: ClassBusy, Retryable: true,
		Meaning: "The provider is still working on this managed resource.",
		Remedy:  "You need not do anything; one operation may take up to an hour.",
	},
	{
		Name: "vm.locked", text: has(`VM is locked|can't lock file`), Class: ClassBusy, Retryable: true, // Proxmox.
		Meaning: "Another task in Proxmox, for instance a backup, has locked the VM or its datastore.",
		Remedy: "Wait for the task. If no task runs (`qm config <vmId>` shows the lock), `qm unlock <vmId>` on the node removes " +
			"the leftover lock.",
	},
}
