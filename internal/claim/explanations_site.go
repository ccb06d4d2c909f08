package claim

import "regexp"

// siteParts are what people look for in a ProxmoxSite, which has none of it: why, where it is set up, and how a claim uses it. docs/outside.md has a row
// for each reason. The first one that matches counts.
var siteParts = []explainedField{ //nolint:gochecknoglobals // A constant table.
	{
		[]string{KindProxmoxSite},
		sitePart(`storages?|storage_\w+|storageEntries|data_?stores?|pbs|backup_?servers?|nfs|cifs|smb|iscsi|ceph|zfs|lvm\w*|directory`),
		"unknown field: the provider has no kind for storage entries, and no claim could ever remove one: the disks of all machines on it would go out of reach. Add it once, on a node " +
			"(`pvesm add`), and name it in the site of the catalogue",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`backups?|backup_?jobs?|backup_?schedules?|vzdump|jobs|schedules?|prune\w*|retention`),
		"unknown field: the provider has no kind for backup jobs. Make the job once, of a pool (`pvesh create /cluster/backup --pool tier1`, or Datacenter, Backup), and the pool here: pools: " +
			"[{name: tier1}]. A machine is in the job as soon as its claim names the pool: proxmox: {pool: tier1}",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`firewall\w*|security_?groups?|ip_?sets?|alias(es)?|cluster_?firewall`),
		"unknown field: what the datacenter's firewall has is for the guests of many claims, and an edit would open all of them at once; its switch filters the nodes, too. Set it up in Proxmox " +
			"(Datacenter, Firewall), list its groups, IP sets and aliases in the site of the catalogue (sites.<site>.firewall), and name them in rules of claims: firewall: {allow: [{group: web}]}",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`ha|ha_?(groups?|rules?|resources?|manager)|rules|(node|resource)?_?affinit(y|ies)|fencing`),
		"unknown field: the provider has no kind for rules of the HA manager, which have taken the place of groups in Proxmox VE 9. Make them once (Datacenter, HA). Whether a machine is under high " +
			"availability says its own claim: ha: {enabled: true}",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`users?|roles?|acls?|access|permissions?|privileges?|(api_?)?tokens?|realms?|groups?|user_?groups?|ldap|openid`),
		"unknown field: whoever may write roles and permissions can take every privilege, so the provider's token would be worth as much as the password of root, and what a claim may say would " +
			"not bind whoever has the token. `kubectl machine privileges` prints the commands for root, and with --check what the token lacks",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`sdn|zones?|vnets?|v_nets?|subnets?|controllers?|ipams?|fabrics?`),
		"unknown field: the provider has no kind for SDN. Make a VNet once (Datacenter, SDN): it is one bridge on all nodes, and claims name it: network: {bridge: servers}",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`mappings?|(resource|hardware|pci|usb|dir)_?mappings?|pci|usb|hostpci|gpus?|devices`),
		"unknown field: the provider has no kind for resource mappings. Make one once (Datacenter, Resource Mappings, or `pvesh create /cluster/mapping/pci`), list it in the nodes of the catalogue, and " +
			"name it in claims: devices: {pci: [{mapping: gpu0}]}",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`deletion_?protection|protection|protected|lifecycle|approval|approve|rollout|maintenance_?window`),
		"unknown field: nothing keeps the claim of a ProxmoxSite from deletion: leave deletionPolicy: Orphan, with which all of it stays in Proxmox. A change that interrupts traffic waits by " +
			"itself, for allowInterruption of its interface",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`(?i)^spec\.(nodes\.[^.]+\.)?((bridges|vlans|pools)\[\d+\]\.)?(adopt\w*|import\w*|existing|take_?over)$`),
		"unknown field: a ProxmoxSite adopts nothing. What somebody made in Proxmox stays as it is, and needs no entry here: machines name it in network.bridge or proxmox.pool. Remove the entry",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`network|networks|vm_?ids|shared_?datastores|images|snippets|privileged|provider_?config_?kind|memory|reserve|cores|cpus?`),
		"unknown field: it is of the site in the catalogue (sites.<site>), from which machines and containers take it: write it there",
	},
	{
		[]string{KindProxmoxSite},
		sitePart(`bonds?|ovs\w*|interfaces|routes|hostname|dns|name_?servers?|search_?domains?|ntp|chrony|time|time_?zone|apt\w*|` +
			`repositor(y|ies)|packages|subscriptions?|certificates?|acme\w*|metrics?\w*|replications?|options|notifications?|sysctls?|kernel|ssh\w*`),
		"unknown field: a ProxmoxSite has bridges and VLAN interfaces of nodes, and pools. All else is set up in Proxmox itself: remove it",
	},
}

// sitePart is a field of a site or of one of its nodes, in capitals or not: haRules, ha_rules and ha-rules are one.
func sitePart(names string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^spec\.(nodes\.[^.]+\.)?(` + names + `)$`)
}
