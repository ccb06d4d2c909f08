package properties

import (
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A weather is what happens beside a machine between the function's answer and the provider's work: its Proxmox node dies, one that died returns, and the HA
// manager works out of turn. A nil weather does nothing.
type weather struct {
	m    *world.Machine
	d    draw
	left int // How many times a node dies or returns.
	came bool
	back bool // Whether a node returned after the function's last answer.
}

// drawWeather of few pairs, of more where the VM is in HA, from a sequence of its own.
func (p *pair) drawWeather(d draw) {
	wants := world.Object(p.second["ha"])["enabled"] == true

	percent := 6
	if wants || world.Object(p.first["ha"])["enabled"] == true {
		percent = 40
	}

	if d.chance(percent) && p.takes == 0 {
		p.weather = 1 + d.IntN(5)
	}

	// With the old provider a person removes the entry first, as docs/day-two.md says. Other nodes do not see local-lvm.
	p.entry = wants && p.first["ha"] == nil && p.installation.API != v1beta1.ProviderAPILegacy && !p.apiMoves && d.chance(50) &&
		world.Object(p.first["proxmox"])["storage"] != "local-lvm"
}

// next answer of the function.
func (w *weather) next() {
	if w == nil {
		return
	}

	w.back = false

	p := w.m.Proxmox
	if w.d.chance(20) {
		p.WorkHA()
	}

	if w.left == 0 || !w.d.chance(30) {
		return
	}

	w.left--

	if w.back = w.clears(); w.back {
		return
	}

	for _, name := range vmsOf(w.m) {
		id, _ := world.Object(world.Object(w.m.Observed[name]["status"])["atProvider"])["vmId"].(float64)
		if vm := p.VMs[int(id)]; vm != nil && world.Owns(w.m, vm) && !slices.Contains(p.Dead, vm.Node()) {
			p.Die(vm.Node())
			w.came = true

			return
		}
	}
}

// unsettles what is at rest: a node that has died returns, or one returned after the last answer.
func (w *weather) unsettles() bool { return w != nil && (w.clears() || w.back) }

// clears lets a node return that has died, and says whether there was one.
func (w *weather) clears() bool {
	if w == nil {
		return false
	}

	i := slices.IndexFunc(w.m.Proxmox.Dead, func(node string) bool { return node != awayNode })
	if i < 0 {
		return false
	}

	w.m.Proxmox.Return(w.m.Proxmox.Dead[i])

	return true
}

// enter the VM into HA by hand, with what only a person writes, as long as it runs and is not in it.
func (p pair) enter(m *world.Machine) {
	if world.Object(p.second["ha"])["enabled"] != true {
		return // Nobody says so: what a person has put into HA is the person's.
	}

	for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
		if vm := m.Proxmox.VMs[id]; p.entry && world.Owns(m, vm) && vm.Running != nil && m.Proxmox.HA[id] == "" {
			m.Proxmox.HA[id], m.Proxmox.HAOptions[id] = "started", map[string]any{"comment": "by hand", "group": "rack-a", "failback": false}
		}
	}
}

// entryFaults: what a person wrote of an entry of the HA manager stays.
func entryFaults(m *world.Machine) []string {
	return slices.DeleteFunc(slices.Clone(m.Proxmox.Done), func(done string) bool { return !strings.Contains(done, " from the HA of ") })
}
