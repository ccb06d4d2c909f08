package container

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A world is one container in Proxmox with its managed resource, and a provider that does what bpg/proxmox v0.111.1 does: see [rows].
type world struct {
	t   *testing.T
	log []string

	has     proxmox.ContainerParameters // As Proxmox has it.
	written *proxmox.Container          // The managed resource; nil before there is one.
	began   bool
	read    bool // Whether the provider has reported the container.

	stops, starts int
}

func (w *world) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\nafter:\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// observed managed resource.
func (w *world) observed() map[string]proxmox.ObservedContainer {
	if w.written == nil {
		return nil
	}

	o := proxmox.ObservedContainer{APIVersion: w.written.APIVersion, Kind: w.written.Kind, Spec: w.written.Spec}
	o.Metadata.Name, o.Metadata.Metadata = "dns01", proxmox.Metadata{Labels: w.written.Metadata.Labels, Annotations: map[string]string{}}
	annotated(&o, w.written.Metadata.Annotations)

	if w.began {
		annotated(&o, map[string]string{proxmox.CreatePendingAnnotation: "2026-11-20T10:00:00Z"})
	}

	if w.read {
		o.Status.Conditions = found()
		o.Status.AtProvider = proxmox.ContainerObservation{
			ID: "150", NodeName: w.has.NodeName, Started: w.has.Started,
			Parameters: &proxmox.FoundContainer{ContainerParameters: clone(w.has), Rest: &structpb.Struct{}},
		}
	}

	return map[string]proxmox.ObservedContainer{replacement.First: o}
}

// call the function, and store what it desires.
func (w *world) call(m *machine.Container) Plan {
	r := request(m, nil)
	if w.written == nil {
		r = downloaded(checks(r, none(), none()))
	} else {
		r.Observed.Containers = w.observed()
	}

	p := Decide(r)

	c := rendered(Render(p))
	if c == nil {
		w.fail("the container is left out, which deletes it")
	}

	if p.State == StateLiving && proxmox.MayDelete(c.Spec.ManagementPolicies) != (m.DeletionPolicy == v1alpha1.DeletionDelete) {
		w.fail("policies %v with deletionPolicy %s", c.Spec.ManagementPolicies, m.DeletionPolicy)
	}

	w.written = c

	return p
}

// provide what is desired, as the provider does.
func (w *world) provide() {
	want := w.written.Spec.ForProvider

	if !w.began {
		if proxmox.MayUpdate(w.written.Spec.ManagementPolicies) || proxmox.MayDelete(w.written.Spec.ManagementPolicies) {
			w.fail("created with policies %v", w.written.Spec.ManagementPolicies)
		}

		w.has, w.began = clone(want), true
		w.has.Description += "\n"
		w.has.MountPoint = slices.Clone(w.has.MountPoint)

		for i := range w.has.MountPoint {
			w.has.MountPoint[i].Volume += fmt.Sprintf(":vm-150-disk-%d", i)
		}

		w.has.NetworkInterface[0].MACAddress = "BC:24:11:00:00:96"
		w.note("created")

		return
	}

	w.read = true

	if !proxmox.MayUpdate(w.written.Spec.ManagementPolicies) {
		return
	}

	w.update(want)
}

// update the container, or fail where the provider would destroy or restart it.
func (w *world) update(want proxmox.ContainerParameters) {
	fixed := func(p proxmox.ContainerParameters) []any {
		keys := []string{}
		if len(p.Initialization) > 0 && len(p.Initialization[0].UserAccount) > 0 {
			keys = p.Initialization[0].UserAccount[0].Keys
		}

		return []any{p.NodeName, *p.VMID, p.PoolID, p.Unprivileged, p.OperatingSystem, p.Disk[0].DatastoreID, p.MountPoint, keys}
	}

	if !reflect.DeepEqual(fixed(want), fixed(w.has)) || want.Disk[0].Size < w.has.Disk[0].Size {
		w.fail("the provider would destroy the container:\n%+v\n%+v", fixed(w.has), fixed(want))
	}

	restarts := func(p proxmox.ContainerParameters) []any {
		return []any{p.Memory, p.Initialization, p.NetworkInterface}
	}
	changed := !reflect.DeepEqual(restarts(want), restarts(w.has))

	if changed && want.Started {
		w.fail("the provider would restart the container for %+v, which was %+v", restarts(want), restarts(w.has))
	}

	if want.Started != w.has.Started {
		if want.Started {
			w.starts++
		} else {
			w.stops++
		}

		w.note("started: %v", want.Started)
	}

	w.has = clone(want)
}

// edits that a person may make to a claim.
var edits = map[string]func(*machine.Container, *rand.Rand){ //nolint:gochecknoglobals // A constant table.
	"memory":   func(c *machine.Container, r *rand.Rand) { c.MemoryMiB = 512 << r.IntN(3) },
	"swap":     func(c *machine.Container, r *rand.Rand) { c.SwapMiB = new(int64(r.IntN(2) * 512)) },
	"cores":    func(c *machine.Container, r *rand.Rand) { c.Cores = 1 + int64(r.IntN(3)) },
	"disk":     func(c *machine.Container, r *rand.Rand) { c.Boot.DiskGiB = 6 + int64(r.IntN(6)) },
	"hostname": func(c *machine.Container, r *rand.Rand) { c.Hostname = string(rune('a' + r.IntN(3))) },
	"tags":     func(c *machine.Container, r *rand.Rand) { c.Tags = []string{string(rune('a' + r.IntN(3)))} },
	"notes":    func(c *machine.Container, r *rand.Rand) { c.Notes = string(rune('a' + r.IntN(3))) },
	"startup":  func(c *machine.Container, r *rand.Rand) { c.Startup = &v1alpha1.Startup{Order: new(int64(r.IntN(3)))} },
	"onBoot":   func(c *machine.Container, r *rand.Rand) { c.OnBoot = r.IntN(2) == 0 },
	"nesting":  func(c *machine.Container, r *rand.Rand) { c.Nesting = new(r.IntN(2) == 0) },
	"vlan":     func(c *machine.Container, r *rand.Rand) { c.NICs[0].VLAN = int64(r.IntN(3)) },
	"mac":      func(c *machine.Container, _ *rand.Rand) { c.NICs[0].MAC = "BC:24:11:00:00:53" },
	"ip": func(c *machine.Container, r *rand.Rand) {
		c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: fmt.Sprintf("10.0.0.%d", r.IntN(3)+1), Prefix: 24}
	},
	"dhcp": func(c *machine.Container, _ *rand.Rand) {
		c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodDHCP}
	},
	"nics": func(c *machine.Container, r *rand.Rand) {
		c.NICs = c.NICs[:1:1]
		for i := range r.IntN(3) {
			c.NICs = append(c.NICs, machine.NIC{Bridge: fmt.Sprintf("vmbr%d", r.IntN(2)), VLAN: int64(i), IPv4: []machine.Addressing{{}, {Method: machine.MethodDHCP}}[r.IntN(2)]})
		}
	},
	"dns":   func(c *machine.Container, r *rand.Rand) { c.DNS = [][]string{nil, {"9.9.9.9"}, {"1.1.1.1"}}[r.IntN(3)] },
	"disks": func(c *machine.Container, r *rand.Rand) { c.MountPoints = c.MountPoints[:r.IntN(len(c.MountPoints)+1)] },
	"newDisk": func(c *machine.Container, _ *rand.Rand) {
		c.MountPoints = append(slices.Clone(c.MountPoints), machine.MountPoint{Path: "/x", SizeGiB: 1})
	},
	"image":      func(c *machine.Container, _ *rand.Rand) { c.Template.Volume = "local:vztmpl/other.tar.zst" },
	"privileged": func(c *machine.Container, r *rand.Rand) { c.Unprivileged = new(r.IntN(2) == 0) },
	"node":       func(c *machine.Container, r *rand.Rand) { c.Placement.Node = []string{"pve", "pve2"}[r.IntN(2)] },
	"vmid":       func(c *machine.Container, r *rand.Rand) { c.Placement.VMID = 150 + int64(r.IntN(2)) },
	"pool":       func(c *machine.Container, _ *rand.Rand) { c.Placement.Pool = "infra" },
	"keys":       func(c *machine.Container, _ *rand.Rand) { c.Access.SSHAuthorizedKeys = nil },
	"orphan":     func(c *machine.Container, _ *rand.Rand) { c.DeletionPolicy = v1alpha1.DeletionOrphan },
}

// TestNoEditHarms edits random containers in random ways, and changes them in Proxmox meanwhile, while Crossplane calls the function at any moment. No
// container is destroyed, none is restarted that nobody asked to restart, each trigger restarts once, and all come to rest.
func TestNoEditHarms(t *testing.T) {
	names := make([]string, 0, len(edits))
	for name := range edits {
		names = append(names, name)
	}

	slices.Sort(names)

	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // A test that can be repeated.
		w := &world{t: t}
		m := aContainer(nil)
		w.note("seed %d", seed)

		// settle until nothing changes, with calls at any moment.
		settle := func() {
			for turn := 0; ; turn++ {
				before, had := fmt.Sprintf("%+v", w.written), fmt.Sprintf("%+v", w.has)

				for range 1 + r.IntN(3) {
					w.call(m)
				}

				w.provide()
				w.provide()

				if w.read && before == fmt.Sprintf("%+v", w.written) && had == fmt.Sprintf("%+v", w.has) {
					return
				}

				if turn > 20 {
					w.fail("it does not come to rest:\n%s\n%+v", before, w.written)
				}
			}
		}

		settle()

		if !w.has.Started || w.stops != 0 || w.starts != 1 {
			w.fail("want it started once, got %d starts, %d stops", w.starts, w.stops)
		}

		for range 1 + r.IntN(6) {
			wantStops := w.stops

			for range 1 + r.IntN(4) {
				name := names[r.IntN(len(names))]
				w.note("edit %s", name)
				edits[name](m, r)
			}

			if r.IntN(3) == 0 && w.has.Started {
				w.note("somebody changes the memory in Proxmox")

				w.has.Memory[0].Dedicated = 4096
			}

			settle()

			if w.stops != wantStops {
				w.fail("an edit stopped the container")
			}

			if proxmox.MayUpdate(w.written.Spec.ManagementPolicies) {
				w.fail("at rest, the provider may change the container: %+v\n%+v", w.written.Spec.ForProvider, w.has)
			}

			if r.IntN(3) == 0 {
				w.note("a trigger")

				m.Lifecycle.Reboot = fmt.Sprintf("t%d", w.stops)
				running := w.has.Started

				settle()

				if len(w.has.NetworkInterface) != len(m.NICs) {
					w.fail("want %d interfaces after a restart, got %+v", len(m.NICs), w.has.NetworkInterface)
				}

				if p := w.call(m); running && w.stops != wantStops+1 || !w.has.Started || len(p.Pending) > 0 {
					w.fail("want one restart with all that waits, got %d, %d before, and %v", w.stops, wantStops, p.Pending)
				}
			}
		}
	}
}
