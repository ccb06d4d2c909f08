package behaviour

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

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

// twoIDs are a range of two VMIDs.
func twoIDs() map[string]any { return map[string]any{"from": 170.0, "to": 171.0} }

// A replacing watches what Proxmox has while a container is replaced.
type replacing struct {
	*machine

	old int
	ran map[int]bool // Containers that were seen to run.
}

// watched is the machine, whose container is about to be replaced.
func watched(m *machine) *replacing {
	out := &replacing{machine: m, old: numbers(m)[0], ran: map[int]bool{}}
	out.look("before")

	return out
}

// look at Proxmox: there is a container at any time; never do two run, which would have one address; and the first one is there until another one was seen
// to run.
func (r *replacing) look(when string) {
	r.t.Helper()

	var run []int

	for id, c := range r.Proxmox.Containers {
		if c.Config["started"] == true {
			run = append(run, id)
		}
	}

	if r.Proxmox.Containers[r.old] == nil && len(r.ran) < 2 {
		r.t.Fatalf("%s: container %d is destroyed before another one ran: %v", when, r.old, r.Proxmox.Done)
	}

	for _, id := range run {
		r.ran[id] = true
	}

	if len(run) > 1 {
		r.t.Fatalf("%s: containers %v run with one address: %v", when, run, r.Proxmox.Done)
	}

	if len(r.Proxmox.Containers) == 0 {
		r.t.Fatalf("%s: there is no container: %v", when, r.Proxmox.Done)
	}
}

// steps of the function, each with a look at Proxmox.
func (r *replacing) steps(n int) (last *fnv1.RunFunctionResponse) {
	r.t.Helper()

	for i := range n {
		last = r.Turn()
		r.look(fmt.Sprintf("call %d", i))
	}

	return last
}

// TestAContainerIsReplaced in the right order: it is announced, the old one is stopped, the new one made and started, and then the old one goes.
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
		"AnotherVMID": {
			reason: "The claim names another one.", before: "proxmox: {vmId: 153}", edit: "{" + other + ", proxmox: {vmId: 154}, lifecycle: {replace: a}}",
			done: []string{"change startOnBoot of container 153", "stop container 153", "make container 154", "start container 154", "destroy container 153"},
		},
		"Orphan": {
			reason: "The old one stays, stopped.", before: "{deletionPolicy: Orphan, proxmox: {vmId: 153}}", edit: "{" + other + ", proxmox: {vmId: 154}, lifecycle: {replace: a}}",
			done: []string{"change startOnBoot of container 153", "stop container 153", "make container 154", "start container 154", "let go of container 153"}, left: []any{"container 153 on node pve"},
		},
		"OrphanRange": {
			reason: "The range has another VMID.", ids: twoIDs(), before: "{deletionPolicy: Orphan}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"change startOnBoot of container X", "stop container X", "make container Y", "start container Y", "let go of container X"}, left: []any{"container X on node pve"},
		},
		"Range": {
			reason: "Of a range.", ids: twoIDs(), before: "{power: Running}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"change startOnBoot of container X", "stop container X", "make container Y", "start container Y", "destroy container X"},
		},
		"Firewalled": {
			reason: "The new one is behind its firewall before the old one goes.", ids: twoIDs(), before: "{firewall: {preset: ssh}}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: nil,
		},
		"Unmanaged": {
			reason: "It was started once.", ids: twoIDs(), before: "{power: Unmanaged}", edit: "{" + other + ", lifecycle: {replace: a}}",
			done: []string{"change startOnBoot of container X", "stop container X", "make container Y", "start container Y", "destroy container X"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := watched(replaceable(t, tc.ids, tc.before))
			words := strings.NewReplacer()

			if tc.ids != nil {
				words = strings.NewReplacer(fmt.Sprint(m.old), "X", fmt.Sprint(341-m.old), "Y")
			}

			m.edit(tc.edit)

			announced := m.Call()
			m.says(announced, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})
			m.Apply(announced)
			m.did()

			m.steps(30)

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			done := append([]string{}, m.Proxmox.Done...)
			for i := range done {
				done[i] = words.Replace(done[i])
			}

			if diff := cmp.Diff(tc.done, done); diff != "" && tc.done != nil {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			// The template of the old container is no concern of the claim any more.
			for name, o := range m.Observed {
				if o["kind"] == world.DownloadFileKind {
					t.Errorf("%s\n%s is left", tc.reason, name)
				}
			}

			if diff := cmp.Diff(fmt.Sprint(tc.left), words.Replace(fmt.Sprint(world.Status(last)["left"]))); diff != "" {
				t.Errorf("%s\nstatus.left: -want, +got:\n%s", tc.reason, diff)
			}

			// A value counts once, and an old one never again.
			m.Proxmox.Done = nil
			m.calm()
			m.edit("{lifecycle: {replace: b}, deletionPolicy: Delete}")

			if tc.ids == nil {
				m.edit("{proxmox: {vmId: 155}}")
			}

			m = watched(m.machine)
			m.steps(30)
			m.Rest()

			if tc.left == nil && len(m.Proxmox.Done) == 0 {
				t.Errorf("%s\na new value does nothing", tc.reason)
			}

			m.Proxmox.Done = nil
			m.edit("{lifecycle: {replace: a}}")
			m.Rest()
			m.did()
		})
	}
}

// TestAReplacementOfAContainerIsTakenBack at every stage before the new one runs: the old one is there, and runs again; the new one is gone.
func TestAReplacementOfAContainerIsTakenBack(t *testing.T) {
	t.Parallel()

	for _, policy := range []string{"Delete", "Orphan"} {
		for calls := range 9 {
			m := watched(replaceable(t, nil, "{proxmox: {vmId: 153}, deletionPolicy: "+policy+"}"))
			m.edit("{unprivileged: false, proxmox: {vmId: 154}, lifecycle: {replace: a}}")
			m.steps(calls)

			runs := m.Proxmox.Containers[154] != nil && m.Proxmox.Containers[154].Config["started"] == true

			m.edit("{unprivileged: true, proxmox: {vmId: 153}, lifecycle: {replace: null}}")
			m.steps(25)
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

			switch old, next := m.Proxmox.Containers[153], m.Proxmox.Containers[154]; {
			case runs:
			case next != nil:
				t.Errorf("%s after %d calls: the new one is still there: %v", policy, calls, m.Proxmox.Done)
			case old == nil || old.Config["started"] != true:
				t.Errorf("%s after %d calls: the old one does not run: %v", policy, calls, m.Proxmox.Done)
			}
		}
	}
}

// TestANewContainerFails: the old one is there, stopped, and the status says how to go back.
func TestANewContainerFails(t *testing.T) {
	t.Parallel()

	m := watched(replaceable(t, nil, "{proxmox: {vmId: 153}}"))
	m.edit("{unprivileged: false, proxmox: {vmId: 154}, lifecycle: {replace: a}}")

	for range 12 {
		m.steps(1)

		// Somebody takes the VMID between the look and the creation.
		if m.Proxmox.Containers[153].Config["started"] != true && m.Proxmox.VMs[154] == nil {
			m.Proxmox.VMs[154] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": "pve"}}
		}
	}

	last := m.Rest()
	if got := fmt.Sprint(last.GetConditions()); !strings.Contains(got, "container 153 starts again") && !strings.Contains(got, "VMID 154 is in use") {
		t.Errorf("no word of how to go back: %s", got)
	}

	m.edit("{unprivileged: true, proxmox: {vmId: 153}, lifecycle: {replace: null}}")
	m.steps(20)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	if m.Proxmox.Containers[153].Config["started"] != true || len(m.Proxmox.Containers) != 1 {
		t.Errorf("the old one does not run alone: %v", m.Proxmox.Done)
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
		"SameVMID": {reason: "The old one has its VMID until the new one runs.", edit: "{proxmox: {vmId: 153}}", says: "spec.proxmox.vmId is the old container's VMID, 153"},
		"Stopped":  {reason: "Nobody sees the new one run.", does: func(m *machine) { m.edit("{power: Stopped, proxmox: {vmId: 154}}"); m.Rest(); m.Proxmox.Done = nil }, says: "Set spec.power to Running"},
		"NoVMID":   {reason: "Nobody gives one.", does: func(m *machine) { delete(world.Object(m.Spec()["proxmox"]), "vmId") }, says: "Set spec.proxmox.vmId"},
		"Lost":     {reason: "The catalogue lost the image.", does: func(m *machine) { m.lose("images") }, says: "No container can be created from the claim and its catalogue"},
		"VMIDInUse": {reason: "Something else has the VMID of the new one.", edit: "{proxmox: {vmId: 154}}", does: func(m *machine) {
			m.Proxmox.VMs[154] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": "pve"}}
		}, says: "VMID 154 is in use by a VM"},
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

			if tc.edit == "" && tc.does == nil || tc.edit == "{deletionProtection: true}" {
				m.edit("proxmox: {vmId: 154}")
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
	m.edit("{unprivileged: false, tags: [new], proxmox: {vmId: 154}, lifecycle: {replace: a}}")

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
	m.did("change startOnBoot of container 153", "stop container 153", "make container 154", "start container 154", "destroy container 153")

	// Another one waits anew, with another hash.
	m.Proxmox.Done = nil
	settled = m.Call()
	m.edit("{proxmox: {vmId: 155}, lifecycle: {replace: b}}")

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
		"Reboot":   {reason: "A trigger.", edit: "{tags: [new], size: {memory: 2Gi}, lifecycle: {reboot: a}}", effect: "Reboot", done: []string{"change memory, tags of container 153", "stop container 153", "start container 153"}},
		"ByPolicy": {reason: "WhenNeeded.", before: "lifecycle: {rebootPolicy: WhenNeeded}", edit: "{size: {memory: 2Gi}}", effect: "Reboot", done: []string{"change memory of container 153", "stop container 153", "start container 153"}},
		"Stop":     {reason: "A stop.", edit: "{tags: [new], power: Stopped}", effect: "Stop", done: []string{"change tags of container 153", "stop container 153"}},
		"Refuse":   {reason: "A refused change.", edit: "{tags: [new], unprivileged: false}", effect: "Refuse", done: []string{"change tags of container 153"}},
		"Always":   {reason: "Any change.", before: "lifecycle: {approval: Always}", edit: "{tags: [new]}", effect: "Change", done: []string{"change tags of container 153"}},
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

// TestNotesOfAContainerNeedNoApproval: neither alone, whatever the claim asks for, nor beside an edit that waits or was approved.
func TestNotesOfAContainerNeedNoApproval(t *testing.T) {
	t.Parallel()

	m := replaceable(t, nil, "{proxmox: {vmId: 153}, lifecycle: {approval: Always}}")
	m.edit("{notes: one}")
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove"})

	if has := fmt.Sprint(m.Proxmox.Containers[153].Config["description"]); !strings.HasPrefix(has, "one") {
		t.Errorf("the notes have not arrived: %s", has)
	}

	m.did("change description of container 153")

	settled := m.Call()
	m.edit("{tags: [new]}")

	_, approve := m.waits(settled, "Change")
	m.edit("{notes: two}")

	if again := plan(m.Rest())["hash"]; again != approve {
		t.Errorf("the plan was %s, and is %v for an edit of notes", approve, again)
	}
}

// TestADefaultOfApprovalIsForMachines: no container begins to wait because an installation has one.
func TestADefaultOfApprovalIsForMachines(t *testing.T) {
	t.Parallel()

	m := replaceable(t, nil, "proxmox: {vmId: 153}")
	defaults := world.Object(world.Object(m.Catalogue["data"])["defaults"])
	defaults["approval"] = "Always"
	world.Object(m.Catalogue["data"])["defaults"] = defaults
	m.edit("{power: Stopped}")
	m.says(m.Rest(), map[string]string{"MachineReady": "Stopped"})
	m.did("stop container 153")
}

// TestAReplacementOfAContainerIsInterrupted over pauses of the provider and its errors, at every stage: it is the same in the end as if there had been none.
func TestAReplacementOfAContainerIsInterrupted(t *testing.T) {
	t.Parallel()

	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5)) //nolint:gosec // A test that can be repeated.

		m := watched(replaceable(t, nil, "{proxmox: {vmId: 153}, lifecycle: {approval: OnRisk}}"))
		settled := m.Call()
		m.edit("{unprivileged: false, proxmox: {vmId: 154}, lifecycle: {replace: a}}")

		_, approve := m.waits(settled, "Replace")
		m.edit("lifecycle: {approve: " + approve + "}")

		for range 1 + r.IntN(12) {
			// Crossplane may call the function more than once before it applies what it says.
			if m.Call(); r.IntN(3) > 0 {
				m.Turn()
			}

			if r.IntN(3) == 0 {
				m.Provider.Fails["container"] = "observe failed: connection refused"
				m.Apply(m.Call())
				delete(m.Provider.Fails, "container")
			}

			m.look(fmt.Sprint("seed ", seed))
		}

		m.steps(20)
		m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

		if m.Proxmox.Containers[153] != nil || m.Proxmox.Containers[154] == nil {
			t.Errorf("seed %d: %v", seed, m.Proxmox.Done)
		}
	}
}
