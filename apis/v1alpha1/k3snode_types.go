package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A K3sRole is a node's role in its cluster.
//
// +kubebuilder:validation:Enum=server;agent
type K3sRole string

// The roles of K3s nodes.
const (
	K3sServer K3sRole = "server"
	K3sAgent  K3sRole = "agent"
)

// A ReadyWhen says when a K3s node's machine is ready.
//
// +kubebuilder:validation:Enum=VM;Joined;Ready
type ReadyWhen string

// What a machine has to be to be ready.
const (
	// ReadyWhenVM: its VM runs, and has an address.
	ReadyWhenVM ReadyWhen = "VM"
	// ReadyWhenJoined: its Kubernetes Node was seen once, too.
	ReadyWhenJoined ReadyWhen = "Joined"
	// ReadyWhenReady: its Kubernetes Node is Ready now.
	ReadyWhenReady ReadyWhen = "Ready"
)

// A K3sNode is a virtual machine on Proxmox VE that becomes a node of a K3s cluster on its first boot.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=k3snodes,singular=k3snode,shortName={k3n},categories={homelab}
// +kubebuilder:printcolumn:name="CLASS",type="string",JSONPath=".status.class"
// +kubebuilder:printcolumn:name="NODE",type="string",JSONPath=".status.node"
// +kubebuilder:printcolumn:name="VM",type="integer",JSONPath=".status.vmId"
// +kubebuilder:printcolumn:name="ADDRESS",type="string",JSONPath=".status.primaryAddress"
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="JOINED",type="string",priority=1,description="The reason of condition NodeJoined: Joined, Reported, NotYet and others.",JSONPath=".status.conditions[?(@.type=='NodeJoined')].reason"
// +kubebuilder:printcolumn:name="VERSION",type="string",priority=1,description="The release of K3s that the node runs, as its Kubernetes Node has it.",JSONPath=".status.kubernetes.version"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.status) || !has(oldSelf.status.vmId) || (has(self.spec.proxmox) && has(self.spec.proxmox.site) ? self.spec.proxmox.site : "") == (has(oldSelf.spec.proxmox) && has(oldSelf.spec.proxmox.site) ? oldSelf.spec.proxmox.site : "")`,message="spec.proxmox.site is immutable once the VM exists: a VM cannot move to another Proxmox cluster, and the provider would make a second one there"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.vmId) || self.spec.k3s.role == oldSelf.spec.k3s.role",message="spec.k3s.role is immutable once the VM exists: create a new node and delete this one"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.vmId) || !has(self.spec.k3s.restore) || has(oldSelf.spec.k3s.restore) && self.spec.k3s.restore == oldSelf.spec.k3s.restore",message="spec.k3s.restore is for a new VM: a node that exists is not restored, so it can only be removed"
type K3sNode struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired node.
	// +required
	Spec K3sNodeSpec `json:"spec"`

	// status is the observed machine.
	// +optional
	Status Status `json:"status,omitempty"`
}

// A K3sNodeSpec is the desired node.
//
// +kubebuilder:validation:XValidation:rule="has(self.adopt) || (has(self.bootstrap) && has(self.bootstrap.snippets) && has(self.bootstrap.snippets.userData)) || (has(self.k3s.init) && self.k3s.init) || has(self.k3s.server) || has(self.k3s.cluster)",message="k3s.server (https://address:6443 of a running server) or k3s.cluster is required, except for the first server, which has k3s.init: true"
// +kubebuilder:validation:XValidation:rule="!has(self.firewall) || (!has(self.firewall.allow) || size(self.firewall.allow) == 0) && (!has(self.firewall.preset) || self.firewall.preset == 'none') || has(self.firewall.preset) && self.firewall.preset == 'k3s-' + self.k3s.role",message="a node whose firewall has rules needs the preset of its role, k3s-server or k3s-agent: without its rules the node loses its cluster",fieldPath=".firewall.preset"
type K3sNodeSpec struct {
	MachineFields `json:",inline"`

	// deletionPolicy says what happens to the VM when you delete the claim. Orphan keeps the VM and its cloud-init snippets.
	// Delete stops the VM and destroys it with all its disks. The function does not remove the node from Kubernetes, so drain
	// and delete the node there first. You can change it at any time; the value at the time of the deletion counts.
	// +optional
	// +kubebuilder:default=Orphan
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// k3s is the node's cluster, role and settings. The machine installs K3s on its first boot; an edit does not change an
	// existing VM. For an adopted VM only role is required.
	// +required
	K3s K3s `json:"k3s"`
}

// K3s is a node's cluster, role and settings.
//
// +kubebuilder:validation:XValidation:rule="!has(self.clusterName) || !has(self.cluster) || size(self.cluster) == 0",message="set k3s.cluster, an entry of the catalogue, or k3s.clusterName, for a cluster without one, and not both"
// +kubebuilder:validation:XValidation:rule="!has(self.init) || !self.init || self.role == 'server'",message="init: true creates the first server of a cluster, so role must be server"
// +kubebuilder:validation:XValidation:rule="!has(self.restore) || has(self.init) && self.init && has(self.token)",message="restore is for the first server of a cluster: it needs init: true, and token with the token of the time when the snapshot was taken",fieldPath=".restore"
type K3s struct {
	// cluster is an entry of the catalogue's clusters: address, version, token and settings of all nodes. Fields in the claim
	// take precedence.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster,omitempty"`

	// clusterName is the name by which the servers of one cluster find each other where the catalogue has no entry for the cluster: so that
	// they restart, stop, move and are replaced one by one, with quorum, and on different Proxmox nodes. All servers of the cluster
	// must have the same. It counts within the namespace: the same name in another namespace, or in cluster, is another cluster. It takes
	// no settings from anywhere. Not with cluster. You can change it at any time; it changes nothing on the VM.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must be lower case letters, digits and hyphens, such as home"
	ClusterName string `json:"clusterName,omitempty"`

	// role is server (control plane with embedded etcd) or agent (worker).
	// +required
	Role K3sRole `json:"role"`

	// init: true makes this machine the first server of a new cluster. If the address in server already answers, the machine
	// joins that cluster instead of starting a second one.
	// +optional
	Init bool `json:"init,omitempty"`

	// restore is the name of a snapshot of etcd in S3 with which a first server begins, once and before K3s starts for the first time, and not with an empty state. K3s reads the
	// options of S3 from /etc/rancher/k3s/restore-s3.yaml, a file of bootstrap.secrets, of bootstrap.secretStore or of a snippet. If the address in server already answers, the
	// machine joins that cluster and restores nothing. It cannot be set or changed once the VM exists; what it did is done then, and it can stay. Default: none.
	// Example: etcd-snapshot-home-server-0-1732240800
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must be the name of a snapshot in the bucket, without the folder, such as etcd-snapshot-home-server-0-1732240800"
	Restore string `json:"restore,omitempty"`

	// server is the address of the cluster that the node joins, and not the node's own; prefer a virtual IP or a DNS name.
	// Default: the cluster's in the catalogue.
	// Example: https://192.168.4.210:6443
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[A-Za-z0-9.:_\[\]-]+$')`,message="must be https:// with an address and a port and nothing after the port, such as https://192.168.4.210:6443"
	Server string `json:"server,omitempty"`

	// version is the K3s release, as its maintainers tag it; it must be equal on all servers. Default: the cluster's in the
	// catalogue.
	// Example: v1.33.6+k3s1
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^v[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?\+k3s[0-9]+$')`,message="must be a release of K3s as its maintainers tag it, such as v1.33.6+k3s1"
	Version string `json:"version,omitempty"`

	// token is the source of the cluster's token. Default: the cluster's in the catalogue. The first server needs no token: K3s
	// generates one.
	// +optional
	Token *K3sToken `json:"token,omitempty"`

	// disable lists the packaged components that K3s does not deploy: coredns, servicelb, traefik, local-storage,
	// metrics-server, runtimes. For servers only; it should be equal on all servers of a cluster. Default: the cluster's in the
	// catalogue.
	// Example: [servicelb, traefik]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	Disable []string `json:"disable,omitempty"`

	// tlsSANs are additional addresses and names in the API server's certificate. For servers only. Default: the cluster's in the
	// catalogue.
	// Example: [k3s.home.arpa, 192.168.4.79]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=253
	TLSSANs []string `json:"tlsSANs,omitempty"`

	// labels are the labels with which the Kubernetes node registers. K3s sets them at the registration only.
	// Example: {topology.kubernetes.io/zone: pve}
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// taints are the taints with which the Kubernetes node registers, as key=value:Effect. K3s sets them at the registration only.
	// Example: ["gpu=true:NoSchedule"]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=512
	Taints []string `json:"taints,omitempty"`

	// readyWhen is when the machine is ready: VM (the VM runs and has an address), Joined (its Kubernetes Node was seen once, too; from
	// then on Ready does not depend on the Node) or Ready (its Kubernetes Node is Ready now). A stopped VM needs no Node. Without
	// observe in the cluster's entry of the catalogue, Joined waits until the guest reports that K3s has served, and Ready counts as
	// VM. Default: Joined with observe, VM without. You can change it at any time; it changes nothing on the VM.
	// Example: Joined
	// +optional
	ReadyWhen ReadyWhen `json:"readyWhen,omitempty"`

	// drain: true drains the node before the provider stops the VM for lifecycle.reboot, rebootPolicy, power: Stopped or
	// lifecycle.replace: a Job cordons the Kubernetes Node and evicts its pods. The outage begins when the Job has ended, also when it
	// could not evict all pods in time. When the node is back, a second Job uncordons it. false also lets an outage begin that waits for
	// its drain. The cluster needs providerConfig and observe in the catalogue. Default: drain.outages of the cluster in the catalogue.
	// You can change it at any time; it changes nothing on the VM.
	// +optional
	Drain *bool `json:"drain,omitempty"`

	// config has additional keys of K3s's configuration file, with the names from K3s's documentation. The function refuses
	// keys that have a field in the claim, keys with secrets, and likely typing errors; it warns of a key that it does not know. Keys that must be equal on all servers of a
	// cluster, such as cluster-cidr and secrets-encryption, belong to the cluster in the catalogue; here only the same value is
	// allowed.
	// Example: {etcd-snapshot-retention: 20, node-external-ip: [203.0.113.7]}
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Config K3sConfig `json:"config,omitempty"`
}

// A K3sToken is the source of the cluster's token: a Secret, a file in the guest, or a secret store.
//
// +kubebuilder:validation:XValidation:rule="(has(self.secretRef) ? 1 : 0) + (has(self.file) ? 1 : 0) + (has(self.secretStore) ? 1 : 0) == 1",message="set exactly one of secretRef, file and secretStore"
// +kubebuilder:validation:XValidation:rule="!has(self.secretRef) || (has(self.allowPlaintext) && self.allowPlaintext)",message="a token from a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, or use file with a pre-placed snippet"
type K3sToken struct {
	// secretRef names a Secret in the claim's namespace. The function writes its value in plain text into the managed resource,
	// and the provider writes it into the user-data snippet (mode 0600 on the Proxmox node), so secretRef needs
	// allowPlaintext: true. Crossplane 1.20 cannot pass a namespaced Secret to a function; use file there.
	// +optional
	SecretRef *SecretKeyRef `json:"secretRef,omitempty"`

	// allowPlaintext: true accepts that the token from secretRef is stored in plain text in the managed resource and on the node.
	// +optional
	AllowPlaintext bool `json:"allowPlaintext,omitempty"`

	// trustOnFirstUse: true lets a server or an agent join with the short token, the password with which the first server started,
	// so that nobody has to copy the full token (K10...) after the first server has started. The risk: a short token does not say
	// which cluster it belongs to, so that whoever answers at the cluster's address at the first contact gets the password, and with it the
	// cluster. Use it in a network that you trust. A full token is accepted, too. The short token has at least 16 characters; one is made
	// by: openssl rand -hex 32. It changes nothing for the first server, which takes a short token anyway. Default: false. An edit does
	// not change an existing VM.
	// +optional
	TrustOnFirstUse bool `json:"trustOnFirstUse,omitempty"`

	// file is the path of a file in the guest that contains the token. A snippet that you placed on the Proxmox node writes this
	// file; see bootstrap.snippets.vendorData.
	// Example: /etc/rancher/k3s/token
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^/[A-Za-z0-9._/-]+$')`,message="must be an absolute path of letters, digits, dots, _, - and /, such as /etc/rancher/k3s/token"
	File string `json:"file,omitempty"`

	// secretStore is a field of a secret in the OpenBao or Vault of bootstrap.secretStore. The guest fetches it at its first boot: the token is
	// neither in the cluster nor on the Proxmox node. k3s-bootstrap.service waits for it.
	// Example: {secret: k3s/home, field: token}
	// +optional
	SecretStore *StoredSecret `json:"secretStore,omitempty"`
}

// A SecretKeyRef is one key of a Secret in the claim's namespace.
type SecretKeyRef struct {
	// name is the name of the Secret.
	// Example: k3s-join-token
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the key in the Secret.
	// +optional
	// +kubebuilder:default=token
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// A K3sConfig has keys of K3s's configuration file, as the user wrote them: strings, numbers, booleans and lists.
//
// +kubebuilder:object:generate=false
type K3sConfig map[string]any

// DeepCopy makes an independent copy.
func (c K3sConfig) DeepCopy() K3sConfig { return runtime.DeepCopyJSON(c) }

// DeepCopyInto copies into out.
func (c K3sConfig) DeepCopyInto(out *K3sConfig) { *out = c.DeepCopy() }
