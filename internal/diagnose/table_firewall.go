package diagnose

// firewallRows: VMs' own firewalls.
var firewallRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// Pauses nothing: it passes when somebody has deleted the rules.
		Name: "firewall.rules", text: has(`Existing rules detected`), Class: ClassConfigurationError,
		Meaning: "The firewall of VM <vmId> has rules already, which the provider neither replaces nor takes over: somebody's, or its own of a creation that broke off.",
		Remedy: "Write those of somebody into spec.firewall.allow. Then switch the VM's firewall off, so that nobody is locked out, and delete the rules (VM, Firewall). " +
			"The provider tries again within minutes, and switches the firewall on. Or remove spec.firewall from the claim.",
	},
}
