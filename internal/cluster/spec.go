package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// founds says whether a node was created to start the cluster.
func founds(spec map[string]any) bool {
	k, _ := spec["k3s"].(map[string]any)
	return k["init"] == true
}

// requested is a spec with the actions that a person requests of the node. Each is taken over once, so that a value which stays in the
// claim does not take the place of a later one; an action that the person takes back goes.
func requested(spec map[string]any, m Member, c Child) map[string]any {
	fresh := map[string]any{}

	for name, v := range m.Lifecycle {
		if c.Requested[name] != v {
			fresh[name] = v
		}
	}

	spec = withLifecycle(spec, fresh)

	for name, v := range c.Requested {
		l, _ := spec["lifecycle"].(map[string]any)
		if _, still := m.Lifecycle[name]; !still && l[name] == v {
			l = maps.Clone(l)
			delete(l, name)

			spec = maps.Clone(spec)
			spec["lifecycle"] = l
		}
	}

	return spec
}

// asksReplacement says whether a person requests a replacement of a node that it has not taken over.
func asksReplacement(m Member, c Child) bool {
	replace := text(m.Lifecycle, "replace")

	return replace != "" && c.Requested["replace"] != replace
}

// asJoiner is a spec whose next VM joins the cluster.
func asJoiner(spec, wanted map[string]any) map[string]any {
	out := maps.Clone(withoutRestore(spec))
	out["k3s"] = wanted["k3s"]

	return out
}

// joining is a spec whose next VM joins the cluster, and that is else as it was: what the claim says of K3s is refused for its server.
func joining(spec, wanted map[string]any) map[string]any {
	out, k := maps.Clone(withoutRestore(spec)), maps.Clone(group(spec, "k3s"))

	for _, f := range []string{"init", "server", "token"} {
		delete(k, f)

		if v, ok := group(wanted, "k3s")[f]; ok {
			k[f] = v
		}
	}

	out["k3s"] = k

	return out
}

// asFounder is the spec of a server whose VM started the cluster, and whose replacement by one that joins was taken back: a VM is as it was created, and the
// only server of a cluster has no other one to join.
func asFounder(spec, founder map[string]any) map[string]any {
	out, k := maps.Clone(spec), maps.Clone(group(spec, "k3s"))
	delete(k, "server")

	for _, f := range []string{"init", "server", "token"} {
		if v, ok := group(founder, "k3s")[f]; ok {
			k[f] = v
		}
	}

	out["k3s"] = k

	return out
}

// withLifecycle adds actions to a spec.
func withLifecycle(spec, actions map[string]any) map[string]any {
	if len(actions) == 0 {
		return spec
	}

	out := maps.Clone(spec)
	has, _ := out["lifecycle"].(map[string]any)
	l := maps.Clone(has)

	if l == nil {
		l = map[string]any{}
	}

	maps.Copy(l, actions)
	out["lifecycle"] = l

	return out
}

// word is the value of a trigger of a node, new for each template, VM and trigger before.
func word(template string, c Child, trigger string) string {
	has, _ := c.Spec["lifecycle"].(map[string]any)

	vm := int64(0)
	if c.VMID != nil {
		vm = *c.VMID
	}

	h := sha256.Sum256(fmt.Appendf(nil, "%s %v %d", template, has[trigger], vm))

	return lifecycle.TurnWord + hex.EncodeToString(h[:])[:10]
}

// SpecOf is the spec that the claim describes for a node that exists. One that was adopted keeps what is its own alone, such as its address,
// where the claim says nothing of that; and it never gets another name, since its VM and its Kubernetes Node have the one that they have.
func SpecOf(m Member, c Child) map[string]any {
	if !c.Adopted {
		return m.Spec
	}

	out := maps.Clone(m.Spec)
	take(out, c.Spec, "hostname", true)
	take(out, c.Spec, "nics", false)

	network := maps.Clone(group(out, "network"))
	if has := group(c.Spec, "network"); network["ip"] == nil {
		for _, f := range []string{"ip", "cidr", "dhcp"} {
			take(network, has, f, true)
		}
	}

	for _, f := range []string{"mac", "stableMAC", "ipv6", "dnsRecord"} {
		take(network, group(c.Spec, "network"), f, false)
	}

	proxmox := maps.Clone(group(out, "proxmox"))
	for _, f := range []string{"node", "vmId"} {
		take(proxmox, group(c.Spec, "proxmox"), f, false)
	}

	k3s := maps.Clone(group(out, "k3s"))
	take(k3s, group(c.Spec, "k3s"), "token", false)

	for name, o := range map[string]map[string]any{"network": network, "proxmox": proxmox, "k3s": k3s} {
		if len(o) > 0 {
			out[name] = o
		}
	}

	return out
}

// take a field over from another object, where there is none; always says to do so in any case.
func take(into, from map[string]any, f string, always bool) {
	if v, has := from[f]; has && (always || into[f] == nil) {
		into[f] = v
	} else if always {
		delete(into, f)
	}
}
