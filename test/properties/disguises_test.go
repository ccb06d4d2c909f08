package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// disguises are edits of a server's claim after which it would say something else of its VM than what the VM is in its cluster: no server, no vote, of another
// cluster, or nobody's business. i is the number of the server.
var disguises = map[string]func(m *world.Machine, i int){
	"Agent":         func(m *world.Machine, _ int) { k3sOf(m)["role"] = "agent" },
	"AgentByItself": func(m *world.Machine, _ int) { k3sOf(m)["role"] = "agent"; delete(k3sOf(m), "init") },
	"NoEtcd":        k3sConfig("disable-etcd", true),
	"DatastoreCA":   k3sConfig("datastore-cafile", "/etc/ssl/datastore.crt"),
	"DatastoreCert": k3sConfig("datastore-certfile", "/etc/ssl/datastore.crt"),
	"OtherCluster":  func(m *world.Machine, _ int) { k3sOf(m)["cluster"] = "other" },
	"ClusterOfItsOwn": func(m *world.Machine, i int) {
		leavesCluster(m)
		k3sOf(m)["clusterName"] = fmt.Sprintf("home-%d", i)
	},
	"ClusterByName": func(m *world.Machine, _ int) {
		leavesCluster(m)
		k3sOf(m)["clusterName"] = "home"
	},
	"NoCluster": func(m *world.Machine, _ int) { leavesCluster(m) },
	"AllFirst":  func(m *world.Machine, _ int) { k3sOf(m)["init"] = true; delete(k3sOf(m), "token") },
	"Adopted": func(m *world.Machine, _ int) {
		m.Spec()["adopt"] = map[string]any{"vmId": world.Object(world.Object(m.Observed["vm"]["spec"])["forProvider"])["vmId"]}
	},
	"OwnUserData": func(m *world.Machine, _ int) {
		world.Merge(m.Spec(), map[string]any{"bootstrap": map[string]any{"snippets": map[string]any{"userData": "local:snippets/own.yaml"}}})
	},
	"HostName": func(m *world.Machine, i int) { m.Spec()["hostname"] = fmt.Sprintf("node-%d", i) },
	"Lost": func(m *world.Machine, _ int) {
		world.Merge(m.Spec(), map[string]any{"lifecycle": map[string]any{"lost": true}})
	},
	"OtherProxmox": func(m *world.Machine, _ int) {
		world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"providerConfig": "other"}})
	},
	"OtherSite": func(m *world.Machine, _ int) {
		world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"site": "other"}})
	},
	"OtherRole": func(m *world.Machine, _ int) { m.Spec()["role"] = "something-else" },
	"NoK3s":     func(m *world.Machine, _ int) { delete(m.Spec(), "k3s") },
}

// catalogueDisguises are edits of the catalogue that say something else of all servers.
var catalogueDisguises = map[string]func(cat map[string]any){
	"NoEtcd":  func(cat map[string]any) { configOf(cat)["disable-etcd"] = true },
	"Outside": func(cat map[string]any) { configOf(cat)["datastore-cafile"] = "/etc/ssl/datastore.crt" },
	"Lost":    func(cat map[string]any) { delete(world.Object(cat["clusters"]), "home") },
	"Renamed": func(cat map[string]any) {
		clusters := world.Object(cat["clusters"])
		clusters["lab"] = clusters["home"]
		delete(clusters, "home")
	},
	"Broken":     func(cat map[string]any) { entryOf(cat)["version"] = 135 },
	"NoClusters": func(cat map[string]any) { delete(cat, "clusters") },
}

func k3sOf(m *world.Machine) map[string]any { return world.Object(m.Spec()["k3s"]) }

// leavesCluster says itself what the entry of its cluster said.
func leavesCluster(m *world.Machine) {
	spec := withoutCluster(m.Spec())
	clear(m.Spec())
	maps.Copy(m.Spec(), spec)
}

func k3sConfig(key string, value any) func(m *world.Machine, _ int) {
	return func(m *world.Machine, _ int) {
		world.Merge(k3sOf(m), map[string]any{"config": map[string]any{key: value}})
	}
}

func entryOf(cat map[string]any) map[string]any {
	return world.Object(world.Object(cat["clusters"])["home"])
}

func configOf(cat map[string]any) map[string]any {
	entry := entryOf(cat)
	if entry["config"] == nil {
		entry["config"] = map[string]any{}
	}

	return world.Object(entry["config"])
}

// TestNoEditHidesAServer: one commit, or two of them, change what the claims or the catalogue say of all servers of a cluster, and ask for an outage of
// all of them. Whatever is refused or taken, a majority runs at every moment, and no more than one is away for good. Calls come in any order, with views of any age.
func TestNoEditHidesAServer(t *testing.T) {
	t.Parallel()

	outages := map[string]func(m *world.Machine){
		"Replace": func(m *world.Machine) {
			world.Merge(m.Spec(), map[string]any{"lifecycle": map[string]any{"replace": trigger}})
		},
	}
	maps.Copy(outages, wishes)

	happened := 0

	for i := range *worldCount {
		d := newDraw(*seed, i+1<<42)
		n := pick(d, 3, 3, 5)
		w := newServerWorld(t, d, n)
		outage := pick(d, slices.Sorted(maps.Keys(outages))...)

		var edits []string

		disguise := func() {
			if d.chance(70) {
				name := pick(d, slices.Sorted(maps.Keys(disguises))...)
				edits = append(edits, name)

				for i, m := range w.servers {
					if d.chance(85) {
						disguises[name](m, i)
					}
				}
			}

			if len(edits) == 0 || d.chance(25) {
				name := pick(d, slices.Sorted(maps.Keys(catalogueDisguises))...)
				edits = append(edits, "catalogue "+name)
				cat := world.Object(world.Copy(catalogues[false]))
				catalogueDisguises[name](cat)

				for _, m := range w.servers {
					m.Catalogue = cat
				}
			}
		}

		play := func(steps int) {
			for range steps {
				w.step()

				if up := w.originals(); up < n/2+1 {
					t.Fatalf("seed %d, world %d: %s, and %s: %d of %d servers run; done: %s", *seed, i, strings.Join(edits, ", "), outage, up, n, strings.Join(w.proxmox.Done, ", "))
				}
			}
		}

		ask := func() {
			for _, m := range w.servers {
				outages[outage](m)
			}
		}

		first, second := disguise, ask
		if d.chance(50) {
			first, second = ask, disguise
		}

		first()
		play(d.IntN(3) * 60)
		second()
		play(300)

		happened += len(w.proxmox.Done)
	}

	if happened == 0 {
		t.Error("nothing happened in any world")
	}
}

// originals are the servers that run with the disks that they had at first.
func (w *serverWorld) originals() int {
	out := 0

	for id, vm := range w.proxmox.VMs {
		if vm.Running != nil && !slices.Contains(w.proxmox.Done, fmt.Sprintf("make %d", id)) {
			out++
		}
	}

	return out
}
