package claims

import (
	"strings"
)

func wrongCombinations() map[string]wrong {
	return map[string]wrong{
		"NoNode": {
			reason: "Without a catalogue's site a claim names its node.", claim: aMachine(`{}`),
			want: one("spec.proxmox.node", "must be the Proxmox node for the VM"),
		},
		"NoSpec": {
			reason: "A spec may be missing altogether.", claim: "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: m, namespace: default}\n", xrd: true,
			want: one("spec.proxmox.node", "must be the Proxmox node for the VM"),
		},
		"SiteWithoutNodes": {
			reason: "A site that lists no nodes has none to choose.", claim: aMachine(`{proxmox: {site: bare}}`),
			want: one("spec.proxmox.node", "the catalogue lists none of site 'bare'"),
		},
		"SecureBootWithoutUEFI": {
			reason: "Only UEFI knows Secure Boot.", claim: aMachine(`{proxmox: {node: pve}, firmware: {secureBoot: true}}`), xrd: true,
			want: one("spec.firmware.secureBoot", "needs type: uefi"),
		},
		"SameSnippet": {
			reason: "Two kinds of data are two files.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {userData: "local:snippets/a.yaml", metaData: "local:snippets/a.yaml"}}}`),
			want:  one("spec.bootstrap.snippets.metaData", "must be different files"),
		},
		"NixWithUserDataSnippet": {
			reason: "The snippet is the whole user-data.", xrd: true,
			claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b"}, bootstrap: {snippets: {userData: "local:snippets/a.yaml"}}}`),
			want:  one("spec.nix", "exclude each other"),
		},
		"UserDataTwice": {
			reason: "The snippet would hide the claim's own.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", snippets: {userData: "local:snippets/a.yaml"}}}`),
			want:   one("spec.bootstrap.userData", "already is the whole user-data"),
		},
		"NixOnUbuntu": {
			reason: "Only NixOS applies flakes.", claim: aMachine(`{proxmox: {node: pve}, image: ubuntu-24.04, nix: {flakeRef: "github:a/b"}}`),
			want: one("spec.image", "nix needs a NixOS image"),
		},
		"VMIDOfTemplate": {
			reason: "A clone is not its template.", claim: aMachine(`{proxmox: {node: pve, vmId: 9000}, image: 9000}`),
			want: one("spec.proxmox.vmId", "is the number of the template"),
		},
		"CloneFirmware": {
			reason: "What is said of a clone's firmware must be whole.", claim: aMachine(`{proxmox: {node: pve}, image: 9000, firmware: {tpm: true}}`),
			want: one("spec.firmware.type", "a clone keeps its template's firmware"),
		},
		"BootstrapWithoutCloudInit": {
			reason: "An appliance would never see this.",
			claim: aMachine(`{proxmox: {node: pve}, image: haos, network: {ip: 192.168.4.9, cidr: 24}, ` +
				`bootstrap: {adminUser: ops, userData: "#cloud-config\n", sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI]}}`),
			want: []fault{
				{"spec.bootstrap.adminUser", "image haos reads no cloud-init"},
				{"spec.bootstrap.sshAuthorizedKeys", "image haos reads no cloud-init"},
				{"spec.bootstrap.userData", "image haos reads no cloud-init"},
				{"spec.network.ip", "image haos reads no cloud-init"},
			},
		},
	}
}

func unknownNames() map[string]wrong {
	return map[string]wrong{
		"Class": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {node: pve}, class: smal}`),
			want: one("spec.class", `"smal": there is no class of that name; there are: small, `),
		},
		"Image": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {node: pve}, image: ubuntu-24.4}`),
			want: one("spec.image", `there is no image of that name; there are: ubuntu-24.04, `),
		},
		"Site": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {site: hom}}`),
			want: one("spec.proxmox.site", `there is no site of that name; there are: home, bare`),
		},
		"Cluster": {
			reason: "The nearest names come first.", claim: aNode(`{proxmox: {node: pve}, k3s: {cluster: hme, role: agent}}`),
			want: one("spec.k3s.cluster", `there is no cluster of that name; there are: home`),
		},
		"Node": {
			reason: "The site's nodes are known.", claim: aMachine(`{proxmox: {site: home, node: pve9}}`),
			want: one("spec.proxmox.node", "node 'pve9' does not exist in site 'home'; there are: pve"),
		},
		"Bridge": {
			reason: "E13 words this.", claim: aMachine(`{proxmox: {site: home, bridge: vmbr999}}`),
			want: one("spec.proxmox.bridge", "network bridge 'vmbr999' does not exist on node 'pve'; there are: vmbr0, vmbr1, vmbr25gbe (pvesh get /nodes/pve/network lists them)"),
		},
		"NICBridge": {
			reason: "Further interfaces are looked at, too.", claim: aMachine(`{proxmox: {site: home, node: pve}, nics: [{bridge: vmbr7}]}`),
			want: one("spec.nics[0].bridge", "network bridge 'vmbr7' does not exist on node 'pve'"),
		},
		"Datastore": {
			reason: "The node's datastores are known.", claim: aMachine(`{proxmox: {site: home, storage: tonk}}`),
			want: one("spec.proxmox.storage", "datastore 'tonk' does not exist on node 'pve'; there are: tank"),
		},
		"DiskDatastore": {
			reason: "Data disks are looked at, too.", claim: aMachine(`{proxmox: {site: home}, disks: [{name: data, size: 5Gi, storage: ceph}]}`),
			want: one("spec.disks[0].storage", "datastore 'ceph' does not exist on node 'pve'"),
		},
		"DatastoreContent": {
			reason: "A datastore for backups holds no disks.", claim: aMachine(`{proxmox: {site: home, storage: backup}}`),
			want: one("spec.proxmox.storage", "datastore 'backup' on node 'pve' does not serve content type 'images'; it serves: backup"),
		},
		"SnippetDatastore": {
			reason: "A snippet is where snippets are served.", claim: aMachine(`{proxmox: {site: home}, bootstrap: {snippets: {vendorData: "tank:snippets/a.yaml"}}}`),
			want: one("spec.bootstrap.snippets.vendorData", "datastore 'tank' on node 'pve' does not serve content type 'snippets'"),
		},
		"PCIMapping": {
			reason: "The node's mappings are known.", claim: aMachine(`{proxmox: {site: home}, devices: {pci: [{mapping: gpu1}]}}`),
			want: one("spec.devices.pci[0].mapping", "PCI mapping 'gpu1' does not exist on node 'pve'; there are: gpu0"),
		},
		"USBMapping": {
			reason: "The node's mappings are known.", claim: aMachine(`{proxmox: {site: home}, devices: {usb: [{mapping: zigbee}]}}`),
			want: one("spec.devices.usb[0].mapping", "USB mapping 'zigbee' does not exist on node 'pve'; there are: coral"),
		},
		"BrokenClass": {
			reason: "A broken entry is reported where it was written.", claim: aMachine(`{proxmox: {node: pve}, class: broken}`),
			want: []fault{
				{"EnvironmentConfig machine-catalog: data.classes.broken.cores", "must be a whole number from 1 to 1024"},
				{"EnvironmentConfig machine-catalog: data.classes.broken.disk", "must be a whole number with a unit"},
				{"EnvironmentConfig machine-catalog: data.classes.broken.memory", "memory 64Mi is below minimum of 128 MB"},
			},
		},
		"BrokenImage": {
			reason: "Proxmox cannot import what is packed.", claim: aMachine(`{proxmox: {node: pve}, image: packed}`),
			want: one("EnvironmentConfig machine-catalog: data.images.packed.url", "Proxmox cannot import compressed images"),
		},
		"BrokenCluster": {
			reason: "No silent plaintext, from the catalogue neither.", claim: aNode(`{proxmox: {node: pve}, k3s: {cluster: plain, role: agent}}`),
			want: one("EnvironmentConfig machine-catalog: data.clusters.plain.token.allowPlaintext", "say allowPlaintext: true"),
		},
	}
}

func hostile() map[string]wrong {
	long := strings.Repeat("A", 1<<20)

	return map[string]wrong{
		"TemplateInHostname": {
			reason: "The provider would read the file.", claim: aMachine(`{proxmox: {node: pve}, hostname: "${file(\"/etc/passwd\")}"}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"DirectiveInRole": {reason: "The provider would run it.", claim: aMachine(`{proxmox: {node: pve}, role: "%{ if true }x%{ endif }"}`), xrd: true, want: one("spec.role", "must hold only")},
		"TemplateInTag":   {reason: "The provider would read the file.", claim: aMachine(`{proxmox: {node: pve}, tags: ["${path.root}"]}`), xrd: true, want: one("spec.tags[0]", "must hold only")},
		"TemplateInImage": {
			reason: "It is neither a name nor a volume.", claim: aMachine(`{proxmox: {node: pve}, image: "local:import/${file(\"/etc/passwd\")}.qcow2"}`),
			want: one("spec.image", "must be a volume as storage:type/file"),
		},
		"TemplateInNode":  {reason: "The provider would read the file.", claim: aMachine(`{proxmox: {node: "${file(\"/etc/passwd\")}"}}`), xrd: true, want: one("spec.proxmox.node", "must be the name of a Proxmox node")},
		"TemplateInFlake": {reason: "A reference has no braces.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/${b}"}}`), want: one("spec.nix.flakeRef", "must not hold blanks, quotes, line ends, $ or braces")},
		"LineInHostname": {
			reason: "A second line would be another key of the cloud-config.", claim: aMachine(`{proxmox: {node: pve}, hostname: "dns01\nruncmd: [reboot]"}`), xrd: true,
			want: one("spec.hostname", `"dns01\nruncmd: [reboot]": VM name contains invalid characters`),
		},
		"YAMLInHostname":  {reason: "A mapping is no name.", claim: aMachine(`{proxmox: {node: pve}, hostname: "a: {b: c}"}`), xrd: true, want: one("spec.hostname", "VM name contains invalid characters")},
		"ShellInBridge":   {reason: "A bridge is a name.", claim: aMachine(`{proxmox: {node: pve, bridge: "$(reboot)"}}`), xrd: true, want: one("spec.proxmox.bridge", "must be the name of a bridge")},
		"LineInSSHKey":    {reason: "A second line would be a second key.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: ["ssh-ed25519 AAAAC3Nza\nssh-rsa AAAAB3Nza"]}}`), want: one("spec.bootstrap.sshAuthorizedKeys[0]", "must be one public key on one line")},
		"LineInHealth":    {reason: "A check is one line of a file.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b", healthCheck: "true\nreboot"}}`), want: one("spec.nix.healthCheck", "must be one line")},
		"QuoteInSchedule": {reason: "A schedule is an expression of systemd.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b", schedule: "daily\"; reboot"}}`), xrd: true, want: one("spec.nix.schedule", "must be a calendar expression")},
		"HugeUserData":    {reason: "Proxmox takes no snippet of a MiB.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "` + long + `"}}`), xrd: true, want: one("spec.bootstrap.userData", "may not be more than 262144 bytes")},
		"HugeHostname":    {reason: "A megabyte does not come back.", claim: aMachine(`{proxmox: {node: pve}, hostname: "` + long + `"}`), xrd: true, want: []fault{{"spec.hostname", "(1048576 bytes)"}, {"spec.hostname", "(1048576 bytes)"}}},
		"HugeClass":       {reason: "A megabyte does not come back.", claim: aMachine(`{proxmox: {node: pve}, class: "` + long + `"}`), xrd: true, want: one("spec.class", "must be at most 63 characters long")},
		"HugeImage":       {reason: "A megabyte does not come back.", claim: aMachine(`{proxmox: {node: pve}, image: "` + long + `"}`), xrd: true, want: one("spec.image", "must be at most 255 characters long")},
		"HugeMemory":      {reason: "A megabyte does not come back.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: "` + strings.Repeat("9", 1<<20) + `"}}`), xrd: true, want: one("spec.size.memory", "must be a whole number with a unit")},
		"HugeFlakeRef":    {reason: "A megabyte does not come back.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "` + long + `"}}`), xrd: true, want: one("spec.nix.flakeRef", "must be at most 512 characters long")},
		"HugeFieldName":   {reason: "A megabyte does not come back.", claim: aMachine("\n  proxmox: {node: pve}\n  ? " + long + "\n  : 1"), xrd: true, want: one(`spec."`+strings.Repeat("A", 64)+`... (1048576 bytes)"`, "unknown field")},
		"HostileFieldName": {
			reason: "A field's name cannot forge a message.", claim: aMachine(`{proxmox: {node: pve}, "x: fine\nspec.y": 1}`), xrd: true,
			want: one(`spec."x: fine\nspec.y"`, "unknown field"),
		},
		"PrivateKey": {
			reason: "A private key is never shown.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----"]}}`),
			want: one("spec.bootstrap.sshAuthorizedKeys[0]", "Invalid value: this is a private key"),
		},
		"NotASSHKey":  {reason: "A fingerprint is no key.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: ["SHA256:abcdef ops@home"]}}`), want: one("spec.bootstrap.sshAuthorizedKeys[0]", "must be a public key as in a .pub file")},
		"SSHKeyTwice": {reason: "A key is there once.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: [ssh-rsa AAAAB3Nza, ssh-rsa AAAAB3Nza]}}`), xrd: true, want: one("spec.bootstrap.sshAuthorizedKeys[1]", "Duplicate")},
		"PasswordInFlake": {
			reason: "A password is never shown.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "git+https://me:s3cret@git.home.arpa/infra#dns01"}}`),
			want: one("spec.nix.flakeRef", "Invalid value: must not hold a user or a password"),
		},
		"TokenInFlake": {
			reason: "A user of HTTPS is a token as often as not.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "git+https://ghp_abc@github.com/a/b#c"}}`),
			want: one("spec.nix.flakeRef", "Invalid value: must not hold a user or a password"),
		},
		"RelativeFlake": {reason: "A path means nothing inside the machine.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "./infra#dns01"}}`), want: one("spec.nix.flakeRef", "a path or a registry's name means nothing")},
		"RegistryFlake": {reason: "A registry's name means nothing inside the machine.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "nixpkgs#hello"}}`), want: one("spec.nix.flakeRef", "a path or a registry's name means nothing")},
		"FlakeName":     {reason: "The name is one of Nix' attributes.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b#c#d"}}`), want: one("spec.nix.flakeRef", "the name after # must be that of a NixOS configuration")},
		"EmptyFlake":    {reason: "A flake has to be named.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: ""}}`), xrd: true, want: one("spec.nix.flakeRef", "must not be empty")},
	}
}

func wrongK3s() map[string]wrong {
	k3s := func(k string) string { return aNode(`{proxmox: {node: pve}, k3s: ` + k + `}`) }

	return map[string]wrong{
		"NoK3s":     {reason: "A K3sNode has k3s.", claim: aNode(`{proxmox: {node: pve}}`), xrd: true, want: one("spec.k3s.role", "k3s must say which node of which cluster this is")},
		"NoRole":    {reason: "A node has a role.", claim: k3s(`{cluster: home}`), xrd: true, want: one("spec.k3s.role", "must be server or agent")},
		"WrongRole": {reason: "Two roles.", claim: k3s(`{cluster: home, role: master}`), xrd: true, want: one("spec.k3s.role", `supported values: "server", "agent"`)},
		"InitAgent": {reason: "An agent starts no cluster.", claim: k3s(`{cluster: home, role: agent, init: true}`), xrd: true, want: one("spec.k3s.init", "role must be server")},
		"NoServer":  {reason: "A joiner needs somebody to join.", claim: k3s(`{role: agent, version: v1.33.6+k3s1, token: {file: /etc/t/oken}}`), xrd: true, want: one("spec.k3s.server", "is required, except for the first server")},
		"SilentCluster": {
			reason: "A cluster of the catalogue may not say it either.", claim: k3s(`{cluster: silent, role: agent}`),
			want: []fault{
				{"spec.k3s.server", "cluster 'silent' of the catalogue has none"},
				{"spec.k3s.token", "cluster 'silent' of the catalogue has none"},
				{"spec.k3s.version", "cluster 'silent' of the catalogue has none"},
			},
		},
		"HTTPServer":    {reason: "K3s speaks TLS.", claim: k3s(`{cluster: home, role: agent, server: "http://192.168.4.210:6443"}`), xrd: true, want: one("spec.k3s.server", "must be https://host:port")},
		"ServerPath":    {reason: "An address has no path.", claim: k3s(`{cluster: home, role: agent, server: "https://192.168.4.210:6443/x"}`), xrd: true, want: one("spec.k3s.server", "must be https://host:port")},
		"Channel":       {reason: "A channel moves.", claim: k3s(`{cluster: home, role: agent, version: stable}`), xrd: true, want: one("spec.k3s.version", "must be one release of K3s")},
		"VersionPlain":  {reason: "A release has K3s' number.", claim: k3s(`{cluster: home, role: agent, version: v1.33.6}`), xrd: true, want: one("spec.k3s.version", "must be one release of K3s")},
		"NoPlaintext":   {reason: "No silent plaintext.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {name: t}}}`), xrd: true, want: one("spec.k3s.token.allowPlaintext", "say allowPlaintext: true")},
		"TwoTokens":     {reason: "One source.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {name: t}, allowPlaintext: true, file: /etc/t/oken}}`), xrd: true, want: one("spec.k3s.token", "set exactly one of secretRef and file")},
		"NoTokenSource": {reason: "One source.", claim: k3s(`{cluster: home, role: agent, token: {}}`), xrd: true, want: one("spec.k3s.token", "set exactly one of secretRef and file")},
		"TokenItself": {
			reason: "A token in the wrong place is never shown.", claim: k3s(`{cluster: home, role: agent, token: "K10abc::server:s3cret"}`), xrd: true,
			want: one("spec.k3s.token", "Invalid value: must be an object"),
		},
		"TokenAsFile": {
			reason: "A token in the wrong place is never shown.", claim: k3s(`{cluster: home, role: agent, token: {file: "K10abc::server:s3cret"}}`), xrd: true,
			want: one("spec.k3s.token.file", "Invalid value: must be an absolute path"),
		},
		"SecretName":        {reason: "A Secret's name is a DNS name.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {name: "K10 x"}, allowPlaintext: true}}`), want: one("spec.k3s.token.secretRef.name", "must be the name of a Secret")},
		"SecretWithoutName": {reason: "A Secret has a name.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {key: t}, allowPlaintext: true}}`), xrd: true, want: one("spec.k3s.token.secretRef.name", "Required")},
		"AgentDisable":      {reason: "An agent deploys nothing.", claim: k3s(`{cluster: home, role: agent, disable: [traefik]}`), want: one("spec.k3s.disable", "only servers deploy packaged components")},
		"AgentTLSSANs":      {reason: "An agent has no certificate.", claim: k3s(`{cluster: home, role: agent, tlsSANs: [k3s.home.arpa]}`), want: one("spec.k3s.tlsSANs", "only servers have the API server's certificate")},
		"DisableTypo":       {reason: "K3s would ignore it in silence.", claim: k3s(`{cluster: home, role: server, disable: [serviclb]}`), want: one("spec.k3s.disable[0]", "did you mean servicelb")},
		"TLSSANWithPort":    {reason: "A certificate has no ports.", claim: k3s(`{cluster: home, role: server, tlsSANs: ["k3s.home.arpa:6443"]}`), want: one("spec.k3s.tlsSANs[0]", "must be a DNS name or an IP address")},
		"RoleLabel":         {reason: "The kubelet refuses to start.", claim: k3s(`{cluster: home, role: agent, labels: {node-role.kubernetes.io/worker: "true"}}`), want: one("spec.k3s.labels[node-role.kubernetes.io/worker]", "a node cannot give itself a role")},
		"NumberLabel":       {reason: "Labels are text.", claim: k3s(`{cluster: home, role: agent, labels: {tier: 1}}`), xrd: true, want: one("spec.k3s.labels.tier", "must be text: put it in quotes")},
		"Taint":             {reason: "A taint has an effect.", claim: k3s(`{cluster: home, role: agent, taints: ["gpu=true"]}`), want: one("spec.k3s.taints[0]", "the effect behind the colon must be one of")},
		"UnknownConfig":     {reason: "K3s would not start.", claim: k3s(`{cluster: home, role: server, config: {cluster-cider: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cider]", "did you mean cluster-cidr")},
		"ConfigOfServer":    {reason: "K3s would not start.", claim: k3s(`{cluster: home, role: agent, config: {cluster-cidr: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cidr]", "on a server only")},
		"SecretConfig":      {reason: "No silent plaintext.", claim: k3s(`{cluster: home, role: server, config: {token: s3cret}}`), want: one("spec.k3s.config[token]", "set spec.k3s.token")},
		"DecidedConfig":     {reason: "One word for one thing.", claim: k3s(`{cluster: home, role: server, config: {tls-san: [a]}}`), want: one("spec.k3s.config[tls-san]", "set spec.k3s.tlsSANs")},
		"LongNodeName": {
			reason: "A node's name is the value of a label.", claim: aNode(`{proxmox: {node: pve}, hostname: "` + strings.Repeat("abcdefgh.", 8) + `a", k3s: {cluster: home, role: agent}}`),
			want: one("spec.hostname", "must be at most 63 characters long, as the name of a Kubernetes node"),
		},
	}
}

func wrongImages() map[string]wrong {
	image := func(i string) string { return aMachine(`{proxmox: {node: pve}, image: ` + i + `}`) }

	return map[string]wrong{
		"TemplateTooSmall": {reason: "E14 has the range.", claim: image(`50`), want: one("spec.image", "the number of a template is one from 100 to 999999999")},
		"TemplateTooLarge": {reason: "E14 has the range.", claim: image(`"1000000000"`), want: one("spec.image", "the number of a template is one from 100 to 999999999")},
		"ImageURL":         {reason: "A URL has a name in the catalogue.", claim: image(`"https://cloud.debian.org/x.qcow2"`), want: one("spec.image", "a URL goes into the images of the catalogue")},
		"ImageSnippet":     {reason: "Nobody boots a snippet.", claim: image(`"local:snippets/x.yaml"`), want: one("spec.image", "a machine cannot boot from content type snippets")},
		"ImageContainer":   {reason: "Nobody boots a container's template.", claim: image(`"local:vztmpl/debian.tar.zst"`), want: one("spec.image", "a machine cannot boot from content type vztmpl")},
		"ImageBackup":      {reason: "Nobody boots a backup.", claim: image(`"local:backup/vzdump.vma.zst"`), want: one("spec.image", "a machine cannot boot from content type backup")},
		"ImageWithoutType": {reason: "A volume has a type.", claim: image(`"local:noble.qcow2"`), want: one("spec.image", "must be a volume as storage:type/file")},
		"ImageImportImg":   {reason: "Proxmox imports no .img.", claim: image(`"local:import/noble.img"`), want: one("spec.image", "must end with .qcow2, .raw or .vmdk")},
		"ImageISOQcow2":    {reason: "An ISO store has installers and disk images.", claim: image(`"local:iso/noble.qcow2"`), want: one("spec.image", "must end with .iso (an installer) or .img (a disk image)")},
		"ImageFolder":      {reason: "Proxmox knows no folders.", claim: image(`"local:import/a/b.qcow2"`), want: one("spec.image", "without further folders")},
		"K3sOnNixOS":       {reason: "NixOS has its own way.", claim: aNode(`{proxmox: {site: home}, image: nixos-25.05, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "use a Machine with nix.flakeRef")},
		"K3sOnInstaller":   {reason: "An installer sets no K3s up.", claim: aNode(`{proxmox: {node: pve}, image: "local:iso/debian.iso", k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s is set up on Linux by cloud-init")},
		"K3sOnWindows":     {reason: "K3s runs on Linux.", claim: aNode(`{proxmox: {node: pve}, image: windows, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s is set up on Linux by cloud-init")},
		"K3sOnAppliance":   {reason: "An appliance reads no cloud-init.", claim: aNode(`{proxmox: {node: pve}, image: haos, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s is set up by cloud-init, which this image does not read")},
		"NixOnInstaller":   {reason: "An installer applies no flake.", claim: aMachine(`{proxmox: {node: pve}, image: "local:iso/nixos.iso", nix: {flakeRef: "github:a/b"}}`), want: one("spec.image", "nix needs a NixOS image")},
	}
}

func wrongNetworks() map[string]wrong {
	network := func(n string) string { return aMachine(`{proxmox: {node: pve}, network: ` + n + `}`) }
	nics := func(n string) string { return aMachine(`{proxmox: {node: pve}, nics: [` + n + `]}`) }

	return map[string]wrong{
		"NoAddress":        {reason: "One of two ways.", claim: network(`{dns: [192.168.4.1]}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"TwoAddresses":     {reason: "One of two ways.", claim: network(`{dhcp: true, ip: 192.168.4.53, cidr: 24}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"NoDHCP":           {reason: "dhcp: false is no address.", claim: network(`{dhcp: false}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"NoPrefix":         {reason: "Nobody says the prefix length.", claim: network(`{ip: 192.168.4.53}`), want: one("spec.network.cidr", "neither claim nor site says it")},
		"PrefixInIP":       {reason: "The prefix length has its own field.", claim: network(`{ip: 192.168.4.53/24}`), xrd: true, want: one("spec.network.ip", "the prefix length goes into cidr")},
		"PrefixTooLong":    {reason: "IPv4 has 32 bits.", claim: network(`{ip: 192.168.4.53, cidr: 33}`), xrd: true, want: one("spec.network.cidr", "must be a whole number from 1 to 32")},
		"NotAnIP":          {reason: "256 is no byte.", claim: network(`{ip: 192.168.4.256, cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"LeadingZero":      {reason: "Octal or decimal? Neither.", claim: network(`{ip: 192.168.04.53, cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"IPv6AsIP":         {reason: "IPv6 has its own field.", claim: network(`{ip: "2001:db8::1", cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"Loopback":         {reason: "Every machine has this one.", claim: network(`{ip: 127.0.0.1, cidr: 24}`), want: one("spec.network.ip", "must be an address that a machine on a network can have")},
		"Multicast":        {reason: "No machine has this one.", claim: network(`{ip: 224.0.0.1, cidr: 24}`), want: one("spec.network.ip", "must be an address that a machine on a network can have")},
		"SubnetAddress":    {reason: "The first address is the subnet's.", claim: network(`{ip: 192.168.4.0, cidr: 24}`), want: one("spec.network.ip", "is the address of the subnet 192.168.4.0/24 itself")},
		"Broadcast":        {reason: "The last address is everybody's.", claim: network(`{ip: 192.168.4.255, cidr: 24}`), want: one("spec.network.ip", "is the broadcast address of the subnet 192.168.4.0/24")},
		"GatewayOutside":   {reason: "A gateway is in the subnet.", claim: network(`{ip: 192.168.4.53, cidr: 24, gateway: 192.168.5.1}`), xrd: true, want: one("spec.network.gateway", "must be inside the subnet that ip and cidr describe, which is 192.168.4.0/24")},
		"GatewayNarrow":    {reason: "A gateway is in the subnet.", claim: network(`{ip: 192.168.4.130, cidr: 25, gateway: 192.168.4.1}`), xrd: true, want: one("spec.network.gateway", "which is 192.168.4.128/25")},
		"GatewayOfSite":    {reason: "The site says the prefix length.", claim: aMachine(`{proxmox: {site: home}, network: {ip: 192.168.4.53, gateway: 192.168.5.1}}`), want: one("spec.network.gateway", "which is 192.168.4.0/24")},
		"GatewayIsSelf":    {reason: "Nobody is his own gateway.", claim: network(`{ip: 192.168.4.53, cidr: 24, gateway: 192.168.4.53}`), want: one("spec.network.gateway", "is the machine's own address")},
		"GatewayOfDHCP":    {reason: "DHCP names it.", claim: network(`{dhcp: true, gateway: 192.168.4.1}`), xrd: true, want: one("spec.network.gateway", "the DHCP server names the gateway")},
		"DNSName":          {reason: "A name server has an address.", claim: network(`{dhcp: true, dns: [dns.google]}`), xrd: true, want: one("spec.network.dns[0]", "must be an IP address")},
		"ManyDNS":          {reason: "The resolver reads three.", claim: network(`{dhcp: true, dns: [1.1.1.1, 8.8.8.8, 9.9.9.9, 4.4.4.4]}`), xrd: true, want: one("spec.network.dns", "has 4 items and must have at most 3")},
		"Domain":           {reason: "A domain is a DNS name.", claim: network(`{dhcp: true, domain: "home arpa"}`), xrd: true, want: one("spec.network.domain", "must be a DNS domain")},
		"MAC":              {reason: "A MAC address has colons.", claim: network(`{dhcp: true, mac: BC-24-11-00-00-53}`), xrd: true, want: one("spec.network.mac", "must be a hardware address")},
		"MulticastMAC":     {reason: "No interface has this one.", claim: network(`{dhcp: true, mac: "01:00:5E:00:00:01"}`), want: one("spec.network.mac", "must not be a multicast address")},
		"ZeroMAC":          {reason: "No interface has this one.", claim: network(`{dhcp: true, mac: "00:00:00:00:00:00"}`), want: one("spec.network.mac", "must not be all zeros")},
		"MACTwice":         {reason: "Two interfaces, two addresses.", claim: aMachine(`{proxmox: {node: pve}, network: {dhcp: true, mac: "BC:24:11:00:00:53"}, nics: [{bridge: vmbr1, mac: "bc:24:11:00:00:53"}]}`), want: one("spec.nics[0].mac", "Duplicate")},
		"IPTwice":          {reason: "Two interfaces, two addresses.", claim: aMachine(`{proxmox: {node: pve}, network: {ip: 10.0.0.5, cidr: 24}, nics: [{bridge: vmbr1, ip: 10.0.0.5, cidr: 24}]}`), want: one("spec.nics[0].ip", "Duplicate")},
		"IPv6Nothing":      {reason: "One of three ways.", claim: network(`{dhcp: true, ipv6: {}}`), xrd: true, want: one("spec.network.ipv6", "set exactly one of auto: true, dhcp: true and ip")},
		"IPv6Two":          {reason: "One of three ways.", claim: network(`{dhcp: true, ipv6: {auto: true, dhcp: true}}`), xrd: true, want: one("spec.network.ipv6", "set exactly one of auto: true, dhcp: true and ip")},
		"IPv6NoPrefix":     {reason: "An address has a prefix length.", claim: network(`{dhcp: true, ipv6: {ip: "2001:db8::5"}}`), xrd: true, want: one("spec.network.ipv6.cidr", "ip and cidr go together")},
		"IPv6Mapped":       {reason: "That is IPv4.", claim: network(`{dhcp: true, ipv6: {ip: "::ffff:10.0.0.1", cidr: 64}}`), xrd: true, want: one("spec.network.ipv6.ip", "must be an IPv6 address")},
		"IPv6Gateway":      {reason: "A router is near.", claim: network(`{dhcp: true, ipv6: {ip: "2001:db8::5", cidr: 64, gateway: "2001:db9::1"}}`), want: one("spec.network.ipv6.gateway", "must be a link-local address, such as fe80::1, or inside the subnet 2001:db8::/64")},
		"NICWithoutBridge": {reason: "An interface has a bridge.", claim: nics(`{vlan: 30}`), xrd: true, want: one("spec.nics[0].bridge", "Required")},
		"NICTwoAddresses":  {reason: "One of two ways.", claim: nics(`{bridge: vmbr1, dhcp: true, ip: 10.0.0.5, cidr: 24}`), xrd: true, want: one("spec.nics[0]", "set at most one of dhcp: true and ip")},
		"NICNoPrefix":      {reason: "A site has one prefix length, for the first interface.", claim: nics(`{bridge: vmbr1, ip: 10.0.0.5}`), xrd: true, want: one("spec.nics[0].cidr", "is required with ip")},
		"ManyNICs": {
			reason: "Cloud-init is told of eight.", xrd: true, claim: nics(strings.TrimSuffix(strings.Repeat("{bridge: vmbr1}, ", 8), ", ")),
			want: one("spec.nics", "has 8 items and must have at most 7"),
		},
	}
}
