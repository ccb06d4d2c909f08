package claims

import (
	"strings"
)

func wrongK3s() map[string]wrong {
	k3s := func(k string) string { return aNode(`{proxmox: {node: pve}, k3s: ` + k + `}`) }

	return map[string]wrong{
		"NoK3s":     {reason: "A K3sNode has k3s.", claim: aNode(`{proxmox: {node: pve}}`), xrd: true, want: one("spec.k3s.role", "k3s must have the node's cluster and role")},
		"NoRole":    {reason: "A node has a role.", claim: k3s(`{cluster: home}`), xrd: true, want: one("spec.k3s.role", "must be server or agent")},
		"WrongRole": {reason: "Two roles.", claim: k3s(`{cluster: home, role: master}`), xrd: true, want: one("spec.k3s.role", `supported values: "server", "agent"`)},
		"ReadyWhen": {
			reason: "There are three answers.", claim: k3s(`{cluster: home, role: agent, readyWhen: joined}`), xrd: true,
			want: one("spec.k3s.readyWhen", `supported values: "VM", "Joined", "Ready"`),
		},
		"InitAgent": {reason: "An agent starts no cluster.", claim: k3s(`{cluster: home, role: agent, init: true}`), xrd: true, want: one("spec.k3s.init", "role must be server")},
		"RestoreJoins": {
			reason: "A server that joins has the state of its cluster.", claim: k3s(`{cluster: home, role: server, restore: etcd-1}`), xrd: true,
			want: one("spec.k3s.restore", "restore is for the first server of a cluster"),
		},
		"RestoreName": {
			reason: "The folder is an option of S3.", xrd: true, want: one("spec.k3s.restore", "must be the name of a snapshot in the bucket"),
			claim: k3s(`{cluster: home, role: server, init: true, token: {file: /etc/t/oken}, restore: home/etcd-1}`),
		},
		"NoServer": {reason: "A joiner needs somebody to join.", claim: k3s(`{role: agent, version: v1.33.6+k3s1, token: {file: /etc/t/oken}}`), xrd: true, want: one("spec.k3s.server", "is required, except for the first server")},
		"TwoClusters": {
			reason: "Nobody should have to know which one counts.", claim: k3s(`{cluster: home, clusterName: home, role: server}`), xrd: true,
			want: one("spec.k3s.clusterName", "set k3s.cluster, an entry of the catalogue, or k3s.clusterName"),
		},
		"ClusterNameForm": {
			reason: "It becomes a label.", claim: k3s(`{clusterName: "Home Lab", role: server, init: true, version: v1.33.6+k3s1}`), xrd: true,
			want: one("spec.k3s.clusterName", "must be lower case letters, digits and hyphens"),
		},
		"ClusterNameLong": {
			reason: "As any name.", claim: k3s(`{clusterName: ` + strings.Repeat("a", 64) + `, role: server, init: true, version: v1.33.6+k3s1}`), xrd: true,
			want: one("spec.k3s.clusterName", "must be at most 63 characters long"),
		},
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
		"NoPlaintext":   {reason: "No silent plaintext.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {name: t}}}`), xrd: true, want: one("spec.k3s.token.allowPlaintext", "set allowPlaintext: true")},
		"TwoTokens":     {reason: "One source.", claim: k3s(`{cluster: home, role: agent, token: {secretRef: {name: t}, allowPlaintext: true, file: /etc/t/oken}}`), xrd: true, want: one("spec.k3s.token", "set exactly one of secretRef, file and secretStore")},
		"NoTokenSource": {reason: "One source.", claim: k3s(`{cluster: home, role: agent, token: {}}`), xrd: true, want: one("spec.k3s.token", "set exactly one of secretRef, file and secretStore")},
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
		"RoleLabel":         {reason: "The kubelet refuses to start.", claim: k3s(`{cluster: home, role: agent, labels: {node-role.kubernetes.io/worker: "true"}}`), want: one("spec.k3s.labels[node-role.kubernetes.io/worker]", "a node cannot set its own role")},
		"NumberLabel":       {reason: "Labels are text.", claim: k3s(`{cluster: home, role: agent, labels: {tier: 1}}`), xrd: true, want: one("spec.k3s.labels.tier", "must be text: put it in quotes")},
		"Taint":             {reason: "A taint has an effect.", claim: k3s(`{cluster: home, role: agent, taints: ["gpu=true"]}`), want: one("spec.k3s.taints[0]", "the effect after the colon must be one of")},
		"UnknownConfig":     {reason: "K3s would not start.", claim: k3s(`{cluster: home, role: server, config: {cluster-cider: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cider]", "did you mean cluster-cidr")},
		"ConfigOfServer":    {reason: "K3s would not start.", claim: k3s(`{cluster: home, role: agent, config: {cluster-cidr: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cidr]", "on a server only")},
		"OwnRange":          {reason: "K3s would not let the server join.", claim: k3s(`{cluster: home, role: server, config: {cluster-cidr: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cidr]", "data.clusters.home.config, and not here")},
		"OtherThanCluster":  {reason: "Nor with another value.", claim: k3s(`{cluster: home, role: server, config: {secrets-encryption: false}}`), want: one("spec.k3s.config[secrets-encryption]", "data.clusters.home.config has another value")},
		"RangeNoCluster":    {reason: "Nor would the ones after it.", claim: k3s(`{role: server, init: true, version: v1.33.6+k3s1, config: {cluster-cidr: 10.0.0.0/8}}`), want: one("spec.k3s.config[cluster-cidr]", "name this cluster in spec.k3s.cluster")},
		"ServiceLB":         {reason: "One server must not deploy it alone.", claim: k3s(`{cluster: home, role: server, disable: [traefik]}`), want: one("spec.k3s.disable", "data.clusters.home.disable has servicelb")},
		"SecretConfig":      {reason: "No silent plaintext.", claim: k3s(`{cluster: home, role: server, config: {token: s3cret}}`), want: one("spec.k3s.config[token]", "set spec.k3s.token")},
		"DecidedConfig":     {reason: "There is one field for each setting.", claim: k3s(`{cluster: home, role: server, config: {tls-san: [a]}}`), want: one("spec.k3s.config[tls-san]", "set spec.k3s.tlsSANs")},
		"LongNodeName": {
			reason: "A node's name is the value of a label.", claim: aNode(`{proxmox: {node: pve}, hostname: "` + strings.Repeat("abcdefgh.", 8) + `a", k3s: {cluster: home, role: agent}}`),
			want: one("spec.hostname", "must be at most 63 characters long, because it is the name of a Kubernetes node"),
		},
	}
}

func wrongImages() map[string]wrong {
	image := func(i string) string { return aMachine(`{proxmox: {node: pve}, image: ` + i + `}`) }

	return map[string]wrong{
		"TemplateTooSmall": {reason: "E14 has the range.", claim: image(`50`), want: one("spec.image", "the VMID of a template is a number from 100 to 999999999")},
		"TemplateTooLarge": {reason: "E14 has the range.", claim: image(`"1000000000"`), want: one("spec.image", "the VMID of a template is a number from 100 to 999999999")},
		"ImageURL":         {reason: "A URL has a name in the catalogue.", claim: image(`"https://cloud.debian.org/x.qcow2"`), want: one("spec.image", "a URL is not a volume")},
		"ImageSnippet":     {reason: "Nobody boots a snippet.", claim: image(`"local:snippets/x.yaml"`), want: one("spec.image", "a machine cannot boot from content type snippets")},
		"ImageContainer":   {reason: "Nobody boots a container's template.", claim: image(`"local:vztmpl/debian.tar.zst"`), want: one("spec.image", "a machine cannot boot from content type vztmpl")},
		"ImageBackup":      {reason: "Nobody boots a backup.", claim: image(`"local:backup/vzdump.vma.zst"`), want: one("spec.image", "a machine cannot boot from content type backup")},
		"ImageWithoutType": {reason: "A volume has a type.", claim: image(`"local:noble.qcow2"`), want: one("spec.image", "must be a volume as storage:type/file")},
		"ImageImportImg":   {reason: "Proxmox imports no .img.", claim: image(`"local:import/noble.img"`), want: one("spec.image", "must end with .qcow2, .raw or .vmdk")},
		"ImageISOQcow2":    {reason: "An ISO store has installers and disk images.", claim: image(`"local:iso/noble.qcow2"`), want: one("spec.image", "must end with .iso (an installer) or .img (a disk image)")},
		"ImageFolder":      {reason: "Proxmox knows no folders.", claim: image(`"local:import/a/b.qcow2"`), want: one("spec.image", "without further folders")},
		"K3sOnNixOS":       {reason: "NixOS has its own way.", claim: aNode(`{proxmox: {site: home}, image: nixos-25.05, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "use a Machine with nix.flakeRef")},
		"K3sOnInstaller":   {reason: "An installer sets no K3s up.", claim: aNode(`{proxmox: {node: pve}, image: "local:iso/debian.iso", k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s needs a Linux image with cloud-init")},
		"K3sOnWindows":     {reason: "K3s runs on Linux.", claim: aNode(`{proxmox: {node: pve}, image: windows, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s needs a Linux image with cloud-init")},
		"K3sOnAppliance":   {reason: "An appliance reads no cloud-init.", claim: aNode(`{proxmox: {node: pve}, image: haos, k3s: {cluster: home, role: agent}}`), want: one("spec.image", "K3s needs an image that reads cloud-init data")},
		"NixOnInstaller":   {reason: "An installer applies no flake.", claim: aMachine(`{proxmox: {node: pve}, image: "local:iso/nixos.iso", nix: {flakeRef: "github:a/b"}}`), want: one("spec.image", "nix needs a NixOS image")},
	}
}
