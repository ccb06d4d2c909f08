package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A Cluster is the K3s cluster of a node, as far as its servers have to find each other.
type Cluster struct {
	// Name as the person typed it, in k3s.cluster or k3s.clusterName; empty where the claim has neither.
	Name string
	// Label is the value of the label by which the servers find each other, at most 63 characters; empty where Name is.
	Label string
}

// clusterHashLength is the length of a hash in the label of a cluster without an entry, in hexadecimal digits.
const clusterHashLength = 10

// ClusterOf a node. An entry of the catalogue is one cluster for all namespaces that name it, and its name is the label. A
// k3s.clusterName is one cluster for its namespace: the hash in its label keeps it apart from the same name in another namespace, and from an
// entry of the catalogue, whose name may have any form.
func ClusterOf(id machine.Identity, k *v1alpha1.K3s) Cluster {
	switch {
	case k == nil:
		return Cluster{}
	case k.Cluster != "" || k.ClusterName == "":
		return Cluster{Name: k.Cluster, Label: k.Cluster}
	}

	// A slash is in no name of a namespace.
	sum := sha256.Sum256([]byte(id.Namespace + "/" + k.ClusterName))
	// A name that is refused later may hold anything, and may be cut within a character.
	readable := strings.ToValidUTF8(strings.TrimRight(k.ClusterName[:min(len(k.ClusterName), maxName-1-clusterHashLength)], "-"), "")

	return Cluster{Name: k.ClusterName, Label: readable + "." + hex.EncodeToString(sum[:])[:clusterHashLength]}
}

// NameIn is the name in a [Cluster.Label], as a person typed it, cut where it is long; named says whether claims of one namespace have it as their
// k3s.clusterName, and it is no entry of the catalogue.
func NameIn(label string) (name string, named bool) {
	name, hash, _ := strings.Cut(label, ".")
	if _, err := hex.DecodeString(hash); err != nil || len(hash) != clusterHashLength {
		return label, false
	}

	return name, true
}

// Cluster of the claim's node; empty for a Machine.
func (c Claim) Cluster() Cluster { return ClusterOf(c.Identity, c.K3s()) }
