package cluster

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// DatastoreKey is a key of K3s' config with which a server keeps the state of its cluster outside of the servers.
const DatastoreKey = "datastore-cafile"

// OtherDatastore says why a server cannot join some others, which all keep the state of their cluster elsewhere; empty where one of them keeps it where the
// server would, and where there is nobody. outside says whether the server would keep it outside of the servers, and servers who of the others does, by name.
func OtherDatastore(outside bool, servers map[string]bool) string {
	names := slices.Sorted(maps.Keys(servers))

	switch {
	case len(names) == 0, slices.ContainsFunc(names, func(name string) bool { return servers[name] == outside }):
		return ""
	case outside:
		return "the servers of the cluster keep its state in etcd on their own disks (" + message.Excerpt(names[0]) + "), and this one would keep it in a datastore outside of them: " +
			"K3s would serve another cluster from there. Remove the key"
	}

	return "the servers of the cluster keep its state in a datastore outside of them (" + message.Excerpt(names[0]) + "), and this one would start an etcd of its own: " +
		"K3s would serve another cluster. Write what they have"
}

// CheckDatastore refuses a server that does not exist, and would keep the state of the cluster elsewhere than all of its servers that have joined.
func CheckDatastore(m Member, children Children, spec v1alpha1.K3sClusterSpec, namespace string) field.ErrorList {
	if m.Role != v1alpha1.K3sServer || m.AdoptVM != nil || m.Lifecycle["force"] != nil {
		return nil
	}

	servers := map[string]bool{}

	for name, c := range children {
		if c.Role == v1alpha1.K3sServer && c.Joined && c.Refused == "" {
			servers[name] = k3s.VoteOf(configOf(c.Spec)) == k3s.VoteOutside
		}
	}

	config := configOf(m.Spec)

	why := OtherDatastore(k3s.VoteOf(config) == k3s.VoteOutside, servers)
	if why == "" {
		return nil
	}

	at := field.NewPath("spec", "k3s", "config").Key(cmp.Or(k3s.VoteKey(config), DatastoreKey))

	return inCluster(field.ErrorList{field.Forbidden(at, why)}, m, spec, namespace)
}
