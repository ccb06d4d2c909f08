package cluster

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// checkEtcd refuses a release with which the members of etcd of servers that run would count removed members again: see [k3s.EtcdHop]. Nobody knows
// which servers a cluster had before, so a cluster of one server counts, too. Once a server runs etcd 3.6, nothing is refused any more: it cannot
// go back in place, and no claim could be right.
func checkEtcd(wanted string, children map[string]Child) field.ErrorList {
	for _, name := range slices.Sorted(maps.Keys(children)) {
		c := children[name]

		if hop := k3s.EtcdHop(c.Version, wanted); c.votes() && hop.Verdict == k3s.HopRefused && !hasEtcd36(children) {
			return field.ErrorList{field.Invalid(field.NewPath("spec", "version"), wanted, fmt.Sprintf(
				"would have etcd 3.6 count removed members again: server %s runs %s, with an etcd before %s; upgrade to %s first",
				name, c.Version, k3s.RepairsMembers, hop.Stop))}
		}
	}

	return nil
}

// hasEtcd36 says whether a server with a member of etcd runs etcd 3.6 or later.
func hasEtcd36(children map[string]Child) bool {
	for _, c := range children {
		if c.votes() && k3s.HasEtcd36(c.Version) {
			return true
		}
	}

	return false
}

// etcdUnknown says whether nobody knows what a release does to the members of etcd of the servers that are to run it.
func etcdUnknown(r releases) bool {
	for _, c := range r.children {
		if c.votes() && r.behind(c) && k3s.EtcdHop(c.Version, r.system.Version).Verdict == k3s.HopUnknown {
			return !hasEtcd36(r.children)
		}
	}

	return false
}
