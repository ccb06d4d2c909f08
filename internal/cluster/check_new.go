package cluster

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// CheckNew is all that is wrong with a claim whose cluster has no node yet: it has to be right as a whole. decoded are the faults with which it was read;
// checkMachine is as in [CheckMembers].
func CheckNew(
	id machine.Identity, apiVersion string, spec v1alpha1.K3sClusterSpec, cat catalog.Catalog, decoded field.ErrorList,
	checkMachine func(*machine.Machine) field.ErrorList,
) field.ErrorList {
	return resolve.Consolidate(decoded, checkWhole(id, apiVersion, spec, cat, checkMachine))
}

func checkWhole(
	id machine.Identity, apiVersion string, spec v1alpha1.K3sClusterSpec, cat catalog.Catalog, checkMachine func(*machine.Machine) field.ErrorList,
) (faults field.ErrorList) {
	faults = Check(id, spec)
	if len(CheckSize(spec)) > 0 {
		return faults
	}

	faults = append(faults, CheckUpgrade(spec, cmp.Or(spec.Version, cat.Clusters[spec.Cluster].Version), NodesLeave(cat, spec), nil)...)

	members, err := Members(id, spec, false)
	if err != nil {
		return append(faults, field.InternalError(field.NewPath("spec"), err))
	}

	faults = append(faults, Besides(faults, CheckMembers(members, id, apiVersion, spec, cat, checkMachine))...)

	// Which nodes there are follows from a number of servers that the claim cannot have.
	if slices.ContainsFunc(faults, func(f *field.Error) bool { return f.Field == "spec.servers.count" }) {
		return faults
	}

	return append(faults, Absent(spec, members)...)
}

// Besides are the faults of nodes that do not follow from one of the whole claim: those are no second ones.
func Besides(whole, ofNodes field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(ofNodes, func(err *field.Error) bool {
		return slices.ContainsFunc(whole, func(is *field.Error) bool { return ofWhole(err.Field, is.Field) })
	})
}

// ofWhole says whether a fault of a node at a path is that of the whole claim at another one.
func ofWhole(path, whole string) bool {
	_, config, ofConfig := strings.Cut(path, ".k3s.config[")

	switch {
	case strings.HasPrefix(path, whole):
		return true
	case whole == "metadata.name" || strings.HasPrefix(whole, "spec.agents[") && strings.HasSuffix(whole, "].name"):
		// The names of the nodes begin with it.
		return path == "metadata.name" || strings.HasSuffix(path, ".hostname")
	case strings.HasPrefix(whole, "spec.servers.snapshots."):
		// They become options of K3s.
		return ofConfig && strings.HasPrefix(config, "etcd-")
	}

	return false
}

// NodesLeave says whether the Kubernetes Node of a node goes before its VM.
func NodesLeave(cat catalog.Catalog, spec v1alpha1.K3sClusterSpec) bool {
	entry, ok := cat.Clusters[spec.Cluster]

	return ok && entry.ProviderConfig != "" && entry.Observe.Reads()
}
