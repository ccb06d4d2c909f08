package provider

import (
	"strings"
	"testing"
	"time"
)

// TestLook holds that a number is only used when nobody has it, and that a VM which has it already is never written to.
func TestLook(t *testing.T) {
	const spec = `{proxmox: {node: pve, vmId: 160, storage: local-lvm}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`

	cases := map[string]struct {
		reason string
		spec   string
		run    func(t *testing.T, l *lab, c *Control)
	}{
		"Free": {
			reason: "A number that nobody has is looked at without a request that writes, and a VM is made with it.",
			spec:   spec,
			run: func(t *testing.T, l *lab, c *Control) {
				t.Helper()

				since := l.seq(t)
				if _, err := c.Round(t.Context()); err != nil {
					t.Fatal(err)
				}

				if !c.composed["vm"].resource.OnlyLooks() {
					t.Error("want the VM to be looked at first")
				}

				if w := l.writes(t, since); strings.Contains(w, "qemu") {
					t.Errorf("a look writes:\n%s", w)
				}

				l.settle(t, c)

				if vm := l.vm(t, 160); vm.Status != "running" || vm.Node != "pve" {
					t.Errorf("want VM 160 to run on pve, got %+v", vm)
				}

				want(t, c, "VMIDInUse", "False", "NumberFree")
			},
		},
		"Taken":            {reason: "A VM on the same node is left alone, also over polls and when the claim is deleted.", spec: spec, run: taken("pve", "running")},
		"TakenElsewhere":   {reason: "A number counts in the whole cluster.", spec: spec, run: taken("pve2", "running")},
		"TakenStopped":     {reason: "A VM that is stopped is somebody's, too.", spec: spec, run: taken("pve", "stopped")},
		"TakenThenRemoved": {reason: "Once the number is free, the VM is made without another word.", spec: spec, run: takenThenRemoved},
		"TakenThenOther":   {reason: "The claim chooses another number; what was seen of the other VM is forgotten.", spec: spec, run: takenThenOther},
		"Silent":           {reason: "A VM that cannot be read, since its agent does not answer, is there all the same.", spec: spec, run: silent},
		"Range": {
			reason: "VMIDs of a range that are taken are skipped; the VMs that have them are left alone.",
			spec:   `{proxmox: {site: ranged, node: pve}, network: {dhcp: true}}`,
			run:    ranged,
		},
		"Restarts": {
			reason: "A provider that restarts at any moment makes the same of it.",
			spec:   `{proxmox: {site: ranged, node: pve}, network: {dhcp: true}}`,
			run: func(t *testing.T, l *lab, c *Control) {
				t.Helper()

				c.Forgetful = true

				ranged(t, l, c)
			},
		},
		"RangeUsedUp": {
			reason: "With all numbers taken nothing is made; the one that becomes free is used.",
			spec:   `{proxmox: {site: ranged, node: pve}, network: {dhcp: true}}`,
			run:    usedUp,
		},
		"Container": {
			reason: "A container has a number, too, and looks like none to the provider. It cannot be touched, and the machine says what is wrong.",
			spec:   spec,
			run:    container,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			c := l.machine(t, "app01", tc.spec)
			c.Hasty = true

			tc.run(t, l, c)

			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

func taken(node, status string) func(t *testing.T, l *lab, c *Control) {
	return func(t *testing.T, l *lab, c *Control) {
		t.Helper()

		l.foreign(t, 160, node, nil)
		l.touch(t, 160, Touch{Status: status})
		before := l.vm(t, 160)
		since := l.seq(t)

		l.settle(t, c)
		l.poll(t, c)
		edit(t, c, `{tags: [more], size: {cores: 8, disk: 200Gi}, power: Stopped}`)
		l.poll(t, c)
		want(t, c, "VMIDInUse", "True", "NumberTaken", "foreign", node)

		c.MayDrop = true

		if err := c.Delete(t.Context()); err != nil {
			t.Error(err)
		}

		unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))
	}
}

func takenThenRemoved(t *testing.T, l *lab, c *Control) {
	t.Helper()

	l.foreign(t, 160, "pve2", nil)
	l.settle(t, c)

	if err := l.Simulator.RemoveVM(t.Context(), 160); err != nil {
		t.Fatal(err)
	}

	l.poll(t, c)

	if vm := l.vm(t, 160); vm.Config["name"] != "app01" || vm.Node != "pve" || vm.Status != "running" {
		t.Errorf("want VM 160 to be app01 on pve, got: %+v", vm)
	}

	want(t, c, "VMIDInUse", "False", "NumberFree")
}

func takenThenOther(t *testing.T, l *lab, c *Control) {
	t.Helper()

	// It is on another node and does not run: nothing of that is the new VM's.
	l.foreign(t, 160, "pve2", nil)
	l.touch(t, 160, Touch{Status: "stopped"})
	before, since := l.vm(t, 160), l.seq(t)
	l.settle(t, c)

	edit(t, c, `{proxmox: {vmId: 161}}`)
	l.settle(t, c)
	unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))

	if vm := l.vm(t, 161); vm.Node != "pve" || vm.Status != "running" || vm.Config["name"] != "app01" {
		t.Errorf("want VM 161 to run on pve, got: %+v", vm)
	}
}

func silent(t *testing.T, l *lab, c *Control) {
	t.Helper()

	c.Timeout = 4 * time.Second
	c.Hasty = false

	l.foreign(t, 160, "pve", nil)
	l.touch(t, 160, Touch{Agent: "missing"})
	before, since := l.vm(t, 160), l.seq(t)

	l.settle(t, c)
	want(t, c, "VMIDInUse", "True", "NumberTaken", "agent")
	unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))
}

func ranged(t *testing.T, l *lab, c *Control) {
	t.Helper()

	l.foreign(t, 160, "pve2", nil)
	l.foreign(t, 161, "pve", nil)
	l.touch(t, 161, Touch{Status: "stopped"})

	before, since := l.state(t), l.seq(t)
	l.settle(t, c)

	writes := l.writes(t, since)
	unharmed(t, before.VMs["160"], l.vm(t, 160), 160, writes)
	unharmed(t, before.VMs["161"], l.vm(t, 161), 161, writes)

	if vm := l.vm(t, 162); vm.Node != "pve" || vm.Status != "running" {
		t.Errorf("want VM 162 to run on pve, got: %+v", vm)
	}

	if w := l.poll(t, c); w != "" {
		t.Errorf("a poll writes:\n%s", w)
	}
}

func usedUp(t *testing.T, l *lab, c *Control) {
	t.Helper()

	for id := 160; id <= 162; id++ {
		l.foreign(t, id, "pve", nil)
	}

	since := l.seq(t)
	l.settle(t, c)
	l.poll(t, c)
	want(t, c, "VMIDInUse", "True", "NumberTaken", "All VMIDs")

	if w := l.writes(t, since); strings.Contains(w, "/qemu") {
		t.Errorf("unwanted requests:\n%s", w)
	}

	if err := l.Simulator.RemoveVM(t.Context(), 162); err != nil {
		t.Fatal(err)
	}

	for range 3 {
		l.poll(t, c)
	}

	if vm := l.vm(t, 162); vm.Config["name"] != "app01" || vm.Status != "running" {
		t.Errorf("want VM 162 to be app01, got: %+v", vm)
	}
}

// container lets the API answer as it does where a container has the number: it is among the guests of the cluster, is no
// VM, and no VM can be made with its number.
func container(t *testing.T, l *lab, c *Control) {
	t.Helper()

	l.foreign(t, 160, "pve", nil)

	before := l.vm(t, 160)

	for _, f := range []Fault{
		{Method: "GET|PUT|POST|DELETE", Path: "/qemu/160($|/)", Status: 500, Message: "Configuration file 'nodes/pve/qemu-server/160.conf' does not exist"},
		{Method: "POST", Path: "/nodes/pve/qemu$", Status: 500, Message: "unable to create VM 160 - CT 160 already exists on node 'pve'"},
	} {
		if err := l.Simulator.AddFault(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	for typ, cond := range c.Conditions {
		t.Log(typ, word(cond.GetStatus()), cond.GetReason(), cond.GetMessage())
	}

	if after := l.vm(t, 160); after.Status != before.Status {
		t.Errorf("the container changed: %+v", after)
	}
}

// TestTwoClaims holds that of two claims with one number one gets it, and the other learns who has it.
func TestTwoClaims(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	a := l.machine(t, "first", `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`)
	b := l.machine(t, "second", `{proxmox: {node: pve2, vmId: 160}, network: {dhcp: true}}`)
	a.Neighbours, b.Neighbours = []*Control{b}, []*Control{a}

	// Both ask at the same time.
	for range 2 {
		for _, c := range []*Control{a, b} {
			if _, err := c.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}

	l.settle(t, a)
	l.settle(t, b)
	l.poll(t, b)

	if vm := l.vm(t, 160); vm.Config["name"] != "first" || vm.Node != "pve" || len(l.state(t).VMs) != 2 {
		t.Errorf("want one VM, of the first claim, got: %+v", vm)
	}

	want(t, b, "VMIDInUse", "True", "NumberClaimed", "lab/first")

	// The first one goes, and makes room.
	if err := a.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	a.composed = nil
	l.poll(t, b)

	if vm := l.vm(t, 160); vm.Config["name"] != "second" || vm.Node != "pve2" {
		t.Errorf("want the second claim's VM, got: %+v", vm)
	}
}
