package lint

// mistakesOfHomelabs are those of people who describe what they have at home: K3s with kube-vip and Longhorn, Windows, and commas where brackets belong.
func mistakesOfHomelabs() map[string]mistake {
	return map[string]mistake{
		"HomeDNSInBraces":  {"a comma in braces, which ends the value", aMachine("proxmox: {node: pve1}\nnetwork: {ip: 192.168.4.50, dns: 1.1.1.1, 8.8.8.8}")},
		"HomeDisable":      {"the same without a blank", aNode("proxmox: {node: pve1}\nk3s: {cluster: home, role: agent, taints: gpu,cpu}")},
		"HomeKubeVIP":      {"kube-vip as an option of K3s", aNode("proxmox: {node: pve1}\nk3s: {cluster: home, role: agent, kubeVip: {address: 192.168.4.200}}")},
		"HomeDatastore":    {"a datastore of K3s, with a password", aNode("proxmox: {node: pve1}\nk3s: {cluster: home, role: agent, datastore: \"mysql://k3s:pw@tcp(192.168.4.9:3306)/k3s\"}")},
		"HomeTokenOfAPod":  {"a token as a Pod has it", aNode("proxmox: {node: pve1}\nk3s: {cluster: home, role: agent, token: {valueFrom: {secretKeyRef: {name: t}}}}")},
		"HomeDrivers":      {"a second ISO", aMachine("proxmox: {node: pve1}\ncdrom: local:iso/virtio-win.iso")},
		"HomeSnapshotsS3":  {"a bucket with its keys", aCluster("cluster: home\ntoken: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\nservers: {count: 1, snapshots: {s3: {bucket: a, secretKey: def}}}")},
		"HomeSiteNameless": {"the only site without its name", "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n  sites:\n    nodes: {pve1: {bridges: [vmbr0]}}\n"},
	}
}
