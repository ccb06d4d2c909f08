package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Member is what the VM of a K3s node was made as in its cluster. K3s reads its role and its datastore when it is installed, and the other servers count
// the VM by what is noted on it: an edit that calls it something else would let each of them believe that it may go now. The zero value is for a machine
// without a VM, and for one without K3s.
type Member struct {
	Role v1alpha1.K3sRole
	// Cluster is the value of the label by which the servers of the cluster find each other; empty where they do not.
	Cluster string
	// Etcd is empty for an agent, and for a server that was last written by a release which did not note it.
	Etcd proxmox.Etcd
}

// MemberOf a VM, by its labels.
func MemberOf(vm proxmox.ObservedVM) Member {
	l := vm.Metadata.Labels

	return Member{Role: v1alpha1.K3sRole(l[proxmox.K3sRoleLabel]), Cluster: l[proxmox.ClusterLabel], Etcd: proxmox.Etcd(l[proxmox.EtcdLabel])}
}

// EtcdOf a node with a role and a config of K3s.
func EtcdOf(role v1alpha1.K3sRole, config map[string]any) proxmox.Etcd {
	if role != v1alpha1.K3sServer {
		return ""
	}

	switch k3s.VoteOf(config) {
	case k3s.VoteGivenUp:
		return proxmox.EtcdNone
	case k3s.VoteOutside:
		return proxmox.EtcdOutside
	default:
		return proxmox.EtcdMember
	}
}

// remain checks that a node which was resolved is still what its VM was made as: a fault names an edit of role, cluster or vote. said is what its
// claim says, and entry its cluster's in the catalogue; of one that is not known, nothing is said anew.
func (m Member) remain(at *field.Path, said *v1alpha1.K3s, entry catalog.Cluster, known bool, k *machine.K3s) field.ErrorList {
	k.Etcd = EtcdOf(k.Role, k.Config)

	was, named := claim.NameIn(m.Cluster)

	switch {
	case m.Role == "":
		return nil
	case k.Role != m.Role:
		return field.ErrorList{field.Invalid(at.Child("role"), k.Role, fmt.Sprintf(
			"the VM was made as %s, and K3s is installed as that: create a new node, and delete this one", m.article()))}
	case m.Cluster != "" && k.Cluster != m.Cluster && k.ClusterName == "" && !(named && m.Role == v1alpha1.K3sAgent):
		return field.ErrorList{field.Invalid(at.Child("cluster"), message.Excerpt(said.Cluster), fmt.Sprintf(
			"the VM is a node of cluster %s, and the other nodes count it there: write that name again, or create a new node, and delete this one", message.Excerpt(was)))}
	}

	// A name that is an entry of nothing may be mended where nobody else has the old one: who is alone was never counted. That is asked later. An agent, which has
	// no vote anywhere, may so go back to an entry.
	if m.Cluster != "" && k.Cluster != m.Cluster {
		k.Former = m.Cluster
	}

	if m.Etcd == "" || k.Etcd == m.Etcd {
		return nil
	}

	k.Etcd = m.Etcd
	if !known {
		return nil
	}

	return field.ErrorList{field.Forbidden(datastoreKey(at, said, entry), m.installed()+
		": no edit changes what K3s was installed with. Create a new server, and delete this one when the new one has joined")}
}

// installed is what a server is counted as.
func (m Member) installed() string {
	switch m.Etcd {
	case proxmox.EtcdNone:
		return "the server was made without a member of etcd, and the other servers do not count it"
	case proxmox.EtcdOutside:
		return "the server was made with a datastore outside of the servers, and has no member of etcd"
	case proxmox.EtcdMember:
	}

	return "the server was made with a member of etcd, and the other servers count its vote"
}

// ClusterLeft is the fault of a node that is to be one of another cluster while other servers are in its own.
func ClusterLeft(k *machine.K3s) *field.Error {
	at, value := field.NewPath("spec", "k3s", "clusterName"), k.ClusterName
	if value == "" {
		at, value = field.NewPath("spec", "k3s", "cluster"), k.Cluster
	}

	return field.Invalid(at, message.Excerpt(value),
		"other servers have the name that this node was made with, and count it: keep that name, or create a new node and delete this one")
}

// datastoreKey is the field that says where a server keeps the cluster's state: a key of the claim, else one of the cluster's entry. Of a key that is gone, the
// claim's.
func datastoreKey(at *field.Path, said *v1alpha1.K3s, entry catalog.Cluster) *field.Path {
	if key := k3s.VoteKey(said.Config); key != "" {
		return at.Child("config").Key(key)
	}

	if key := k3s.VoteKey(entry.Config); key != "" {
		return entry.Path().Child("config").Key(key)
	}

	return at.Child("config").Key("disable-etcd")
}

func (m Member) article() string {
	if m.Role == v1alpha1.K3sAgent {
		return "an agent"
	}

	return "a server"
}
