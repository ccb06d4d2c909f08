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
		Name: "ssh.auth", text: has(`unable to authenticate`), Class: ClassAuthenticationError,
		Meaning: "Node <node> refuses the provider's SSH key.",
		Remedy: "The credentials Secret needs ssh_username and ssh_private_key (a key without a passphrase). Add the public key to " +
			"~/.ssh/authorized_keys of this user on the node.",
	},
	{
		Name: "auth", text: has(`received an HTTP 401 response`), Class: ClassAuthenticationError,
		Meaning: "Proxmox refuses the provider's credentials.",
		Remedy: "Check api_token in the credentials Secret: its form is user@realm!name=uuid, on one line. `pveum user token list " +
			"<user@realm>` shows whether the token exists and has not expired. Proxmox shows the secret part only once; create a new " +
			"token if in doubt.",
	},
	{
		Name: "permission.root", text: has(`only root can (set|modify|use)`), Class: ClassAuthenticationError,
		Meaning: "Only root@pam with a password may set one of this VM's fields in Proxmox; an API token may not.",
		Remedy: "Pass devices through with a resource mapping (spec.devices.pci[].mapping, spec.devices.usb[].mapping; Datacenter " +
			"> Resource Mappings). Check that nobody set another such field on the VM or its template by hand.",
	},
	{
		Name: "permission.download", text: has(`download url(?s:.*)received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token may not make a node download an image.",
		Remedy: "The token needs Datastore.AllocateTemplate on /storage/<datastore>, and Sys.AccessNetwork on /nodes/<node> (or " +
			"Sys.Audit and Sys.Modify on /). Of the predefined roles, only Administrator has the latter, so create a role with " +
			"`pveum role add`.",
	},
	{
		Name: "permission", text: has(`received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token lacks a privilege in Proxmox.",
		Remedy: "Give its user, with `pveum acl modify`, " + privilege.Sentence() + ". Some machines need more: " + privilege.OptionalSentence() +
			". `kubectl machine privileges` prints the commands, and with --check what a token lacks; docs/privileges.md says what each privilege is for. A token with privilege separation does not inherit its " +
			"user's privileges.",
	},
}

// nodeRows: a node, or the Proxmox cluster, does not work.
var nodeRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "node.quorum", text: has(`no quorum`), Class: ClassNodeUnhealthy, Retryable: true, // Proxmox: cluster not ready - no quorum?
		Meaning: "The Proxmox cluster has no quorum, so nothing in it can change.",
		Remedy:  "Bring the missing nodes back; `pvecm status` on a node names them.",
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
		Name: "node.unknown", text: has(`hostname lookup '[^']*' failed|no such cluster node`), Class: ClassConfigurationError,
		Meaning: "Proxmox has no node <node>.",
		Remedy: "Correct spec.proxmox.node; `pvesh get /nodes` lists the nodes. List them in the catalogue under " +
			"sites.<site>.nodes, so that the function refuses a claim with another node.",
	},
	{
		Name: "storage.offline", text: has(`storage '[^']*' is not online`), Class: ClassNodeUnhealthy, Retryable: true, // Proxmox.
		Meaning: "A datastore that this machine needs is not online on node <node>.",
		Remedy:  "`pvesm status` on the node names the datastore; check the server or the disk behind it.",
	},
	{
		Name: "pve.busy", text: has(`- Reason: got timeout`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox did not answer in time.",
		Remedy: "A short load peak passes. If the error stays, check the load and the datastores of node <node> (`pvesm status` " +
			"hangs if a datastore hangs).",
	},
	{
		Name: "pve.unavailable", text: has(`received an HTTP 50[234] response`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Proxmox, or a proxy in front of it, does not answer.",
		Remedy:  "Run `systemctl status pveproxy pvedaemon` on the endpoint's node; check the proxy if there is one.",
	},
	{
		Name: "unsupported", text: has(`received an HTTP 501 response`), Class: ClassConfigurationError,
		Meaning: "This Proxmox VE does not support an API call of the provider.",
		Remedy:  "Upgrade Proxmox VE to 8.4 or later, or use a template: catalogue key images.<image>.template.",
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
		Name: "vm.create.timeout", text: has(`timeout while waiting for task`), Class: ClassBusy, Retryable: true,
		Meaning: "A task in Proxmox took longer than the provider waits.",
		Remedy: "You need not do anything: the provider finds the result of the task. If the error stays, the datastore is slow or " +
			"hangs; check the running tasks of node <node>.",
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
