package proxmox

// Etcd is where a K3s server keeps the state of its cluster, as its label says ([EtcdLabel]). It is decided when K3s is installed. Empty: an agent has
// none, and of a server nobody has noted it yet.
type Etcd string

const (
	// EtcdMember is in its member of etcd, which votes.
	EtcdMember Etcd = "member"
	// EtcdNone is nowhere. It gave its member up, and is no vote.
	EtcdNone Etcd = "none"
	// EtcdOutside is in a datastore outside of the servers, which have no quorum among them.
	EtcdOutside Etcd = "outside"
)

// Votes says whether a server counts for the quorum of its cluster. One of which nobody noted anything does.
func (e Etcd) Votes() bool { return e == EtcdMember || e == "" }
