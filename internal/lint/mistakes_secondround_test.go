package lint

// mistakesOfTheSecondRound are those that were read only when the first one was mended: the value of a field with another tool's name, what follows from a
// number that nobody could read, and a list of fields in place of a correction.
func mistakesOfTheSecondRound() map[string]mistake {
	const (
		template = "image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\n"
		cluster  = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\nendpoint: https://192.168.4.61:6443\nversion: v1.36.5+k3s1\n" +
			"nodes: [{name: server-0, ip: 192.168.4.61}]\n"
		one = cluster + "servers: {count: 1}\n"
	)

	return map[string]mistake{
		"TwoOnBootNumber":      {"a truth value of Proxmox in a field with the name that it has there", aMachine("proxmox: {node: pve1}\nonboot: 1")},
		"TwoOnBootOff":         {"the same, switched off", aMachine("proxmox: {node: pve1}\nstart_on_boot: 0")},
		"TwoMemoryMB":          {"memory by another name in another unit", aMachine("proxmox: {node: pve1}\nsize: {ram: 2048MB, vcpus: '2'}")},
		"TwoMemoryRight":       {"a right value needs no word", aMachine("proxmox: {node: pve1}\nmemory: 2048")},
		"TwoBios":              {"the firmware as Proxmox calls it", aMachine("proxmox: {node: pve1}\nbios: OVMF")},
		"TwoSeaBIOS":           {"the other one, in the field itself", aMachine("proxmox: {node: pve1}\nfirmware: seabios")},
		"TwoAddresses":         {"an address as a list of netplan", aMachine("proxmox: {node: pve1}\nnetwork: {addresses: [192.168.4.50/24]}")},
		"TwoNameservers":       {"name servers as netplan has them", aMachine("proxmox: {node: pve1}\nnetwork: {dhcp: true, nameservers: {addresses: [1.1.1.1]}}")},
		"TwoReclaim":           {"a policy of volumes of Kubernetes by its own name", aMachine("proxmox: {node: pve1}\nreclaimPolicy: Retain")},
		"TwoMACaddr":           {"the name of qm", aMachine("proxmox: {node: pve1}\nnetwork: {dhcp: true, macaddr: 'BC:24:11:00:00:01'}")},
		"TwoTargetStorage":     {"the name of Terraform", aMachine("proxmox: {node: pve1}\ntarget_storage: local-zfs")},
		"TwoGPU":               {"a number of devices", aMachine("proxmox: {node: pve1}\ngpu: 1")},
		"TwoSSHKeys":           {"one key, in a field with another name", aMachine("proxmox: {node: pve1}\nsshKeys: ssh-ed25519 AAAA me")},
		"TwoFirewallRules":     {"rules of Proxmox: each field is explained as below allow", aMachine("proxmox: {node: pve1}\nfirewall: {rules: [{type: in, dport: '22'}]}")},
		"TwoBlockInBraces":     {"text on several lines in braces", aMachine("proxmox: {node: pve1}\nbootstrap: {userData: |\n    packages: [nginx]\n}")},
		"TwoCtOSType":          {"the distribution as pct has it", aContainerClaim(template + "ostype: debian")},
		"TwoCtLXC":             {"a line of LXC", aContainerClaim(template + "lxc.apparmor.profile: unconfined")},
		"TwoCtBind":            {"a folder of the node among mount points", aContainerClaim(template + "mountPoints: [{volume: /tank/media, path: /media}]")},
		"TwoCtURL":             {"the URL of a template", aContainerClaim("image: http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}")},
		"TwoClReplicasText":    {"no second fault about the address", aCluster(cluster + "servers: {count: three}")},
		"TwoClServersNumber":   {"nor here", aCluster(cluster + "servers: 1")},
		"TwoClServersEven":     {"nor here", aCluster(cluster + "servers: {count: 2}")},
		"TwoClServersThree":    {"three servers and the address of one are a fault all the same", aCluster(cluster + "servers: {count: 3}")},
		"TwoClServersNames":    {"servers by their names", aCluster(cluster + "servers: [server-0]")},
		"TwoClControlPlane":    {"servers as Cluster API calls them", aCluster(cluster + "controlPlane: {count: three}")},
		"TwoClAgentsOne":       {"one pool without a hyphen and without a name", aCluster(one + "agents: {count: 2, class: small}")},
		"TwoClWorkers":         {"two other names, one in the other", aCluster(one + "workers: [{name: worker, replicas: 2}]")},
		"TwoClTopology":        {"a topology of Cluster API", aCluster(one + "topology: {controlPlane: {replicas: 3}}")},
		"TwoClUpgradeStrategy": {"a strategy of a Deployment", aCluster(one + "upgradeStrategy: {type: RollingUpdate}")},
		"TwoClExtensions":      {"extensions of Talos", aCluster(one + "systemExtensions: [siderolabs/iscsi-tools]")},
		"TwoClSAN":             {"names of the API server", aCluster(one + "tlsSan: [k3s.home.arpa]")},
		"TwoClLabels":          {"labels of all nodes", aCluster(one + "labels: [tier=web]")},
		"TwoClLabelList":       {"labels as kubectl writes them", aCluster(one + "agents: [{name: worker, count: 1, labels: ['tier=web', 'gpu=true']}]")},
		"TwoClTaint":           {"a taint as in a Node", aCluster(one + "agents: [{name: worker, count: 1, taints: [{key: a, value: b, effect: noschedule}]}]")},
		"TwoClTaintMap":        {"taints as an object", aCluster(one + "agents: [{name: worker, count: 1, taints: {a: b}}]")},
		"TwoStNodes":           {"nodes as a list", aProxmoxSite("proxmox: {site: home}\nnodes: [{name: pve1, bridges: [{name: vmbr1}]}]")},
		"TwoStName":            {"a name that is too long and has a blank: one fault", aProxmoxSite("proxmox: {site: home}\nnodes: {pve1: {bridges: [{name: storage network}]}}")},
	}
}
