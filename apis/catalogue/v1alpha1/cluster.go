package v1alpha1

import (
	"slices"

	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// An Observation is how the function learns that a VM has become a node of its K3s cluster.
//
// +kubebuilder:validation:Enum=None;Here;Object
type Observation string

// The observations.
const (
	// ObserveNone: nobody reads the cluster's Nodes. The function knows VMs only.
	ObserveNone Observation = "None"
	// ObserveHere: Crossplane runs in the cluster that the nodes join, and reads their Nodes there.
	ObserveHere Observation = "Here"
	// ObserveObject: the cluster is another one than Crossplane's, and provider-kubernetes reads its Nodes.
	ObserveObject Observation = "Object"
)

// Reads says whether the function reads the Nodes of the cluster.
func (o Observation) Reads() bool { return o == ObserveHere || o == ObserveObject }

// A ZoneLabel is what the label topology.kubernetes.io/zone of a cluster's Nodes follows.
//
// +kubebuilder:validation:Enum=None;ProxmoxNode
type ZoneLabel string

// The zone labels.
const (
	// ZoneNone: the function writes no zone label.
	ZoneNone ZoneLabel = "None"
	// ZoneProxmoxNode: the zone is the Proxmox node that the VM is on.
	ZoneProxmoxNode ZoneLabel = "ProxmoxNode"
)

// A Cluster has the settings of all nodes of a K3s cluster.
type Cluster struct {
	// snippets are files of Proxmox nodes that bootstrap.snippets of this cluster's K3sNodes may name, and no other new VM's: a file with the join token.
	// Example: ["local:snippets/k3s-token.yaml"]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Snippets []string `json:"snippets,omitempty"`

	// namespaces are those whose K3sNodes may be servers of this cluster, beside the namespace of the server that asks; * stands for any characters. Servers of
	// other namespaces that name the cluster neither count for its quorum nor hold its servers, unless a Node is known to be their VM. Default: not said.
	// Example: [infra-machines, "team-*"]
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9*]([a-z0-9*-]*[a-z0-9*])?$`
	Namespaces []string `json:"namespaces,omitempty"`

	// server is the address that nodes join; prefer a virtual IP or a DNS name.
	// Example: https://k3s.home.arpa:6443
	// +optional
	// +kubebuilder:validation:Pattern=`^https://`
	Server string `json:"server,omitempty"`

	// version is one release of K3s.
	// Example: v1.33.6+k3s1
	// +optional
	// +kubebuilder:validation:Pattern=`^v1\.[0-9]{1,3}\.[0-9]{1,3}(-rc[0-9]{1,2})?\+k3s[0-9]{1,2}$`
	Version string `json:"version,omitempty"`

	// token is the token for joining nodes. The first server (init: true) does not use it.
	// +optional
	Token *claims.K3sToken `json:"token,omitempty"`

	// disable are packaged components of K3s that servers do not deploy. A claim's own list replaces this one.
	// Example: [servicelb]
	// +optional
	Disable []string `json:"disable,omitempty"`

	// tlsSANs are further names and addresses in the certificate of the servers. A claim's own list replaces this one.
	// +optional
	TLSSANs []string `json:"tlsSANs,omitempty"`

	// config are keys of K3s's config.yaml for all nodes. Servers and agents each get the keys that K3s defines for them, and a claim's
	// k3s.config overrides single keys.
	// Example: {secrets-encryption: true}
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Config claims.K3sConfig `json:"config,omitempty"`

	// installURL is the address of the installer: https://, or a file of the image, file:///opt/k3s/install.sh. Default: the release's own
	// script.
	// +optional
	// +kubebuilder:validation:Pattern=`^(https|file)://`
	InstallURL string `json:"installURL,omitempty"`

	// installSHA256 is the installer's checksum. Default: not checked.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	InstallSHA256 string `json:"installSHA256,omitempty"`

	// releaseURL is the folder of all releases, https:// or file:///, in which K3s itself is RELEASE/k3s. Default: the installer's own, on
	// GitHub.
	// +optional
	// +kubebuilder:validation:Pattern=`^(https|file)://`
	ReleaseURL string `json:"releaseURL,omitempty"`

	// binarySHA256 is the checksum of K3s itself. Default: that of the release's list of checksums.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	BinarySHA256 string `json:"binarySHA256,omitempty"`

	// proxy is the nodes' way to the Internet, without a password. Default: none.
	// +optional
	Proxy Proxy `json:"proxy,omitempty"`

	// observe is how the function learns that a VM has become a node of the cluster: None (it does not), Here (Crossplane runs in this
	// cluster) or Object (provider-kubernetes reads the cluster's Nodes). Here needs a ClusterRole, which you must apply before. Default:
	// None.
	// +optional
	Observe Observation `json:"observe,omitempty"`

	// providerConfig is the name of the configuration of provider-kubernetes: a ProviderConfig, for namespaced machines a
	// ClusterProviderConfig. Required with observe: Object. With it, a machine's Node is deleted with the machine.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ProviderConfig string `json:"providerConfig,omitempty"`

	// zoneLabel is what the label topology.kubernetes.io/zone of each Node follows: None, or ProxmoxNode, the Proxmox node that its VM is on, also
	// after a migration. It needs observe and providerConfig, and the right to patch Nodes. Default: None.
	// +optional
	ZoneLabel ZoneLabel `json:"zoneLabel,omitempty"`

	// protectVolumes keeps a machine with deletionPolicy Delete from deletion while a PersistentVolume has its data on the machine's Node
	// and nowhere else. It needs observe: Here. Default: false.
	// +optional
	ProtectVolumes bool `json:"protectVolumes,omitempty"`

	// observeSnapshots has the function read the snapshots of etcd that K3s lists in the cluster (ETCDSnapshotFiles), so that a K3sCluster says how
	// old the newest one is. It needs observe: Here, and a ClusterRole, which you must apply before. Default: false.
	// +optional
	ObserveSnapshots bool `json:"observeSnapshots,omitempty"`

	// drain is how nodes are drained, before outages and by lifecycle.drain. Drains need observe and providerConfig.
	// +optional
	Drain Drain `json:"drain,omitempty"`

	// upgrade is what happens to an existing node that a K3sNode describes when its release of K3s changes: None, or SystemUpgrade, which
	// upgrades K3s in place, one node at a time. A K3sCluster has a field of its own. Default: None.
	// +optional
	// +kubebuilder:validation:Enum=None;SystemUpgrade
	Upgrade claims.Upgrade `json:"upgrade,omitempty"`

	// systemUpgrade is where system-upgrade-controller is, and what it upgrades nodes with, for K3sNodes and K3sClusters with upgrade:
	// SystemUpgrade.
	// +optional
	SystemUpgrade SystemUpgrade `json:"systemUpgrade,omitempty"`
}

// A Proxy has the HTTP proxies of a cluster's nodes.
type Proxy struct {
	// http is the proxy for http:// addresses.
	// Example: http://proxy.home.arpa:3128
	// +optional
	HTTP string `json:"http,omitempty"`

	// https is the proxy for https:// addresses.
	// Example: http://proxy.home.arpa:3128
	// +optional
	HTTPS string `json:"https,omitempty"`

	// no are names, domains, addresses and networks that nodes reach directly.
	// Example: [192.168.4.0/24, .home.arpa]
	// +optional
	No []string `json:"no,omitempty"`

	// false is no where the key was written without quotes and read as YAML 1.1 does: kubectl writes false for it. Write no.
	// +optional
	False []string `json:"false,omitempty"`
}

// Direct returns what nodes reach directly, however its key was read.
func (p Proxy) Direct() []string {
	return slices.Concat(p.No, p.False)
}

// A Drain says how the nodes of a cluster are drained.
type Drain struct {
	// outages says that nodes are drained before the provider stops their VMs for a planned outage. A claim's k3s.drain takes precedence.
	// Default: false.
	// +optional
	Outages bool `json:"outages,omitempty"`

	// image has kubectl, with a tag or digest. Default: registry.k8s.io/kubectl, a release that the function names.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[a-z0-9][A-Za-z0-9._:/-]*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$`
	Image string `json:"image,omitempty"`

	// timeoutMinutes is how long a drain may take, in minutes. Default: 10.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=720
	TimeoutMinutes *int64 `json:"timeoutMinutes,omitempty"`
}

// A SystemUpgrade says how system-upgrade-controller is installed in a cluster. Its defaults are those of the controller's own manifests.
type SystemUpgrade struct {
	// namespace of the controller, which is that of its Plans. Default: system-upgrade.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// serviceAccount of the Jobs that upgrade nodes. Default: system-upgrade.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccount string `json:"serviceAccount,omitempty"`

	// image that upgrades K3s, without a tag: the tag is the release. Default: rancher/k3s-upgrade.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9._-]*(:[0-9]+)?/)?[a-z0-9._/-]*$`
	Image string `json:"image,omitempty"`
}
