package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// machineBeside a container, of which it has site and catalogue: infra/NAME with a VMID.
func machineBeside(t *testing.T, in world.Installation, ct *machine, name string, vmID int) *machine {
	t.Helper()

	claim := world.NewClaim("Machine", "infra", name, world.FromYAML(t, fmt.Sprintf(
		`{size: {cores: 1, memory: 2Gi, disk: 8Gi}, image: debian-13, network: {dhcp: true}, proxmox: {site: home, vmId: %d}}`, vmID)))
	out := &machine{Machine: ct.Cluster().AddOn(ct.Proxmox, world.NewMachine(claim, in)), t: t}
	out.Catalogue = ct.Catalogue

	return out
}

// hosts says how many containers and VMs of ours are on each node.
func hosts(p *world.Proxmox) map[string]int {
	out := map[string]int{}

	for _, c := range p.Containers {
		out[fmt.Sprint(c.Config["nodeName"])]++
	}

	for _, vm := range p.VMs {
		out[vm.Node()]++
	}

	return out
}

// TestContainersAreSpread: containers and machines with one proxmox.spread never share a node while another fits, also where they are committed together, and
// where a machine has the name of a container. Nothing moves afterwards.
func TestContainersAreSpread(t *testing.T) {
	three := map[string]string{"pve1": "64Gi", "pve2": "16Gi", "pve3": "16Gi"}
	cases := map[string]struct {
		reason     string
		containers int
		machines   []string // Their names.
		spread     string
		memory     map[string]string
		later      bool // The machines come when the containers are there.
		want       map[string]int
	}{
		"None":          {reason: "Without the field, the node with most memory left has all.", containers: 3, memory: three, want: map[string]int{"pve1": 3}},
		"Containers":    {reason: "Each has its own node.", containers: 3, spread: "dns", memory: three, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"WithoutMemory": {reason: "Nor does it need an inventory.", containers: 3, spread: "dns", memory: map[string]string{"pve1": "", "pve2": "", "pve3": ""}, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"Mixed":         {reason: "So have machines beside them.", containers: 2, machines: []string{"vm0"}, spread: "dns", memory: three, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"Later":         {reason: "So has a machine that comes later.", containers: 2, machines: []string{"vm0"}, spread: "dns", memory: three, later: true, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"OneName":       {reason: "A machine with the name of a container is another one.", containers: 1, machines: []string{"ct0", "vm1"}, spread: "dns", memory: three, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"TooFewNodes":   {reason: "What does not fit shares.", containers: 4, spread: "dns", memory: map[string]string{"pve1": "64Gi", "pve2": "16Gi"}, want: map[string]int{"pve1": 2, "pve2": 2}},
	}

	for name, tc := range cases {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := containersTogether(t, in, tc.containers, tc.memory, nil)
				for i, n := range tc.machines {
					all = append(all, machineBeside(t, in, all[0], n, 180+i))
				}

				for _, m := range all {
					if tc.spread != "" {
						world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"spread": tc.spread}})
					}
				}

				if tc.later {
					inTurns(all[:tc.containers])
				}

				// A machine waits for its image.
				for range 2 {
					inTurns(all)
				}

				if diff := cmp.Diff(tc.want, hosts(all[0].Proxmox)); diff != "" {
					t.Fatalf("%s\nby node: -want, +got:\n%s", tc.reason, diff)
				}

				before := all[0].Cluster().Snapshot()
				last := inTurns(all)

				if diff := cmp.Diff(before, all[0].Cluster().Snapshot()); diff != "" {
					t.Errorf("%s\nthe choice does not stay: -before, +after:\n%s", tc.reason, diff)
				}

				for i, m := range all {
					m.says(last[i], map[string]string{"MachineReady": "Running"})

					if _, asks := last[i].GetRequirements().GetResources()["spread-containers"]; asks != (tc.spread != "") {
						t.Errorf("%s\nasks for containers of the group: %v", tc.reason, asks)
					}
				}
			})
		}
	}
}

// TestAContainerJoinsAGroup: an edit of proxmox.spread changes the label of a container that runs, and nothing of the container.
func TestAContainerJoinsAGroup(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			all := containersTogether(t, in, 2, map[string]string{"pve1": "64Gi", "pve2": "16Gi"}, nil)
			inTurns(all[:1])

			done := len(all[0].Proxmox.Done)
			world.Merge(all[0].Spec(), map[string]any{"proxmox": map[string]any{"spread": "dns"}})
			all[0].says(inTurns(all[:1])[0], map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending", "ReplacementRequired": "NotRequired"})

			if got := all[0].Proxmox.Done[done:]; len(got) > 0 {
				t.Errorf("the label did something in Proxmox: %v", got)
			}

			world.Merge(all[1].Spec(), map[string]any{"proxmox": map[string]any{"spread": "dns"}})
			inTurns(all)

			if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 1}, placed(all)); diff != "" {
				t.Errorf("the next one of the group goes elsewhere: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestContainersMeet: a VM that somebody moves to the node of a container of its group meets it, and both say so once. Nothing is done.
func TestContainersMeet(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			ct := containersTogether(t, in, 1, map[string]string{"pve1": "", "pve2": ""}, nil)[0]
			all := []*machine{ct, machineBeside(t, in, ct, "vm0", 180)}

			for _, m := range all {
				world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"spread": "dns"}})
			}

			for range 2 {
				inTurns(all)
			}

			vm, node := ct.Proxmox.VMs[180], fmt.Sprint(ct.Proxmox.Containers[170].Config["nodeName"])
			from, done := vm.Node(), len(ct.Proxmox.Done)

			if from == node {
				t.Fatalf("both began on %s", node)
			}

			all[0].says(all[0].Call(), map[string]string{"SpreadBroken": ""})

			vm.Config["nodeName"] = node
			last, news := make([]*fnv1.RunFunctionResponse, len(all)), make([]int, len(all))

			for range 6 {
				for i, m := range all {
					last[i] = m.Call()
					m.applyUnlessFatal(last[i])
					m.Provide()

					for _, r := range last[i].GetResults() {
						if r.GetReason() == "SpreadBroken" {
							news[i]++
						}
					}
				}
			}

			for i, want := range [][]string{
				{"Container 170 is on node " + node, "infra/vm0", "Node " + from + " has fewer", "move a VM among them there"},
				{"VM 180 is on node " + node, "infra/ct0", "Node " + from + " has fewer", "`qm migrate 180 " + from + " --online`"},
			} {
				all[i].says(last[i], map[string]string{"SpreadBroken": "OnOneNode", "MachineReady": "Running"})

				for _, w := range want {
					if text := world.Message(last[i], "SpreadBroken"); !strings.Contains(text, w) {
						t.Errorf("%q does not say %q", text, w)
					}
				}

				if news[i] != 1 {
					t.Errorf("want one event, got %d", news[i])
				}
			}

			if got := ct.Proxmox.Done[done:]; len(got) > 0 {
				t.Errorf("done: %v", got)
			}

			vm.Config["nodeName"] = from
			for i, rsp := range inTurns(all) {
				all[i].says(rsp, map[string]string{"SpreadBroken": "Apart"})
			}
		})
	}
}

// TestContainersPartAtOnce: answers of one moment, of which none knows where another one is about to go, part before anything is created, in every order.
func TestContainersPartAtOnce(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		for _, withMachine := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", in.Name, withMachine), func(t *testing.T) {
				t.Parallel()

				all := containersTogether(t, in, 3, map[string]string{"pve1": "64Gi", "pve2": "16Gi", "pve3": "16Gi"}, nil)
				if withMachine {
					all[2] = machineBeside(t, in, all[0], "ct0", 180)
				}

				for _, m := range all {
					world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"spread": "dns"}})
				}

				order := slices.Clone(all)
				for range 20 {
					atOnce(all, order)
					order = append(order[1:], order[0])
				}

				if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}, hosts(all[0].Proxmox)); diff != "" {
					t.Errorf("by node: -want, +got:\n%s\n%v", diff, all[0].Proxmox.Done)
				}

				for _, done := range all[0].Proxmox.Done {
					if strings.HasPrefix(done, "destroy") {
						t.Errorf("something was made in vain: %s", done)
					}
				}
			})
		}
	}
}
