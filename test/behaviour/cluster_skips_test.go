package behaviour

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestTheCatalogueSkipsAMinorRelease: a K3sCluster that names no version has that of the catalogue, with the same rules. A node that is added has the release
// of the servers, and no VM is replaced.
func TestTheCatalogueSkipsAMinorRelease(t *testing.T) {
	const runs, skips = "v1.35.6+k3s1", "v1.37.9+k3s1"

	for _, upgrade := range []string{"None", "Replace", "SystemUpgrade"} {
		t.Run(upgrade, func(t *testing.T) {
			t.Parallel()

			w := world.NewClusterWorld(newCluster(t), "Here", "{version: null, agents: [{name: worker, count: 1, class: agent}], upgrade: "+upgrade+"}")
			w.Machine.SetCluster("home", "version", runs)

			s := &scene{ClusterWorld: w, t: t}
			s.comesTo("Complete")
			s.Proxmox.Done = nil

			world.Object(world.Object(world.Object(s.Machine.Catalogue["data"])["clusters"])["home"])["version"] = skips
			s.Edit("{agents: [{name: worker, count: 2, class: agent}]}")
			s.comesTo("Blocked", `spec.version: "`+skips+`": skips a minor release: node server-0 runs `+runs)

			for _, name := range s.Nodes().Names() {
				if is := world.Object(s.Nodes().Named(name).Composite["status"])["k3sVersion"]; is != runs {
					t.Errorf("%s has %v", name, is)
				}
			}

			if s.did("make") != 1 || s.did("destroy") != 0 {
				t.Errorf("done: %v", s.Proxmox.Done)
			}
		})
	}
}
