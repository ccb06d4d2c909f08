package lint

// mistakesOfNotation are right values in the notation of something else: the message has the value to write.
func mistakesOfNotation() map[string]mistake {
	return map[string]mistake{
		"SnippetByPath":        {"a snippet by its path on the node", aMachine(where + "bootstrap: {snippets: {userData: /var/lib/vz/snippets/x.yaml}}")},
		"SnippetByPathOfShare": {"the same of a share", aMachine(where + "bootstrap: {snippets: {vendorData: /mnt/pve/nas/snippets/x.yaml}}")},
		"SnippetByName":        {"its name alone", aMachine(where + "bootstrap: {snippets: {metaData: x.yaml}}")},
		"SnippetByFolder":      {"a file of the own disk, which nobody can translate", aMachine(where + "bootstrap: {snippets: {userData: ./files/x.yaml}}")},
		"TagsWithValues":       {"tags as other clouds have them", aMachine(where + "tags: {env: prod, tier: web}")},
		"TagsWithLists":        {"the same, deeper", aMachine(where + "tags: {env: [prod]}")},
		"TagWithColon":         {"a tag with a value", aMachine(where + "tags: [\"env:prod\", web]")},
		"TagOfDots":            {"of which nothing is left", aMachine(where + "tags: [\"...\"]")},
		"TagsWithCommas":       {"tags in one text", aMachine(where + "tags: \"web, db\"")},
		"CoresInMilli":         {"cores as a Pod has them", aMachine(where + "size: {cores: 2000m}")},
		"CoresInHalves":        {"half of one, which there is not", aMachine(where + "size: {cores: 500m}")},
		"VLANWithName":         {"a VLAN with the word", aMachine("proxmox: {node: pve1, vlan: vlan20}")},
		"GatewayWithPrefix":    {"a gateway as the address", aMachine(where + "network: {ip: 192.168.4.61/24, gateway: 192.168.4.1/24}")},
		"DisksByName":          {"disks with their names as keys", aMachine(where + "disks: {data: 100Gi, logs: 8Gi}")},
		"DisksByNameDeep":      {"the same with objects", aMachine(where + "disks: {data: {size: 100Gi}}")},
		"DeviceByNumber":       {"a device by its own number", aMachine(where + "devices: {usb: \"1234:5678\"}")},
		"UserDataAsObject":     {"user-data without the bar", aMachine(where + "bootstrap: {userData: {packages: [htop]}}")},
		"NotesAsObject":        {"notes without the bar", aMachine(where + "notes: {owner: me}")},
		"FirewallRules":        {"rules of a firewall", aMachine(where + "firewall: {enabled: true, rules: [{port: 22}]}")},
		"TruthAsWord":          {"a word for true", aMachine(where + "deletionProtection: enabled")},
		"TruthAsSentence":      {"a sentence for true", aMachine(where + "onBoot: if possible")},
		"BridgeAsObject":       {"a bridge with more than its name", aMachine("proxmox: {node: pve1, bridge: {name: vmbr0, vlan: 20}}")},
		"NamespaceInCapitals":  {"a namespace as a title", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, namespace: Infra_VMs}\nspec:\n  proxmox: {node: pve1}\n"},
		"NamespaceOfNothing":   {"one of which nothing is left", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, namespace: \"!\"}\nspec:\n  proxmox: {node: pve1}\n"},
		"CatalogueInNamespace": {"a catalogue in a namespace", "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog, namespace: infra}\ndata: {classes: {tiny: {cores: 1}}}\n"},
		"GroupOfCrossplane":    {"the API version of the catalogue in a claim", "apiVersion: apiextensions.crossplane.io/v1\nkind: Machine\nmetadata: {name: files01}\nspec:\n  proxmox: {node: pve1}\n"},
		"GroupOfProvider":      {"that of the provider", "apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: Machine\nmetadata: {name: files01}\nspec:\n  proxmox: {node: pve1}\n"},
		"ValueOfExample":       {"a value that a page leaves to its reader", aMachine("proxmox: {node: <your-node>}")},
		"ValueInQuotes":        {"quotes of a word processor", aMachine("proxmox: {node: \u201cpve1\u201d}")},
		"AddressInQuotes":      {"the same around an address", aMachine(where + "network: {ip: \u2018192.168.4.50\u2019}")},
		"VariableOfKustomize":  {"a variable of Kustomize", aMachine(where + "network: {ip: $(IP)}")},
		"PrefixOfIPv6":         {"the prefix length of IPv6", aMachine(where + "network: {ip: 192.168.4.50/64}")},
	}
}
