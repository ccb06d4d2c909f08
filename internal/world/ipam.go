package world

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
)

// AddressClaimKind is the kind of Cluster API's claim on an address.
const AddressClaimKind = ipam.ClaimKind

// An IPAM is Cluster API's kinds and cluster-api-ipam-provider-in-cluster, as far as it gives addresses. What it does was read in the source of the
// provider's v1.0.0: it gives the lowest free address, and frees it as soon as its claim is deleted.
type IPAM struct {
	// Missing says that the kinds are not installed.
	Missing bool
	// Pools of addresses, by kind and name, as InClusterIPPool lab. Claims on other pools stay without an address.
	Pools map[string]*IPPool
	// Addresses are the IPAddresses, by namespace and name.
	Addresses map[string]map[string]any
	// Claimed counts the IPAddressClaims that were ever bound.
	Claimed int
}

// An IPPool has addresses in their order.
type IPPool struct {
	Addresses []string
	Prefix    float64
	Gateway   string
	Says      string // What the provider says of a claim that it cannot bind, as condition Ready; empty: nothing.
}

// definitions of the kind IPAddressClaim.
func (i *IPAM) definitions() []map[string]any {
	if i.Missing {
		return nil
	}

	return []map[string]any{served(ipam.ClaimDefinition, ipam.Version)}
}

// check what Crossplane is to apply. before is nil for a new claim.
func (i *IPAM) check(m *Machine, name string, before, d map[string]any) {
	namespace := Object(d["metadata"])["namespace"]

	switch {
	case i.Missing:
		m.cluster.Fault("Crossplane cannot apply %s: the kind is not installed", name)
	case namespace == nil || namespace == "":
		m.cluster.Fault("Crossplane cannot apply %s without a namespace", name)
	case before != nil && !reflect.DeepEqual(Copy(before["spec"]), Copy(d["spec"])):
		m.cluster.Fault("Cluster API refuses another spec of %s: %v", name, d["spec"])
	}
}

// bind a claim, unless it is bound.
func (i *IPAM) bind(o map[string]any) {
	meta, ref := Object(o["metadata"]), Object(Object(o["spec"])["poolRef"])
	pool := i.Pools[fmt.Sprint(ref["kind"], " ", ref["name"])]
	status := Object(o["status"])

	if pool == nil || status["addressRef"] != nil {
		return
	}

	for _, a := range pool.Addresses {
		if i.given(a) {
			continue
		}

		key := fmt.Sprint(meta["namespace"], "/", meta["name"])
		spec := map[string]any{"address": a, "prefix": pool.Prefix, "claimRef": map[string]any{"name": meta["name"]}, "poolRef": ref}

		if pool.Gateway != "" {
			spec["gateway"] = pool.Gateway
		}

		if i.Addresses == nil {
			i.Addresses = map[string]map[string]any{}
		}

		i.Addresses[key] = map[string]any{
			"apiVersion": ipam.APIVersion, "kind": ipam.AddressKind,
			"metadata": map[string]any{"name": meta["name"], "namespace": meta["namespace"]}, "spec": spec,
		}
		i.Claimed++
		status["addressRef"] = map[string]any{"name": meta["name"]}
		o["status"] = status

		return
	}

	if pool.Says != "" {
		status["conditions"] = []any{Condition("Ready", "False", "PoolExhausted", pool.Says, nil)}
		o["status"] = status
	}
}

// given says whether a claim has an address.
func (i *IPAM) given(address string) bool {
	for _, a := range i.Addresses {
		if Object(a["spec"])["address"] == address {
			return true
		}
	}

	return false
}

// release the address of a claim that is deleted. A VM that has it must be gone: the next claim gets the address.
func (i *IPAM) release(m *Machine, name string, o map[string]any) {
	meta := Object(o["metadata"])
	key := fmt.Sprint(meta["namespace"], "/", meta["name"])
	address := Object(Object(i.Addresses[key])["spec"])["address"]
	delete(i.Addresses, key)

	if address == nil {
		return
	}

	for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
		if slices.Contains(m.Proxmox.VMs[id].written4(), fmt.Sprint(address)) {
			m.cluster.Fault("%s is deleted, and VM %d runs with address %s", name, id, address)
		}
	}
}

// written4 are the IPv4 addresses that were written for the guest of a running VM, without prefix lengths.
func (vm *VM) written4() []string {
	var out []string

	for _, drive := range List(vm.Running["initialization"]) {
		for _, c := range List(Object(drive)["ipConfig"]) {
			for _, a := range List(Object(c)["ipv4"]) {
				address, _, _ := strings.Cut(fmt.Sprint(Object(a)["address"]), "/")
				out = append(out, address)
			}
		}
	}

	return out
}
