package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAFourthFlavour: a provider with another API group and other names of kinds is data. A machine that lives with today's provider moves to it as
// docs/moving.md says, and its VM runs on: nothing stops, starts, destroys or makes it, and the managed resources of before delete nothing in Proxmox.
func TestAFourthFlavour(t *testing.T) { //nolint:paralleltest // It adds to the table of flavours.
	invented := proxmox.Invented(t)

	for _, name := range []string{"plain-debian/files01", "k3s-cluster/server-1"} {
		t.Run(name, func(t *testing.T) {
			old := alone(t, fake.ExampleNamed(t, name).Machine(world.Installation{Name: "namespaced", Namespaced: true}))
			old.Spec()["deletionPolicy"], old.Spec()["deletionProtection"] = "Orphan", false
			old.Rest()
			old.Rest()

			id, p := old.number(), old.Proxmox
			before := world.Object(world.Copy(p.VMs[id].Config))
			starts := p.VMs[id].Starts

			// What a disk was made of is a word of the managed resource, and none of the VM.
			for _, disk := range before["disk"].([]any) {
				delete(world.Object(disk), "importFrom")
			}

			external := world.Object(world.Object(old.Observed["vm"]["metadata"])["annotations"])[world.ExternalName]
			p.Done = nil

			old.Leave()

			if diff := cmp.Diff([]string{fmt.Sprintf("let go of %d", id)}, p.Done); diff != "" {
				t.Fatalf("what the end of the managed resources of before did in Proxmox: -want, +got:\n%s", diff)
			}

			p.Done = nil

			e := fake.ExampleNamed(t, name)
			m := old.beside(e.Machine(world.Installation{Name: invented.Name, Namespaced: true, API: v1beta1.ProviderAPI(invented.Name)}))
			delete(world.Object(m.Spec()["proxmox"]), "vmId")
			world.Merge(m.Spec(), map[string]any{"deletionPolicy": "Orphan", "deletionProtection": false, "adopt": map[string]any{"vmId": id}})

			rsp := m.approved()
			m.says(rsp, map[string]string{"SpecValid": "Valid", "MachineReady": "Running"})

			vm := world.Desired(rsp, "vm")
			if diff := cmp.Diff([]any{"vm.proxmox.m.example.org/v1alpha1", "VM"}, []any{vm["apiVersion"], vm["kind"]}); diff != "" {
				t.Errorf("the managed resource of the VM: -want, +got:\n%s", diff)
			}

			for composed := range rsp.GetDesired().GetResources() {
				if d := world.Desired(rsp, composed); strings.HasPrefix(d["kind"].(string), "Environment") {
					t.Errorf("%s is a %v", composed, d["kind"])
				}
			}

			if got := world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])[world.ExternalName]; got != external {
				t.Errorf("the external name is %v, and was %v", got, external)
			}

			for _, did := range p.Done {
				if verb, _, _ := strings.Cut(did, " "); verb == "make" || verb == "stop" || verb == "start" || verb == "destroy" {
					t.Errorf("in Proxmox: %s", did)
				}
			}

			if diff := cmp.Diff([]any{before["nodeName"], before["disk"], starts}, []any{p.VMs[id].Config["nodeName"], p.VMs[id].Config["disk"], p.VMs[id].Starts}); diff != "" {
				t.Errorf("the VM: -before, +after:\n%s", diff)
			}

			// An edit reaches the same VM.
			world.Merge(m.Spec(), map[string]any{"tags": []any{"moved"}})
			m.Rest()

			if tags := p.VMs[id].Config["tags"]; !strings.Contains(strings.Join(toStrings(tags), " "), "moved") {
				t.Errorf("tags are %v", tags)
			}
		})
	}
}

// toStrings of a list.
func toStrings(list any) (out []string) {
	all, _ := list.([]any)
	for _, v := range all {
		s, _ := v.(string)
		out = append(out, s)
	}

	return out
}
