package standin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A World is a Proxmox cluster in memory. It outlives the stand-in: a restart of a provider changes nothing in Proxmox. All
// methods may be called at any time by tests.
type World struct {
	mu    sync.Mutex
	nodes []string
	vms   map[int]*VM
	// VMs and containers share VMIDs.
	containers map[int]*Container
	unread     map[string]unreadState // By the UID of the managed resource.
	firewalls  map[int]*Firewall      // By VMID, as the entries of the HA manager are.
	ha         map[int]*haEntry
	volumes    map[string]*Volume // By node and id.
	journal    []string
	broken     []*breakage
	interfaces map[string]*NetworkInterface // By node:name.
	pools      map[string]string            // Comments by name.
}

// A VM as Proxmox has it.
type VM struct {
	ID   int
	Node string
	// Config has the fields of an EnvironmentVM, with plain texts; Running is that with which it was started last.
	Config, Running values
	Started         bool
	Protected       bool
	// Agent says whether the guest agent in it works, once it is switched on.
	Agent bool
	// AgentAfter is how long after its start the guest has addresses.
	AgentAfter time.Duration
	// Links are further interfaces of the guest, without addresses, such as the words by which a guest reports of itself.
	Links []string

	startedAt time.Time
	disk      string // Told apart by guests: see guest.go.
}

// A Volume is a file on a datastore of a node.
type Volume struct {
	Node, ID string // ID as local:snippets/a.yaml.
	Content  string
	owner    string // The UID of the resource that wrote it.
	url      string
}

// NewWorld of some nodes, without VMs and files.
func NewWorld(nodes ...string) *World {
	return &World{
		nodes: nodes, vms: map[int]*VM{}, containers: map[int]*Container{}, unread: map[string]unreadState{}, volumes: map[string]*Volume{},
		interfaces: map[string]*NetworkInterface{}, pools: map[string]string{},
		firewalls: map[int]*Firewall{}, ha: map[int]*haEntry{},
	}
}

// Edit the world by hand, as an administrator does in Proxmox. The provider sees it when it looks the next time.
func (w *World) Edit(edit func(vms map[int]*VM)) {
	w.mu.Lock()
	defer w.mu.Unlock()

	edit(w.vms)
}

// AddVM by hand.
func (w *World) AddVM(vm VM) {
	w.Edit(func(vms map[int]*VM) { vms[vm.ID] = &vm })
}

// Remove VMs by hand, and with each its firewall.
func (w *World) Remove(ids ...int) {
	w.Edit(func(vms map[int]*VM) {
		for _, id := range ids {
			if vms[id] != nil {
				delete(w.firewalls, id)
			}

			delete(vms, id)
		}
	})
}

// VM by number, nil if there is none. It is a copy.
func (w *World) VM(id int) *VM {
	w.mu.Lock()
	defer w.mu.Unlock()

	vm, ok := w.vms[id]
	if !ok {
		return nil
	}

	out := *vm
	out.Config, out.Running = vm.Config.clone(), vm.Running.clone()

	return &out
}

// VMs are the numbers of all VMs, sorted.
func (w *World) VMs() []int {
	w.mu.Lock()
	defer w.mu.Unlock()

	return slices.Sorted(maps.Keys(w.vms))
}

// AddVolume by hand.
func (w *World) AddVolume(v Volume) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.volumes[v.Node+" "+v.ID] = &v
}

// Volume of a node, nil if there is none. It is a copy.
func (w *World) Volume(node, id string) *Volume {
	w.mu.Lock()
	defer w.mu.Unlock()

	v, ok := w.volumes[node+" "+id]
	if !ok {
		return nil
	}

	out := *v

	return &out
}

// Snippets are the ids of snippets that are a machine's, on all nodes, sorted.
func (w *World) Snippets(machine string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()

	var out []string

	for _, v := range w.volumes {
		if strings.Contains(v.ID, ":snippets/"+machine+"-") {
			out = append(out, v.Node+" "+v.ID)
		}
	}

	slices.Sort(out)

	return out
}

// Volumes are node and id of all files, sorted.
func (w *World) Volumes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()

	return slices.Sorted(maps.Keys(w.volumes))
}

// Journal is what was written to Proxmox so far, in order.
func (w *World) Journal() []string {
	w.mu.Lock()
	defer w.mu.Unlock()

	return slices.Clone(w.journal)
}

// note is called with the lock held.
func (w *World) note(format string, args ...any) {
	w.journal = append(w.journal, fmt.Sprintf(format, args...))
}

// free is the lowest number that neither a VM nor a container has.
func (w *World) free() int {
	for id := 100; ; id++ {
		if w.vms[id] == nil && w.containers[id] == nil {
			return id
		}
	}
}

// Stop the VM by hand. It is called within Edit.
func (vm *VM) Stop() { vm.stop() }

// Start the VM by hand. It is called within Edit.
func (vm *VM) Start() { vm.start() }

func (vm *VM) start() {
	vm.Started, vm.startedAt, vm.Running = true, time.Now(), vm.Config.clone()
}

func (vm *VM) stop() { vm.Started, vm.Running = false, nil }
