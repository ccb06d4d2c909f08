package claim

import "regexp"

// An explainedField is one that kinds of claims do not have, by the pattern of its path.
type explainedField struct {
	kinds   []string
	pattern *regexp.Regexp
	text    string
}

// passwords are the words for one, which no claim takes.
const passwords = `(?i:(root|admin|user|ci|login|default|ssh|console)?_?pass(w|word|wd|phrase)(_?hash|_?ref)?|(root|ci)_?pw|hashed_?passw(or)?d)`

// explanations of fields that no claim has, as people write them, and what to do instead. Most of them Proxmox lets only root@pam set. Source:
// check_vm_modify_config_perm and assert_pve_hostpci in qemu-server (src/PVE/API2/Qemu.pm), check_ct_modify_config_perm in pve-container (src/PVE/LXC.pm).
var explanations = []explainedField{ //nolint:gochecknoglobals // A constant table.
	{
		Kinds(),
		// Directives of a strategic merge patch (Kubernetes' apimachinery, pkg/util/strategicpatch).
		regexp.MustCompile(`[."]\$(patch|retainKeys|setElementOrder/[^"]+|deleteFromPrimitiveList/[^"]+)"?$`),
		"unknown field: it is of a patch, which changes a claim before it is applied, and of no claim itself: name the file under patches of kustomization.yaml, or remove the line",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(features\.)?(keyctl|fuse|mount|nfs|cifs|smb|mknod|forceRwSys|force_rw_sys)$`),
		"unknown field: Proxmox lets only root@pam set any feature of a container but nesting, and no API token is root@pam. Docker in an unprivileged " +
			"container runs with nesting: true; for more, set it on the node (`pct set <vmId> --features nesting=1,keyctl=1`), and the container keeps it, or make it a Machine",
	},
	{
		[]string{KindContainer},
		// With a mount point the provider would make the container anew: TestHandsOnContainers in test/provider.
		regexp.MustCompile(`^spec\.(disks\[\d+\]\.(volume|source|hostPath|host|bind|shared)|mp\d+|mounts|bindMounts)$`),
		"unknown field: Proxmox lets only root@pam mount a folder of the node, and no API token is root@pam. Write it into the container's own file on the node " +
			"(`lxc.mount.entry: /tank/media srv/media none bind,create=dir 0 0` in /etc/pve/lxc/<vmId>.conf), and the container keeps it, or make it a Machine. Do not add a mount point " +
			"(`pct set <vmId> --mp0`): the provider could change nothing more of the container",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(lxc[\w.]*|hookScript|hookscript|hook_script_file_id|` +
			`(features\.)?(apparmor|apparmorProfile|capabilities|cap_?[dD]rop|seccomp|sysctls?))$`),
		"unknown field: Proxmox lets only root@pam run a hook script or set options of LXC, and no API token is root@pam. Set it on the node " +
			"(`pct set <vmId> --hookscript local:snippets/hook.sh`, or lines such as lxc.apparmor.profile in /etc/pve/lxc/<vmId>.conf), and the container keeps it, or make it a Machine",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(features\.)?(idmap|idMap|id_map|lxc\.idmap|uidMap|gidMap|uid_map|gid_map)$`),
		"unknown field: Proxmox lets only root@pam map users, in the container's own file on the node (`lxc.idmap: u 0 100000 1000` in /etc/pve/lxc/<vmId>.conf, and /etc/subuid), and no API token is " +
			"root@pam. The container keeps such lines. Without them, user 1000 of an unprivileged container is 101000 on the node: give it the folder, `chown 101000`",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(osTemplate|ostemplate|os_template|template|templateFile|template_file_id)$`),
		"unknown field: the template is the image: write image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst, or the name of one of the catalogue",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(rootfs|rootFs|rootFS|root_fs|rootDisk)$`),
		"unknown field: the root disk is size.disk, and its datastore proxmox.storage: write size: {disk: 8Gi} and proxmox: {storage: local-zfs}",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(mountpoints?|mountPoints?|mount_points?|volumes)$`),
		"unknown field: a mount point with a volume of its own is one of disks: write disks: [{path: /srv/data, size: 8Gi, storage: local-zfs}]. A folder of the node only root@pam mounts, in the " +
			"container's own file on the node (`lxc.mount.entry: /tank/media srv/media none bind,create=dir 0 0` in /etc/pve/lxc/<vmId>.conf), and the container keeps it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.privileged$`),
		"unknown field: a privileged container has unprivileged: false; its root is root on the node, too. Without the field, a container is unprivileged: remove it",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(url|serverUrl|serverURL|server_url|K3S_URL|endpoint|join)$`),
		"unknown field: the address of the cluster that the node joins is k3s.server, such as https://192.168.4.210:6443",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.vlans\[\d+\]\.name$`),
		"unknown field: a VLAN interface is named after its interface and its tag: write interface: vmbr0 and tag: 100 for vmbr0.100",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.(bridges|vlans)\[\d+\]\.(cidr|netmask|ip|ipv4)$`),
		"unknown field: an address has its length: write address: 10.20.0.5/24",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(disk|diskSize|disk_size|rootDisk|root_disk)$`),
		"unknown field: the root disk is size.disk, and disks are further ones: write size: {disk: 40Gi}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(packages|runcmd|runCmd|write_files|writeFiles|` +
			`bootcmd|package_\w+|chpasswd|growpart|resize_rootfs|mounts|ssh_pwauth|ssh_import_id|disable_root|` +
			`manage_\w+|apt|ca_certs|disk_setup|fs_setup|power_state|phone_home|final_message|groups|snap)$`),
		"unknown field: it is cloud-init's, and belongs into the cloud-config in bootstrap.userData",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(count|replicas|for_each|forEach)$`),
		"unknown field: a claim is one machine: write another claim, with another name, for each further one",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.` + passwords + `$`),
		"unknown field: a claim takes no passwords: log in with an SSH key (bootstrap.sshAuthorizedKeys). If this one is in Git and used elsewhere, change it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(resources|hardware|instanceType|flavor|flavour)$`),
		"unknown field: the size of a machine is that of a class of the catalogue, class: small, or its own: size: {cores: 2, memory: 4Gi, disk: 40Gi}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(path|device|volume|file|fileName|fileId|source|pathInDatastore|passthrough)$`),
		"unknown field: each disk is a new volume. Proxmox lets only root@pam attach a physical disk of the node, and destroys a volume with the VM that has it. Pass the " +
			"controller through (devices.pci), or mount the data over the network",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.((disks\[\d+\]|bootDisk)\.(iothread|ioThread|aio|interface|bus|slot|scsihw|replicate)|bootDisk\.format)$`),
		"unknown field: the function decides it. Disks are on virtio-scsi-single, each with an IO thread, in the order of the claim, in the format of their datastore; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(network|nics\[\d+\])\.(trunks?|vlans|model|name|interface|queues|rate|rateLimit|linkDown|bond|routes?)$`),
		"unknown field: an interface is virtio, on one bridge, with one VLAN tag or none; the guest's own configuration of its network (bootstrap.userData) has the rest. Without vlan, a " +
			"bridge that is VLAN-aware passes all tags to the guest; bridges of a node are in a ProxmoxSite, and its bonds in Proxmox alone",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.ha\.(groups?|haGroup|ha_group|rules?|nodes|priority|restricted|strict|affinity|(node|resource)(_a|A)ffinity|` +
			`antiAffinity|anti_affinity)$`),
		"unknown field: where the VM may run, and what it keeps away from, is a rule of Proxmox VE (Datacenter, HA, Affinity Rules; groups before version 9), which names the VM; claims do not make it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.pci\[\d+\]\.(id|ids|address|device|path|host)|hostpci\d*|pci)$`),
		"unknown field: Proxmox lets only root@pam name a PCI device by its address, and no API token is root@pam. Make a resource mapping once (`pvesh create " +
			"/cluster/mapping/pci --id gpu0 --map 'node=pve,path=0000:01:00.0,id=10de:1c82'`), and write devices: {pci: [{mapping: gpu0}]}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.usb\[\d+\]\.(id|host|device|port|vendorId|productId|vendor|product)|usb\d*)$`),
		"unknown field: Proxmox lets only root@pam name a USB device by its number or port, and no API token is root@pam. Make a resource mapping once (`pvesh create " +
			"/cluster/mapping/usb --id zigbee --map 'node=pve,id=10c4:ea60'`), and write devices: {usb: [{mapping: zigbee}]}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(restart|restartPolicy|restart_policy|restartAfterCrash)$`),
		"unknown field: whether Proxmox starts the guest when its node starts is onBoot: true or false. A restart now is lifecycle.reboot, with a " +
			"new word for each one",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(running|started|runStrategy|state)$`),
		"unknown field: whether the guest runs is power: Running, Stopped or Unmanaged",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(hosts|hostAliases|extraHosts|extra_hosts|etcHosts)$`),
		"unknown field: the node of Proxmox that it runs on is proxmox.node, and its own name hostname. Entries of /etc/hosts belong into the guest: " +
			"into the cloud-config in bootstrap.userData of a VM",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(ports?|expose|service|publish)$`),
		"unknown field: a guest has an address of its own, with all its ports. What may connect to which of them is firewall: {enabled: true, allow: " +
			"[{port: 443}]}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.((allow\[\d+\]\.)?(groups?|securityGroups?|ipsets?|ipSets?|alias|aliases))$`),
		"unknown field: rules name what the datacenter's firewall has: allow: [{group: web}] a security group, {from: +dc/lan, port: 22} an IP set, and " +
			"{from: dc/nas, port: 22} an alias (docs/day-two.md, Firewall)",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.(in|input|inbound|ingress|rules?|from|sources?|accept|open|ports?|allowed\w*|whitelist)$`),
		"unknown field: what may connect is a list of rules, each with its port: allow: [{port: 22, from: 192.168.4.0/24}]. All else that comes in is dropped",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.(out|default|(default)?(policy|Policy)(In|Out|_in|_out)?|` +
			`(input|output|in|out)_?[pP]olicy|deny|drop|reject|block|egress|outbound)$`),
		"unknown field: everything incoming that neither preset nor allow names is dropped, and everything outgoing is allowed; no claim changes these. Remove it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(firewall|network|nics\[\d+\])\.(macfilter|macFilter|mac_filter|` +
			`ipfilter|ipFilter|ip_filter|ndp|radv|dhcp_?[fF]ilter)$|^spec\.firewall\.dhcp$`),
		"unknown field: DHCP, neighbour discovery and router advertisements always pass, and the filters are as Proxmox has them by default, that of MAC addresses on and that of IP addresses off. Remove it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.(allow\[\d+\]\.)(macro|service)$`),
		"unknown field: a rule has no macro, but a port: write {port: 53, protocol: udp}, a rule for each port",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.allow\[\d+\]\.(source|src|cidr|network|sourceAddress|source_address|proto|dport|destinationPort)$`),
		"unknown field: a rule is {port: 443, protocol: tcp, from: 192.168.4.0/24}: the port or a range of ports of the guest, tcp or udp, and the address or the network that may connect",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.firewall\.allow\[\d+\]\.(dest|destination|to|sport|source_?[pP]ort|type|action|direction|iface|log|enabled?)$`),
		"unknown field: a rule lets in what comes to a port of the guest, from everywhere or from one network: write {port: 443, from: 192.168.4.0/24}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(environment|env|env_file|envFile|envFrom|environmentVariables)$`),
		"unknown field: programs in the guest have variables, and no VM: write them into a file of the cloud-config in bootstrap.userData " +
			"(write_files), secret ones into bootstrap.secrets",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(environment|env|env_file|envFile|envFrom|environmentVariables)$`),
		"unknown field: it is a container of LXC, with a whole system in it and no single program: variables belong to the service in it that needs " +
			"them",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(clone|cloneFrom|cloneId|sourceVm|sourceVM|templateId|templateID|template_id|vmTemplate)$`),
		`unknown field: a template to clone is the image: the name of an image of the catalogue that has template: 9000, for the template with VMID 9000, or ` +
			`that VMID, image: "9000"`,
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(template)$`),
		`unknown field: the template to clone is the image: the name of an image of the catalogue that has template: 9000, for VMID 9000. If it is that of ` +
			"KubeVirt or a Deployment: what is below its spec stands in spec itself, and each machine is a claim",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.domain$`),
		"unknown field: the DNS domain is network.domain: home.arpa. If it is that of KubeVirt: CPU and memory are size: {cores: 2, memory: 4Gi}, " +
			"disks are disks, interfaces network and nics",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(k3s\.)?(args|extraArgs|k3sArgs|serverArgs|agentArgs|extraServerArgs|flags)$|^spec\.config$`),
		"unknown field: options of K3s are keys of its configuration file, k3s.config: --node-external-ip=203.0.113.7 is config: {node-external-ip: " +
			"[203.0.113.7]}; some have a field of their own, such as k3s.disable, labels and taints",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(disable|disableComponents)$`),
		"unknown field: write k3s: {disable: [traefik]}, equal on all servers; or once for all, in the cluster of the catalogue: disable: [traefik]",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.|servers\.)?(disable|disableComponents)$`),
		"unknown field: what K3s leaves out is of the whole cluster. Write it into the cluster of the catalogue: clusters: {home: {disable: " +
			"[traefik]}}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.((servers|agents\[\d+\])\.)?(args|extraArgs|k3sArgs|serverArgs|agentArgs|config|flags|k3s|k3s_extra_args|` +
			`initConfiguration|joinConfiguration|clusterConfiguration|etcd)$`),
		"unknown field: options of K3s are keys of its configuration file: of all nodes in the cluster of the catalogue, clusters: {home: {config: " +
			"{...}}}; of a pool in servers.template or agents[].template: template: {k3s: {config: {...}}}",
	},
	{
		[]string{KindK3sCluster, KindK3sNode},
		regexp.MustCompile(`^spec\.(k3s\.)?(clusterNetwork|networking|(?i:pod|service|cluster)(CIDR|Cidr|Subnet))$`),
		"unknown field: the networks of pods and Services are of the whole cluster. Write them into the cluster of the catalogue: clusters: {home: " +
			"{config: {cluster-cidr: 10.42.0.0/16, service-cidr: 10.43.0.0/16}}}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(tokenSecretRef|tokenSecret|tokenRef|tokenSecretName|secretRef|joinTokenSecretRef)$`),
		"unknown field: write token: {secretRef: {name: k3s-token}, allowPlaintext: true}, with the name of your Secret",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(k3s\.)?(tokenSecretRef|tokenSecret|tokenRef|tokenSecretName|secretRef|joinTokenSecretRef)$`),
		"unknown field: write k3s: {token: {secretRef: {name: k3s-token}, allowPlaintext: true}}, with the name of your Secret",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(addons|manifests|helm|helmCharts|charts)$`),
		"unknown field: what runs in the cluster is applied to it, with kubectl, Flux or Argo CD. A manifest that K3s applies at its start is a file " +
			"in /var/lib/rancher/k3s/server/manifests: servers.template.bootstrap.userData",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(replicas|count|size)$`),
		"unknown field: servers and agents have counts of their own: servers: {count: 3} and agents: [{name: worker, count: 2}]",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(class|image|proxmox|network|bootstrap|firewall|ha|nics|notes|onBoot|bootDisk|firmware|startup|vga|tags|power)$`),
		"unknown field: a pool has it. class and image stand in servers and in each of agents; the rest below template: servers: {count: 3, class: " +
			"small, template: {proxmox: {site: home}}}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite},
		regexp.MustCompile(`^spec\.(forProvider|initProvider|providerRef|providerConfigRef|providerConfig)$|^spec\.proxmox\.providerConfig(Ref)?$`),
		"unknown field: it is of the provider's resources, which the function makes of the claim. Which Proxmox and which ProviderConfig it is says the site in the " +
			"catalogue (sites.home.providerConfig), and a claim names the site: proxmox: {site: home}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite},
		regexp.MustCompile(`^spec\.proxmox\.(endpoint|host|url|insecure|username|user|password|apiToken|api_token|token|tokenId|tokenSecret|credentials)$`),
		"unknown field: a claim has neither address nor credentials of Proxmox: they are in the Secret of the ProviderConfig that the site in the catalogue names " +
			"(sites.home.providerConfig). Never commit a token or a password: if this one is in Git, change it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite},
		regexp.MustCompile(`^spec\.namespace$`),
		"unknown field: the namespace of a claim is metadata.namespace",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(access|account|accounts|auth|authentication|login|logins|credentials?|ssh|sshAccess)$`),
		"unknown field: who may log in is in bootstrap: write bootstrap: {adminUser: ops, sshAuthorizedKeys: [...]}, with public SSH keys; a claim takes no passwords",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(access|account|accounts|auth|authentication|login|logins|credentials?|ssh|sshAccess|users?)$`),
		"unknown field: root of a container logs in with the public SSH keys of bootstrap: write bootstrap: {sshAuthorizedKeys: [...]}; a claim takes no passwords",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(access|account|accounts|auth|authentication|login|logins|credentials?|ssh|sshAccess|users?|` +
			`(?i:ssh[-_]?(public[-_]?)?keys?|sshAuthorizedKeys))$`),
		"unknown field: who may log in is in bootstrap of a pool's template: write template: {bootstrap: {adminUser: ops, sshAuthorizedKeys: [...]}} in servers and in each of agents",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(initialization|userAccount|user_account|ipConfig|ip_config|ipconfig\d*|networkDevices?|network_device|net\d+)$`),
		"unknown field: it is of Terraform or of qm: addresses are network: {ip: 192.168.4.53} or network: {dhcp: true}, further interfaces nics, and the account with the SSH " +
			"keys bootstrap.adminUser and bootstrap.sshAuthorizedKeys",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(initialization|ipConfig|ip_config|networkInterfaces?|network_interface|networkDevices?|network_device|net\d+)$`),
		"unknown field: it is of Terraform or of pct: addresses are network: {ip: 192.168.4.53} or network: {dhcp: true}, and further interfaces nics",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(network|nics\[\d+\])\.(name|interface|rate|rateLimit|rate_limit|` +
			`trunks?|model|queues|linkDown|link_down|hostManaged|host_managed|enabled|type)$`),
		"unknown field: an interface is eth0, further ones eth1 and so on, each on one bridge, with one VLAN tag or none; Proxmox configures the rest. Remove it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(bootstrap\.)?` + passwords + `$`),
		"unknown field: a claim takes no passwords: log in as root with an SSH key (bootstrap.sshAuthorizedKeys); `pct enter <vmId>` on the node opens a shell. If this one is in Git and used elsewhere, change it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(scsihw|scsiHw|scsiHardware|scsi_hardware|scsi\d+|virtio\d+|ide\d+|sata\d+)$`),
		"unknown field: the function decides it. Disks are on virtio-scsi-single: the root disk is size.disk, further ones are disks: [{name: data, size: 100Gi}]; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.(packages|run_?[cC]md|write_?[fF]iles|users|timezone|locale|cloudConfig)$|` +
			`^spec\.(timezone|locale|users|(size\.)?swap)$`),
		"unknown field: it is cloud-init's, and belongs into the cloud-config in bootstrap.userData",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.` + passwords + `$`),
		"unknown field: a claim takes no passwords: log in with an SSH key (bootstrap.sshAuthorizedKeys). If this one is in Git and used elsewhere, change it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(storageClass|storageClassName|storage_class)$`),
		"unknown field: a disk is on a datastore of Proxmox: write proxmox: {storage: local-zfs}",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?token\.secretRef\.namespace$`),
		"unknown field: a Secret is read in the namespace of the claim: create it there, and remove namespace",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?token\.(value|text|token|plain|plaintext|secret)$`),
		"unknown field: write secretRef: {name: k3s-token}, and put the token into that Secret. Never commit a token: if this one is in Git, change it",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(agent|server_?[rR]ole|master|worker|type|kind|mode)$`),
		"unknown field: what the node is in its cluster is k3s.role: server or agent",
	},
}
