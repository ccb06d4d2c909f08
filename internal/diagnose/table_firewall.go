package diagnose

// RowRulesExist is the row of rules that are in Proxmox where the provider is to create some.
const RowRulesExist = "firewall.rules"

// firewallRows: VMs' own firewalls.
var firewallRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// Pauses nothing: the next call has the provider read them.
		Name: RowRulesExist, text: has(`Existing rules detected`), Class: ClassConfigurationError,
		Meaning: "The firewall of VM <vmId> has rules already: somebody's, or the provider's own of a creation that broke off.",
		Remedy: "Wait: the provider reads them, and writes the rest where the claim has each of them. Else FirewallApplied names those that the claim does not have: write what is to " +
			"stay into spec.firewall.allow, with its comment, and delete the others (VM, Firewall). Or remove spec.firewall from the claim.",
	},
}
