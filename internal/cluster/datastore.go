package cluster

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// DatastoreKey is a key of K3s' config with which a server keeps the state of its cluster outside of the servers.
const DatastoreKey = "datastore-cafile"

// OtherDatastore says why a server cannot join a cluster that keeps its state elsewhere. outside says whether the server would keep it outside of the
// servers, and server is one that does not.
func OtherDatastore(outside bool, server string) string {
	if outside {
		return "the servers of the cluster keep its state in etcd on their own disks (" + server + "), and this one would keep it in a datastore outside of them: " +
			"K3s would serve another cluster from there. Remove the key"
	}

	return "the servers of the cluster keep its state in a datastore outside of them (" + server + "), and this one would start an etcd of its own: " +
		"K3s would serve another cluster. Write what they have"
}

// CheckDatastore refuses a server that does not exist, and would keep the state of the cluster elsewhere than all of its servers that have joined.
func CheckDatastore(m Member, children Children, spec v1alpha1.K3sClusterSpec, namespace string) field.ErrorList {
	config := configOf(m.Spec)
	outside, differs := k3s.VoteOf(config) == k3s.VoteOutside, ""

	if m.Role != v1alpha1.K3sServer || m.AdoptVM != nil || m.Lifecycle["force"] != nil {
		return nil
	}

	for _, name := range slices.Sorted(maps.Keys(children)) {
		c := children[name]

		switch {
		case c.Role != v1alpha1.K3sServer || !c.Joined || c.Refused != "":
		case (k3s.VoteOf(configOf(c.Spec)) == k3s.VoteOutside) == outside:
			return nil
		default:
			differs = cmp.Or(differs, name)
		}
	}

	if differs == "" {
		return nil
	}

	at := field.NewPath("spec", "k3s", "config").Key(cmp.Or(k3s.VoteKey(config), DatastoreKey))

	return inCluster(field.ErrorList{field.Forbidden(at, OtherDatastore(outside, differs))}, m, spec, namespace)
}
