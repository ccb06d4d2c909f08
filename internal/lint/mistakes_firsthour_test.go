package lint

// mistakesOfTheFirstHour are those of people who write their first claims beside the docs.
func mistakesOfTheFirstHour() map[string]mistake {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01}\n"
		token = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"
		nodes = "sites:\n  home: {nodes: {pve: {storages: {local: [iso, snippets, vztmpl], local-zfs: [images]}, datastores: {disks: local-lvm, images: local, snippets: local}}}}"
	)

	return map[string]mistake{
		"ImageObject":        {"an image of one's own in the claim", aMachine(where + "image: {url: \"https://example.org/debian-13-netinst.iso\"}")},
		"ClassObject":        {"a size in place of a class", aMachine(where + "class: {cores: 2, memory: 4Gi}")},
		"SiteObject":         {"a site in the claim", aMachine("proxmox: {site: {nodes: {pve: {}}}}")},
		"ClusterObject":      {"a cluster in the claim", aNode(where + "k3s: {role: agent, cluster: {server: \"https://192.168.4.210:6443\"}}")},
		"VersionNumber":      {"a release as a number, which quotes would not mend", aCluster(token + "cluster: home\nversion: 1.33\nservers: {}")},
		"VersionOfNode":      {"the same of a node", aNode(where + "k3s: {cluster: home, role: agent, version: 1.33}")},
		"CatalogueVersion2":  {"the same in the catalogue", environment("clusters:\n  lab: {server: \"https://192.168.4.210:6443\", version: 1.33}")},
		"TokenNowhere":       {"a token that is nowhere", aCluster("token: {trustOnFirstUse: true}\ncluster: home\nservers: {}")},
		"TokenMissing":       {"three servers without a token", aCluster("endpoint: \"https://192.168.4.79:6443\"\nversion: v1.33.6+k3s1\nservers: {count: 3}")},
		"TokenMissingOfNode": {"a node without a token", aNode(where + "k3s: {role: agent, server: \"https://192.168.4.79:6443\", version: v1.33.6+k3s1}")},
		"ClusterOfNobody":    {"no cluster in the catalogue", environment("sites: {home: {nodes: {pve1: {}}}}") + "---\n" + aNode(where+"k3s: {cluster: home, role: agent}")},
		"ContainerOfAnImage": {"the image of a VM for a container", aContainerClaim("image: debian-13\nproxmox: {node: pve1, vmId: 150}")},
		"NoSite":             {"one site, no default", environment("sites: {home: {nodes: {pve1: {}}, network: {cidr: 24}}}") + "---\n" + aMachine("network: {ip: 192.168.4.53}")},
		"NodeBeyondCount":    {"settings for a second server of one", aCluster(token + "cluster: home\nservers: {count: 1}\nnodes: [{name: server-1, ip: 192.168.4.60}]")},
		"DatastoreOfNobody":  {"disks on a datastore that the node lacks, and images where none are served", environment(nodes) + "---\n" + aMachine("proxmox: {site: home}")},
		"Template":           {"a Helm template", claim + "spec:\n  class: {{ .Values.class }}\n"},
		"TemplateBlock":      {"a Jinja template", "{% for i in all %}\n" + claim},
		"NoBreakSpace":       {"a no-break space of a web page", claim + "spec:\n\u00a0 class: small\n"},
		"ZeroWidth":          {"a space of no width, which keeps the file from being YAML", claim + "spec:\n  class: small\n  \u200bproxmox: {node: pve1}\n disks: []\n"},
	}
}
