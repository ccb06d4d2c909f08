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
			want: one("spec.proxmox.node", "the catalogue lists no nodes of site 'bare'"),
		},
		"SecureBootWithoutUEFI": {
			reason: "Only UEFI knows Secure Boot.", claim: aMachine(`{proxmox: {node: pve}, firmware: {secureBoot: true}}`), xrd: true,
			want: one("spec.firmware.secureBoot", "needs type: UEFI"),
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
			want:   one("spec.bootstrap.userData", "is already the whole user-data"),
		},
		"NixOnUbuntu": {
			reason: "Only NixOS applies flakes.", claim: aMachine(`{proxmox: {node: pve}, image: ubuntu-24.04, nix: {flakeRef: "github:a/b"}}`),
			want: one("spec.image", "nix needs a NixOS image"),
		},
		"VMIDOfTemplate": {
			reason: "A clone is not its template.", claim: aMachine(`{proxmox: {node: pve, vmId: 9000}, image: 9000}`),
			want: one("spec.proxmox.vmId", "is the VMID of the template"),
		},
		"CloneFirmware": {
			reason: "What is said of a clone's firmware must be whole.", claim: aMachine(`{proxmox: {node: pve}, image: 9000, firmware: {tpm: true}}`),
			want: one("spec.firmware.type", "a clone keeps its template's firmware"),
		},
		"BootstrapWithoutCloudInit": {
			reason: "An appliance would never see this.",
			claim: aMachine(`{proxmox: {node: pve}, image: haos, network: {ip: 192.168.4.9, cidr: 24}, ` +
				`bootstrap: {adminUser: ops, guestAgent: true, userData: "#cloud-config\n", sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI]}}`),
			want: []fault{
				{"spec.bootstrap.adminUser", "image haos does not read cloud-init data"},
				{"spec.bootstrap.guestAgent", "image haos does not read cloud-init data"},
				{"spec.bootstrap.sshAuthorizedKeys", "image haos does not read cloud-init data"},
				{"spec.bootstrap.userData", "image haos does not read cloud-init data"},
				{"spec.network.ip", "image haos does not read cloud-init data"},
			},
		},
	}
}

func unknownNames() map[string]wrong {
	return map[string]wrong{
		"Class": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {node: pve}, class: smal}`),
			want: one("spec.class", `"smal": there is no class of that name; did you mean small? There are: small, `),
		},
		"Image": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {node: pve}, image: ubuntu-24.4}`),
			want: one("spec.image", `there is no image of that name; did you mean ubuntu-24.04? There are: ubuntu-24.04, `),
		},
		"Site": {
			reason: "The nearest names come first.", claim: aMachine(`{proxmox: {site: hom}}`),
			want: one("spec.proxmox.site", `there is no site of that name; did you mean home? There are: home, bare`),
		},
		"Cluster": {
			reason: "The nearest names come first.", claim: aNode(`{proxmox: {node: pve}, k3s: {cluster: hme, role: agent}}`),
			want: one("spec.k3s.cluster", `there is no cluster of that name; did you mean home? There are: home`),
		},
		"Node": {
			reason: "The site's nodes are known.", claim: aMachine(`{proxmox: {site: home, node: pve9}}`),
			want: one("spec.proxmox.node", "node 'pve9' does not exist in site 'home'; did you mean pve?"),
		},
		"Bridge": {
			reason: "E13 words this.", claim: aMachine(`{proxmox: {site: home, bridge: vmbr999}}`),
			want: one("spec.proxmox.bridge", "network bridge 'vmbr999' does not exist on node 'pve'; there are: vmbr0, vmbr1, vmbr25gbe (pvesh get /nodes/pve/network lists them)"),
		},
		"NICBridge": {
			reason: "Further interfaces are checked, too.", claim: aMachine(`{proxmox: {site: home, node: pve}, nics: [{bridge: vmbr7}]}`),
			want: one("spec.nics[0].bridge", "network bridge 'vmbr7' does not exist on node 'pve'"),
		},
		"Datastore": {
			reason: "The node's datastores are known.", claim: aMachine(`{proxmox: {site: home, storage: tonk}}`),
			want: one("spec.proxmox.storage", "datastore 'tonk' does not exist on node 'pve'; did you mean tank? There are: tank"),
		},
		"DiskDatastore": {
			reason: "Data disks are checked, too.", claim: aMachine(`{proxmox: {site: home}, disks: [{name: data, size: 5Gi, storage: ceph}]}`),
			want: one("spec.disks[0].storage", "datastore 'ceph' does not exist on node 'pve'"),
		},
		"NearDatastore": {
			reason: "The nearest name is no answer where that datastore holds no disks.", claim: aMachine(`{proxmox: {site: home, storage: backups}}`),
			want: one("spec.proxmox.storage", "datastore 'backups' does not exist on node 'pve'; there are: nas, tank, "),
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
			want: one("spec.devices.pci[0].mapping", "PCI mapping 'gpu1' does not exist on node 'pve'; did you mean gpu0?"),
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
			want: one("EnvironmentConfig machine-catalog: data.clusters.plain.token.allowPlaintext", "set allowPlaintext: true"),
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
		"TemplateInFlake": {reason: "A reference has no braces.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/${b}"}}`), want: one("spec.nix.flakeRef", "must not contain blanks, quotes, line ends, $ or braces")},
		"LineInHostname": {
			reason: "A second line would be another key of the cloud-config.", claim: aMachine(`{proxmox: {node: pve}, hostname: "dns01\nruncmd: [reboot]"}`), xrd: true,
			want: one("spec.hostname", `"dns01\nruncmd: [reboot]": VM name contains invalid characters`),
		},
		"YAMLInHostname":  {reason: "A mapping is no name.", claim: aMachine(`{proxmox: {node: pve}, hostname: "a: {b: c}"}`), xrd: true, want: one("spec.hostname", "VM name contains invalid characters")},
		"ShellInBridge":   {reason: "A bridge is a name.", claim: aMachine(`{proxmox: {node: pve, bridge: "$(reboot)"}}`), xrd: true, want: one("spec.proxmox.bridge", "must be the name of a bridge")},
		"Report":          {reason: "There are two ways to report.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {report: Prometheus}}`), xrd: true, want: one("spec.bootstrap.report", `supported values: "Link", "None"`)},
		"LineInSSHKey":    {reason: "A second line would be a second key.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: ["ssh-ed25519 AAAAC3Nza\nssh-rsa AAAAB3Nza"]}}`), want: one("spec.bootstrap.sshAuthorizedKeys[0]", "must be one public key on one line")},
		"LineInHealth":    {reason: "A check is one line of a file.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b", healthCheck: "true\nreboot"}}`), want: one("spec.nix.healthCheck", "must be one line")},
		"QuoteInSchedule": {reason: "A schedule is an expression of systemd.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b", schedule: "daily\"; reboot"}}`), xrd: true, want: one("spec.nix.schedule", "must be a calendar expression")},
		"HugeUserData":    {reason: "Proxmox takes no snippet of a MiB.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "` + long + `"}}`), xrd: true, want: one("spec.bootstrap.userData", "may not be more than 262144 bytes")},
		"HugeHostname":    {reason: "A megabyte does not come back, and its length is fault enough.", claim: aMachine(`{proxmox: {node: pve}, hostname: "` + long + `"}`), xrd: true, want: one("spec.hostname", "(1048576 bytes)")},
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
		"SSHKeyTwice": {reason: "A key is there once.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh, ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh]}}`), xrd: true, want: one("spec.bootstrap.sshAuthorizedKeys[1]", "Duplicate")},
		"PasswordInFlake": {
			reason: "A password is never shown.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "git+https://me:s3cret@git.home.arpa/infra#dns01"}}`),
			want: one("spec.nix.flakeRef", "Invalid value: must not contain a user name or a password"),
		},
		"TokenInFlake": {
			reason: "A user of HTTPS is a token as often as not.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "git+https://ghp_abc@github.com/a/b#c"}}`),
			want: one("spec.nix.flakeRef", "Invalid value: must not contain a user name or a password"),
		},
		"RelativeFlake": {reason: "A path means nothing inside the machine.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "./infra#dns01"}}`), want: one("spec.nix.flakeRef", "the machine cannot resolve a path or a name from a flake registry")},
		"RegistryFlake": {reason: "A registry's name means nothing inside the machine.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "nixpkgs#hello"}}`), want: one("spec.nix.flakeRef", "the machine cannot resolve a path or a name from a flake registry")},
		"FlakeName":     {reason: "The name is one of Nix' attributes.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: "github:a/b#c#d"}}`), want: one("spec.nix.flakeRef", "the part after # must be the name of a NixOS configuration")},
		"EmptyFlake":    {reason: "A flake has to be named.", claim: aMachine(`{proxmox: {site: home}, image: nixos-25.05, nix: {flakeRef: ""}}`), xrd: true, want: one("spec.nix.flakeRef", "must not be empty")},
	}
}
