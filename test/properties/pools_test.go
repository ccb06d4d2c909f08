package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// poolWorlds are random worlds of machines that share a pool.
const poolWorlds = 40

// A poolWorld has machines that come and go, and whose calls are answered, applied and provided for in any order.
type poolWorld struct {
	draw
	t *testing.T

	installation world.Installation
	cluster      *world.Cluster
	proxmox      *world.Proxmox
	site         map[string]any
	number       int
	most         int  // Machines at a time.
	leave        int  // How often one leaves, in a hundred steps.
	claims       bool // Whether the pools are those of Cluster API.

	answers map[*world.Machine]*fnv1.RunFunctionResponse // Not applied yet.
	had     map[string]string                            // Addresses of VMs, by the name of the managed resource.
	story   []string
}

// TestPoolWorlds: whatever order the calls of machines come in, and however late their answers are applied, no two machines of a site get
// one address, no VM gets another one, and in the end every machine has one, as far as there are any.
func TestPoolWorlds(t *testing.T) { livePoolWorlds(t, false) }

// TestAddressClaimWorlds: the same is true of pools of Cluster API, and none of them gives an address away before the VM is gone that has it.
func TestAddressClaimWorlds(t *testing.T) { livePoolWorlds(t, true) }

func livePoolWorlds(t *testing.T, claims bool) {
	t.Helper()

	for i := range uint64(poolWorlds) {
		w := &poolWorld{
			draw: newDraw(*seed, i+1<<48), t: t, claims: claims, answers: map[*world.Machine]*fnv1.RunFunctionResponse{}, had: map[string]string{},
		}
		w.begin()

		for range 100 + w.IntN(100) {
			w.step()
			w.check()
		}

		w.end()

		if t.Failed() {
			t.Fatalf("world %d of seed %d:\n%s", i, *seed, strings.Join(w.story, "\n"))
		}
	}
}

func (w *poolWorld) begin() {
	w.installation, w.most, w.leave = pick(w.draw, world.Installations...), 7, 3
	if w.chance(70) { // Few machines meet in more ways.
		w.most, w.leave = 2, 12
	}

	if w.claims {
		w.installation = pick(w.draw, world.Installations[0], world.Installations[2])
	}

	w.cluster = fake.NewCluster(w.t, compose.Answer)
	w.cluster.Memory = memory
	w.cluster.IPAM.Pools = map[string]*world.IPPool{
		"InClusterIPPool lab":       {Addresses: []string{"192.168.4.60", "192.168.4.61", "192.168.4.62"}, Prefix: 24, Gateway: "192.168.4.254"},
		"GlobalInClusterIPPool all": {Addresses: []string{"192.168.4.70", "192.168.4.71"}, Prefix: 24, Says: "no free address"},
	}
	w.proxmox = w.cluster.NewProxmox()
	w.site = map[string]any{"bridge": "vmbr0", "gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "cidr": 24.0}
	w.repool()
}

// repool gives the site another pool, of the same subnet.
func (w *poolWorld) repool() {
	from := 50 + w.IntN(5)
	w.site["pool"] = fmt.Sprintf("192.168.4.%d-192.168.4.%d", from, from+2+w.IntN(6))

	if w.chance(30) {
		w.site["pool"] = []any{w.site["pool"], "192.168.4.80"}
	}

	if w.claims {
		w.site["pool"] = pick(w.draw, map[string]any{"kind": "InClusterIPPool", "name": "lab"}, map[string]any{"kind": "GlobalInClusterIPPool", "name": "all"})
	}

	for _, m := range w.cluster.Machines {
		m.SetSite("home", "network", world.Object(world.Copy(w.site)))
	}

	w.tell("the pool is %v", w.site["pool"])
}

// step is something that happens to some machine.
func (w *poolWorld) step() {
	all := w.cluster.Machines
	if len(all) == 0 || len(all) < w.most && w.chance(20) {
		w.commit()
		return
	}

	switch m := pick(w.draw, all...); {
	case w.chance(w.leave) && !beingCreated(m):
		w.tell("%s leaves", m.Name())
		delete(w.answers, m)
		m.Leave()
	case w.chance(3):
		w.repool()
	case w.chance(4):
		w.tell("%s is to be replaced", m.Name())
		m.Spec()["lifecycle"] = map[string]any{"replace": fmt.Sprint(w.number)}
		w.number++
	case w.answers[m] != nil && w.chance(60):
		w.tell("%s is applied", m.Name())
		w.apply(m)
	case w.answers[m] == nil && w.chance(80):
		w.tell("%s is called", m.Name())
		w.answers[m] = m.Call()
	default:
		w.tell("the provider works on %s", m.Name())
		m.Provide()
	}
}

// apply an answer. All that is created in a world is of one second, as in a cluster that gets many claims at once: only names tell which one
// was first.
func (w *poolWorld) apply(m *world.Machine) {
	m.Apply(w.answers[m])
	delete(w.answers, m)

	if w.chance(70) {
		m.Provide()
	}

	for _, o := range m.Observed {
		world.Object(o["metadata"])["creationTimestamp"] = "2026-01-01T00:00:00Z"
	}
}

// beingCreated says whether the provider may create a VM of the machine, and may not delete it yet: without its claim it would stay.
func beingCreated(m *world.Machine) bool {
	return slices.ContainsFunc(vmsOf(m), func(name string) bool { return creating(m.Observed[name]) })
}

// commit another claim.
func (w *poolWorld) commit() {
	e := fake.ExampleNamed(w.t, "nixos/dns01")
	name := fmt.Sprintf("m%d-%02d", w.IntN(10), w.number)
	world.Object(e.Claim["metadata"])["name"] = name
	w.number++

	m := w.cluster.AddOn(w.proxmox, e.Machine(w.installation))
	world.Merge(m.Spec(), world.FromYAML(w.t, "{network: {ip: null, cidr: null, dns: null, pool: true}, proxmox: {vmId: null}, deletionPolicy: Delete, deletionProtection: false}"))
	m.SetSite("home", "network", world.Object(world.Copy(w.site)))

	if w.claims {
		m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	}

	if w.chance(50) {
		m.SetSite("home", "vmIds", map[string]any{"from": 4000.0, "to": 4999.0})
	}

	w.tell("%s is committed", m.Name())
}

// check that no VM has another's address, or another one than before.
func (w *poolWorld) check() {
	by := map[string]string{}

	for _, m := range w.cluster.Machines {
		for _, name := range world.Keys(m.Observed) {
			o := m.Observed[name]
			if o["kind"] != world.VMKind || world.Policies(o) == "Observe" {
				continue
			}

			address := poolAddressOf(o)
			if other, taken := by[address]; taken && other != m.Name() {
				w.t.Errorf("%s and %s have %s", other, m.Name(), address)
			}

			by[address] = m.Name()
			vm := m.Name() + "/" + name

			if had, known := w.had[vm]; known && had != address {
				w.t.Errorf("%s had %s and has %s", vm, had, address)
			}

			w.had[vm] = address
		}
	}
}

func poolAddressOf(vm map[string]any) string {
	drives := world.List(world.Object(world.Object(vm["spec"])["forProvider"])["initialization"])
	config := world.Object(world.List(world.Object(drives[0])["ipConfig"])[0])

	return fmt.Sprint(world.Object(world.List(config["ipv4"])[0])["address"])
}

// end: all machines come to rest, those with an address run, and the others say that there is none left.
func (w *poolWorld) end() {
	for _, m := range w.cluster.Machines {
		if w.answers[m] != nil {
			w.apply(m)
			w.check()
		}
	}

	w.cluster.Rest()
	w.check()

	for _, m := range w.cluster.Machines {
		rsp := m.Call()
		if reason := world.Reason(rsp, "MachineReady"); !slices.Contains([]string{"Running", "AddressPoolExhausted", "ClaimingAddress"}, reason) {
			w.t.Errorf("%s does not come to rest: %s: %s", m.Name(), reason, world.Message(rsp, "MachineReady"))
		}
	}
}

func (w *poolWorld) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf(format, args...))
}
