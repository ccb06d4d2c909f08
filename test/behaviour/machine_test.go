package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// memory of the function's answers: most turns of the stories ask what was asked before.
var memory = fake.NewMemory()

// newCluster with nothing in it, for the function of today.
func newCluster(t *testing.T) *world.Cluster {
	t.Helper()

	c := fake.NewCluster(t, compose.Answer)
	c.Memory = memory

	return c
}

// A machine of a story: its claim is edited, it takes turns, and what it says and what was done in Proxmox is held against what
// should be.
type machine struct {
	*world.Machine

	t *testing.T
}

// example is the machine of an example, by its name, in a cluster and on a Proxmox of its own.
func example(t *testing.T, name string) *machine {
	t.Helper()

	return exampleIn(t, name, world.Installations[0])
}

// exampleIn one installation.
func exampleIn(t *testing.T, name string, in world.Installation) *machine {
	t.Helper()

	return alone(t, fake.ExampleNamed(t, name).Machine(in))
}

// alone in a cluster and on a Proxmox of its own.
func alone(t *testing.T, m *world.Machine) *machine {
	t.Helper()

	return &machine{Machine: newCluster(t).Add(m), t: t}
}

// beside is another machine in the same Kubernetes cluster and on the same Proxmox.
func (m *machine) beside(other *world.Machine) *machine {
	m.t.Helper()

	return &machine{Machine: m.Cluster().AddOn(m.Proxmox, other), t: m.t}
}

// ask the function with a request that is not what Crossplane would send now.
func (m *machine) ask(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return m.Cluster().Function(req)
}

// living is a machine that runs, and whose number Proxmox chose: 100.
func living(t *testing.T, name string, edits ...string) (*machine, *fnv1.RunFunctionResponse) {
	t.Helper()

	m := example(t, name)
	if p := world.Object(m.Spec()["proxmox"]); p["vmId"] != nil {
		delete(p, "vmId")
	}

	for _, e := range edits {
		world.Merge(m.Spec(), world.FromYAML(t, e))
	}

	if m.Spec()["class"] == "own" {
		m.sized(2)
	}

	settled := m.Rest()
	m.says(settled, map[string]string{"ReplacementRequired": "NotRequired"})
	m.Proxmox.Done = nil

	return m, settled
}

// dhcp is a machine of which there can be two side by side.
const dhcp = "network: {ip: null, dns: null, dhcp: true}"

// replace asks for a new VM.
func (m *machine) replace(token string) { m.lifecycle("replace", token) }

// lifecycle sets one trigger in the claim; an empty value removes it.
func (m *machine) lifecycle(field, word string) {
	spec := m.Spec()
	all := world.Object(spec["lifecycle"])
	all[field] = word

	if word == "" {
		delete(all, field)
	}

	spec["lifecycle"] = all
}

// happened says whether something was done in Proxmox, and in which place.
func (m *machine) happened(what string) int {
	return slices.IndexFunc(m.Proxmox.Done, func(d string) bool { return strings.HasPrefix(d, what) })
}

// times is how often something of the machine's VM was done, such as a stop.
func (m *machine) times(what string) (n int) {
	for _, done := range m.Proxmox.Done {
		if done == fmt.Sprintf("%s %d", what, m.number()) {
			n++
		}
	}

	return n
}

// running are the numbers of the VMs that run under the name of the machine's Node.
func (m *machine) running() []int {
	var out []int

	for id, vm := range m.Proxmox.VMs {
		if vm.Running != nil && vm.Running["name"] == m.NodeName() {
			out = append(out, id)
		}
	}

	slices.Sort(out)

	return out
}

// did says what was done in Proxmox since it was last asked, and nothing else.
func (m *machine) did(want ...string) {
	m.t.Helper()

	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, m.Proxmox.Done...)); diff != "" {
		m.t.Errorf("done in Proxmox: -want, +got:\n%s", diff)
	}

	m.Proxmox.Done = nil
}
