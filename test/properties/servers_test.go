package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A serverCondition is how it is with another server of the machine's K3s cluster.
type serverCondition string

const (
	serverReady     serverCondition = "ready"
	serverStopped   serverCondition = "stopped"
	serverReplaced  serverCondition = "replaced"  // By the trigger of the machine's claim.
	serverAnnounced serverCondition = "announced" // About to be replaced, and older than the machine, so that it goes first.
	serverUnjoined  serverCondition = "unjoined"  // Replaced by another trigger, and nobody said that it has joined.
	serverYounger   serverCondition = "younger"   // About to be replaced, and younger than the machine, which waits until it is replaced.
)

// trigger of the replacements that are drawn with servers.
const trigger = "2026-11-20"

// replacement of the machine by its second spec, in some cases, and for a server of K3s the other servers of its cluster.
func (d draw) replacement(p *pair, s shape) {
	server := s.kind == "K3sNode" && s.role == "server"
	if !server && !d.chance(10) || !d.chance(60) {
		return
	}

	p.second = with(p.second, []string{"lifecycle", "replace"}, trigger)
	// A fixed VMID blocks every replacement.
	if d.chance(70) {
		p.second = withoutNumber(p.second)
	}

	if !server {
		return
	}

	switch d.IntN(10) {
	case 0:
		p.first, p.second = withoutCluster(p.first), withoutCluster(p.second)
	case 1:
		p.servers = nil
	case 2:
		p.servers = []serverCondition{serverReady, serverStopped}
	case 3, 4:
		p.servers = []serverCondition{serverReady, serverUnjoined, serverReady, serverReady}
	default:
		p.servers = []serverCondition{serverReady, pick(d, serverReady, serverReady, serverReplaced, serverAnnounced, serverYounger)}
	}
}

// withoutCluster is a spec that says itself what its K3s cluster says otherwise.
func withoutCluster(spec map[string]any) map[string]any {
	for field, v := range map[string]any{
		"cluster": nil, "clusterName": nil, "version": "v1.33.6+k3s1", "server": "https://192.168.4.210:6443", "init": nil, "token": map[string]any{"file": "/etc/rancher/k3s/token"},
	} {
		spec = with(spec, []string{"k3s", field}, v)
	}

	return spec
}

// server of this condition, much like another VM.
func (c serverCondition) server(like map[string]any, i int) map[string]any {
	const firstID = 7001

	o := numbered(like, firstID+i)
	name := fmt.Sprintf("server-%d", i)
	running := c != serverStopped

	world.Merge(o, map[string]any{
		"metadata": map[string]any{
			"name":   name + "-vm",
			"labels": map[string]any{"crossplane.io/composite": name, proxmox.MachineLabel: name},
			"ownerReferences": []any{map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode", "name": name, "uid": "uid-of-" + name, "controller": true,
			}},
		},
		"spec":   map[string]any{"forProvider": map[string]any{"started": running, "name": name}},
		"status": map[string]any{"atProvider": map[string]any{"started": running}},
	})

	// So is what it was made from, and what that says is not known here.
	for _, i := range world.List(world.Object(world.Object(o["spec"])["forProvider"])["initialization"]) {
		if i := world.Object(i); i["userDataFileId"] != nil {
			i["userDataFileId"] = "local:snippets/" + name + ".user-data.yaml"
		}
	}

	// Its addresses are its own.
	maps.DeleteFunc(world.Object(world.Object(o["metadata"])["labels"]), func(label string, _ any) bool {
		kind, _, _ := strings.Cut(label, "-")
		return slices.Contains([]string{proxmox.IPv4Label, proxmox.IPv6Label, proxmox.MACLabel}, kind)
	})

	annotations := world.Object(world.Object(o["metadata"])["annotations"])
	delete(annotations, proxmox.ReplaceTriggersAnnotation)

	switch c {
	case serverReplaced:
		annotations[proxmox.ReplaceTriggersAnnotation] = trigger
	case serverUnjoined:
		annotations[proxmox.ReplaceTriggersAnnotation] = "before"
		annotations[proxmox.JoiningAnnotation] = "before"
	case serverAnnounced:
		annotations[proxmox.ReplacingAnnotation] = trigger
		world.Object(o["metadata"])["creationTimestamp"] = "2025-01-01T00:00:00Z"
	case serverYounger:
		annotations[proxmox.ReplacingAnnotation] = trigger
		world.Object(o["metadata"])["creationTimestamp"] = "2027-01-01T00:00:00Z"
	case serverReady, serverStopped:
	}

	return o
}
