package diagnose

import "github.com/homelab-io/function-proxmox-machine/internal/privilege"

// accessRows: credentials, privileges and certificates.
var accessRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "ssh.hostkey", text: has(`REMOTE HOST IDENTIFICATION HAS CHANGED`), Class: ClassAuthenticationError,
		Meaning: "Node <node> has another SSH host key than the provider saw before.",
		Remedy: "If the node was installed anew, " + restart + ": the provider then accepts the new key. Otherwise find out which " +
			"server answers at the node's address.",
	},
	{
		Name: "ssh.sftp", text: has(`failed to create SFTP client: `), Class: ClassConfigurationError,
		Meaning: "The SSH server of node <node> has no SFTP, which the provider needs to write snippets.",
		Remedy: "Add `Subsystem sftp internal-sftp` to /etc/ssh/sshd_config on the node, and run `systemctl reload ssh` there. For a " +
			"user with a forced command, allow SFTP.",
	},
	{
		// proxmox/ssh/client.go of the plugin v0.111.1, NodeStreamUpload: tee runs with sudo where the user may run pvesm or qm with it, and
		// then SFTP changes the mode, always as the user.
		Name: "ssh.chmod", text: has(`failed to change file mode of remote file`), Class: ClassConfigurationError,
		Meaning: "The provider wrote a snippet on node <node>, but its SSH user may not make it private: the file belongs to somebody else, " +
			"usually to root. Until then, every user of the node can read it.",
		Remedy: "Take the sudo rules for pvesm, qm and tee from the provider's SSH user, and give this user the folder of snippets " +
			"(`chown <user> /var/lib/vz/snippets`), or let the provider log in as root. docs/start.md has the commands. Remove files of root from " +
			"the folder that the message is about.",
	},
	{
		Name: "ssh.handshake", text: has(`ssh: no common algorithm`), Class: ClassConfigurationError,
		Meaning: "The provider and the SSH server of node <node> cannot agree on a connection.",
		Remedy: "Allow a current algorithm in /etc/ssh/sshd_config on the node; `sshd -T | grep -i -E 'kex|ciphers|hostkeyalgorithms'` " +
			"lists what it allows.",
	},
	{
		// proxmox/ssh/client.go of the plugin v0.111.1; golang.org/x/crypto/ssh. The message begins with "unable to authenticate".
		Name: "ssh.key", text: has(`failed to parse private key|passphrase protected|ssh: no key found`), Class: ClassConfigurationError,
		Meaning: "The provider cannot read the SSH private key in its credentials.",
		Remedy: "ssh_private_key in the credentials Secret must be the whole file of a key without a passphrase, in PEM or OpenSSH's form, with its lines (`\\n` in JSON) and " +
			"the last line's end. `ssh-keygen -y -P '' -f <file>` reads it, if it is right.",
	},
	{
		Name: "ssh.agent", text: has(`failed connecting to SSH auth socket`), Class: ClassConfigurationError, // The plugin.
		Meaning: "The credentials tell the provider to use an SSH agent, and its pod has none.",
		Remedy:  "Take ssh_agent out of the credentials Secret, and write ssh_username and ssh_private_key into it (a key without a passphrase).",
	},
	{
		Name: "ssh.address", Class: ClassConfigurationError, // proxmoxtf/provider/provider.go of the plugin.
		text:    has(`failed to determine the IP address of node|failed to resolve node "[^"]*" via DNS|DNS lookup for node "[^"]*" returned no`),
		Meaning: "The provider does not find the address under which it reaches node <node> over SSH.",
		Remedy: "It takes the address of the node's interface with a gateway (`pvesh get /nodes/<node>/network`), or what DNS says of the node's name: the provider's token needs " +
			"Sys.Audit on /nodes, and SDN.Audit or SDN.Use on /sdn/zones/localnetwork to see bridges, or the node's name must resolve in the cluster.",
	},
	{
		Name: "ssh.sudo", text: has(`SSH user '[^']*' does not have required permissions`), Class: ClassConfigurationError, // The plugin.
		Meaning: "The provider's SSH user may not run Proxmox's commands on node <node>.",
		Remedy:  "ssh_username in the provider's credentials must be root, or a user with the sudo rules of docs/start.md; sudo must be installed on the node.",
	},
	{
		Name: "ssh.auth", text: has(`unable to authenticate`), Class: ClassAuthenticationError,
		Meaning: "Node <node> refuses the provider's SSH key.",
		Remedy: "The credentials Secret needs ssh_username and ssh_private_key (a key without a passphrase). Add the public key to " +
			"~/.ssh/authorized_keys of this user on the node.",
	},
	{
		// PVE/APIServer and PVE/AccessControl.pm. bpg/terraform-provider-proxmox#2420: the login of a user with a second factor is half done. A ticket holds for
		// two hours by the clock of the node that made it.
		Name: "auth.ticket", text: has(`received an HTTP 401 response - Reason: (?:No ticket|[^\n]*invalid PVE ticket)`), Class: ClassAuthenticationError,
		Meaning: "Proxmox does not take the provider's login: it is by username and password, and a second factor or a wrong clock voids it; or what the credentials have as token is none.",
		Remedy: "Give the provider an api_token (user@realm!name=uuid, on one line) in the credentials Secret, in place of username and password: a token needs no second factor, and no clock. " +
			"Compare `timedatectl` of the Proxmox nodes all the same.",
	},
	{
		Name: "auth", text: has(`received an HTTP 401 response`), Class: ClassAuthenticationError,
		Meaning: "Proxmox refuses the provider's credentials.",
		Remedy: "Check api_token in the credentials Secret: its form is user@realm!name=uuid, on one line. `pveum user token list " +
			"<user@realm>` shows whether the token exists and has not expired. Proxmox shows the secret part only once; create a new " +
			"token if in doubt.",
	},
	{
		Name: "permission.root", text: has(`[Oo]nly root can (?:set|modify|use|pass)|Permission check failed \(user != root@pam\)`), Class: ClassAuthenticationError,
		Meaning: "Only root@pam with a password may set one of this VM's fields in Proxmox; an API token may not.",
		Remedy: "Pass devices through with a resource mapping (spec.devices.pci[].mapping, spec.devices.usb[].mapping; Datacenter " +
			"> Resource Mappings). Check that nobody set another such field on the VM or its template by hand.",
	},
	{
		// check_pool_exist of PVE::RPCEnvironment answers as if a privilege were missing.
		Name: "pool.missing", text: has(`no such pool '|pool '[^']*' does not exist`), Class: ClassConfigurationError,
		Meaning: "The pool that this machine shall be in does not exist in Proxmox.",
		Remedy:  "`pvesh get /pools` lists the pools. Correct spec.proxmox.pool, or create it (`pvesh create /pools --poolid <name>`, or the claim of a ProxmoxSite).",
	},
	{
		Name: "permission.download", text: has(`download url(?s:.*)received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token may not make a node download an image.",
		Remedy: "The token needs Datastore.AllocateTemplate on /storage/<datastore>, and Sys.AccessNetwork on /nodes/<node> (or " +
			"Sys.Audit and Sys.Modify on /). Of the predefined roles, only Administrator has the latter, so create a role with " +
			"`pveum role add`.",
	},
	{
		Name: rowPermission, text: has(`received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token lacks a privilege in Proxmox.",
		Remedy: "Give its user, with `pveum acl modify`, " + privilege.Sentence() + ". Some machines need more: " + privilege.OptionalSentence() +
			". `kubectl machine privileges` prints the commands, and with --check what a token lacks; docs/privileges.md says what each privilege is for. A token with privilege separation does not inherit its " +
			"user's privileges.",
	},
}

// Files that a node writes, and what Perl says of it: "unable to open file '…' - …", "close (rename) atomic file '…' failed: …"; file_set_contents of
// PVE/Tools.pm, pve-common.
const (
	perlSays = `(?: failed)?(?: -|:) `
	// inCluster is a file of the cluster file system.
	inCluster = `'/etc/pve/[^']*'` + perlSays
	// ofNode is a file of the node itself: none of a datastore, of which local is at /var/lib/vz.
	ofNode = `'(?:/etc/pve|/run|/tmp|/var/(?:lib/pve[\w-]*|lock|log|tmp))/[^']*'` + perlSays
)

// nodeRows: a node, or the Proxmox cluster, does not work.
var nodeRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// Proxmox: cluster not ready - no quorum? Without quorum, /etc/pve is read-only, also for root: PVE/Tools.pm, file_set_contents.
		Name: "node.quorum", text: has(`no quorum|` + inCluster + `Permission denied`), Class: ClassNodeUnhealthy, Retryable: true,
		Meaning: "The Proxmox cluster has no quorum, so nothing in it can change. VMs that run keep running.",
		Remedy:  "Bring the missing nodes back; `pvecm status` on a node names them.",
	},
	{
		// A look at a VMID: the Proxmox cluster knows on which node the VM or container with that number is, and the provider asks that one.
		Name: "node.offline.vmid", text: has(`cannot run import: [^\n]*error retrieving VM \d+: received an HTTP 59[5-9] response`), Class: ClassNodeUnhealthy,
		Retryable: true, Meaning: "Proxmox cannot reach the node that has a VM or container with VMID <vmId> already.",
		Remedy: "`pvesh get /cluster/resources --type vm` names that node. When it is back, the provider goes on. If it does not come back, choose another VMID in " +
			"spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one).",
	},
	{
		Name: "node.offline", text: has(`received an HTTP 59[5-9] response`), Class: ClassNodeUnhealthy, Retryable: true,
		Meaning: "Proxmox cannot reach node <node>.",
		Remedy: "Check that the node is on and in the cluster (`pvecm status`), and that its pveproxy runs; `pvecm updatecerts` on the " +
			"node renews its certificate. The provider continues with its machines when the node is back.",
	},
	{
		// Proxmox: check_service_state of PVE::API2::HA::Resources refuses every change but the state disabled.
		Name: "ha.error", text: has(`in error state, must be disabled and fixed first`), Class: ClassNodeUnhealthy,
		Meaning: "Proxmox's HA manager has given the VM up: it could not start or stop it, and changes nothing before a person has mended that.",
		Remedy: "`ha-manager status` and `journalctl -u pve-ha-lrm` on the VM's node have the cause. Mend it, and run `ha-manager set vm:<vmId> --state " +
			"disabled`, which stops the VM: then the provider sets the state again, and the HA manager starts the VM.",
	},
	{
		// PVE/API2/Qemu.pm: Proxmox hands power and migration of such a VM to the HA manager.
		Name: "ha.refused", text: has(`command 'ha-manager [^']*' failed|failed to initiate HA migration`), Class: ClassNodeUnhealthy,
		Meaning: "Proxmox's HA manager did not take a command for the VM, and the VM stays as it is.",
		Remedy: "`ha-manager status` names the state of vm:<vmId>. In state error: mend the cause (`journalctl -u pve-ha-lrm` on the VM's node), then `ha-manager set vm:<vmId> " +
			"--state disabled`, which stops the VM, and the provider sets the state again. In state fence or recovery, wait until the node is back or has been fenced.",
	},
	{
		// What a node writes before it touches a datastore: its tasks' logs, locks, and guests' configuration.
		Name: "node.full", Class: ClassQuotaExceeded, text: has(ofNode + `No space left on device`),
		Meaning: "A file system of a Proxmox node itself is full, and no datastore of the machine: the node can write neither guests' configuration nor the logs of its tasks. " +
			"VMs that run keep running.",
		Remedy: "`df -h / /var/log /run` on node <node>, and on the node of the endpoint, shows which. Mostly / is full of images, backups or ISO files of datastore local (`pvesm list local`), " +
			"or of logs (`journalctl --vacuum-size=500M`). `systemctl status pve-cluster` says whether the cluster file system has suffered from it.",
	},
	{
		// jiangcuo/Proxmox-Arm64#8.
		Name: "node.pmxcfs", text: has(`ipcc_send_rec\[\d+\] failed|` + inCluster + `(?:Input/output error|Transport endpoint|No such file)`), Class: ClassNodeUnhealthy, Retryable: true,
		Meaning: "Proxmox's cluster file system does not run on node <node>, or on the node of the endpoint, so that it knows no guests.",
		Remedy:  "`systemctl status pve-cluster` on the node shows why. Often the node's name leads to 127.0.1.1 in /etc/hosts, in place of its address (so after the node was renamed), or / is full.",
	},
	{
		Name: "ha.used", text: has(`used in HA resources and purge parameter not set`), Class: ClassProtected, // Proxmox.
		Meaning: "The HA manager still has the VM, so Proxmox does not remove it.",
		Remedy:  "`ha-manager remove vm:<vmId>` lets the deletion continue.",
	},
	{
		Name: "replication.job", text: has(`replication job '[^']*' for guest '\d+' - Please remove`), Class: ClassProtected, // Proxmox.
		Meaning: "The guest has a replication job, so Proxmox does not remove the guest.",
		Remedy:  "`pvesr list` on the node names the job. `pvesr delete <job>` removes it with its copies on other nodes, and the deletion continues.",
	},
	{
		// PVE/API2/Qemu.pm, PVE/ReplicationConfig of pve-guest-common.
		Name: "replication.disk", Class: ClassConfigurationError,
		text:    has(`(?:non-replicatable|non-managed/pass-through) volume to a replicated|missing replicate feature on volume|unable to replicate volume`),
		Meaning: "The guest has a replication job, and a disk of the claim is on a datastore that cannot be replicated.",
		Remedy:  "Replication takes disks on ZFS only: choose such a datastore for the disk, or remove the job (`pvesr list`, `pvesr delete <job>`).",
	},
	{
		// PVE/QemuMigrate.pm; vmMigrate of the plugin.
		Name: "migrate", Class: ClassProviderError, Retryable: true,
		text: has(`error migrating VM: |can't (?:live )?migrate |[Cc]annot live-migrate replicated VM|[Mm]igration aborted|did not migrate to node \S+ within|` +
			`but still locked after timeout`),
		Meaning: "Proxmox did not move the VM to another node: it stays where it is, and keeps running.",
		Remedy: "The task log of VM <vmId> has the cause: passed-through devices, a bridge or a datastore that the other node lacks, local disks or a local image in a " +
			"drive, a snapshot of local disks, which do not move with it while the VM runs, a replication job to other nodes, a node in maintenance mode (`ha-manager status`), or another processor (cpuType `host` moves between equal ones only). Mend it, or take back the change of spec.proxmox.node.",
	},
	{
		Name: "node.unknown", text: has(`hostname lookup '[^']*' failed|no such cluster node`), Class: ClassConfigurationError,
		Meaning: "Proxmox has no node <node>.",
		Remedy: "Correct spec.proxmox.node; `pvesh get /nodes` lists the nodes. List them in the catalogue under " +
			"sites.<site>.nodes, so that the function refuses a claim with another node.",
	},
	{
		Name: "storage.offline", Class: ClassNodeUnhealthy, Retryable: true, // Proxmox, LVM, ZFS, Ceph, open-iscsi: TheGrandWazoo/freenas-proxmox#90.
		text: has(`storage '[^']*' is not (?:online|activated)|(?:unable to|could not|can't) activate storage|no such volume group '|no such thin pool |` +
			`: no such pool|couldn't connect to the cluster|mount error: |iscsiadm: |/iscsiadm [^\n]*failed: exit code|iSCSI: Failed to connect to LUN`),
		Meaning: "A datastore that this machine needs is not online on node <node>.",
		Remedy:  "`pvesm status` on the node names the datastore; check the server or the disk behind it, and whether it is mounted on this node (for iSCSI, `iscsiadm -m session`).",
	},
	{
		Name: "storage.node", text: has(`storage '[^']*' is (?:not available on node '|disabled)`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "A datastore that this machine needs is disabled, or is not for node <node>.",
		Remedy: "`pvesh get /storage/<datastore>` shows its nodes, and whether it is disabled. Correct that (Datacenter > Storage), or choose another datastore in " +
			"spec.proxmox.storage, spec.disks[].storage or sites.<site>.nodes.<node>.datastores. For a clone, the template's own node needs the datastore, too.",
	},
	{
		Name: "storage.locked", Class: ClassBusy, Retryable: true, // PVE/Cluster.pm, PVE/Storage.
		text:    has(`can't lock file '/var/lock/pve-manager/pve-storage-|got lock (?:request )?timeout|'storage-[^']*'-locked command timed out`),
		Meaning: "Other tasks have the lock of a datastore that this machine needs: many disks are being made on it at once, or it is slow.",
		Remedy: "You need not do anything while tasks run. If none does (`pvenode task list --source active`), the datastore hangs: `pvesm status` on " +
			"node <node>. There is nothing to unlock.",
	},
	{
		// The second is of PVE/RESTEnvironment.pm: pvedaemon could not begin the task. The plugin retries it for a creation, and for nothing else.
		Name: "pve.busy", text: has(`- Reason: got timeout|got no worker upid`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox did not answer in time, or could not begin a task.",
		Remedy: "A short load peak passes. If the error stays, check the load and the datastores of node <node> (`pvesm status` " +
			"hangs if a datastore hangs).",
	},
	{
		Name: "pve.unavailable", text: has(`received an HTTP (?:429|50[234]|52\d) response`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Proxmox, or a proxy in front of it, does not answer.",
		Remedy:  "Run `systemctl status pveproxy pvedaemon` on the endpoint's node; check the proxy if there is one.",
	},
	{
		Name: "unsupported", text: has(`received an HTTP 501 response`), Class: ClassConfigurationError,
		Meaning: "This Proxmox VE does not support an API call of the provider.",
		Remedy: "Upgrade Proxmox VE to 8.4 or later, or use a template: catalogue key images.<image>.template. If every call fails so, endpoint in the credentials Secret goes on " +
			"after the port: it must be https://host:8006/ alone, without api2/json.",
	},
	{
		// Checks of the provider's client, and pages of a proxy that wants a login first: AnalogJ/scrutiny#349, homarr-labs/homarr#4232.
		Name: "endpoint", Class: ClassConfigurationError,
		text:    has(`failed to decode HTTP \w+ response [^\n]*invalid character|received an HTTP 3\d\d response|you must specify a (?:secure|valid) endpoint`),
		Meaning: "What answers at the endpoint is not the API of Proxmox, but a page; or the endpoint is no https address.",
		Remedy: "endpoint in the credentials Secret must be https://host:8006/, or a proxy that passes every request on to it: `curl -sk <endpoint>api2/json/version` must " +
			"answer with JSON. A proxy that asks for a login has to let the provider through without one.",
	},
	{
		// bpg/terraform-provider-proxmox#15, #30.
		Name: "provider.answer", text: has(`failed to decode HTTP \w+ response [^\n]*json: cannot unmarshal`), Class: ClassProviderError, Retryable: true,
		Meaning: "The provider does not understand an answer of Proxmox: the two are of releases that do not know each other.",
		Remedy: "docs/compatibility.md has the releases that were tried together: upgrade the older one of the two. If both are, report the error's first line to the provider. " +
			"Delete no managed resource for this.",
	},
}

// generalRows: errors of any call.
var generalRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "agent.timeout", text: has(`^ReconcileError: observe failed: cannot run refresh: refresh failed: ?$`), Class: ClassProviderError,
		Meaning: "Every poll of the VM takes longer than the provider's limit of three minutes, because the provider waits for a " +
			"guest agent that does not answer.",
		Remedy: "Restart the provider's pod, so that this machine's shorter timeout takes effect (`kubectl -n crossplane-system " +
			"delete pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, while no machine is being created or deleted). Then " +
			"repair the agent in the guest: `qm agent <vmId> ping` on the node.",
	},
	{
		// The API server's optimistic lock: the provider writes anew at once.
		Name: "kubernetes.conflict", text: has(`the object has been modified`), Class: ClassBusy, Retryable: true,
		Meaning: "The managed resource changed while the provider wrote to it.",
		Remedy:  "You need not do anything. If it stays, something else keeps writing to the managed resource (`kubectl get <resource> -o yaml --show-managed-fields`).",
	},
	{
		// Terraform and the kernel: crossplane/terrajet#114, crossplane-contrib/provider-upjet-aws#194. A panic: bpg/terraform-provider-proxmox#1491, #676.
		Name: "provider.plugin", Class: ClassProviderError, Retryable: true,
		text: has(`Plugin did not respond|[Pp]lugin process exited|Unrecognized remote plugin message|[Ff]ailed to instantiate provider|` +
			`Failed to load plugin schemas|Could not load plugin|signal: killed`),
		Meaning: "The provider's own process was killed, crashed or did not start: most often, its pod has too little memory.",
		Remedy: "`kubectl -n crossplane-system describe pod -l pkg.crossplane.io/provider=provider-proxmox-bpg` shows whether it was OOMKilled. Raise its limit of memory, or lower " +
			"--max-reconcile-rate, in its DeploymentRuntimeConfig. If it was not, look for `panic:` in its log: that is a fault of the provider at something that this VM has, which an upgrade mends " +
			"(docs/compatibility.md), and `qm config <vmId>` shows what to report.",
	},
	{
		// Terraform: what is in the managed resource was written by a newer release of the provider, or has fields that this one does not have.
		Name: "provider.version", Class: ClassProviderError,
		text:    has(`managed by newer provider version|created by a newer provider version|Unsupported argument: |Missing required argument: `),
		Meaning: "The provider that runs is another release than the one that wrote this managed resource, or than its kinds in the cluster. Nothing in Proxmox was changed.",
		Remedy: "`kubectl get providers.pkg.crossplane.io,providerrevisions.pkg.crossplane.io` shows both. Let an upgrade finish; after a downgrade, set spec.package of the Provider back to the newer release. " +
			"Delete no managed resource for this.",
	},
	{
		Name: "provider.stopped", text: has(`context canceled|signal: (?:terminated|interrupt)`), Class: ClassBusy, Retryable: true,
		Meaning: "The provider was stopped in the middle of this: its pod was restarted, moved or upgraded.",
		Remedy:  "You need not do anything: the provider that runs now reads the object anew. A task that Proxmox has begun goes on by itself.",
	},
	{
		// Terraform's files in the provider's pod.
		Name: "provider.state", Class: ClassProviderError, Retryable: true,
		text:    has(`Error acquiring the state lock|Inconsistent dependency lock file|Required plugins are not installed`),
		Meaning: "The provider's working folder for this managed resource is locked or damaged, most often since its process was killed. Nothing in Proxmox was changed.",
		Remedy:  "If it stays, " + restart + ": it makes all working folders anew.",
	},
	{
		// Terraform. bpg/terraform-provider-proxmox#3022, #2463.
		Name: "provider.inconsistent", text: has(`Provider (?:produced|returned) (?:inconsistent|invalid|an unexpected)`), Class: ClassProviderError, Retryable: true,
		Meaning: "The provider read back something else than it had written, which is a fault of the provider. What Proxmox has is most often right.",
		Remedy: "Compare `qm config <vmId>` on the node with the claim. The provider looks again with its next poll. If the error stays, upgrade the provider (docs/compatibility.md), and report its text without " +
			"secrets.",
	},
	{
		Name: "vm.create.timeout", text: has(`timeout while waiting for task`), Class: ClassBusy, Retryable: true,
		Meaning: "A task in Proxmox took longer than the provider waits.",
		Remedy: "You need not do anything: the provider finds the result of the task. If the error stays, the datastore is slow or " +
			"hangs; check the running tasks of node <node>.",
	},
	{
		// PVE/QemuServer.pm, PVE/API2/Qemu.pm. Telmate/terraform-provider-proxmox#460.
		Name: "vm.power", text: has(`(?:VM|CT) \d+ (?:is )?(?:already|not) running`), Class: ClassBusy, Retryable: true,
		Meaning: "The VM or container was started or stopped by somebody else when the provider was about to, or its process has ended by itself.",
		Remedy: "You need not do anything: the provider looks again with its next poll. If it ends again and again, `journalctl -k` on node <node> shows whether the kernel killed it for want of memory (`Out of " +
			"memory: Killed process`): then move or shrink machines, since their memory together is more than the node has.",
	},
	{
		// pve-common, PVE/RESTEnvironment.pm.
		Name: "task.cancelled", text: has(`exit code: (?:interrupted by signal|unexpected status|received interrupt)`), Class: ClassBusy, Retryable: true,
		Meaning: "A task of Proxmox on node <node> was cut off: somebody stopped it, or the node or its pvedaemon was restarted meanwhile.",
		Remedy:  "The provider tries again. If a lock stays behind, the next error says which.",
	},
	{
		Name: "vm.start", text: has(`VM start: task`), Class: ClassProviderError, Retryable: true,
		Meaning: "Proxmox could not start the VM.",
		Remedy: "The task log of VM <vmId> on node <node> shows the cause: a missing snippet, bridge or mapped device, or too " +
			"little memory.",
	},
	{
		Name: "task.failed", text: has(`task "UPID[^"]*" failed to complete`), Class: ClassProviderError, Retryable: true,
		Meaning: "A task failed on node <node>.",
		Remedy:  "The node's task history (`pvenode task list --errors 1`, `pvenode task log <UPID>`) shows the cause.",
	},
	{
		// bpg v0.111.1 writes an empty disk in the place of the one that is gone, and then fails at a disk without an interface: seen with the simulator.
		Name: "disk.detached", Class: ClassConfigurationError, Pauses: true,
		text:    has(`Defined disk interface not supported\. Interface was ,`),
		Meaning: "Somebody detached a disk of VM <vmId> in Proxmox, and the provider has put an empty disk in its place; in the place of the boot disk, a fresh copy of its image.",
		Remedy: "`qm config <vmId>` on node <node> shows the former disk as unused0, unless somebody destroyed it: nothing writes to it. A guest that has mounted a data disk before does not format the empty one, and K3s " +
			"does not start on it. To have the former disk again, shut the VM down, detach the new one, attach the former one in its slot with the same serial, such as " +
			"`qm set <vmId> --delete scsi1 && qm set <vmId> --scsi1 <volume>,serial=<name of the disk>`, and set spec.lifecycle.retry to a new value. To go on with the new disk, only do the last.",
	},
	{
		Name: "render.invalid", Class: ClassValidationFailed, Pauses: true,
		text:    has(`refresh failed: expected |to be in the range \(|invalid value for |Parameter verification failed|Defined disk interface not supported`),
		Meaning: "The provider or Proxmox refuses a value of this managed resource.",
		Remedy: "The function checks the claim's values before it renders them. So check unusual hardware in claim and catalogue " +
			"(cpuType, firmware, cache, MAC address), and whether this Proxmox VE supports it.",
	},
	{
		// Words that no row above knows the place of.
		Name: "network", Class: ClassNetworkError, Retryable: true,
		text: has(`connection refused|no such host|: EOF|i/o timeout|context deadline exceeded|no route to host|network is unreachable|` +
			`connection reset by peer|Temporary failure in name resolution|server misbehaving`),
		Meaning: "A connection of the provider failed.",
		Remedy: "The provider needs the Proxmox API (endpoint in the credentials Secret) and, for snippets, port 22 of the nodes. Check " +
			"both from the provider's pod, and its log.",
	},
	{
		// The last row: reading an existing VM may also fail for the reason of any other row.
		Name: rowSilent, text: has(`Refreshing state\.\.\. \[id=`), Class: ClassConfigurationError,
		Meaning: "This managed resource is observe-only, and the provider cannot read the object within three minutes.",
		Remedy: "Check the load of node <node>. (For a VM this is not an error: it says that a VM with this VMID exists, and that " +
			"its guest agent is enabled but does not answer, see condition VMIDInUse.)",
	},
}
