package controlplane

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// lives on every installation. VMs 5010 to 5099 are theirs.
var lives = map[string]func() life{
	"Class":           classes,
	"Image":           image,
	"Node":            node,
	"Moved":           moved,
	"Power":           power,
	"Delete":          deleted,
	"Foreground":      deletedForeground,
	"Orphan":          orphaned,
	"Replace":         replaced,
	"ReplaceOrphan":   replacedOrphan,
	"Protection":      protected,
	"Adoption":        adopted,
	"AdoptedFirewall": adoptedFirewall,
	"Firewall":        firewalled,
	"K3sNode":         joins,
}

var (
	running = map[string]string{"MachineReady": "True Running"}
	nothing = map[string]string{
		"MachineReady": "True Running", "RebootPending": "False NothingPending", "ReplacementRequired": "False NotRequired",
		"ProviderHealthy": "True NoError", "SpecValid": "True Valid",
	}
	waits   = map[string]string{"RebootPending": "True ChangesPending", "ReplacementRequired": "False NotRequired"}
	refused = map[string]string{"ReplacementRequired": "True ImmutableFieldChanged", "MachineReady": "True Running"}
)

// born is the first step of most lives.
func born(id int) step {
	return step{
		does: "a claim is applied", says: nothing, made: []string{kindVM, kindImage},
		status:  map[string]string{"phase": "Running", "vmId": fmt.Sprint(id), "node": "pve"},
		written: []string{fmt.Sprintf("create VM %d on pve", id), fmt.Sprintf("change VM %d", id), fmt.Sprintf("start VM %d", id)},
	}
}

// withUserData is a claim whose VM has rendered snippets.
func withUserData(claim *unstructured.Unstructured) *unstructured.Unstructured {
	return edited(claim, map[string]any{"bootstrap.userData": "#cloud-config\ntimezone: Europe/Berlin\n"})
}

// bornWithSnippets is born of a machine with rendered snippets.
func bornWithSnippets(name string, id int) step {
	s := born(id)
	s.made = append(s.made, kindFile, kindFile)
	s.written = append(s.written, snippets("write", name, "on pve")...)

	return s
}

func snippets(verb, name, place string) []string {
	return []string{
		fmt.Sprintf("%s local:snippets/%s-*.meta-data.yaml %s", verb, name, place),
		fmt.Sprintf("%s local:snippets/%s-*.user-data.yaml %s", verb, name, place),
	}
}

// differs describes what is not as it should be.
func differs(what string, got, want any) string {
	if fmt.Sprint(got) == fmt.Sprint(want) {
		return ""
	}

	return fmt.Sprintf("%s: got %v, want %v", what, got, want)
}

// cores that the guest has now, and that Proxmox will give it at its next start.
func cores(has, will int) func(vm *standin.VM) string {
	return func(vm *standin.VM) string {
		got := []any{}

		for _, config := range []map[string]any{vm.Running, vm.Config} {
			cpu, _ := config["cpu"].([]any)
			if len(cpu) == 1 {
				got = append(got, cpu[0].(map[string]any)["cores"])
			}
		}

		return differs("cores now and next", got, []any{has, will})
	}
}

func classes() life {
	const id = 5010

	return life{
		reason: "A larger class grows the disk at once, and the rest waits for a restart that somebody asks for; a smaller one cannot shrink the disk.",
		claim:  machine("life-class", id), ids: []int{id},
		steps: []step{
			born(id),
			{
				does: "a larger class", edit: map[string]any{"class": "medium"}, says: waits, vm: cores(2, 4),
				status:  map[string]string{"class": "medium", "size.cores": "4", "size.memoryMiB": "8192", "size.diskGiB": "60", "phase": "Running"},
				written: []string{"change VM 5010"},
			},
			{
				does: "a restart", edit: map[string]any{"lifecycle.reboot": "today"}, says: nothing, vm: cores(4, 4),
				written: []string{"change VM 5010", "stop VM 5010", "change VM 5010", "start VM 5010"},
			},
			{
				does: "the word taken out again", edit: map[string]any{"lifecycle.reboot": nil}, says: nothing,
			},
			{
				does: "a smaller class", edit: map[string]any{"class": "small"}, vm: cores(4, 2),
				says: map[string]string{
					"RebootPending": "True ChangesPending", "ReplacementRequired": "True ImmutableFieldChanged", "MachineReady": "True Running",
				},
				status:  map[string]string{"class": "small", "size.cores": "2", "size.diskGiB": "60"},
				written: []string{"change VM 5010"},
			},
			{
				does: "the larger class once more", edit: map[string]any{"class": "medium"}, says: nothing, vm: cores(4, 4),
				written: []string{"change VM 5010"},
			},
		},
	}
}

func image() life {
	const id = 5011

	return life{
		reason: "A VM keeps the image that it was made from, whatever the claim says later; what else was edited takes effect.",
		claim:  machine("life-image", id), ids: []int{id},
		steps: []step{
			born(id),
			{
				does: "another image", edit: map[string]any{"image": "ubuntu-24.04"}, says: refused,
				status: map[string]string{"image": "debian-12", "phase": "Running"},
			},
			{
				does: "a tag meanwhile", edit: map[string]any{"tags": []any{"kept"}}, says: refused, written: []string{"change VM 5011"},
			},
			{
				does: "the old image", edit: map[string]any{"image": "debian-12"}, says: nothing, status: map[string]string{"image": "debian-12"},
			},
		},
	}
}

func node() life {
	const id = 5012

	return life{
		reason: "Another node is refused unless the claim says that the VM is to be moved there, which happens while it runs, after its snippets.",
		claim:  withUserData(machine("life-node", id)), ids: []int{id},
		steps: []step{
			bornWithSnippets("life-node", id),
			{does: "another node", edit: map[string]any{"proxmox.node": "pve2"}, says: refused, status: map[string]string{"node": "pve"}},
			{
				does: "leave to move", edit: map[string]any{"proxmox.migrate": true}, says: nothing,
				status: map[string]string{"node": "pve2"}, made: []string{kindFile, kindFile},
				written: append([]string{"migrate VM 5012 to pve2", "change VM 5012"}, snippets("write", "life-node", "on pve2")...),
			},
		},
	}
}

func moved() life {
	const id = 5013

	return life{
		reason: "A machine follows its VM that somebody moved in Proxmox, and its snippets are there before it is started again.",
		claim:  withUserData(machine("life-moved", id)), ids: []int{id},
		steps: []step{
			bornWithSnippets("life-moved", id),
			{
				does: "qm migrate", hand: func(w *standin.World) { w.Edit(func(vms map[int]*standin.VM) { vms[id].Node = "pve2" }) },
				says: refused, status: map[string]string{"node": "pve2", "phase": "Running"},
				made: []string{kindFile, kindFile}, written: snippets("write", "life-moved", "on pve2"),
			},
			{
				does: "the claim says so, too", edit: map[string]any{"proxmox.node": "pve2"}, says: nothing,
				status: map[string]string{"node": "pve2"},
			},
			{
				does: "a restart on the new node", edit: map[string]any{"lifecycle.reboot": "there"}, says: nothing,
				written: []string{"change VM 5013", "stop VM 5013", "change VM 5013", "start VM 5013"},
			},
		},
	}
}

func power() life {
	const id = 5014

	stopped := map[string]string{"MachineReady": "True Stopped", "ProviderHealthy": "True NoError"}
	off := func(w *standin.World) { w.Edit(func(vms map[int]*standin.VM) { vms[id].Stop() }) }

	return life{
		reason: "A VM runs and stands still as the claim says; Unmanaged leaves it to whoever works in Proxmox.",
		claim:  machine("life-power", id), ids: []int{id},
		steps: []step{
			born(id),
			{
				does: "Stopped", edit: map[string]any{"power": "Stopped"}, says: stopped,
				status: map[string]string{"phase": "Stopped"}, written: []string{"change VM 5014", "stop VM 5014"},
			},
			{
				does: "Running", edit: map[string]any{"power": "Running"}, says: nothing,
				status: map[string]string{"phase": "Running"}, written: []string{"change VM 5014", "start VM 5014"},
			},
			{
				does: "somebody stops it in Proxmox", hand: off, says: nothing,
				written: []string{"change VM 5014", "start VM 5014"},
			},
			{does: "Unmanaged", edit: map[string]any{"power": "Unmanaged"}, says: running, status: map[string]string{"power": "Unmanaged"}},
			{
				does: "somebody stops it in Proxmox, and it stays so", hand: off, says: stopped,
				status: map[string]string{"phase": "Stopped"},
			},
			{
				does: "Running again", edit: map[string]any{"power": "Running"}, says: nothing,
				written: []string{"change VM 5014", "start VM 5014"},
			},
		},
	}
}
