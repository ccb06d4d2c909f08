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
	{
		// Pauses nothing: the provider's next attempt finds what somebody has created. (pve-firewall 6f1311f, src/PVE/Firewall.pm, verify_rule. It takes a rule
		// with a security group that there is not.)
		Name: "firewall.names", text: has(`no such (?:ipset|alias) '`), Class: ClassConfigurationError,
		Meaning: "Proxmox does not have an IP set or an alias that a rule in the firewall of VM <vmId> names.",
		Remedy: "`pvesh get /cluster/firewall/refs` lists those that there are. Create it under this name (Datacenter, Firewall): the provider writes the rule at its next attempt. Or correct " +
			"spec.firewall.allow, and firewall of site <site> in the catalogue.",
	},
}
