package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// ranged are containers of one moment that name no VMID, at a site with a range.
func ranged(t *testing.T, in world.Installation, n int, from, to float64) []*machine {
	t.Helper()

	all := containersTogether(t, in, n, map[string]string{"pve1": "", "pve2": ""}, nil)
	for _, m := range all {
		delete(world.Object(m.Spec()["proxmox"]), "vmId")
		m.SetSite("home", "vmIds", map[string]any{"from": from, "to": to})
	}

	return all
}

// numbers of the containers in Proxmox.
func numbers(m *machine) []int {
	var out []int
	for id := range m.Proxmox.Containers {
		out = append(out, id)
	}

	slices.Sort(out)

	return out
}

// TestContainersOfARange: containers of one moment get a VMID each of their site's range, pass by what somebody else has, and keep theirs. Who gets none is
// told, and goes on when the range is wider.
func TestContainersOfARange(t *testing.T) {
	cases := map[string]struct {
		reason     string
		n          int
		vms, lxcs  []int // Somebody else's.
		want       []int // Of all containers.
		withoutOne bool
	}{
		"One":        {reason: "The range has one.", n: 1, vms: []int{171, 172}, want: []int{170}},
		"Two":        {reason: "No two get one VMID.", n: 2, vms: []int{172}, want: []int{170, 171}},
		"PassesVMs":  {reason: "A VM has its VMID.", n: 1, vms: []int{170, 171}, want: []int{172}},
		"PassesLXCs": {reason: "So has a container, on whichever node.", n: 1, lxcs: []int{170, 172}, want: []int{170, 171, 172}},
		"All":        {reason: "The range is used up without a gap.", n: 3, want: []int{170, 171, 172}},
		"TooMany":    {reason: "One gets none.", n: 3, vms: []int{171}, want: []int{170, 172}, withoutOne: true},
	}

	for name, tc := range cases {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := ranged(t, in, tc.n, 170, 172)

				for _, id := range tc.vms {
					all[0].Proxmox.VMs[id] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": "pve1"}}
				}

				for _, id := range tc.lxcs {
					all[0].Proxmox.Containers[id] = &world.Container{Config: map[string]any{"nodeName": "pve2", "description": "mine"}}
				}

				last := inTurns(all)
				for range 3 {
					last = inTurns(all)
				}

				if diff := cmp.Diff(tc.want, numbers(all[0])); diff != "" {
					t.Fatalf("%s\ncontainers: -want, +got:\n%s\n%v", tc.reason, diff, all[0].Proxmox.Done)
				}

				waiting := -1

				for i, m := range all {
					if id := world.Object(m.Composite["status"])["vmId"]; id == nil {
						waiting = i
						continue
					}

					m.says(last[i], map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
				}

				if (waiting >= 0) != tc.withoutOne {
					t.Errorf("%s\ncontainer %d has no VMID", tc.reason, waiting)
				}

				if waiting < 0 {
					return
				}

				if msg := world.Message(last[waiting], "VMIDInUse"); !strings.Contains(msg, "All VMIDs of the site's range are in use") {
					t.Errorf("%s\nit is told: %s", tc.reason, msg)
				}

				for _, m := range all {
					m.SetSite("home", "vmIds", map[string]any{"from": 170.0, "to": 173.0})
				}

				inTurns(all)

				if diff := cmp.Diff(append(tc.want, 173), numbers(all[0])); diff != "" {
					t.Errorf("%s\nafter the range was widened: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestAContainerKeepsItsVMID: when its range moves, and when the claim no longer names the VMID.
func TestAContainerKeepsItsVMID(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			m := ranged(t, in, 1, 170, 170)[0]
			inTurns([]*machine{m})
			m.SetSite("home", "vmIds", map[string]any{"from": 200.0, "to": 300.0})
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			world.Object(m.Spec()["proxmox"])["vmId"] = 170.0
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			delete(world.Object(m.Spec()["proxmox"]), "vmId")
			m.SetSite("home", "vmIds", nil)
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			if diff := cmp.Diff([]int{170}, numbers(m)); diff != "" {
				t.Errorf("containers: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestAMachineAndAContainerOfOneRange, committed together, get a VMID each.
func TestAMachineAndAContainerOfOneRange(t *testing.T) {
	for _, in := range withContainers() {
		for _, machineFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", in.Name, machineFirst), func(t *testing.T) {
				ct := ranged(t, in, 1, 170, 171)[0]
				claim := world.NewClaim("Machine", "infra", "vm0", world.FromYAML(t, `{size: {cores: 1, memory: 2Gi, disk: 8Gi}, image: debian-13, network: {dhcp: true}, proxmox: {site: home}}`))
				vm := &machine{Machine: ct.Cluster().AddOn(ct.Proxmox, world.NewMachine(claim, in)), t: t}
				vm.Catalogue = ct.Catalogue

				both := []*machine{vm, ct}
				if !machineFirst {
					both = []*machine{ct, vm}
				}

				for range 3 {
					inTurns(both)
				}

				if len(numbers(ct)) != 1 || len(ct.Proxmox.VMs) != 1 || ct.Proxmox.VMs[numbers(ct)[0]] != nil {
					t.Errorf("want a VM and a container with a VMID each: %v", ct.Proxmox.Done)
				}
			})
		}
	}
}

// TestSomebodyIsFaster: who makes a container with the VMID after it was found to be free keeps it untouched, and the claim gets the next one.
func TestSomebodyIsFaster(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			m, first := overtaken(t, in, func(p *world.Proxmox, id int, here, _ string) { makeContainer(p, id, here) })

			last := m.Rest()
			if got := numbers(m); len(got) != 2 || m.Proxmox.Containers[first].Config["description"] != "mine" {
				t.Fatalf("want %d as it was, and a container of another VMID: %v, %v", first, got, m.Proxmox.Done)
			}

			m.says(last, map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree", "ProviderHealthy": "NoError"})
			m.leftAlone(first)
		})
	}
}

// TestSomebodyIsFasterUnseen: a VM, or a container on another node, that has the VMID by the time of the creation is left alone, and the provider's error says so.
func TestSomebodyIsFasterUnseen(t *testing.T) {
	for name, makes := range map[string]func(p *world.Proxmox, id int, here, there string){
		"VM": func(p *world.Proxmox, id int, here, _ string) {
			p.VMs[id] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": here}}
		},
		"ContainerElsewhere": func(p *world.Proxmox, id int, _, there string) { makeContainer(p, id, there) },
	} {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				m, first := overtaken(t, in, makes)
				m.says(m.Rest(), map[string]string{"MachineReady": "ProviderError", "ProviderHealthy": "ConfigurationError"})
				m.leftAlone(first)
			})
		}
	}
}

// overtaken is a container whose VMID somebody has taken between the look for it and its creation; here is the container's node.
func overtaken(t *testing.T, in world.Installation, makes func(p *world.Proxmox, id int, here, there string)) (m *machine, id int) {
	t.Helper()

	m = ranged(t, in, 1, 170, 172)[0]

	for range 12 {
		m.applyUnlessFatal(m.Call())

		if ct := m.Observed["container"]; ct != nil && id == 0 {
			made := world.Object(world.Object(ct["spec"])["forProvider"])
			id = int(made["vmId"].(float64))
			nodes := map[any][2]string{"pve1": {"pve1", "pve2"}, "pve2": {"pve2", "pve1"}}[made["nodeName"]]
			makes(m.Proxmox, id, nodes[0], nodes[1])
			m.Proxmox.Done = nil
		}

		m.Provide()
	}

	if id == 0 {
		t.Fatal("the container is never created")
	}

	return m, id
}

// leftAlone holds that the provider did nothing with a VMID but let go of it.
func (m *machine) leftAlone(id int) {
	m.t.Helper()

	for _, done := range m.Proxmox.Done {
		if strings.Contains(done, fmt.Sprint(id)) && !strings.HasPrefix(done, "let go") {
			m.t.Errorf("the provider did %q", done)
		}
	}
}

func makeContainer(p *world.Proxmox, id int, node string) {
	p.Containers[id] = &world.Container{Config: map[string]any{"nodeName": node, "description": "mine"}}
}
