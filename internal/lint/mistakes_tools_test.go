package lint

import "strings"

// mistakesOfOtherTools are those of people who come from qm, pct, Terraform, Ansible or another provider of Crossplane, and write what they know from there.
func mistakesOfOtherTools() map[string]mistake {
	const (
		token   = "endpoint: https://192.168.4.61:6443\nversion: v1.36.5+k3s1\n"
		servers = "servers: {count: 1, class: server}"
		ct      = "image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\n"
		joins   = "class: server\nproxmox: {node: pve1}\n"
	)

	ofKind := func(kind string) string {
		return strings.Replace(aMachine("proxmox: {node: pve1}"), "kind: Machine", "kind: "+kind, 1)
	}

	whole := "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n" + token

	return map[string]mistake{
		"CAPMOXCluster":           {"a ProxmoxCluster of Cluster API", aCluster(whole + servers + "\nallowedNodes: [pve1]\ndnsServers: [1.1.1.1]\nipv4Config: {prefix: 24}")},
		"CAPMOXMachine":           {"a ProxmoxMachineTemplate", aCluster(whole + "servers: {count: 1, numSockets: 1, memoryMiB: 2048, templateID: 100, sourceNode: pve1, vmid: 1}")},
		"OmniCluster":             {"a cluster of Omni", aCluster(whole + "servers: {count: 1, machineClass: x, machines: [a]}\nkubernetes: {version: v1.30.0}")},
		"K3supCluster":            {"flags of k3sup", aCluster(whole + "servers: {count: 1, k3s-extra-args: --disable traefik}\nk3s-channel: stable\nssh-key: /x")},
		"KubeadmCluster":          {"a configuration of kubeadm", aCluster(whole + servers + "\nnetworking: {podSubnet: 10.244.0.0/16}\netcd: {}\ninitConfiguration: {}")},
		"QmDHCP":                  {"DHCP as qm writes it", aMachine(where + "network: {ip: ip=dhcp}")},
		"QmAddress":               {"an address with its gateway as qm writes it", aMachine(where + "network: {ip: \"ip=192.168.4.53/24,gw=192.168.4.1\"}")},
		"QmAddressAlone":          {"the same without a gateway", aMachine(where + "network: {ip: ip=192.168.4.53/24}")},
		"QmAddressWrong":          {"and with one that is none", aMachine(where + "network: {ip: \"ip=192.168.4.53/24,gw=router\"}")},
		"QmNet":                   {"an interface as qm writes it", aMachine(where + "net0: virtio,bridge=vmbr0")},
		"QmIPConfig":              {"an ipconfig", aMachine(where + "ipconfig0: ip=dhcp")},
		"QmDisk":                  {"a volume for a size", aMachine(where + "size: {disk: \"local-zfs:40\"}")},
		"QmDataDisk":              {"the same of a further disk", aMachine(where + "disks: [{name: data, size: \"local-zfs:100\"}]")},
		"QmMemoryVolume":          {"a volume for memory, which nobody can translate", aMachine(where + "size: {memory: \"local-zfs:40\"}")},
		"QmSCSI":                  {"a disk of qm", aMachine(where + "scsi1: local-zfs:40")},
		"QmController":            {"a controller", aMachine(where + "scsihw: virtio-scsi-single")},
		"PctNet":                  {"an interface as pct writes it", aContainerClaim(ct + "net0: name=eth0,bridge=vmbr0,ip=dhcp")},
		"PctAddress":              {"an address as pct writes it", aContainerClaim(ct + "network: {ip: ip=192.168.4.54/24}")},
		"PctPassword":             {"a password of root", aContainerClaim(ct + "password: hunter2")},
		"TerraformInitialization": {"a block of Terraform", aMachine(where + "initialization: {user_account: {keys: [x]}}")},
		"TerraformNetworkDevice":  {"an interface of Terraform", aMachine(where + "network_device: [{bridge: vmbr0}]")},
		"ProviderForProvider":     {"the spec of a managed resource", aMachine(where + "forProvider: {nodeName: pve1}")},
		"ProviderConfigRef":       {"a managed resource's reference", aMachine(where + "providerConfigRef: {name: default}")},
		"ProviderConfigOfProxmox": {"a ProviderConfig in the claim", aMachine("proxmox: {node: pve1, providerConfig: default}")},
		"ProviderToken":           {"credentials in the claim", aMachine("proxmox: {node: pve1, apiToken: hunter2}")},
		"ProviderEndpoint":        {"the address of Proxmox in the claim", aMachine("proxmox: {node: pve1, endpoint: \"https://192.168.4.2:8006\"}")},
		"NamespaceOfSpec":         {"a namespace in the spec", aMachine(where + "namespace: infra-machines")},
		"StorageClassName":        {"a StorageClass", aMachine(where + "storageClassName: local-zfs")},
		"CloudPackages":           {"packages beside the user-data", aMachine(where + "bootstrap: {packages: [htop]}")},
		"CloudTimezone":           {"a time zone", aMachine(where + "timezone: Europe/Berlin")},
		"CloudPassword":           {"a password beside the keys", aMachine(where + "bootstrap: {password: hunter2}")},
		"SecretElsewhere":         {"a Secret of another namespace", aCluster(token + "token: {secretRef: {name: k3s-token, namespace: crossplane-system}, allowPlaintext: true, trustOnFirstUse: true}\n" + servers)},
		"SecretElsewhereOfNode":   {"the same of a node", aNode(joins + "k3s: {role: agent, cluster: home, token: {secretRef: {name: k3s-token, namespace: default}, allowPlaintext: true}}")},
		"TokenValue":              {"a token below token", aCluster(token + "token: {value: hunter2, trustOnFirstUse: true}\n" + servers)},
		"TokenValueOfNode":        {"the same of a node", aNode(joins + "k3s: {role: agent, cluster: home, token: {value: hunter2}}")},
		"RoleAsField":             {"a role as a field", aNode(joins + "k3s: {cluster: home, agent: true}")},
		"KindVM":                  {"Proxmox's word", ofKind("VM")},
		"KindVirtualMachine":      {"KubeVirt's word", ofKind("VirtualMachine")},
		"KindLXC":                 {"Proxmox's word", ofKind("LXC")},
		"KindCluster":             {"Cluster API's word", ofKind("Cluster")},
		"KindCatalogue":           {"the word of the docs", ofKind("Catalogue")},
	}
}
