package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A K3sCluster is a K3s cluster on Proxmox VE: its servers and its agents, each of which is a K3sNode.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=k3sclusters,singular=k3scluster,shortName={k3c},categories={homelab}
// +kubebuilder:printcolumn:name="SERVERS",type="string",JSONPath=".status.servers.ready"
// +kubebuilder:printcolumn:name="AGENTS",type="string",JSONPath=".status.agents.ready"
// +kubebuilder:printcolumn:name="ROLLOUT",type="string",JSONPath=".status.rollout.state"
// +kubebuilder:printcolumn:name="TURN",type="string",JSONPath=".status.rollout.turn.node"
// +kubebuilder:printcolumn:name="VERSION",type="string",priority=1,description="The release of K3s that new nodes get.",JSONPath=".status.version"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the names of the nodes begin with it"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40 || has(self.metadata.generateName) && size(self.metadata.generateName) <= 41 && self.metadata.name.startsWith(self.metadata.generateName)",message="metadata.name must be at most 40 characters long: the names of the nodes begin with it"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.cluster) ? self.spec.cluster : "") == (has(oldSelf.spec.cluster) ? oldSelf.spec.cluster : "")`,message="spec.cluster is immutable: the servers of a K3s cluster find each other by it"
type K3sCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired cluster.
	// +required
	Spec K3sClusterSpec `json:"spec"`

	// status is the observed cluster.
	// +optional
	Status K3sClusterStatus `json:"status,omitempty"`
}

// A K3sClusterSpec is the desired cluster. A change of what a node is made of reaches the nodes one by one, in turns: the next node's turn
// begins when the node before is ready again.
//
// +kubebuilder:validation:XValidation:rule="!has(self.upgrade) || self.upgrade != \"SystemUpgrade\" || has(self.cluster) && self.cluster != \"\"",message="upgrade: SystemUpgrade needs an entry of the catalogue's clusters, with providerConfig and observe",fieldPath=".cluster"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.rollout.window) || has(self.upgrade) && self.upgrade == \"SystemUpgrade\"",message="rollout.window is for upgrade: SystemUpgrade only: system-upgrade-controller has a clock, and all other turns begin when they can; use rollout.pause for them",fieldPath=".rollout.window"
// +kubebuilder:validation:XValidation:rule="!has(self.servers.restore) || has(self.token)",message="servers.restore needs token: K3s decrypts the snapshot with the token of the time when it was taken",fieldPath=".servers.restore"
type K3sClusterSpec struct {
	// cluster is an entry of the catalogue's clusters: settings of all nodes, such as observe, config and proxy. Fields in the claim take
	// precedence. With observe in the entry, a turn ends when the node is Ready and, for a server, votes in etcd; without it, when the guest
	// reports that K3s serves. It cannot be changed. Default: none.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster,omitempty"`

	// version is the K3s release, as its maintainers tag it, or a minor release such as v1.36: its newest release that the function knows when you write
	// it, which stays until you write another version. stable is the minor release of K3s' stable channel that the function knows: status.channel. New nodes get it; what happens to existing nodes is in upgrade. With a minor release, upgrades
	// go by all minor releases in between, one after the other: status.route. Default: the cluster's in the catalogue.
	// Example: v1.33.6+k3s1
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^v[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?\+k3s[0-9]+$') || self.matches(r'^v1\.(0|[1-9][0-9]*)$') || self == 'stable'`,message="must be a release of K3s as its maintainers tag it, such as v1.33.6+k3s1, a minor release, such as v1.36, or stable"
	Version string `json:"version,omitempty"`

	// endpoint is the address at which the nodes join: a virtual IP, or a DNS name of all servers, and not the address of one of them. An edit
	// does not change existing nodes. Default: the cluster's in the catalogue.
	// Example: https://192.168.4.210:6443
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[A-Za-z0-9.:_\[\]-]+$')`,message="must be https:// with an address and a port and nothing after the port, such as https://192.168.4.210:6443"
	Endpoint string `json:"endpoint,omitempty"`

	// token is the source of the token with which the first server starts the cluster: 16 characters or more of your choice. With
	// trustOnFirstUse: true the other nodes join with it, too, so one commit makes the whole cluster. Default: the cluster's in the catalogue.
	// +optional
	Token *K3sToken `json:"token,omitempty"`

	// joinToken is the source of the full token (K10<hash>::server:<password>, in /var/lib/rancher/k3s/server/token on a server) with which
	// the other nodes join. The nodes wait for its Secret. Default: token, if that has trustOnFirstUse: true.
	// +optional
	JoinToken *K3sToken `json:"joinToken,omitempty"`

	// servers are the nodes with the control plane and etcd.
	// +required
	Servers ServerPool `json:"servers"`

	// agents are pools of nodes without control plane.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Agents []AgentPool `json:"agents,omitempty"`

	// nodes are settings of single nodes. lifecycle takes effect at once, everything else in the node's turn.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.adopt) || self.exists_one(b, has(b.adopt) && b.adopt == a.adopt))",message="two nodes adopt the same K3sNode: a K3sNode becomes one node"
	Nodes []ClusterNode `json:"nodes,omitempty"`

	// rollout says how changes reach the nodes.
	// +optional
	Rollout Rollout `json:"rollout,omitempty"`

	// upgrade says how existing nodes get another version. None: not at all; new nodes get it. Replace: each node is replaced by a new VM in
	// its turn. SystemUpgrade: Rancher's system-upgrade-controller upgrades K3s in each node's turn, and the VM stays; that needs cluster, with
	// providerConfig and observe in its entry of the catalogue. A version that skips a minor release, or that etcd does not survive, is
	// refused, and with SystemUpgrade one that is older than what a node runs. You can change it at any time; that alone touches no VM.
	// +optional
	// +kubebuilder:default=None
	Upgrade Upgrade `json:"upgrade,omitempty"`

	// deletionPolicy says what happens to the VM of a node that goes: because the claim is deleted, a count shrinks, or the node is replaced.
	// Orphan keeps the VM, stopped if it was replaced. Delete destroys it with all its disks. You can change it at any time; the value at
	// the time of the deletion counts.
	// +optional
	// +kubebuilder:default=Orphan
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// deletionProtection: true refuses the deletion of the claim, and of its nodes, until it is false. Default: true with deletionPolicy
	// Delete. You can change it at any time.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`
}

// A NodePool is what the nodes of a pool have in common. A change takes effect in turns.
type NodePool struct {
	// class is the sizing class, a name from the catalogue. Default: the catalogue's defaults.class. A larger disk takes effect in the node's
	// turn; cores and memory take effect at the VM's next power cycle: see rollout.rebootPolicy.
	// Example: medium
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class,omitempty"`

	// image is the image that nodes boot from, as in a K3sNode. Default: the catalogue's defaults.image. Changing it replaces the nodes by new
	// VMs, one by one: see rollout.replacePolicy.
	// Example: debian-13
	// +optional
	Image ImageRef `json:"image,omitempty"`

	// labels are the labels with which the Kubernetes nodes register. K3s sets them at the registration only: existing nodes keep theirs.
	// Example: {topology.kubernetes.io/zone: pve}
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// taints are the taints with which the Kubernetes nodes register, as key=value:Effect. K3s sets them at the registration only: existing
	// nodes keep theirs.
	// Example: ["gpu=true:NoSchedule"]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=512
	Taints []string `json:"taints,omitempty"`

	// devices are devices of the Proxmox node that are passed through to each VM of the pool, by the names of Proxmox resource mappings.
	// +optional
	Devices Devices `json:"devices,omitempty"`

	// disks are data disks of each VM of the pool. A node with data disks is never replaced by the rollout, since its new VM would begin with
	// empty ones: see nodes.lifecycle.replace.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Disks []Disk `json:"disks,omitempty"`

	// template has further fields of the spec of a K3sNode, for all nodes of the pool: size, tags, network, proxmox, bootstrap, k3s.config and
	// others. Fields that the claim sets elsewhere, and fields of a single machine, are refused.
	// Example: {tags: [k3s], proxmox: {storage: tank}, k3s: {drain: true}}
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Template NodeTemplate `json:"template,omitempty"`
}

// A NodeTemplate has fields of the spec of a K3sNode, as the user wrote them.
//
// +kubebuilder:object:generate=false
type NodeTemplate map[string]any

// DeepCopy makes an independent copy.
func (t NodeTemplate) DeepCopy() NodeTemplate { return runtime.DeepCopyJSON(t) }

// DeepCopyInto copies into out.
func (t NodeTemplate) DeepCopyInto(out *NodeTemplate) { *out = t.DeepCopy() }

// A ServerPool is the servers of a cluster. Their names are <cluster>-server-0, <cluster>-server-1 and so on.
//
// +kubebuilder:validation:XValidation:rule="!has(self.restore) || has(self.snapshots) && has(self.snapshots.s3)",message="servers.restore needs servers.snapshots.s3: a new VM has no snapshot on its disk, and the restored cluster saves its state in S3 again",fieldPath=".restore"
type ServerPool struct {
	NodePool `json:",inline"`

	// count is the number of servers: 1, 3 or 5. Two and four are no safer than one and three, because etcd needs more than half of its members.
	// Servers are created and removed one by one, the highest number first.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Enum=1;3;5
	Count *int64 `json:"count,omitempty"`

	// snapshots says when K3s saves the state of etcd on each server, how many of these snapshots it keeps, and whether it copies them to S3. They
	// are options of K3s in the servers' config.yaml, so a change takes effect on new VMs: it replaces the servers one by one, as a change of
	// template.k3s.config does (see rollout.replacePolicy). Servers with disable-etcd have no etcd to save. Default: that of K3s and of the
	// catalogue, at 00:00 and 12:00 on the disk of each server.
	// Example: {schedule: "0 */6 * * *", retention: 12, s3: {secretRef: {name: etcd-s3}}}
	// +optional
	Snapshots *EtcdSnapshots `json:"snapshots,omitempty"`

	// restore has the first server of a new cluster begin with a snapshot of etcd from S3, and not with an empty state; the other servers join it. It is for a
	// cluster that has no node yet: a cluster that exists is not restored, and says so. It needs snapshots.s3, token with the token of the time when the snapshot was taken, and the
	// release of K3s that the snapshot is from. You can remove it when the first server is ready; that changes no VM. docs/clusters.md has the steps. Default: none.
	// Example: {snapshot: etcd-snapshot-home-server-0-1732240800, secretRef: {name: etcd-s3-restore, key: s3.yaml}, allowPlaintext: true}
	// +optional
	Restore *EtcdRestore `json:"restore,omitempty"`
}

// An EtcdRestore is a snapshot of etcd in S3 with which a cluster begins.
//
// +kubebuilder:validation:XValidation:rule="!has(self.secretRef) || (has(self.allowPlaintext) && self.allowPlaintext)",message="a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, or have a pre-placed snippet write /etc/rancher/k3s/restore-s3.yaml (servers.template.bootstrap.snippets.vendorData)"
type EtcdRestore struct {
	// snapshot is the name of the snapshot in the bucket, without the folder.
	// Example: etcd-snapshot-home-server-0-1732240800
	// +required
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must be the name of a snapshot in the bucket, without the folder, such as etcd-snapshot-home-server-0-1732240800"
	Snapshot string `json:"snapshot"`

	// secretRef is one key of a Secret in the claim's namespace, with K3s' options of S3 as config.yaml has them: etcd-s3-endpoint, etcd-s3-bucket, etcd-s3-folder,
	// etcd-s3-access-key, etcd-s3-secret-key and others. The first server's VM gets them as /etc/rancher/k3s/restore-s3.yaml, with mode 0600, and K3s reads them for the restore
	// only. Default: that file comes from elsewhere, such as servers.template.bootstrap.secretStore or bootstrap.snippets.vendorData.
	// Example: {name: etcd-s3-restore, key: s3.yaml}
	// +optional
	SecretRef *SecretFileRef `json:"secretRef,omitempty"`

	// allowPlaintext: true accepts that the options from secretRef are stored in plain text in the managed resource and in the snippet on the Proxmox node.
	// +optional
	AllowPlaintext bool `json:"allowPlaintext,omitempty"`
}

// EtcdSnapshots are options of K3s for snapshots of etcd.
type EtcdSnapshots struct {
	// schedule is when K3s takes a snapshot on each server, in the five fields of cron, in the time zone of the server. Default: K3s', "0 */12 * * *".
	// Example: "0 */6 * * *"
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([0-9*/,-]+ ){3}[0-9A-Za-z*/,-]+ [0-9A-Za-z*/,-]+$')`,message="must be the five fields of cron, such as 0 */6 * * *"
	Schedule string `json:"schedule,omitempty"`

	// retention is how many scheduled snapshots each server keeps on its disk. In S3 it is K3s' default, 5, or this number, by the release of K3s.
	// Default: K3s', 5.
	// Example: 12
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Retention *int64 `json:"retention,omitempty"`

	// s3 has K3s copy each snapshot to a bucket. Without it, snapshots are on the disks of the servers only, and go with them.
	// +optional
	S3 *SnapshotsInS3 `json:"s3,omitempty"`
}

// SnapshotsInS3 is where K3s copies snapshots of etcd to.
type SnapshotsInS3 struct {
	// secretRef is a Secret in namespace kube-system of the K3s cluster itself, with endpoint, bucket, folder, region and keys of S3 under the names of
	// K3s' options, such as etcd-s3-bucket. K3s reads it before each snapshot; it may appear later, and nothing of it is in the VMs'
	// user-data. K3s ignores the Secret if any other option of S3 is set, so these are refused beside it. It cannot be used for a restore, since there is
	// no API server then: keep a copy of it elsewhere, with the token. docs/clusters.md has an example.
	// Example: {name: etcd-s3}
	// +required
	SecretRef KubeSystemSecret `json:"secretRef"`
}

// A KubeSystemSecret is a Secret in namespace kube-system of the K3s cluster.
type KubeSystemSecret struct {
	// name is the name of the Secret.
	// Example: etcd-s3
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')`,message="must be the name of a Secret, such as etcd-s3"
	Name string `json:"name"`
}

// An AgentPool is a pool of agents. Their names are <cluster>-<pool>-0, <cluster>-<pool>-1 and so on.
type AgentPool struct {
	NodePool `json:",inline"`

	// name is the name of the pool. Renaming a pool creates a new pool and removes the old one.
	// Example: gpu
	// +required
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && self != 'server'`,message="must start with a letter, hold only lower case letters, digits and hyphens, and differ from server"
	Name string `json:"name"`

	// count is the number of agents. A smaller count removes the agents with the highest numbers, one by one; that needs
	// deletionPolicy: Delete, and with data disks also deletionProtection: false.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Count int64 `json:"count"`
}

// A ClusterNode has settings of a single node of a cluster.
type ClusterNode struct {
	// name is the node, as pool and number.
	// Example: server-1
	// +required
	// +kubebuilder:validation:MaxLength=24
	Name string `json:"name"`

	// ip is the node's fixed IPv4 address, with or without the prefix length of its subnet, as network.ip of a K3sNode. Default: that of the
	// pool's template, else DHCP.
	// Example: 192.168.4.211/24
	// +optional
	// +kubebuilder:validation:MaxLength=18
	IP string `json:"ip,omitempty"`

	// mac is a fixed MAC address, as network.mac of a K3sNode.
	// Example: BC:24:11:00:00:53
	// +optional
	// +kubebuilder:validation:MaxLength=17
	MAC string `json:"mac,omitempty"`

	// proxmoxNode is the Proxmox node of the VM, as proxmox.node of a K3sNode. Default: the function chooses one.
	// Example: pve2
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ProxmoxNode string `json:"proxmoxNode,omitempty"`

	// vmId is the VMID, as proxmox.vmId of a K3sNode. Default: the function chooses one.
	// Example: 4101
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID *int64 `json:"vmId,omitempty"`

	// adopt is the name of an existing K3sNode in the claim's namespace, which becomes this node of the cluster with its VM, its address and
	// the name of its Kubernetes Node; of an existing XK3sNode, where a K3sNode is a claim. Nothing changes on the VM. The function does
	// not create the node if there is no such K3sNode, and it begins nothing else before all nodes are adopted. docs/clusters.md has the
	// steps. It has no effect on a node that is adopted already. Default: the node is created.
	// Example: server-1
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Adopt string `json:"adopt,omitempty"`

	// adoptVm adopts an existing VM as this node, in the two steps of adopt of a K3sNode: first the provider only reads the VM, and the cluster says
	// which plan waits for approval; then you set approve. For clusters whose claims are applied to a new control plane while their VMs
	// run: docs/clusters.md has the steps. It has no effect on a node that has joined. Not with adopt. Default: the node is created.
	// Example: {vmId: 4101}
	// +optional
	AdoptVM *Adopt `json:"adoptVm,omitempty"`

	// lost: true says that the Proxmox node of this node's VM does not come back, and is your word that the VM is off for good. The node holds
	// no other node's turn, and lifecycle.replace creates its new VM on another Proxmox node without waiting for the old VM, as lifecycle.lost of
	// a K3sNode. It is about the Proxmox node on which the VM is when you write it: remove it when the node has its new VM. A server that is lost
	// still counts as a member of etcd that is out. docs/clusters.md has the steps. Default: false.
	// +optional
	Lost bool `json:"lost,omitempty"`

	// lifecycle requests actions on the node's VM: replace, reboot, force, joined, retry and drain, as in a K3sNode.
	// Example: {replace: "2026-11-20"}
	// +optional
	Lifecycle NodeLifecycle `json:"lifecycle,omitempty"`
}

// A NodeLifecycle requests actions on the VM of a node of a cluster. Each but drain acts once for each new value.
type NodeLifecycle struct {
	// replace replaces the VM by a new one, as lifecycle.replace of a K3sNode. The new VM starts with empty data disks.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Replace string `json:"replace,omitempty"`

	// reboot power-cycles the VM, as lifecycle.reboot of a K3sNode.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Reboot string `json:"reboot,omitempty"`

	// joined confirms that a replaced server has joined its cluster, as lifecycle.joined of a K3sNode.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Joined string `json:"joined,omitempty"`

	// force begins what waits for quorum, as lifecycle.force of a K3sNode.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Force string `json:"force,omitempty"`

	// retry lifts the pause after an error, as lifecycle.retry of a K3sNode.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Retry string `json:"retry,omitempty"`

	// drain keeps the node cordoned and drained while it is set, as lifecycle.drain of a K3sNode.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Drain string `json:"drain,omitempty"`
}

// A Rollout says how changes reach the nodes of a cluster.
type Rollout struct {
	// pause: true begins nothing: no node is created, changed or removed. A turn that has begun goes on.
	// +optional
	Pause bool `json:"pause,omitempty"`

	// maxUnavailable is how many agents may have their turn at once, also in upgrades of K3s. Servers always go one by one.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MaxUnavailable int64 `json:"maxUnavailable,omitempty"`

	// drain: true drains the Kubernetes Node of each node before its VM is stopped or replaced in its turn, as k3s.drain of a K3sNode, and
	// before the node is removed. It needs providerConfig and observe in the cluster's entry of the catalogue, and rights in the cluster. A
	// change reaches the nodes in turns, and touches no VM. Default: false.
	// +optional
	Drain bool `json:"drain,omitempty"`

	// replacePolicy says whether a node is replaced by a new VM in its turn, if the change needs one, such as another image. WhenNeeded
	// replaces it, unless it has data disks. OnRequest leaves it as it is: nodes.lifecycle.replace replaces it.
	// +optional
	// +kubebuilder:default=WhenNeeded
	ReplacePolicy ReplacePolicy `json:"replacePolicy,omitempty"`

	// rebootPolicy says whether a node is power-cycled in its turn, if the change needs that, such as more memory. WhenNeeded power-cycles it.
	// OnRequest leaves that to you: nodes.lifecycle.reboot.
	// +optional
	// +kubebuilder:default=OnRequest
	RebootPolicy RebootPolicy `json:"rebootPolicy,omitempty"`

	// window is when system-upgrade-controller may begin to upgrade a node. It is for upgrade: SystemUpgrade only, because nobody else in a
	// rollout has a clock: all other turns begin when they can. A node whose upgrade waits for the window has its turn, so that all other
	// turns wait, too.
	// Example: {days: [saturday], startTime: "02:00", endTime: "05:00", timeZone: Europe/Berlin}
	// +optional
	Window *Window `json:"window,omitempty"`
}

// A Window is when upgrades of K3s may begin, on each of some days.
//
// +kubebuilder:validation:XValidation:rule="self.startTime < self.endTime",message="must be later on the same day than startTime",fieldPath=".endTime"
type Window struct {
	// days are the days of the week, by their English names in lower case. Default: every day.
	// Example: [saturday, sunday]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=7
	Days []Day `json:"days,omitempty"`

	// startTime is when the window opens, as HH:MM.
	// Example: "02:00"
	// +required
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	StartTime string `json:"startTime"`

	// endTime is when the window closes, as HH:MM, later on the same day than startTime. What has begun goes on.
	// Example: "05:00"
	// +required
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	EndTime string `json:"endTime"`

	// timeZone is the time zone of the times, by its name in the IANA database. Default: UTC.
	// Example: Europe/Berlin
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_+/-]*$`
	TimeZone string `json:"timeZone,omitempty"`
}

// A Day of the week.
//
// +kubebuilder:validation:Enum=monday;tuesday;wednesday;thursday;friday;saturday;sunday
type Day string

// A ReplacePolicy says whether a rollout replaces VMs.
//
// +kubebuilder:validation:Enum=OnRequest;WhenNeeded
type ReplacePolicy string

// The policies of replacements.
const (
	ReplaceOnRequest  ReplacePolicy = "OnRequest"
	ReplaceWhenNeeded ReplacePolicy = "WhenNeeded"
)

// An Upgrade says how existing nodes get another release of K3s.
//
// +kubebuilder:validation:Enum=None;Replace;SystemUpgrade
type Upgrade string

// The ways of upgrades.
const (
	UpgradeNone    Upgrade = "None"
	UpgradeReplace Upgrade = "Replace"
	UpgradeSystem  Upgrade = "SystemUpgrade"
)

// A RolloutState says how far a rollout is.
type RolloutState string

// The states of a rollout.
const (
	// RolloutComplete: every node is as the claim describes it.
	RolloutComplete RolloutState = "Complete"
	// RolloutProgressing: a node has its turn.
	RolloutProgressing RolloutState = "Progressing"
	// RolloutWaiting: the next turn waits for a node that is not ready.
	RolloutWaiting RolloutState = "Waiting"
	// RolloutBlocked: a person has to decide.
	RolloutBlocked RolloutState = "Blocked"
	// RolloutPaused: rollout.pause holds the next turn.
	RolloutPaused RolloutState = "Paused"
)

// A K3sClusterStatus is the observed cluster.
type K3sClusterStatus struct {
	// conditions are the cluster's conditions. docs/conditions.md explains them.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// version is the K3s release that new nodes get.
	// +optional
	Version string `json:"version,omitempty"`

	// minor is the minor release in spec.version, or stable, that route was decided for.
	// Example: v1.36
	// +optional
	Minor string `json:"minor,omitempty"`

	// channel says which minor release stable in spec.version stands for, and as of when. A later release of the function can know another one; the cluster
	// stays where it is.
	// Example: stable is v1.36, as of November 2026
	// +optional
	Channel string `json:"channel,omitempty"`

	// route are the releases by which nodes get to the minor release in spec.version, in their order. All nodes run one before the next begins. The
	// last one stays, also when a later release of the function knows later ones: write the version anew to get these.
	// Example: [v1.35.6+k3s1, v1.36.5+k3s1]
	// +optional
	// +listType=atomic
	Route []string `json:"route,omitempty"`

	// servers counts the servers.
	// +optional
	Servers *PoolStatus `json:"servers,omitempty"`

	// agents counts the agents of all pools.
	// +optional
	Agents *PoolStatus `json:"agents,omitempty"`

	// rollout is how far the current change has come.
	// +optional
	Rollout *RolloutStatus `json:"rollout,omitempty"`

	// snapshots are the snapshots of etcd that K3s lists in the cluster, where the catalogue has observeSnapshots.
	// +optional
	Snapshots *SnapshotsStatus `json:"snapshots,omitempty"`

	// nodes are the cluster's nodes.
	// +optional
	// +listType=atomic
	Nodes []ClusterNodeStatus `json:"nodes,omitempty"`

	// appliedSpec is the spec that the rollout was last complete with. It differs from spec while a rollout is under way, paused or blocked, and
	// while an edit is refused, so that GitOps tools can compare the two.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	AppliedSpec AppliedSpec `json:"appliedSpec,omitempty"`
}

// A PoolStatus counts nodes.
type PoolStatus struct {
	// ready is the number of nodes that are ready, of how many the claim asks for.
	// Example: 2/3
	// +optional
	Ready string `json:"ready,omitempty"`
}

// A RolloutStatus is how far a change has come.
type RolloutStatus struct {
	// state is Complete, Progressing, Waiting, Blocked or Paused.
	// +optional
	State RolloutState `json:"state,omitempty"`

	// done is how many nodes are as the claim describes them, of how many.
	// Example: 3/5
	// +optional
	Done string `json:"done,omitempty"`

	// turn is the node whose turn it is.
	// +optional
	Turn *TurnStatus `json:"turn,omitempty"`

	// message says what happens, or what is waited for, in a sentence.
	// +optional
	Message string `json:"message,omitempty"`
}

// A SnapshotsStatus says which snapshots of etcd there are: with servers.snapshots.s3 those in S3, else those on the disks of the servers, too.
type SnapshotsStatus struct {
	// newest is the name of the newest snapshot that can be restored.
	// +optional
	Newest string `json:"newest,omitempty"`

	// time is when etcd took it. Compare it with the time of day: the function has no clock.
	// Example: "2026-11-22T06:00:00Z"
	// +optional
	Time string `json:"time,omitempty"`

	// location is where it is: s3://, or file:// on the disk of the server in its name.
	// +optional
	Location string `json:"location,omitempty"`

	// count is how many snapshots can be restored.
	// +optional
	Count int64 `json:"count,omitempty"`
}

// A TurnStatus is a node's turn.
type TurnStatus struct {
	// node is the node, as pool and number.
	// Example: server-1
	// +optional
	Node string `json:"node,omitempty"`

	// action is what happens to it: Adopt, Create, Change, Upgrade, Reboot, Replace or Remove.
	// +optional
	Action string `json:"action,omitempty"`

	// fields are the fields of the node's spec that change.
	// +optional
	// +listType=atomic
	Fields []string `json:"fields,omitempty"`
}

// A ClusterNodeStatus is a node of a cluster.
type ClusterNodeStatus struct {
	// name is the node, as pool and number.
	// +optional
	Name string `json:"name,omitempty"`

	// machine is the name of its K3sNode, or XK3sNode.
	// +optional
	Machine string `json:"machine,omitempty"`

	// role is server or agent.
	// +optional
	Role K3sRole `json:"role,omitempty"`

	// ready is whether the node serves its cluster.
	// +optional
	Ready bool `json:"ready"`

	// state is Waiting, Adopting, Creating, Ready, Outdated, Changing, Replacing, Leaving or NotReady.
	// +optional
	State string `json:"state,omitempty"`

	// vmId is its VMID.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// proxmoxNode is its Proxmox node.
	// +optional
	ProxmoxNode string `json:"proxmoxNode,omitempty"`

	// address is its first address.
	// +optional
	Address string `json:"address,omitempty"`

	// version is the K3s release that it runs or, where nobody observes it, was created with.
	// +optional
	Version string `json:"version,omitempty"`
}
