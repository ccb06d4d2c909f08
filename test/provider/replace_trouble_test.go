package provider

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func fixedAddress(t *testing.T, l *lab, c *Control) {
	t.Helper()

	both := func() {
		vms := l.state(t).VMs
		if vms["160"].Status == "running" && vms["161"].Status == "running" {
			t.Error("two VMs with one address run at once")
		}
	}

	// The new one cannot be made. The word is taken back, and the old one runs again.
	fault := Fault{Method: "POST", Path: "/nodes/pve/qemu$", Status: 500, Message: "storage 'local-lvm' is not available"}
	if err := l.Simulator.AddFault(t.Context(), fault); err != nil {
		t.Fatal(err)
	}

	edit(t, c, `{lifecycle: {replace: one}}`)

	for range 8 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}

		both()
	}

	if vm := l.vm(t, 160); vm.Status != "stopped" {
		t.Errorf("want the old VM to be replaced, got: %s", vm.Status)
	}

	if err := l.Simulator.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}

	edit(t, c, `{lifecycle: {replace: null}}`)
	l.follow(t, c, both)

	if vm := l.vm(t, 160); vm.Status != "running" || len(l.state(t).VMs) != 2 {
		t.Errorf("want the old VM alone, running again, got: %v", l.state(t).VMs)
	}

	// And now it goes through.
	edit(t, c, `{lifecycle: {replace: one}}`)

	since := l.seq(t)
	l.follow(t, c, both)

	w := l.writes(t, since)
	stop, made, gone := strings.Index(w, "/160/status/shutdown"), strings.Index(w, "vmid=161"), strings.Index(w, "DELETE /nodes/pve/qemu/160")

	if stop < 0 || made < stop || gone < made {
		t.Errorf("want the old VM to be stopped, the new one made, the old one destroyed, got:\n%s", w)
	}

	if vm := l.vm(t, 161); vm.Status != "running" {
		t.Errorf("want the new VM to run, got: %+v", vm)
	}
}

func orphaned(t *testing.T, l *lab, c *Control) {
	t.Helper()

	edit(t, c, `{deletionPolicy: Orphan}`)
	l.settle(t, c)

	before, snippets := l.vm(t, 160), l.snippets(t)
	edit(t, c, `{lifecycle: {replace: one}}`)
	l.follow(t, c, func() {})

	old, fresh := l.vm(t, 160), l.vm(t, 161)
	if old.Status != "stopped" || fresh.Status != "running" {
		t.Errorf("want the old VM stopped and the new one running, got: %s, %s", old.Status, fresh.Status)
	}

	for _, k := range []string{"scsi0", "scsi1", "scsi30", "cicustom", "name"} {
		if old.Config[k] != before.Config[k] {
			t.Errorf("%s of the old VM was %q, and is %q", k, before.Config[k], old.Config[k])
		}
	}

	for _, s := range snippets {
		if !slices.Contains(l.snippets(t), s) {
			t.Errorf("snippet %s of the old VM is gone, so that it cannot start", s)
		}
	}

	if len(c.composed) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(c.composed)), func(d *composed) bool { return d.resource.ExternalName() == "160" }) {
		t.Error("want the old VM to be nobody's business any more")
	}

	l.quiet(t, c, `{}`)
}

func fixedNumber(t *testing.T, l *lab, c *Control) {
	t.Helper()

	edit(t, c, `{lifecycle: {replace: one}}`)

	if w := l.poll(t, c); w != "" {
		t.Errorf("it writes:\n%s", w)
	}

	edit(t, c, `{proxmox: {vmId: 170}}`)
	l.follow(t, c, func() {})

	if _, ok := l.state(t).VMs["160"]; ok || l.vm(t, 170).Status != "running" {
		t.Errorf("want VM 170 in the place of VM 160, got: %v", l.state(t).VMs)
	}
}

func newOneFails(t *testing.T, l *lab, c *Control) {
	t.Helper()

	before := l.vm(t, 160)
	// It is made, and its disk cannot grow: what Terraform calls tainted.
	if err := l.Simulator.post(t.Context(), "/taskrules", map[string]any{"type": "resize", "id": "161", "exit": "no space left"}); err != nil {
		t.Fatal(err)
	}

	since := l.seq(t)
	edit(t, c, `{lifecycle: {replace: one}}`)

	for range 8 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))

	edit(t, c, `{lifecycle: {replace: null}}`)
	l.follow(t, c, func() {})

	if _, ok := l.state(t).VMs["161"]; ok {
		t.Error("the VM that could not be made is left")
	}

	unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))
	l.quiet(t, c, `{}`)
}

func newOneSilent(t *testing.T, l *lab, c *Control) {
	t.Helper()

	before, since := l.vm(t, 160), l.seq(t)

	// The guest agent of a new VM does not answer.
	if err := l.Simulator.post(t.Context(), "/settings", map[string]any{"agentDefault": "forbidden"}); err != nil {
		t.Fatal(err)
	}

	edit(t, c, `{lifecycle: {replace: one}}`)
	l.follow(t, c, func() {})
	l.poll(t, c)

	if vm := l.vm(t, 161); vm.Status != "running" {
		t.Errorf("want the new VM to run, got: %+v", vm)
	}

	unharmed(t, before, l.vm(t, 160), 160, l.writes(t, since))

	// Now it has an address.
	l.touch(t, 161, Touch{Agent: "ok"})
	l.poll(t, c)

	if _, ok := l.state(t).VMs["160"]; ok {
		t.Error("the old VM is still there")
	}
}

func lastServer(t *testing.T, l *lab, c *Control) {
	t.Helper()

	id := c.vmID(t)
	before, since := l.vm(t, id), l.seq(t)
	edit(t, c, `{lifecycle: {replace: one}}`)
	l.poll(t, c)
	unharmed(t, before, l.vm(t, id), id, l.writes(t, since))

	if n := len(l.state(t).VMs); n != 2 {
		t.Errorf("want no other VM, got %d", n-1)
	}
}

func twoWords(t *testing.T, l *lab, c *Control) {
	t.Helper()

	edit(t, c, `{lifecycle: {replace: one}}`)

	for range 2 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	edit(t, c, `{lifecycle: {replace: two}}`)
	l.follow(t, c, func() {
		running := 0

		for id := 160; id <= 162; id++ {
			if vm := l.vm(t, id); vm.Status == "running" {
				running++
			}
		}

		if running == 0 {
			t.Error("no VM runs")
		}
	})

	left := []string{}

	for id := range l.state(t).VMs {
		if n, _ := strconv.Atoi(id); n < 9000 {
			left = append(left, id)
		}
	}

	if len(left) != 1 || left[0] == "160" {
		t.Errorf("want one new VM, got: %v", left)
	}
}
