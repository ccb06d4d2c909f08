package lint

// mistakesFromElsewhere are the words of other tools, those of one tool in a claim, as somebody writes them who moves a file from there.
func mistakesFromElsewhere() map[string]mistake {
	const (
		ct    = "image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\n"
		joins = "class: server\nproxmox: {node: pve1}\n"
		site  = "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n"
	)

	return map[string]mistake{
		"FromBpg":          {"a resource of Terraform", aMachine(where + "name: web\nnode_name: pve1\nvm_id: 4101\noperating_system: {type: l26}\nserial_device: {}\ntpm_state: {version: v2.0}\nstop_on_destroy: true\nkeyboard_layout: de\nhook_script_file_id: x\n")},
		"FromTelmate":      {"one of another provider of Terraform", aMachine(where + "target_node: pve1\nfull_clone: true\nos_type: cloud-init\ncicustom: user=local:snippets/a.yaml\nargs: -cpu host\n")},
		"FromQmConfig":     {"what qm config prints", aMachine(where + "ostype: l26\nsmbios1: uuid=x\nserial0: socket\nhookscript: local:snippets/x.sh\n")},
		"FromVMOptions":    {"options of a VM that no claim has", aMachine(where + "bios: ovmf\nacpi: true\nsize: {cpuLimit: 1.5}\ndevices: {usb: [{mapping: stick, usb3: true}]}\ndisks: [{name: d, size: 1Gi, snapshot: false, media: cdrom}]\n")},
		"WindowFromTo":     {"a window as people say it", aCluster("rollout: {window: {from: 02:00, to: 04:00, tz: Europe/Berlin}}\n")},
		"SiteFromOVS":      {"a bridge of Open vSwitch", aProxmoxSite("nodes: {pve1: {bridges: [{name: vmbr7, type: OVSBridge, ovs_ports: [eno2]}]}}\n")},
		"NamesWithMore":    {"a node with its domain, a volume, a text of Terraform", aMachine("proxmox: {node: pve1.home.arpa, storage: \"local-zfs:vm-100-disk-0\"}\nhostname: ${var.name}\n")},
		"UnseenBehind":     {"a no-break space behind a colon", aMachine("proxmox:\u00a0{node: pve1}")},
		"UnseenInValue":    {"a zero width space", aMachine("proxmox: {node: pve1\u200b}")},
		"FromAnsible":      {"a task of Ansible", aMachine(where + "api_host: pve1\napi_token_secret: hunter2\nnewid: 4101\n")},
		"FromCAPMOX":       {"a ProxmoxMachine", aMachine(where + "sourceNode: pve1\nnumCores: 2\nmemoryMiB: 4096\nproviderID: \"proxmox://x\"\nfailureDomain: a\nclusterName: a\nbootstrap: {dataSecretName: x}\n")},
		"FromTalos":        {"a machine of Talos", aMachine(where + "talos: {version: v1.8}\nconfigPatches: []\ninstallDisk: /dev/sda\n")},
		"FromCloudInit":    {"a cloud-config at the top", aMachine(where + "package_update: true\nbootcmd: [a]\nmounts: []\nntp: {}\nssh_pwauth: false\nchpasswd: {}\nmanage_etc_hosts: true\n")},
		"FromK3sScript":    {"the variables of the script of K3s", aNode(joins + "k3s: {cluster: home, role: agent, K3S_TOKEN: hunter2}\nK3S_URL: https://x:6443\nINSTALL_K3S_EXEC: agent --node-label a=b\n")},
		"FromK3sFlags":     {"options of K3s", aNode(joins + "k3s: {cluster: home, role: agent, channel: stable, flannel-backend: none, kubelet-arg: [a=b]}\n")},
		"FromK3sCluster":   {"the same of a cluster", aCluster("INSTALL_K3S_CHANNEL: stable\ndatastore-endpoint: x\nkubernetesVersion: v1.33.0\n")},
		"FromK3sNode":      {"fields of a K3sNode, beside those of a cluster and in a pool", aCluster("firewall: {preset: k3s-server}\nha: {enabled: true}\nservers: {count: 3, class: server, ha: {enabled: true}, notes: x, onBoot: true, nics: []}\n")},
		"ForeignToken":     {"a token as other tools call it", aCluster("k3sToken: abc\nservers: {count: 1}\n")},
		"TokenInPlace":     {"the token itself, in place of where it is", aCluster("joinToken: abc\nservers: {count: 1}\n")},
		"TokenOfNode":      {"the token where a K3sNode has it", aCluster("k3s: {token: {secretRef: {name: k3s-token}}}\nservers: {count: 1}\n")},
		"TokenAmongOthers": {"beside other fields of a K3sNode", aCluster("k3s: {token: abc, role: server}\nservers: {count: 1}\n")},
		"TokenOfConfig":    {"a token in K3s' configuration", aCluster("k3s: {config: {token: abc}}\nservers: {count: 1}\n")},
		"TokenOfPool":      {"in a pool, and in its template", aCluster("servers: {count: 1, k3s: {token: abc}}\nagents: [{name: w, count: 1, template: {token: abc}}]\n")},
		"TokenOfProxmox":   {"a token of Proxmox is none of K3s, which is missing", aCluster("proxmox: {token: abc}\nservers: {count: 3}\n")},
		"K3sWithoutToken":  {"what has no token in it says nothing of one", aCluster("k3s: {role: server}\nservers: {count: 3}\n")},
		"TokenBesideK3s":   {"a token at the top of a K3sNode", aNode(joins + "token: abc\nk3s: {server: \"https://192.168.4.210:6443\", version: v1.33.6+k3s1, role: agent}\n")},
		"JoinTokenOfNode":  {"a field of K3sClusters", aNode(joins + "k3s: {cluster: home, role: agent, joinToken: abc}\n")},
		"FromCompose":      {"a service of Docker Compose", aMachine(where + "depends_on: [db]\nenv_file: .env\n")},
		"FromPod":          {"the spec of a Pod", aMachine(where + "containers: []\nserviceAccountName: x\nsecurityContext: {}\nhostNetwork: true\nlivenessProbe: {}\n")},
		"FromVagrant":      {"a Vagrantfile", aMachine(where + "box: debian/bookworm64\nprovision: shell\nsynced_folder: /x\nprivate_network: {ip: 10.0.0.1}\n")},
		"FromContainer":    {"fields of a Container", aMachine(where + "unprivileged: true\nfeatures: {nesting: true}\nmp0: /a\nrootfs: local-zfs:8\nostemplate: x\nsize: {swap: 1Gi}\n")},
		"ContainerFromVM":  {"fields of a VM", aContainerClaim(ct + "firmware: {type: uefi}\nbootDisk: {ssd: true}\nvga: {type: serial0}\ncpuType: host\nsize: {sockets: 1}\n")},
		"ContainerFromPct": {"what pct has", aContainerClaim(ct + "pubkey: x\nenv_file: .env\nresources: {limits: {memory: 1Gi}}\nreadinessProbe: {}\n")},
		"SiteFromIfupdown": {"/etc/network/interfaces", site + "  nodes:\n    pve1:\n      auto: vmbr1\n      bridges:\n        - {iface: vmbr1, bridge-ports: enp2s0, bridge-vlan-aware: true, bridge-vids: 2-4094, bridge-stp: \"off\", bond-mode: 802.3ad, address: 10.0.0.5}\n" +
			"      vlans:\n        - {iface: vmbr0.10, vlan-raw-device: vmbr0, vlan-id: 10}\n"},
	}
}
