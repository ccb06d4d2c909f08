package provider

import (
	"strings"
	"testing"
)

// aMachine has a guest agent, since it has user-data of its own.
const aMachine = `{size: {cores: 2, memory: 4Gi}, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`

// TestPowerWithoutAgent holds that the provider asks no guest to shut down that has no guest agent: what plan and conditions say of it.
func TestPowerWithoutAgent(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", `{image: debian-12, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, bootstrap: {guestAgent: false}}`)
	c.Hasty = true
	l.settle(t, c)
	edit(t, c, `{power: Stopped}`)

	if w := l.settle(t, c); strings.Count(w, "/status/stop") != 1 || strings.Contains(w, "/status/shutdown") || l.vm(t, 160).Status != "stopped" {
		t.Errorf("want the VM switched off, got:\n%s", w)
	}
}

// TestPower holds that a VM is started and stopped when its claim says so, and that nobody else's doing is undone where it
// says that it does not care.
func TestPower(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(t *testing.T, l *lab, c *Control)
	}{
		"StoppedAndBack": {
			reason: "A VM is shut down, and started again.",
			run: func(t *testing.T, l *lab, c *Control) {
				t.Helper()
				edit(t, c, `{power: Stopped}`)

				if w := l.settle(t, c); strings.Count(w, "/status/") != 1 || l.vm(t, 160).Status != "stopped" {
					t.Errorf("want one shutdown, got:\n%s", w)
				}

				// What is changed meanwhile starts nothing, and waits for nothing.
				edit(t, c, `{size: {cores: 4, disk: 40Gi}, tags: [more]}`)
				without(t, l.poll(t, c), "/status/")
				want(t, c, "RebootPending", "False", "NothingPending")

				edit(t, c, `{power: Running}`)

				if w := l.settle(t, c); strings.Count(w, "/status/start") != 1 || l.vm(t, 160).Status != "running" {
					t.Errorf("want one start, got:\n%s", w)
				}
			},
		},
		"StoppedByHand": {
			reason: "A VM that is to run is started when somebody stopped it.",
			run: func(t *testing.T, l *lab, c *Control) {
				t.Helper()
				l.touch(t, 160, Touch{Status: "stopped"})

				if w := l.poll(t, c); strings.Count(w, "/status/start") != 1 || l.vm(t, 160).Status != "running" {
					t.Errorf("want one start, got:\n%s", w)
				}
			},
		},
		"Unmanaged":            {reason: "A VM whose power is nobody's business is neither started nor stopped.", run: unmanaged},
		"UnmanagedAndNow":      {reason: "Leaving the power to others does not change it, nor does taking it back where it is as asked.", run: unmanagedAndBack},
		"RebootOnRequest":      {reason: "What waits for a power cycle gets one when somebody asks, once.", run: rebootOnRequest},
		"RebootWhenNeeded":     {reason: "With the policy WhenNeeded it gets one at once.", run: rebootWhenNeeded},
		"RebootWithoutNeed":    {reason: "A power cycle can be asked for where nothing waits.", run: rebootWithoutNeed},
		"RebootByHand":         {reason: "A stop and start by hand counts where it was seen; where the provider starts the VM in the same look, nobody can tell.", run: rebootByHand},
		"RebootOfStopped":      {reason: "A VM that is stopped has nothing to wait for, and is not started by the word.", run: rebootOfStopped},
		"RebootTakenBackInIt":  {reason: "A word that is taken back while the VM is down leaves no VM down.", run: rebootTakenBack},
		"RebootOfUnmanaged":    {reason: "A VM whose power is nobody's business is power-cycled when asked for.", run: rebootUnmanaged},
		"ProviderAwayMeantime": {reason: "A provider that cannot reach Proxmox in the middle of a power cycle ends it later.", run: rebootInterrupted},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			c := l.machine(t, "app01", aMachine)
			c.Hasty = true
			l.settle(t, c)
			tc.run(t, l, c)

			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

func unmanaged(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{power: Unmanaged}`)
	without(t, l.poll(t, c), "/status/")

	for _, status := range []string{"stopped", "running"} {
		l.touch(t, 160, Touch{Status: status})

		for _, patch := range []string{`{}`, `{tags: [` + status + `]}`, `{onBoot: false}`, `{size: {cores: 3}}`, `{}`, `{size: {cores: 2}, onBoot: true}`} {
			edit(t, c, patch)
			without(t, l.poll(t, c), "/status/")
		}

		if vm := l.vm(t, 160); vm.Status != status || vm.Config["tags"] != status {
			t.Errorf("want it %s, and tagged so, got: %s, %s", status, vm.Status, vm.Config["tags"])
		}
	}

	// Stopped between the edit and its apply: nothing that the function sees can tell.
	l.touch(t, 160, Touch{Status: "running"})
	l.poll(t, c)
	l.poll(t, c)
	l.touch(t, 160, Touch{Status: "stopped"})
	without(t, l.poll(t, c), "/status/")
}

func unmanagedAndBack(t *testing.T, l *lab, c *Control) {
	t.Helper()

	for _, patch := range []string{`{power: Unmanaged}`, `{power: Running}`, `{power: Unmanaged}`} {
		edit(t, c, patch)

		w := l.settle(t, c)
		without(t, w, "/status/")
	}

	l.touch(t, 160, Touch{Status: "stopped"})
	l.poll(t, c)
	edit(t, c, `{power: Stopped}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{power: Running}`)

	if w := l.settle(t, c); strings.Count(w, "/status/start") != 1 {
		t.Errorf("want one start, got:\n%s", w)
	}
}

// cycles counts stops and starts.
func cycles(writes string) (stops, starts int) {
	return strings.Count(writes, "/status/shutdown") + strings.Count(writes, "/status/stop"), strings.Count(writes, "/status/start")
}

// cycled holds that a VM was stopped and started once, and that nothing waits any more.
func (l *lab) cycled(t *testing.T, c *Control, writes string) {
	t.Helper()

	if stops, starts := cycles(writes); stops != 1 || starts != 1 {
		t.Errorf("want one stop and one start, got:\n%s", writes)
	}

	if vm := l.vm(t, 160); vm.Status != "running" || len(vm.Pending) > 0 {
		t.Errorf("want it to run, and nothing to wait, got %s, %v", vm.Status, vm.Pending)
	}

	want(t, c, "RebootPending", "False", "NothingPending")

	if w := l.poll(t, c); w != "" {
		t.Errorf("a poll writes:\n%s", w)
	}
}

func rebootOnRequest(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{size: {cores: 4, memory: 8Gi}}`)
	without(t, l.poll(t, c), "/status/")
	want(t, c, "RebootPending", "True", "ChangesPending", "spec.size.cores", "spec.size.memory")

	if vm := l.vm(t, 160); len(vm.Pending) == 0 {
		t.Error("want Proxmox to say that something waits")
	}

	edit(t, c, `{lifecycle: {reboot: now}}`)
	l.cycled(t, c, l.settle(t, c))

	// The word was followed.
	edit(t, c, `{size: {cores: 2}}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{lifecycle: {reboot: null}}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{lifecycle: {reboot: now}}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{lifecycle: {reboot: again}}`)
	l.cycled(t, c, l.settle(t, c))
}

func rebootWhenNeeded(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{lifecycle: {rebootPolicy: WhenNeeded}}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{tags: [live]}`)
	without(t, l.settle(t, c), "/status/")
	edit(t, c, `{size: {cores: 4}}`)
	l.cycled(t, c, l.settle(t, c))
}

func rebootWithoutNeed(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{lifecycle: {reboot: now}}`)
	l.cycled(t, c, l.settle(t, c))
}

func rebootByHand(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{size: {cores: 4}}`)
	l.settle(t, c)
	want(t, c, "RebootPending", "True", "ChangesPending")

	// The provider looks and starts the VM in one turn, so that the function never sees it stopped. It errs on the safe side.
	l.touch(t, 160, Touch{Status: "stopped"})
	l.poll(t, c)
	want(t, c, "RebootPending", "True", "ChangesPending", "the provider missed it")

	edit(t, c, `{power: Unmanaged}`)
	l.poll(t, c)
	l.touch(t, 160, Touch{Status: "stopped"})
	l.poll(t, c)
	want(t, c, "RebootPending", "False", "NothingPending")
	l.touch(t, 160, Touch{Status: "running"})
	l.poll(t, c)
	want(t, c, "RebootPending", "False", "NothingPending")
}

func rebootOfStopped(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{power: Stopped}`)
	l.settle(t, c)
	edit(t, c, `{size: {cores: 4}, lifecycle: {reboot: now}}`)
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{power: Running}`)

	if stops, starts := cycles(l.settle(t, c)); stops != 0 || starts != 1 {
		t.Errorf("want one start, got %d stops, %d starts", stops, starts)
	}

	without(t, l.poll(t, c), "/status/")
}

func rebootTakenBack(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{lifecycle: {reboot: now}}`)

	for range maxRounds {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}

		if l.vm(t, 160).Status == "stopped" {
			break
		}
	}

	edit(t, c, `{lifecycle: null}`)
	l.settle(t, c)

	if vm := l.vm(t, 160); vm.Status != "running" {
		t.Error("the VM is left stopped")
	}
}

func rebootUnmanaged(t *testing.T, l *lab, c *Control) {
	t.Helper()
	edit(t, c, `{power: Unmanaged}`)
	l.settle(t, c)
	edit(t, c, `{lifecycle: {reboot: now}, size: {cores: 4}}`)
	l.cycled(t, c, l.settle(t, c))

	l.touch(t, 160, Touch{Status: "stopped"})
	without(t, l.poll(t, c), "/status/")
	edit(t, c, `{lifecycle: {reboot: again}}`)
	without(t, l.poll(t, c), "/status/start")
}

func rebootInterrupted(t *testing.T, l *lab, c *Control) {
	t.Helper()

	since := l.seq(t)
	edit(t, c, `{lifecycle: {reboot: now}}`)

	fault := Fault{Method: "POST", Path: "/status/start", Status: 500, Message: "got timeout"}
	if err := l.Simulator.AddFault(t.Context(), fault); err != nil {
		t.Fatal(err)
	}

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if err := l.Simulator.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}

	l.settle(t, c)

	if vm := l.vm(t, 160); vm.Status != "running" {
		t.Error("the VM is left stopped")
	}

	if stops, _ := cycles(l.writes(t, since)); stops != 1 {
		t.Errorf("want one stop, got:\n%s", l.writes(t, since))
	}
}
