package behaviour

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// replaceable is a container that runs, changed by edits of its claim before it is created.
func replaceable(t *testing.T, vmIDs map[string]any, edits ...string) *machine {
	t.Helper()

	m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve}}")
	if vmIDs != nil {
		m.SetSite("home", "vmIds", vmIDs)
	}

	for _, e := range edits {
		m.edit(e)
	}

	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.Proxmox.Done = nil

	return m
}

// range of two VMIDs, of which the first one that the container of the tests tries is 171 or 170.
func twoIDs() map[string]any { return map[string]any{"from": 170.0, "to": 171.0} }

// TestAContainerIsReplaced one after the other: the old one is announced, goes, and the new one is created from the claim as it is.
func TestAContainerIsReplaced(t *testing.T) {
	t.Parallel()

	const other = `image: "local:vztmpl/debian-13-standard_13.0-1_amd64.tar.zst"`

	cases := map[string]struct {
		reason string
		ids    map[string]any
		before string
		edit   string
		done   []string
		left   any
	}{
		"SameVMID": {
			reason: "The new one has the VMID and the address of the old one.", before: "proxmox: {vmId: 153}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"destroy container 153", "make container 153", "start container 153"},
		},
		"AnotherVMID": {
			reason: "The claim names another one.", before: "proxmox: {vmId: 153}", edit: "{" + other + ", proxmox: {vmId: 154}, lifecycle: {replace: a}}",
			done: []string{"destroy container 153", "make container 154", "start container 154"},
		},
		"Downloaded": {
			reason: "From the same template.", before: "proxmox: {vmId: 153}", edit: "{unprivileged: false, lifecycle: {replace: a}}",
			done: []string{"destroy container 153", "make container 153", "start container 153"},
		},
		"OrphanAnotherVMID": {
			reason: "The old one stays, stopped.", before: "{deletionPolicy: Orphan, proxmox: {vmId: 153}}", edit: "{" + other + ", proxmox: {vmId: 154}, lifecycle: {replace: a}}",
			done: []string{"stop container 153", "let go of container 153", "make container 154", "start container 154"}, left: []any{"container 153 on node pve"},
		},
		"OrphanRange": {
			reason: "The range has another VMID.", ids: twoIDs(), before: "{deletionPolicy: Orphan}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"stop container X", "let go of container X", "make container Y", "start container Y"}, left: []any{"container X on node pve"},
		},
		"Range": {
			reason: "Of a range.", ids: twoIDs(), before: "{power: Running}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"destroy container X", "make container X", "start container X"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := replaceable(t, tc.ids, tc.before)
			words := strings.NewReplacer()

			if tc.ids != nil {
				own := numbers(m)[0]
				words = strings.NewReplacer(fmt.Sprint(own), "X", fmt.Sprint(341-own), "Y")
			}

			m.edit(tc.edit)

			announced := m.Call()
			m.says(announced, map[string]string{"ReplacementRequired": "Replacing"})
			m.Apply(announced)
			m.did()

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			done := append([]string{}, m.Proxmox.Done...)
			for i := range done {
				done[i] = words.Replace(done[i])
			}

			if diff := cmp.Diff(tc.done, done); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(fmt.Sprint(tc.left), words.Replace(fmt.Sprint(world.Status(last)["left"]))); diff != "" {
				t.Errorf("%s\nstatus.left: -want, +got:\n%s", tc.reason, diff)
			}

			// A value counts once, and an old one never again.
			m.Proxmox.Done = nil
			m.edit("{lifecycle: {replace: b}, deletionPolicy: Delete}")
			m.Rest()

			if len(m.Proxmox.Done) == 0 {
				t.Errorf("%s\na new value does nothing", tc.reason)
			}

			m.Proxmox.Done = nil
			m.edit("{lifecycle: {replace: a}}")
			m.Rest()
			m.did()
		})
	}
}

// TestAContainerIsNotReplaced where something speaks against it: nothing happens, and the message says what to do.
func TestAContainerIsNotReplaced(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		before string
		edit   string
		does   func(m *machine)
		says   string
	}{
		"Claim":    {reason: "The claim protects it.", edit: "{deletionProtection: true}", says: "spec.deletionProtection keeps container 153"},
		"Disks":    {reason: "So does the default of a container with disks.", before: "{disks: [{path: /srv, size: 8Gi}]}", says: "spec.deletionProtection keeps container 153"},
		"Proxmox":  {reason: "Proxmox's option, by the claim.", before: "{proxmox: {protection: true}}", says: "Proxmox's own option protects container 153"},
		"ByHand":   {reason: "By hand.", does: func(m *machine) { m.Proxmox.Containers[153].Config["protection"] = true }, says: "Proxmox's own option protects container 153"},
		"SameVMID": {reason: "The old one keeps its VMID.", before: "{deletionPolicy: Orphan}", says: "keeps VMID 153, and two containers cannot have one VMID"},
		"NoVMID":   {reason: "Nobody gives one.", does: func(m *machine) { delete(world.Object(m.Spec()["proxmox"]), "vmId") }, says: "Set spec.proxmox.vmId"},
		"Lost":     {reason: "The catalogue lost the image.", does: func(m *machine) { m.lose("images") }, says: "No container can be created from the claim and its catalogue"},
		"VMIDInUse": {reason: "Something else has the VMID of the new one.", edit: "{proxmox: {vmId: 154}}", does: func(m *machine) {
			m.Proxmox.VMs[154] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": "pve"}}
		}, says: "VMID 154 of the claim is in use"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := replaceable(t, nil, "proxmox: {vmId: 153}")
			if tc.before != "" {
				m = replaceable(t, nil, "proxmox: {vmId: 153}", tc.before)
			}

			if tc.does != nil {
				tc.does(m)
			}

			if tc.edit != "" {
				m.edit(tc.edit)
			}

			m.edit("lifecycle: {replace: a}")

			last := m.Rest()
			m.says(last, map[string]string{"ReplacementRequired": "ReplacementBlocked"})
			m.calm()

			if m.Proxmox.Containers[153] == nil {
				t.Fatalf("%s\nthe container is destroyed: %v", tc.reason, m.Proxmox.Done)
			}

			if got := fmt.Sprint(last.GetConditions()); !strings.Contains(got, tc.says) {
				t.Errorf("%s\nno word of %q in %s", tc.reason, tc.says, got)
			}
		})
	}
}

// TestAReplacementOfAContainerIsApproved: it waits, also over many calls, and the hash lets it go once.
func TestAReplacementOfAContainerIsApproved(t *testing.T) {
	t.Parallel()

	m := replaceable(t, nil, "{proxmox: {vmId: 153}, disks: [{path: /srv, size: 8Gi}], deletionProtection: false, lifecycle: {approval: OnRisk}}")
	settled := m.Call()
	m.edit("{unprivileged: false, tags: [new], lifecycle: {replace: a}}")

	waiting, approve := m.waits(settled, "Replace")
	m.says(waiting, map[string]string{"ReplacementRequired": "WaitingForApproval"})

	if said := fmt.Sprint(plan(waiting)["changes"]); !strings.Contains(said, "the root file system, 8 GiB; /srv, 8G") {
		t.Errorf("the plan does not say what is destroyed: %s", said)
	}

	m.edit("lifecycle: {approve: " + approve + "}")

	announced := m.Call()
	m.says(announced, map[string]string{"ReplacementRequired": "Replacing", "Approved": "PlanApproved"})
	m.Apply(announced)
	m.did()
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired", "Approved": "NothingToApprove"})
	m.did("destroy container 153", "make container 153", "start container 153")

	// Another one waits anew, with another hash.
	m.Proxmox.Done = nil
	settled = m.Call()
	m.edit("{lifecycle: {replace: b}}")

	if _, again := m.waits(settled, "Replace"); again == approve {
		t.Error("the hash counts twice")
	}
}

// TestAnEditOfAContainerIsApproved: what restarts or stops a container waits as a whole.
func TestAnEditOfAContainerIsApproved(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		before string
		edit   string
		effect any
		done   []string
	}{
		"Reboot":   {reason: "A trigger.", edit: "{tags: [new], size: {memory: 2Gi}, lifecycle: {reboot: a}}", effect: "Reboot", done: []string{"stop container 153", "start container 153"}},
		"ByPolicy": {reason: "WhenNeeded.", before: "lifecycle: {rebootPolicy: WhenNeeded}", edit: "{size: {memory: 2Gi}}", effect: "Reboot", done: []string{"stop container 153", "start container 153"}},
		"Stop":     {reason: "A stop.", edit: "{tags: [new], power: Stopped}", effect: "Stop", done: []string{"stop container 153"}},
		"Refuse":   {reason: "A refused change.", edit: "{tags: [new], unprivileged: false}", effect: "Refuse"},
		"Always":   {reason: "Any change.", before: "lifecycle: {approval: Always}", edit: "{tags: [new]}", effect: "Change"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := replaceable(t, nil, "{proxmox: {vmId: 153}, lifecycle: {approval: OnRisk}}")
			if tc.before != "" {
				m = replaceable(t, nil, "{proxmox: {vmId: 153}, lifecycle: {approval: OnRisk}}", tc.before)
			}

			settled := m.Call()
			m.edit(tc.edit)

			_, approve := m.waits(settled, tc.effect)
			m.edit("lifecycle: {approve: " + approve + "}")
			m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove"})
			m.did(tc.done...)
			m.calm()

			if strings.Contains(tc.edit, "new") && !strings.Contains(fmt.Sprint(m.Proxmox.Containers[153].Config["tags"]), "new") {
				t.Errorf("%s\nthe tag of the same commit has not arrived", tc.reason)
			}
		})
	}
}

// TestAReplacementOfAContainerIsInterrupted over pauses of the provider and its errors, at every stage: it is the same in the end as if there had been none.
func TestAReplacementOfAContainerIsInterrupted(t *testing.T) {
	t.Parallel()

	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5)) //nolint:gosec // A test that can be repeated.

		m := replaceable(t, nil, "{proxmox: {vmId: 153}, lifecycle: {approval: OnRisk}}")
		settled := m.Call()
		m.edit("{unprivileged: false, lifecycle: {replace: a}}")

		_, approve := m.waits(settled, "Replace")
		m.edit("lifecycle: {approve: " + approve + "}")

		for range 1 + r.IntN(6) {
			rsp := m.Call()

			// Crossplane may call the function more than once before it applies what it says.
			if r.IntN(3) > 0 {
				m.Apply(rsp)
			}

			if r.IntN(3) == 0 {
				m.Provider.Fails["container"] = "observe failed: connection refused"
				m.Apply(m.Call())
				delete(m.Provider.Fails, "container")
			}
		}

		m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

		m.did("destroy container 153", "make container 153", "start container 153")
	}
}
