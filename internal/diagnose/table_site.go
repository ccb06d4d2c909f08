package diagnose

// siteRows: bridges, VLAN interfaces and pools. None pauses: Proxmox changes nothing where it refuses.
var siteRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "site.port", text: has(`is already used on interface`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "Proxmox refuses a port of a bridge, because another interface of node <node> uses it. Nothing was changed.",
		Remedy:  "Name another port in the claim (`cat /etc/network/interfaces` on the node shows which interface uses it).",
	},
	{
		Name: "site.exists", text: has(`iface: interface already exists`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "Node <node> has an interface of this name already. Nothing was changed.",
		Remedy: "Choose another name. If the provider did not see the interface before, its token lacks SDN.Audit or SDN.Use on /sdn/zones/localnetwork: without them " +
			"Proxmox hides bridges (docs/privileges.md).",
	},
	{
		Name: "site.reload", text: has(`failed to reload network configuration`), Class: ClassNodeUnhealthy, // The plugin.
		Meaning: "Node <node> could not reload its network: what was written may be applied in part.",
		Remedy:  "Read the task log of the node in Proxmox, correct /etc/network/interfaces there, and run `ifreload -a` on the node. The provider does not repeat the reload.",
	},
	{
		Name: "site.pool", text: has(`create pool failed: pool .* already exists`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "There is a pool of this name already. Nothing was changed.",
		Remedy:  "Choose another name. If the provider did not see the pool before, its token lacks Pool.Audit on it (docs/privileges.md).",
	},
	{
		Name: "site.poolMembers", text: has(`delete pool failed: pool .* is not empty`), Class: ClassConfigurationError, // Proxmox.
		Meaning: "Proxmox does not delete a pool that has VMs, containers or datastores.",
		Remedy:  "Move them to another pool, or keep this one: remove it from spec.allowRemoval.pools.",
	},
}
