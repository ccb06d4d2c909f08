package lint

// mistakesOfHabits are those of people who come from other tools for virtual machines and clusters, or from containers, and try their words here.
func mistakesOfHabits() map[string]mistake {
	const (
		token   = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"
		cluster = token + "endpoint: https://192.168.4.61:6443\nversion: v1.36.5+k3s1\n"
		fixed   = "nodes: [{name: server-0, ip: 192.168.4.61}]\n"
		joins   = "class: server\nproxmox: {node: pve1}\n"
		ct      = "image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\n"
	)

	return map[string]mistake{
		"ManagementPolicies": {"the policies of Crossplane's managed resources", aMachine("managementPolicies: [Observe]\nproxmox: {node: pve1}")},
		"RestoreOfBackup":    {"a backup that a claim is to restore", aMachine("restore: {from: pbs}\nproxmox: {node: pve1}")},
		"CrossplaneUnknown":  {"a field that Crossplane had in an earlier version", aMachine("crossplane: {writeConnectionSecretToRef: {name: a}}\nproxmox: {node: pve1}")},
		"TelmateSockets":     {"sockets of Terraform", aMachine(where + "sockets: 2\ncores: 2")},
		"TelmateFullClone":   {"a full clone, and an OS type", aMachine(where + "full_clone: true\nos_type: cloud-init")},
		"TelmateBoot":        {"an order to boot, and a disk for UEFI", aMachine(where + "boot: order=scsi0\nefidisk0: local-zfs:1")},
		"NUMA":               {"an option of Proxmox that nothing sets", aMachine(where + "numa: true")},
		"CapmoxMachine":      {"a machine of Cluster API", aMachine("sourceNode: pve1\nnumCores: 2\nnumSockets: 1\nmemoryMiB: 4096")},
		"CapmoxDisks":        {"its disks: the names are keys", aMachine(where + "disks: {bootVolume: {disk: scsi0, sizeGb: 40}}")},
		"CapmoxNetwork":      {"its network", aMachine(where + "network: {default: {bridge: vmbr0, model: virtio}}")},
		"Netplan":            {"a network of netplan", aMachine(where + "network: {version: 2, ethernets: {eth0: {dhcp4: true}}}")},
		"AnsibleHost":        {"a variable of an inventory", aMachine(where + "ansible_host: 192.168.4.50")},
		"DiskType":           {"a kind of disk, which is no kind of display", aMachine(where + "disks: [{name: data, size: 8Gi, type: ssd, format: ext4}]")},
		"ImportID":           {"an import", aMachine(where + "importId: 104")},
		"ImageCodename":      {"the code name of a release", aMachine(where + "image: trixie")},
		"NodeLabels":         {"labels as kubectl names them", aNode(joins + "k3s: {cluster: home, role: agent, nodeLabels: {tier: db}}")},
		"ContainerDisk":      {"a machine's disk in a container", aContainerClaim(ct + "disks: [{name: data, size: 8Gi, mountPath: /srv}]")},
		"ContainerDocker":    {"a feature that has another name", aContainerClaim(ct + "features: {docker: true}")},
		"ContainerAgent":     {"a guest agent", aContainerClaim(ct + "bootstrap: {guestAgent: true}")},
		"SiteStorages":       {"storages of a node, and a bond", aSite("storages: [local-zfs]\nnodes: {pve1: {bonds: [{name: bond0}]}}")},
		"SiteBridges":        {"bridges of no node", aSite("bridges: [vmbr1]")},
		"PodRequests":        {"requests of a Pod", aMachine(where + "size: {requests: {memory: 4Gi}}")},
		"PodSelector":        {"a node selector", aMachine("nodeSelector: {kubernetes.io/hostname: pve1}")},
		"PodTolerations":     {"tolerations of a node", aNode(joins + "k3s: {cluster: home, role: agent, tolerations: [{key: a}]}")},
		"SpecLabels":         {"labels in the spec", aMachine(where + "labels: [tier=1]")},
		"SpecLabelsOfNode":   {"the same of a node", aNode(joins + "labels: {tier: db}\nk3s: {cluster: home, role: agent}")},
		"Pool":               {"a pool of Proxmox, which is no pool of addresses", aMachine(where + "pool: infra")},
		"PoolOfContainer":    {"the same of a container", aContainerClaim(ct + "pool: infra")},
		"BootDiskSize":       {"the size where the options of the disk are", aMachine(where + "bootDisk: {size: 40Gi}")},
		"FirmwareUEFI":       {"a firmware as a field", aMachine(where + "firmware: {uefi: true}")},
		"Snapshot":           {"a snapshot", aMachine(where + "snapshot: true")},
		"Protected":          {"protection where actions are", aMachine(where + "lifecycle: {protected: enabled}")},
		"PowerState":         {"power in a longer word", aMachine(where + "powerState: running")},
		"HAState":            {"a state of the HA manager", aMachine(where + "ha: {enabled: false, state: started}")},
		"ImageFile":          {"the name of a file", aMachine(where + "image: debian-13.qcow2")},
		"ImageLatest":        {"a tag without a release", aMachine(where + "image: debian:latest")},
		"UserDataPath":       {"the name of a file in place of what is in it", aMachine(where + "bootstrap: {userData: ./user-data.yaml}")},
		"AddressWithZeros":   {"zeros in front", aMachine(where + "network: {ip: 192.168.004.050}")},
		"DevicesByAddress":   {"a device in a list by its number", aMachine(where + "devices: {pci: [\"0000:01:00.0\"]}")},
		"AnchorElsewhere":    {"an anchor of the document before", aMachine("class: &size small\n"+where) + "---\n" + aNode("class: *size")},
		"DockerImage":        {"an image of a registry", aContainerClaim("image: docker.io/library/nginx:latest\nproxmox: {node: pve1, vmId: 150}")},
		"DockerTag":          {"one with a tag", aContainerClaim("image: nginx:1.29\nproxmox: {node: pve1, vmId: 150}")},
		"DockerCommand":      {"a program to run", aContainerClaim(ct + "command: [nginx]\nmem_limit: 512m\ncontainer_name: web")},
		"DockerServices":     {"a Compose file", aContainerClaim(ct + "services: {web: {image: nginx}}")},
		"ContainerArch":      {"an architecture", aContainerClaim(ct + "arch: amd64")},
		"ClusterEndpoint":    {"the endpoint of Cluster API", aCluster(cluster + fixed + "controlPlaneEndpoint: {host: 192.168.4.61, port: 6443}\nservers: {count: 1}")},
		"ClusterTemplateOf":  {"its template", aCluster(cluster + fixed + "machineTemplate: {}\nservers: {count: 1}")},
		"ClusterCNI":         {"a network plugin", aCluster(cluster + fixed + "cni: cilium\nservers: {count: 1}")},
		"ClusterSANs":        {"names for the certificate", aCluster(cluster + fixed + "tlsSANs: [k3s.home.arpa]\nservers: {count: 1}")},
		"ClusterPoolSize":    {"a size of the servers", aCluster(cluster + fixed + "servers: {count: 1, memory: 4Gi, cores: 2}")},
		"ClusterPoolAddress": {"addresses of the servers, and where they run", aCluster(cluster + "servers: {count: 1, ips: [192.168.4.61], node: pve1}")},
		"ClusterPoolName":    {"a name for the servers", aCluster(cluster + fixed + "servers: {name: server, count: 1}")},
		"ClusterPoolSpec":    {"a template with a spec, as a Deployment has it", aCluster(cluster + fixed + "servers: {count: 1, template: {spec: {class: server}}}")},
		"ClusterPoolsByName": {"pools with their names as keys", aCluster(cluster + fixed + "servers: {count: 1}\nagents: {worker: {count: 2}}")},
		"ClusterNodesByName": {"nodes with their names as keys", aCluster(cluster + "servers: {count: 1}\nnodes: {server-0: {ip: 192.168.4.61}}")},
		"ClusterNodeAddress": {"a node by its address alone", aCluster(cluster + "servers: {count: 1}\nnodes: [192.168.4.61]")},
		"ClusterNodeLong":    {"a node by the name of its machine", aCluster(cluster + "servers: {count: 1}\nnodes: [{name: lab-server-0, ip: 192.168.4.61}]")},
		"ClusterNodeTypo":    {"a node of a pool that is misspelt", aCluster(cluster + "servers: {count: 1}\nnodes: [{name: sever-0, ip: 192.168.4.61}]")},
		"ClusterReleaseTag":  {"a release as the tag of an image", aCluster(token + "endpoint: https://192.168.4.61:6443\nversion: v1.36.5-k3s1\n" + fixed + "servers: {count: 1}")},
		"ClusterBareAddress": {"an endpoint without a scheme", aCluster(token + "endpoint: 192.168.4.61\nversion: v1.36.5+k3s1\n" + fixed + "servers: {count: 1}")},
		"K3sClusterInit":     {"a flag of K3s", aNode(joins + "k3s: {role: server, clusterInit: true, version: v1.36.5+k3s1, token: {secretRef: {name: t}, allowPlaintext: true}}")},
		"CatalogueGatewayUp": {"a gateway of the site, one level too high", environment("sites: {home: {nodes: {pve1: {}}, gateway: 192.168.4.1}}")},
		"CatalogueChecksum":  {"a checksum by its algorithm, and a disk by its kind", environment("classes: {small: {cores: 2, memory: 4Gi, hdd: 30Gi}}\nimages: {mine: {url: \"https://x.org/a.qcow2\", sha256: abc, os: debian}}")},
		"CatalogueURL":       {"the address of a cluster", environment("clusters: {home: {url: \"https://192.168.4.1:6443\"}}")},
	}
}
