package diagnose

// imageRows: cloud images and templates.
var imageRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The message ends with a hint about the version of Proxmox, which is wrong.
		Name: "image.timeout", text: has(`failed waiting for url download(?s:.*)timeout while waiting for task`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Node <node> took longer than half an hour to download the image.",
		Remedy: "The provider retries. If the connection is that slow, put the file on the node by hand, and set " +
			"images.<image>.volume instead of url in the catalogue.",
	},
	{
		// download_file_from_url of pve-common.
		Name: "image.checksum", text: has(`checksum mismatch: got '`), Class: ClassConfigurationError,
		Meaning: "The file at the image's URL does not have the checksum of the catalogue: the server has another build there now, or the download was damaged.",
		Remedy: "Compare images.<image>.checksum with the list of checksums beside the image, and use the URL of a release that stays. The provider downloads it again in a while, " +
			"and uses nothing before the checksum is right.",
	},
	{
		// LWP and wget on the node.
		Name: "image.certificate", Class: ClassConfigurationError,
		text: has(`(?:Could not get file metadata|failed waiting for url download)(?s:.*)` +
			`(?:certificate verify failed|cannot verify \S+ certificate|Unable to (?:locally )?verify)`),
		Meaning: "Node <node> does not trust the certificate of the image's server.",
		Remedy: "The node itself downloads the image: its clock must be right (`timedatectl`), and it must know the authority of the certificate (`update-ca-certificates`), or that " +
			"of the proxy in between.",
	},
	{
		Name: "image.unreachable", Class: ClassNetworkError, Retryable: true,
		text: has(`Could not get file metadata(?s:.*)invalid server response: '(?:5\d\d|408|429)|failed waiting for url download(?s:.*)` +
			`(?:ERROR (?:5\d\d|408|429)|unable to resolve host|failed: (?:Connection|Network|No route))`),
		Meaning: "Node <node> cannot reach the server of the image, or that server has an error or takes no more requests for now.",
		Remedy: "The node itself downloads the image: `curl -I` with the URL of images.<image>.url must work on the node. Check " +
			"its DNS, its gateway and its proxy (`pvesh get /cluster/options`).",
	},
	{
		// Proxmox has asked the server of the image, or does not take the URL. Any other failure of this call is another row's.
		Name: "image.url", Class: ClassConfigurationError,
		text:    has(`Could not get file metadata(?s:.*)(?:invalid server response: '[1-4]\d\d|\(url: )|failed waiting for url download(?s:.*)ERROR 4\d\d`),
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
		Meaning: "The template is on another node, or somebody has deleted it.",
		Remedy: "`pvesh get /cluster/resources --type vm` shows the template and its node: set images.<image>.templateNode in the catalogue to that. If it is not there, make it anew, or use images.<image>.url. " +
			"VMs that exist do not need it.",
	},
	{
		// PVE/API2/Qemu.pm: clone_vm.
		Name: "template.local", text: has(`can't clone VM to node '[^']*' \(VM uses local storage\)|[Cc]an't clone to non-shared storage '`), Class: ClassConfigurationError,
		Meaning: "The template is on another node than the machine, and its disks or the machine's are on a datastore that the two nodes do not share.",
		Remedy: "Make the template on node <node>, too, and name it there (images.<image>.template, templateNode), put the template's disks and the machine's on a shared " +
			"datastore, or use images.<image>.url: then each node imports the image by itself.",
	},
	{
		Name: "template.clone", text: has(`(?:Full|Linked) clone feature is not supported for|clone feature is not supported for drive`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "The template's datastore cannot make the kind of clone that was asked for.",
		Remedy: "Linked clones need ZFS, thin LVM, Ceph or qcow2 files, and a template (`qm template`). Move the template's disk to such a datastore, or use " +
			"images.<image>.url.",
	},
	{
		// PVE/API2/Qemu.pm: resize_vm. Telmate/terraform-provider-proxmox#170.
		Name: "template.disk", text: has(`\bdisk '(?:ide|sata|scsi|virtio)\d+' does not exist|missing device (?:ide|sata|scsi|virtio)\d+`), Class: ClassConfigurationError,
		Meaning: "The VM has no disk at an interface of the managed resource: its template has its boot disk at another one, or somebody has detached the disk in Proxmox.",
		Remedy: "If the VM has run before, `qm config <vmId>` shows the disk as unused: attach it where it was (`qm set <vmId> --scsi1 <volume>`). For a new VM, `qm config` of the template shows its boot " +
			"disk (boot, and the line of the disk): set images.<image>.templateDisk in the catalogue to it, such as virtio0, or move the disk to scsi0 in the template.",
	},
	{
		Name: "cloudinit.drive", text: has(`cloud-init drive is already attached at '`), Class: ClassConfigurationError, // Proxmox: PVE/API2/Qemu.pm.
		Meaning: "The VM has a cloud-init drive at another interface than the machine's, most likely from its template, and Proxmox allows one only.",
		Remedy: "`qm config <vmId>` shows it. Remove it from the template (`qm set <template> --delete <interface>`), and from this VM while it is stopped; the provider adds " +
			"the machine's own.",
	},
	{
		Name: "template.missing", text: has(`error cloning VM: (?s:.*)[Cc]onfiguration file '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "The template does not exist.",
		Remedy: "Correct spec.image, or images.<image>.template and templateNode in the catalogue; `qm list` on the node shows its " +
			"templates.",
	},
	{
		// A container without a claim has the VMID: the VMID check looks for VMs, and the provider takes Proxmox's "already exists" for success.
		Name: rowVMIDOther, Class: ClassConfigurationError, Pauses: true,
		text:    has(`(?s)create failed: .*qemu-server/\d+\.conf' does not exist|CT \d+ already exists`),
		Meaning: "A container has VMID <vmId> in Proxmox, or something else that is no VM: VMs and containers share VMIDs.",
		Remedy: "`pvesh get /cluster/resources --type vm` shows it, and its node; the provider did not change it. Choose a free VMID in spec.proxmox.vmId " +
			"(`pvesh get /cluster/nextid`), and reserve a range for machines that no container uses: catalogue key " +
			"sites.<site>.vmIds.",
	},
	{
		// qemu-img; PVE/Storage.pm and the assertion of download-url.
		Name: "image.format", Class: ClassConfigurationError,
		text: has(`Image is not in \S+ format|failed to verify file: |` +
			`qemu-img: Could not open [^\n]*(?:import|template)|does not (?:look like|match) [^\n]*image format`),
		Meaning: "The file of the image is not what its name says, or is damaged: Proxmox cannot read it as a disk.",
		Remedy: "`qemu-img info` on the file shows its format: the extension in images.<image>.fileName must be that (.qcow2, .raw, .vmdk). A page of HTML instead of an image " +
			"means that images.<image>.url leads to a page.",
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
			`can't upload to storage type|does not support content type|storage '?\S+ does not support (?:vm images|container directories)`),
		Meaning: "A datastore does not accept this kind of content.",
		Remedy: "Images need content type `import` and snippets need `snippets`, both on a datastore with a path (directory, NFS, " +
			"CIFS); disks need `images`. `pvesm set <datastore> --content import,snippets,iso,vztmpl,backup` sets the whole list. Or " +
			"choose other datastores in the catalogue: sites.<site>.nodes.<node>.datastores.",
	},
	{
		// Messages of Proxmox, ZFS, LVM and the kernel.
		Name: "storage.full", Class: ClassQuotaExceeded,
		text: has(`No space left on device|out of space|[Ii]nsufficient free space|` +
			`[Dd]isk quota exceeded|size is greater than available space|not enough free space|free space in (?:thin )?pool \S+ reached threshold`),
		Meaning: "A datastore that this machine needs is full.",
		Remedy: "`pvesm status` on node <node> names the datastore. Free space, or choose another datastore in " +
			"spec.proxmox.storage or spec.disks[].storage, or, for a machine without a VM, a smaller disk.",
	},
	{
		// PVE/Storage/ZFSPoolPlugin.pm. Telmate/terraform-provider-proxmox#204.
		Name: "storage.zvol", text: has(`no zvol device link for '`), Class: ClassBusy, Retryable: true,
		Meaning: "Node <node> has a disk of the VM in ZFS, and no device of it in /dev/zvol yet: the node is too busy, or its udev missed it.",
		Remedy:  "The provider tries again. If the error stays, `zfs list -t volume` shows the disk, and `udevadm trigger --subsystem-match=block` on the node makes its device.",
	},
	{
		Name: "memory.full", text: has(`Cannot allocate memory|cannot set up guest memory`), Class: ClassQuotaExceeded,
		Meaning: "Node <node> has too little free memory for the VM.",
		Remedy:  "Stop or move another VM, or reduce spec.size.memory of this one.",
	},
	{
		// Proxmox: ZFS, LVM, directories, Ceph (Telmate/proxmox-api-go#33). Pauses, although a fix outside the claim would do, because each attempt leaves
		// more disks behind.
		Name: "storage.leftover", Class: ClassConfigurationError, Pauses: true,
		text: has(`dataset already exists|Logical Volume "[^"]*" already exists|disk image '[^']*' already exists|` +
			`rbd: create error: \(17\) File exists`),
		Meaning: "The datastore still holds a disk of an earlier VM with this VMID.",
		Remedy: "`pvesm list <datastore> --vmid <vmId>` on the node shows the disk. The provider does not delete it, because it " +
			"may hold data: run `pvesm free <volume>` once nobody needs it, or choose another VMID in spec.proxmox.vmId.",
	},
	{
		// PVE/Storage/Plugin.pm, LVMPlugin.pm, ZFSPoolPlugin.pm; lvm2 (Telmate/terraform-provider-proxmox#1403); QEMU, block/rbd.c.
		Name: "storage.volume", Class: ClassConfigurationError,
		text: has(`no such logical volume |Failed to find logical volume "|zfs error: cannot open '[^']*': dataset does not exist|` +
			`volume '[^']*' does not exist|rbd: error opening image [^\n]*No such file|error reading header from \S+: No such file`),
		Meaning: "A disk or a file of the guest is gone from its datastore on node <node>.",
		Remedy: "`qm config <vmId>` (`pct config <vmId>`) names the guest's volumes, and `pvesm list <datastore> --vmid <vmId>` what is there. Restore the volume from a backup. " +
			"A drive with an ISO that is gone: `qm set <vmId> --ide2 none,media=cdrom`.",
	},
	{
		// run_command of pve-common around the tools of a datastore. SaumonNet/proxmox-nixos#239, bpg/terraform-provider-proxmox#995.
		Name: "storage.timeout", text: has(`command '[^'\n]*/(?:qemu-img|lvcreate|lvextend|zfs|rbd) [^\n]*failed: got timeout`), Class: ClassBusy, Retryable: true,
		Meaning: "A datastore on node <node> took longer to make or grow a disk than Proxmox waits for it.",
		Remedy: "If others wait for it, too, the datastore is slow or hangs: `iostat -x 5` on the node. A large qcow2 disk takes that long by itself while Proxmox writes its tables beforehand: " +
			"`pvesm set <datastore> --preallocation off` ends that for disks that are made or grown from then on.",
	},
	{
		// ZFS, LVM, Ceph. openzfs/zfs#16255, TheGrandWazoo/freenas-proxmox#195. Before the row of any failed task.
		Name: "storage.busy", Class: ClassBusy, Retryable: true,
		text: has(`dataset is busy|has dependent clones|Logical volume \S+ (?:is )?` +
			`(?:in use|used by another device|contains a filesystem in use)|image still has watchers`),
		Meaning: "Something else on node <node> still uses a disk that Proxmox is to remove: a backup, a replication, a snapshot that is being sent, a clone that somebody made of a snapshot, or volumes that the node found inside of the disk.",
		Remedy: "The provider tries again. If it stays, look on the node: `pvesm list <datastore> --vmid <vmId>` and `zfs holds -r` show snapshots, `zfs list -t all -o name,origin` clones, `rbd status` who has an image open, and `lsblk` a volume " +
			"group of the guest that the node activated below the disk (`vgchange -an` of that one).",
	},
	{
		// lvm2. jthornber/thin-provisioning-tools#226, #242.
		Name: "storage.broken", Class: ClassNodeUnhealthy,
		text:    has(`Check of pool \S+ failed|Manual repair required|transaction_id is \d+, while expected`),
		Meaning: "The thin pool of a datastore on node <node> is damaged, often since it ran full, and none of its disks can be used.",
		Remedy: "`lvs -a` on the node shows the pool. Free space in its volume group first; then, with the pool inactive (`lvchange -an`), `lvconvert --repair <group>/<pool>` mends its metadata. Have a backup at hand. " +
			"Keep the volume `_meta0` that it leaves, and do not repair a pool whose transaction_id alone differs: `thin_check` says whether its metadata is whole (lvmthin(7)).",
	},
	{
		// lvm2: the check of a large pool took longer than the node's start waits, and left the parts of the pool active. QubesOS/qubes-issues#10132.
		Name: "storage.halfactive", Class: ClassNodeUnhealthy,
		text:    has(`is prohibited while logical volume \S+_t(?:meta|data) is active`),
		Meaning: "The thin pool of a datastore did not come up whole when node <node> started, so that none of its disks can be used. They are not damaged by that.",
		Remedy: "On the node, `lvs -a` shows the pool: `lvchange -an <group>/<pool>_tmeta <group>/<pool>_tdata`, and then `lvchange -ay <group>`. If it comes with each start of the node, its check takes too long: " +
			"set thin_check_options = [\"-q\", \"--skip-mappings\"] in /etc/lvm/lvm.conf, and run `update-initramfs -u`.",
	},
	{
		// PVE/Storage/RBDPlugin.pm; QEMU, block/rbd.c. ceph/ceph-csi#5150, #2397.
		Name: "storage.ceph", Class: ClassNodeUnhealthy, Retryable: true,
		text: has(`can't (?:un)?map rbd (?:volume|device)|rbd: (?:sysfs write failed|map failed|error opening pool|listing images failed)|` +
			`rbd:\S+: error (?:connecting|opening pool)|rbd: create error: \((?:1|13|95|110)\)`),
		Meaning: "Node <node> reaches a datastore of Ceph, but could not open, map or make a disk in it.",
		Remedy: "`ceph -s` and `dmesg -T` on the node show why: monitors or OSDs that do not answer, a pool that is gone or misspelt (`pvesh get /storage/<datastore>`), a keyring in /etc/pve/priv/ceph that may not " +
			"write to the pool (`ceph auth get client.<user>`), or features of an image that the node's kernel lacks (`rbd info`; take krbd off the datastore).",
	},
	{
		// PVE/Storage/Plugin.pm makes the folders of a datastore and of a VM; qemu-img its files.
		Name: "storage.denied", Class: ClassConfigurationError,
		text:    has(`mkdir /\S+: (?:Permission denied|Operation not permitted)|Could not create '/[^']*': (?:Permission denied|Operation not permitted)`),
		Meaning: "Node <node> may not write into the folder of a datastore, most often since its share does not let root write.",
		Remedy: "Proxmox writes as root: `touch /mnt/pve/<datastore>/images/x` on the node shows it. Export an NFS share with no_root_squash (a NAS calls it \"no mapping\", or maps root to an account that may write), and mount " +
			"a CIFS share with a user who may.",
	},
	{
		// QEMU, util/osdep.c. KVM-VMI/kvm-vmi#20.
		Name: "storage.locks", Class: ClassConfigurationError,
		text:    has(`Failed to (?:un)?lock byte \d+`),
		Meaning: "The share of a datastore on node <node> has no locks for files, without which QEMU opens no disk on it: they keep two VMs from writing to one.",
		Remedy:  "Mount it with NFS 4, which has them (`pvesm set <datastore> --options vers=4.2`, then `umount` its folder on each node while nothing runs from it), or run the lock service of NFS 3 on server and nodes (rpc.statd).",
	},
	{
		// PVE/Storage/LVMPlugin.pm, LvmThinPlugin.pm, ZFSPoolPlugin.pm. The function asks for no format: bpg/terraform-provider-proxmox#845, #1458.
		Name: "storage.format", text: has(`unsupported format '\w+'`), Class: ClassConfigurationError,
		Meaning: "A disk is to have a format that its datastore does not have, such as qcow2 on LVM, ZFS or Ceph, which have raw volumes.",
		Remedy: "The function asks for no format. It comes from a template, or from a disk that somebody moved: `qm config <vmId>` (or of the template) shows the disks. Move that one to the datastore by hand " +
			"(`qm disk move <vmId> <disk> <datastore> --format raw --delete 1`), or choose a datastore with a path, such as a directory or NFS.",
	},
	{
		// The kernel's words, and those of ZFS: openzfs/zfs#7118.
		Name: "storage.io", Class: ClassNodeUnhealthy, Retryable: true,
		text:    has(`Stale file handle|Input/output error|Read-only file system|pool I/O is currently suspended`),
		Meaning: "A datastore of the machine, or the disk of node <node> itself, cannot be read or written.",
		Remedy: "`dmesg -T` and `pvesm status` on the node show which: a disk that fails (`smartctl -a`, `zpool status`; `zpool clear` once a pool's disks are back), or a share whose server was away or was exported anew (`umount -l` its folder: Proxmox mounts it " +
			"again). Save what matters from a disk that fails before anything else. Do not start the VM from another copy of its disk meanwhile.",
	},
	{
		// PVE/API2/Qemu.pm. Telmate/terraform-provider-proxmox#1184.
		Name: "disk.bootorder", text: has(`invalid bootorder: device '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "The VM has no drive or interface that its boot order names, most likely since its template has its boot disk at another interface, or somebody removed it.",
		Remedy: "`qm config <vmId>` shows boot and the drives. Correct images.<image>.templateDisk in the catalogue, or attach the disk again; for what is not needed any more, " +
			"`qm set <vmId> --boot order=<disk>`.",
	},
	{
		// Any other end of a download: wget, tar and gunzip on the node.
		Name: "image.download", text: has(`failed waiting for url download`), Class: ClassConfigurationError, Retryable: true,
		Meaning: "Node <node> could not download the image, or could not unpack it.",
		Remedy: "The node's task history (`pvenode task list --typefilter imgdown`, `pvenode task log <UPID>`) shows the cause. Compare images.<image>.url " +
			"with what the server has.",
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
		// QEMU, block/qcow2.c.
		Name: "disk.snapshots", text: has(`Can't resize an? (?:v2 )?image which has snapshots`), Class: ClassConfigurationError,
		Meaning: "A disk of the VM, a qcow2 file, has snapshots, and does not grow before they are gone. Nothing of it was changed.",
		Remedy:  "`qm listsnapshot <vmId>` lists them. Once nobody needs them, `qm delsnapshot <vmId> <snapshot>` removes one, and the provider grows the disk. Or write the former size into the claim.",
	},
	{
		// QEMU, block/file-posix.c. kolesa-team/pve-purestorage-plugin#2.
		Name: "disk.device", text: has(`Cannot grow device files`), Class: ClassRebootRequired, Retryable: true,
		Meaning: "The datastore has made a disk larger, and node <node> or the VM, which runs, still sees its former size.",
		Remedy: "The provider tries again. If the error stays, rescan the device on the node (`iscsiadm -m session --rescan`, `multipathd resize map`), or stop and start the VM: set spec.lifecycle.reboot to a new " +
			"value.",
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
		// PVE/API2/Qemu.pm: the value is among the pending ones. bpg/terraform-provider-proxmox#2060, #2707.
		Name: "reboot.hotplug", text: has(`: hotplug problem - `), Class: ClassRebootRequired,
		Meaning: "A change cannot be made while the VM runs. Proxmox keeps it for the next start (`qm pending <vmId>`).",
		Remedy: "At a time of your choice, set spec.lifecycle.reboot to a new value, or shut the VM down in Proxmox and start it again. A restart from inside the guest does " +
			"not make such a change.",
	},
	{
		// PVE/QemuServer/Agent.pm; WaitForNetworkInterfacesFromVMAgent of the plugin. Before vm.monitor: Proxmox asks the agent through QEMU.
		Name: "agent.silent", Class: ClassBusy, Retryable: true,
		text:    has(`qmp command 'guest-[^']*' failed|guest agent is not running|No QEMU guest agent configured|waiting for the QEMU agent on VM`),
		Meaning: "The guest agent in the VM does not answer. The VM itself is as it was.",
		Remedy: "`qm agent <vmId> ping` on the node asks it. In the guest, `systemctl status qemu-guest-agent` says why it does not run; a guest that hangs, or that boots, has none either. If it was switched on " +
			"only now, its device comes with the VM's next stop and start.",
	},
	{
		// PVE/QemuServer/Monitor.pm, PVE/QMPClient.pm.
		Name: "vm.monitor", text: has(`qmp socket - |qmp command (?:'[^']*' )?failed - (?:got timeout|got wrong|client closed)`), Class: ClassNodeUnhealthy, Retryable: true,
		Meaning: "QEMU, the process of the VM on node <node>, does not answer Proxmox. Most often it waits for a datastore that hangs or is full.",
		Remedy: "Look at the datastore first (`pvesm status` on the node): the process goes on once that answers. If `qm status <vmId> --verbose` says paused or io-error then, `qm resume <vmId>` lets the guest run " +
			"on. `qm stop <vmId>` is like pulling the plug: the last resort, and the remedy of internal-error.",
	},
	{
		// PVE/Tools.pm: assert_if_modified.
		Name: "vm.changed", text: has(`detected modified configuration`), Class: ClassBusy, Retryable: true,
		Meaning: "Somebody else changed the guest in Proxmox at the same moment as the provider, which wrote nothing then.",
		Remedy:  "You need not do anything: the provider reads the guest anew, and tries again.",
	},
	{
		// After all rows about templates and about a VM that is being made.
		Name: "vm.gone", Class: ClassConfigurationError, Retryable: true, // PVE/QemuConfig.pm, PVE/LXC/Config.pm.
		text:    has(`unable to find configuration file for (?:VM|CT) \d+|Configuration file '[^']*' does not exist`),
		Meaning: "The guest is not on node <node> any more: somebody moved or deleted it while the provider worked on it.",
		Remedy:  "`pvesh get /cluster/resources --type vm` shows where <vmId> is. If it was moved, the error passes with the provider's next poll.",
	},
	{
		Name: "vm.locked", text: has(`(?:VM|CT)(?: \d+)? is locked|can't lock file|unable to (?:acquire|get exclusive) lock|configuration to become unlocked|Failed to obtain guest migration lock`), Class: ClassBusy, Retryable: true, // Proxmox.
		Meaning: "Another task in Proxmox, for instance a backup, has locked the VM or container.",
		Remedy: "Wait for the task. If no task runs (`qm config <vmId>` shows the lock), `qm unlock <vmId>` (`pct unlock`) on the node removes " +
			"the leftover lock.",
	},
}
