package world

import (
	"fmt"
	"maps"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
)

// zoneOf an Object is the zone that it writes on its Node; empty for other Objects.
func zoneOf(o map[string]any) string {
	zone, _ := Object(Object(Object(Object(Object(o["spec"])["forProvider"])["manifest"])["metadata"])["labels"])[node.ZoneLabel].(string)

	return zone
}

// label a Node as an Object says, if it is the one that the Object is of. Without the right to create Nodes, the provider makes none.
func (k *Kubernetes) label(m *Machine, o map[string]any, generation any) {
	name, c := nodeOf(o), m.cluster
	manifest := Object(Object(Object(o["spec"])["forProvider"])["manifest"])
	fails := k.Fails

	switch n := c.Nodes[name]; {
	case fails != "":
	case n == nil:
		fails = fmt.Sprintf("update failed: cannot apply object: nodes is forbidden: cannot create resource nodes %q", name)
	case Object(n["metadata"])["uid"] != Object(manifest["metadata"])["uid"]:
		fails = "update failed: cannot apply object: Precondition failed: UID in precondition"
	case c.registrants[name] != "" && !strings.HasPrefix(c.registrants[name], OwnerOf(m, "")):
		c.Fault("an Object of %s labels Node %s, which is %q", m.Name(), name, c.registrants[name])
	default:
		meta := Object(n["metadata"])

		labels := maps.Clone(Object(meta["labels"]))
		if labels == nil {
			labels = map[string]any{}
		}

		// The provider without server-side apply writes again only when the Object says something new.
		if annotations := Object(meta["annotations"]); annotations[lastApplied] != zoneOf(o) && strings.Contains(Policies(o), "Update") {
			m.Proxmox.note("label node %s with %s", name, zoneOf(o))
			meta["annotations"] = map[string]any{lastApplied: zoneOf(o)}
			labels[node.ZoneLabel] = zoneOf(o)
			meta["labels"] = labels
			c.wrote(name)
		}

		Object(o["status"])["atProvider"] = map[string]any{"manifest": Copy(n)}
		SetConditions(o, Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation))

		return
	}

	SetConditions(o, Condition("Synced", "False", "ReconcileError", fails, generation))
}

// lastApplied is the annotation by which the provider knows what it has written on a Node, here its zone.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// metadataOf a Node that a VM registers. A kubelet that starts again leaves alone what others have written on its Node.
func metadataOf(before map[string]any, name, uid string, labels map[string]any) map[string]any {
	out, was := map[string]any{"name": name, "uid": uid, "labels": labels}, Object(before["metadata"])

	if had := was["uid"]; had != nil {
		out["uid"] = had
	}

	if zone := Object(was["labels"])[node.ZoneLabel]; zone != nil {
		labels[node.ZoneLabel] = zone
	}

	if annotations := was["annotations"]; annotations != nil {
		out["annotations"] = annotations
	}

	return out
}
