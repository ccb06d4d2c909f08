package observe

// accessRows: credentials, privileges and certificates.
var accessRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		// The same text goes on with "unable to authenticate", which is not the cause.
		name: "ssh.unreachable", text: has(`failed to dial`), class: ReasonNetworkError, retryable: true,
		meaning: "The provider cannot reach node <node> over SSH, which it needs to write snippets.",
		remedy: "Port 22 of the node's address must be open to the provider's pod; `pvesh get /nodes/<node>/network` shows the address that is " +
			"used: the first one with a gateway. A machine that renders no user-data needs no SSH.",
	},
	{
		name: "ssh.auth", text: has(`unable to authenticate user`), class: ReasonAuthenticationError,
		meaning: "Node <node> refuses the provider's SSH key.",
		remedy: "The credentials Secret needs ssh_username and ssh_private_key (a key without a passphrase), and the public half must stand in " +
			"that user's ~/.ssh/authorized_keys on the node.",
	},
	{
		name: "tls", text: has(`tls: |x509: `), class: ReasonConfigurationError,
		meaning: "The certificate of Proxmox is not one that the provider trusts.",
		remedy: "Give Proxmox a certificate of a known authority for the name in the endpoint (`pvenode acme` or `pvenode cert set`), or set " +
			"\"insecure\": \"true\" in the credentials Secret, which gives up knowing whom one talks to.",
	},
	{
		name: "auth", text: has(`received an HTTP 401 response`), class: ReasonAuthenticationError,
		meaning: "Proxmox refuses the provider's credentials.",
		remedy: "Check api_token in the credentials Secret: it reads user@realm!name=uuid, in one line. `pveum user token list <user@realm>` " +
			"shows whether the token exists and is not expired; the secret half is shown only when it is made, so make a new one if in " +
			"doubt.",
	},
	{
		name: "permission.root", text: has(`only root can (set|modify|use)`), class: ReasonAuthenticationError,
		meaning: "Proxmox lets only root@pam with a password set one of this VM's fields; an API token never may.",
		remedy: "Pass devices through by resource mapping (spec.devices.pci[].mapping, spec.devices.usb[].mapping; Datacenter > Resource " +
			"Mappings), and see that nobody set another such field on the VM or its template by hand.",
	},
	{
		name: "permission.download", text: has(`download url(?s:.*)received an HTTP 403 response`), class: ReasonAuthenticationError,
		meaning: "The provider's token may not make a node download an image.",
		remedy: "It needs Datastore.AllocateTemplate on /storage/<datastore>, and Sys.AccessNetwork on /nodes/<node> (or Sys.Audit and " +
			"Sys.Modify on /): none of the ready-made roles but Administrator has the latter, so make one with `pveum role add`.",
	},
	{
		name: "permission", text: has(`received an HTTP 403 response`), class: ReasonAuthenticationError,
		meaning: "The provider's token lacks a privilege in Proxmox.",
		remedy: "Give it a role (`pveum acl modify / --tokens 'user@realm!name' --roles ...`) with VM.Allocate, VM.Audit, VM.Clone, " +
			"VM.Config.CDROM, VM.Config.CPU, VM.Config.Cloudinit, VM.Config.Disk, VM.Config.HWType, VM.Config.Memory, VM.Config.Network, " +
			"VM.Config.Options, VM.Migrate, VM.PowerMgmt, VM.GuestAgent.Audit (before Proxmox VE 9: VM.Monitor), Datastore.Audit, " +
			"Datastore.AllocateSpace, Datastore.AllocateTemplate, Sys.Audit, SDN.Use, and Mapping.Use and Pool.Allocate where they are " +
			"used. A token with privilege separation has none of its user's privileges by itself.",
	},
}

// nodeRows: a node, or the cluster, is not in working order.
var nodeRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "node.quorum", text: has(`no quorum`), class: ReasonNodeUnhealthy, retryable: true, // Proxmox: cluster not ready - no quorum?
		meaning: "The Proxmox cluster has no quorum, so nothing in it can be changed.",
		remedy:  "Bring the missing nodes back; `pvecm status` on a node says which they are.",
	},
	{
		name: "node.offline", text: has(`received an HTTP 595 response`), class: ReasonNodeUnhealthy, retryable: true,
		meaning: "Proxmox cannot reach node <node>.",
		remedy:  "Is the node on, and in the cluster (`pvecm status`)? Its machines are looked at again when it is back.",
	},
	{
		name: "node.unknown", text: has(`hostname lookup '[^']*' failed`), class: ReasonConfigurationError,
		meaning: "Proxmox knows no node <node>.",
		remedy: "Correct spec.proxmox.node; `pvesh get /nodes` lists the nodes. In the catalogue, list them under sites.<site>.nodes, so that " +
			"a claim with another one is refused.",
	},
	{
		name: "storage.offline", text: has(`storage '[^']*' is not online`), class: ReasonNodeUnhealthy, retryable: true, // Proxmox.
		meaning: "A datastore that this machine needs is not online on node <node>.",
		remedy:  "`pvesm status` on the node says which; look at the server or the disk behind it.",
	},
	{
		name: "unsupported", text: has(`received an HTTP 501 response`), class: ReasonConfigurationError,
		meaning: "This Proxmox VE does not know a call that the provider makes.",
		remedy:  "Bring Proxmox VE to 8.4 or later, or use a template: catalogue key images.<image>.template.",
	},
}

// generalRows: what may happen to any call.
var generalRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "agent.timeout", text: has(`^ReconcileError: observe failed: cannot run refresh: refresh failed: ?$`), class: ReasonProviderError,
		meaning: "Every look at the VM takes longer than the three minutes that the provider allows: it waits for a guest agent that does not " +
			"answer.",
		remedy: "Restart the provider's pod, so that the short waiting time of this machine takes effect (`kubectl -n crossplane-system delete " +
			"pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, while no machine is being made or deleted), and see to the agent in " +
			"the guest: `qm agent <vmId> ping` on the node.",
	},
	{
		name: "vm.create.timeout", text: has(`timeout while waiting for task`), class: ReasonBusy, retryable: true,
		meaning: "Proxmox took longer than the provider waits.",
		remedy: "Nothing has to be done: the provider finds what it began. If it stays so, the datastore is slow or stuck; look at the running " +
			"tasks of node <node>.",
	},
	{
		name: "vm.start", text: has(`VM start: task`), class: ReasonProviderError, retryable: true,
		meaning: "Proxmox could not start the VM.",
		remedy: "The task log of VM <vmId> on node <node> says why: a snippet, a bridge or a mapped device that is not there, or too little " +
			"memory.",
	},
	{
		name: "task.failed", text: has(`task "UPID[^"]*" failed to complete`), class: ReasonProviderError, retryable: true,
		meaning: "A task failed on node <node>.",
		remedy:  "The node's task history (`pvenode task list --errors 1`, `pvenode task log <UPID>`) says why.",
	},
	{
		name: "render.invalid", class: ReasonValidationFailed,
		text:    has(`refresh failed: expected |to be in the range \(|invalid value for |Parameter verification failed|Defined disk interface not supported`),
		meaning: "The provider or Proxmox refuses a value of this managed resource.",
		remedy: "The claim's own values are checked before they are rendered, so look at what the claim and the catalogue say of unusual " +
			"hardware (cpuType, firmware, cache, MAC address), and at what this Proxmox VE supports.",
	},
	{
		name: "pve.busy", text: has(`- Reason: got timeout`), class: ReasonBusy, retryable: true,
		meaning: "Proxmox did not answer in time.",
		remedy: "Nothing has to be done for a moment's load. If it stays so, look at the load and the datastores of node <node> (`pvesm " +
			"status` hangs where one is stuck).",
	},
	{
		name: "pve.unavailable", text: has(`received an HTTP 50[234] response`), class: ReasonNetworkError, retryable: true,
		meaning: "Proxmox, or a proxy before it, does not answer.",
		remedy:  "`systemctl status pveproxy pvedaemon` on the node of the endpoint; look at the proxy if there is one.",
	},
	{
		name: "unreachable", class: ReasonNetworkError, retryable: true,
		text: has(`connection refused|no such host|: EOF|i/o timeout|context deadline exceeded|no route to host|network is unreachable|` +
			`connection reset by peer|Temporary failure in name resolution|server misbehaving`),
		meaning: "The provider cannot reach the Proxmox API.",
		remedy: "Check endpoint in the credentials Secret (https://host:8006/), whether its name resolves in the cluster, and whether a " +
			"firewall or a NetworkPolicy stands between the provider's pod and port 8006.",
	},
}
