package packages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// haCRDs are the provider's definitions of what belongs to no example, which are not part of the repository.
func haCRDs(t *testing.T) crds.Set {
	t.Helper()

	dirs := []string{filepath.Join(root, "../shared/other-crds/provider-proxmox-bpg-v1.18.0"), filepath.Join(root, "../shared/other-crds/provider-proxmox-bpg-v0.11.1")}

	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}

			t.Skip("without the CRDs of provider-proxmox-bpg, which are not part of this repository")
		}
	}

	set, err := crds.Load(dirs...)
	if err != nil {
		t.Fatal(err)
	}

	return set
}

// TestProviderAcceptsHAResources that the function writes in each installation, in each state, and notices a wrong one.
func TestProviderAcceptsHAResources(t *testing.T) {
	set := haCRDs(t)

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := fake.NewCluster(t, compose.Answer).Add(fake.ExampleNamed(t, "nixos/dns01").Machine(in))
			m.SetSite("home", "sharedDatastores", []any{"local", "local-zfs"})
			m.Spec()["ha"] = map[string]any{"enabled": true}

			states := map[any]bool{}

			check := func() {
				t.Helper()

				rsp := m.Turn()
				if rsp.GetDesired().GetResources()["ha-vm"] == nil {
					return
				}

				d := world.Desired(rsp, "ha-vm")
				states[world.ForProvider(rsp, "ha-vm")["state"]] = true

				if errs := set.Check(d); len(errs) > 0 {
					t.Errorf("%v", errs.ToAggregate())
				}

				world.Object(world.Object(d["spec"])["forProvider"])["colour"] = "red"

				if errs := set.Check(d); len(errs) == 0 {
					t.Error("a field that there is not is accepted: the check checks nothing")
				}
			}

			for _, power := range []string{"Running", "Stopped"} {
				m.Spec()["power"] = power

				for range 12 {
					check()
				}
			}

			for _, s := range []string{"started", "ignored", "stopped"} {
				if !states[s] {
					t.Errorf("no HA resource has the state %s", s)
				}
			}
		})
	}
}
