package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A K3sRole is what a node does in its cluster.
//
// +kubebuilder:validation:Enum=server;agent
type K3sRole string

// The roles of K3s nodes.
const (
	K3sServer K3sRole = "server"
	K3sAgent  K3sRole = "agent"
)

// A K3sNode is a virtual machine on Proxmox VE that becomes a node of a K3s cluster on its first boot.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=k3snodes,singular=k3snode,categories={homelab}
// +kubebuilder:printcolumn:name="CLASS",type="string",JSONPath=".status.class"
// +kubebuilder:printcolumn:name="NODE",type="string",JSONPath=".status.node"
// +kubebuilder:printcolumn:name="VM",type="integer",JSONPath=".status.vmId"
// +kubebuilder:printcolumn:name="ADDRESS",type="string",JSONPath=".status.primaryAddress"
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.status) || !has(oldSelf.status.vmId) || (has(self.spec.proxmox) && has(self.spec.proxmox.site) ? self.spec.proxmox.site : "") == (has(oldSelf.spec.proxmox) && has(oldSelf.spec.proxmox.site) ? oldSelf.spec.proxmox.site : "")`,message="spec.proxmox.site is immutable once the VM exists: a VM cannot move to another Proxmox cluster, and the provider would make a second one there"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.vmId) || self.spec.k3s.role == oldSelf.spec.k3s.role",message="spec.k3s.role is immutable once the VM exists: make a new node and remove this one"
type K3sNode struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the node that is wanted.
	// +required
	Spec K3sNodeSpec `json:"spec"`

	// status is the machine that was found.
	// +optional
	Status Status `json:"status,omitempty"`
}

// A K3sNodeSpec is the node that is wanted.
//
// +kubebuilder:validation:XValidation:rule="has(self.adopt) || (has(self.bootstrap) && has(self.bootstrap.snippets) && has(self.bootstrap.snippets.userData)) || (has(self.k3s.init) && self.k3s.init) || has(self.k3s.server) || has(self.k3s.cluster)",message="k3s.server (https://address:6443 of a running server) or k3s.cluster is required, except for the first server, which has k3s.init: true"
type K3sNodeSpec struct {
	MachineFields `json:",inline"`

	// deletionPolicy is what becomes of the VM when the claim is deleted. Orphan leaves the VM and its cloud-init snippets
	// alone. Delete stops and destroys the VM with its disks; K3s does not learn of that, so drain and delete the node in
	// Kubernetes first. May be changed at any time; it acts when the claim is deleted.
	// +optional
	// +kubebuilder:default=Orphan
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// k3s says which node of which cluster this is. Create-time: K3s is set up on the first boot and not touched again. Of
	// a VM that is adopted, only role has to be said.
	// +required
	K3s K3s `json:"k3s"`
}

// K3s says which node of which cluster a machine becomes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.init) || !self.init || self.role == 'server'",message="init: true makes the first server of a cluster, so role must be server"
type K3s struct {
	// cluster is an entry of the catalogue's clusters: address, version, token and settings that all nodes share. What the
	// claim says itself comes first.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster,omitempty"`

	// role is server (control plane with embedded etcd) or agent (worker).
	// +required
	Role K3sRole `json:"role"`

	// init makes the first server of a new cluster. When the address in server answers already, the machine joins that
	// cluster instead of starting a second one.
	// +optional
	Init bool `json:"init,omitempty"`

	// server is the address of the cluster that the node joins, a virtual IP or DNS name where there is one.
	// Example: https://192.168.4.210:6443
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[A-Za-z0-9.:_\[\]-]+$')`,message="must be https:// with an address and a port and nothing behind, such as https://192.168.4.210:6443"
	Server string `json:"server,omitempty"`

	// version is the K3s release, as its maintainers tag it; the same on all servers.
	// Example: v1.33.6+k3s1
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^v[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?\+k3s[0-9]+$')`,message="must be a release of K3s as its maintainers tag it, such as v1.33.6+k3s1"
	Version string `json:"version,omitempty"`

	// token says where the node gets the cluster's token. The first server needs none: K3s makes one.
	// +optional
	Token *K3sToken `json:"token,omitempty"`

	// disable names packaged components of K3s that are not deployed: coredns, servicelb, traefik, local-storage,
	// metrics-server, runtimes. Servers only; the same on all servers of a cluster.
	// Example: [servicelb, traefik]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Disable []string `json:"disable,omitempty"`

	// tlsSANs are further addresses and names in the API server's certificate. Servers only.
	// Example: [k3s.home.arpa, 192.168.4.79]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=253
	TLSSANs []string `json:"tlsSANs,omitempty"`

	// labels are given to the Kubernetes node when it registers, and only then.
	// Example: {topology.kubernetes.io/zone: pve}
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// taints are given to the Kubernetes node when it registers, and only then, as key=value:Effect.
	// Example: ["gpu=true:NoSchedule"]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=512
	Taints []string `json:"taints,omitempty"`

	// config holds further keys of K3s' own configuration file, by the names that K3s documents. Keys that the claim has a
	// field for, unknown keys, and keys that hold secrets are refused. Keys that must be equal on all servers of a cluster,
	// such as cluster-cidr and secrets-encryption, belong to the cluster in the catalogue; here they may say the same only.
	// Example: {etcd-snapshot-retention: 20, node-external-ip: [203.0.113.7]}
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Config K3sConfig `json:"config,omitempty"`
}

// A K3sToken says where a node gets the token of its cluster: from a Secret, or from a file in the guest.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.file)",message="set exactly one of secretRef and file"
// +kubebuilder:validation:XValidation:rule="!has(self.secretRef) || (has(self.allowPlaintext) && self.allowPlaintext)",message="a token from a Secret is written into the snippet in plain text: say allowPlaintext: true to accept that, or use file with a pre-placed snippet"
type K3sToken struct {
	// secretRef names a Secret in the claim's own namespace. Its value is written in plain text into the user-data snippet
	// (mode 0600 on the Proxmox node) and into the managed resource, so it needs allowPlaintext: true. Crossplane 1.20
	// cannot look into a namespace for a function; use file there.
	// +optional
	SecretRef *SecretKeyRef `json:"secretRef,omitempty"`

	// allowPlaintext accepts that the token from secretRef stands in plain text in the managed resource and on the node.
	// +optional
	AllowPlaintext bool `json:"allowPlaintext,omitempty"`

	// file is a path in the guest that holds the token. A snippet which is on the Proxmox node already writes it; see
	// bootstrap.snippets.vendorData.
	// Example: /etc/rancher/k3s/token
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^/[A-Za-z0-9._/-]+$')`,message="must be an absolute path of letters, digits, dots, _, - and /, such as /etc/rancher/k3s/token"
	File string `json:"file,omitempty"`
}

// A SecretKeyRef is one key of a Secret in the claim's own namespace.
type SecretKeyRef struct {
	// name of the Secret.
	// Example: k3s-join-token
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key in the Secret.
	// +optional
	// +kubebuilder:default=token
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// A K3sConfig holds keys of K3s' configuration file as they were written: strings, numbers, booleans and lists.
//
// +kubebuilder:object:generate=false
type K3sConfig map[string]any

// DeepCopy makes an independent copy.
func (c K3sConfig) DeepCopy() K3sConfig { return runtime.DeepCopyJSON(c) }

// DeepCopyInto copies into out.
func (c K3sConfig) DeepCopyInto(out *K3sConfig) { *out = c.DeepCopy() }
