package diagnose

// accessRows: credentials, privileges and certificates.
var accessRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The same text goes on with "unable to authenticate", which is not the cause.
		Name: "ssh.unreachable", text: has(`failed to dial`), Class: ClassNetworkError, Retryable: true,
		Meaning: "The provider cannot reach node <node> over SSH, which it needs to write snippets.",
		Remedy: "Port 22 of the node's address must be open to the provider's pod; `pvesh get /nodes/<node>/network` shows the address that is " +
			"used: the first one with a gateway. A machine that renders no user-data needs no SSH.",
	},
	{
		Name: "ssh.auth", text: has(`unable to authenticate user`), Class: ClassAuthenticationError,
		Meaning: "Node <node> refuses the provider's SSH key.",
		Remedy: "The credentials Secret needs ssh_username and ssh_private_key (a key without a passphrase), and the public half must stand in " +
			"that user's ~/.ssh/authorized_keys on the node.",
	},
	{
		Name: "tls", text: has(`tls: |x509: `), Class: ClassConfigurationError,
		Meaning: "The certificate of Proxmox is not one that the provider trusts.",
		Remedy: "Give Proxmox a certificate of a known authority for the name in the endpoint (`pvenode acme` or `pvenode cert set`), or set " +
			"\"insecure\": \"true\" in the credentials Secret, which gives up knowing whom one talks to.",
	},
	{
		Name: "auth", text: has(`received an HTTP 401 response`), Class: ClassAuthenticationError,
		Meaning: "Proxmox refuses the provider's credentials.",
		Remedy: "Check api_token in the credentials Secret: it reads user@realm!name=uuid, in one line. `pveum user token list <user@realm>` " +
			"shows whether the token exists and is not expired; the secret half is shown only when it is made, so make a new one if in " +
			"doubt.",
	},
	{
		Name: "permission.root", text: has(`only root can (set|modify|use)`), Class: ClassAuthenticationError,
		Meaning: "Proxmox lets only root@pam with a password set one of this VM's fields; an API token never may.",
		Remedy: "Pass devices through by resource mapping (spec.devices.pci[].mapping, spec.devices.usb[].mapping; Datacenter > Resource " +
			"Mappings), and see that nobody set another such field on the VM or its template by hand.",
	},
	{
		Name: "permission.download", text: has(`download url(?s:.*)received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token may not make a node download an image.",
		Remedy: "It needs Datastore.AllocateTemplate on /storage/<datastore>, and Sys.AccessNetwork on /nodes/<node> (or Sys.Audit and " +
			"Sys.Modify on /): none of the ready-made roles but Administrator has the latter, so make one with `pveum role add`.",
	},
	{
		Name: "permission", text: has(`received an HTTP 403 response`), Class: ClassAuthenticationError,
		Meaning: "The provider's token lacks a privilege in Proxmox.",
		Remedy: "Give it a role (`pveum acl modify / --tokens 'user@realm!name' --roles ...`) with VM.Allocate, VM.Audit, VM.Clone, " +
			"VM.Config.CDROM, VM.Config.CPU, VM.Config.Cloudinit, VM.Config.Disk, VM.Config.HWType, VM.Config.Memory, VM.Config.Network, " +
			"VM.Config.Options, VM.Migrate, VM.PowerMgmt, VM.GuestAgent.Audit (before Proxmox VE 9: VM.Monitor), Datastore.Audit, " +
			"Datastore.AllocateSpace, Datastore.AllocateTemplate, Sys.Audit, SDN.Use, and Mapping.Use and Pool.Allocate where they are " +
			"used. A token with privilege separation has none of its user's privileges by itself.",
	},
}

// nodeRows: a node, or the cluster, is not in working order.
var nodeRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "node.quorum", text: has(`no quorum`), Class: ClassNodeUnhealthy, Retryable: true, // Proxmox: cluster not ready - no quorum?
		Meaning: "The Proxmox cluster has no quorum, so nothing in it can be changed.",
		Remedy:  "Bring the missing nodes back; `pvecm status` on a node says which they are.",
	},
	{
		Name: "node.offline", text: has(`received an HTTP 595 response`), Class: ClassNodeUnhealthy, Retryable: true,
		Meaning: "Proxmox cannot reach node <node>.",
		Remedy:  "Is the node on, and in the cluster (`pvecm status`)? Its machines are looked at again when it is back.",
	},
	{
		Name: "node.unknown", text: has(`hostname lookup '[^']*' failed`), Class: ClassConfigurationError,
		Meaning: "Proxmox knows no node <node>.",
		Remedy: "Correct spec.proxmox.node; `pvesh get /nodes` lists the nodes. In the catalogue, list them under sites.<site>.nodes, so that " +
			"a claim with another one is refused.",
	},
	{
		Name: "storage.offline", text: has(`storage '[^']*' is not online`), Class: ClassNodeUnhealthy, Retryable: true, // Proxmox.
		Meaning: "A datastore that this machine needs is not online on node <node>.",
		Remedy:  "`pvesm status` on the node says which; look at the server or the disk behind it.",
	},
	{
		Name: "unsupported", text: has(`received an HTTP 501 response`), Class: ClassConfigurationError,
		Meaning: "This Proxmox VE does not know a call that the provider makes.",
		Remedy:  "Bring Proxmox VE to 8.4 or later, or use a template: catalogue key images.<image>.template.",
	},
}

// generalRows: what may happen to any call.
var generalRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "agent.timeout", text: has(`^ReconcileError: observe failed: cannot run refresh: refresh failed: ?$`), Class: ClassProviderError,
		Meaning: "Every look at the VM takes longer than the three minutes that the provider allows: it waits for a guest agent that does not " +
			"answer.",
		Remedy: "Restart the provider's pod, so that the short waiting time of this machine takes effect (`kubectl -n crossplane-system delete " +
			"pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, while no machine is being made or deleted), and see to the agent in " +
			"the guest: `qm agent <vmId> ping` on the node.",
	},
	{
		Name: "vm.create.timeout", text: has(`timeout while waiting for task`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox took longer than the provider waits.",
		Remedy: "Nothing has to be done: the provider finds what it began. If it stays so, the datastore is slow or stuck; look at the running " +
			"tasks of node <node>.",
	},
	{
		Name: "vm.start", text: has(`VM start: task`), Class: ClassProviderError, Retryable: true,
		Meaning: "Proxmox could not start the VM.",
		Remedy: "The task log of VM <vmId> on node <node> says why: a snippet, a bridge or a mapped device that is not there, or too little " +
			"memory.",
	},
	{
		Name: "task.failed", text: has(`task "UPID[^"]*" failed to complete`), Class: ClassProviderError, Retryable: true,
		Meaning: "A task failed on node <node>.",
		Remedy:  "The node's task history (`pvenode task list --errors 1`, `pvenode task log <UPID>`) says why.",
	},
	{
		Name: "render.invalid", Class: ClassValidationFailed, Pauses: true,
		text:    has(`refresh failed: expected |to be in the range \(|invalid value for |Parameter verification failed|Defined disk interface not supported`),
		Meaning: "The provider or Proxmox refuses a value of this managed resource.",
		Remedy: "The claim's own values are checked before they are rendered, so look at what the claim and the catalogue say of unusual " +
			"hardware (cpuType, firmware, cache, MAC address), and at what this Proxmox VE supports.",
	},
	{
		Name: "pve.busy", text: has(`- Reason: got timeout`), Class: ClassBusy, Retryable: true,
		Meaning: "Proxmox did not answer in time.",
		Remedy: "Nothing has to be done for a moment's load. If it stays so, look at the load and the datastores of node <node> (`pvesm " +
			"status` hangs where one is stuck).",
	},
	{
		Name: "pve.unavailable", text: has(`received an HTTP 50[234] response`), Class: ClassNetworkError, Retryable: true,
		Meaning: "Proxmox, or a proxy before it, does not answer.",
		Remedy:  "`systemctl status pveproxy pvedaemon` on the node of the endpoint; look at the proxy if there is one.",
	},
	{
		Name: "unreachable", Class: ClassNetworkError, Retryable: true,
		text: has(`connection refused|no such host|: EOF|i/o timeout|context deadline exceeded|no route to host|network is unreachable|` +
			`connection reset by peer|Temporary failure in name resolution|server misbehaving`),
		Meaning: "The provider cannot reach the Proxmox API.",
		Remedy: "Check endpoint in the credentials Secret (https://host:8006/), whether its name resolves in the cluster, and whether a " +
			"firewall or a NetworkPolicy stands between the provider's pod and port 8006.",
	},
	{
		// After all other rows: a look may fail for any of their reasons when it has found the VM.
		Name: rowSilent, text: has(`Refreshing state\.\.\. \[id=`), Class: ClassConfigurationError,
		Meaning: "The provider only looks at this managed resource, and cannot read what it found within three minutes.",
		Remedy: "Look at the load of node <node>. (Of a VM it is no error: it says that there is a VM whose guest agent is switched on and does " +
			"not answer, see condition VMIDInUse.)",
	},
}
