package provider

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// takenMoments are when somebody makes a VM with the VMID: before a round, or in it, between the look and the creation.
const takenRounds = 5

// TestSomebodyTakesTheNumber at every moment until the VM is there: such a VM is not changed, started, or destroyed with the claim.
func TestSomebodyTakesTheNumber(t *testing.T) {
	kinds := map[string]string{
		"Image":    `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`,
		"UserData": `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`,
		"Blank":    `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, image: installer}`,
		"Clone":    `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, image: nixos}`,
	}

	for kind, spec := range kinds {
		for round := range takenRounds {
			for _, within := range []bool{false, true} {
				t.Run(fmt.Sprint(kind, "/", round, within), func(t *testing.T) {
					t.Parallel()
					take(t, spec, kind, round, within)
				})
			}
		}
	}
}

func take(t *testing.T, spec, kind string, round int, within bool) {
	t.Helper()

	l := newLab(t)
	c := l.machine(t, "app01", spec)
	c.Hasty = true

	since, before, raced := 0, VM{}, false

	somebody := func() {
		if since != 0 || l.vm(t, 160).Config != nil {
			return
		}

		// Its boot disk is smaller than the one of the claim.
		l.foreign(t, 160, "pve", map[string]string{"scsi0": "local-lvm:2"})
		l.touch(t, 160, Touch{Status: "stopped"})
		before, since = l.vm(t, 160), l.seq(t)
	}

	for n := range takenRounds {
		if n == round && !within {
			somebody()
		}

		l.BeforeCreate = nil
		if n == round && within {
			l.BeforeCreate = func(r Resource) {
				if r.Kind == KindVM && since == 0 {
					somebody()
					raced = true
				}
			}
		}

		// A clone into a VMID that is in use fails, and is tried again.
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	l.BeforeCreate = nil

	for range takenRounds {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if since == 0 {
		if vm := l.vm(t, 160); vm.Config["name"] != "app01" || vm.Status != "running" {
			t.Errorf("want VM 160 to run: %+v", vm)
		}

		return
	}

	want(t, c, "VMIDInUse", "True", "NumberTaken", "foreign")

	if !c.composed["vm"].resource.OnlyLooks() {
		t.Errorf("the VM may be changed: %v", c.composed["vm"].resource.Spec.ManagementPolicies)
	}

	c.MayDrop = true
	if err := c.Delete(t.Context()); err != nil {
		t.Error(err)
	}

	after, writes := l.vm(t, 160), l.writes(t, since)

	// What the provider does where somebody was faster by less than a second: it asks for the VMID, and grows the boot disk of
	// a VM with an image. Day two says so.
	if raced && kind != "Blank" && kind != "Clone" {
		before.Config, after.Config = maps.Clone(before.Config), maps.Clone(after.Config)
		delete(before.Config, "scsi0")
		delete(after.Config, "scsi0")
		without(t, writes, "/status/", "/config", "DELETE /nodes/pve/qemu")

		if fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("VM 160 changed: %v to %v", before, after)
		}

		return
	}

	if raced {
		without(t, writes, "/status/", "/config", "/resize", "DELETE /nodes/pve/qemu")

		writes = ""
	}

	unharmed(t, before, after, 160, writes)
}

// TestTheGap measures what is left between the provider's last look at a VMID and its creation. Between the two, the real provider
// writes its mark into the managed resource besides, and does not plan.
func TestTheGap(t *testing.T) {
	// The plugin starts for every run, as with the real provider.
	l := &lab{Bench: startBench(t, labCluster(), onNode("pve"))}
	l.Quick, l.function = true, startFunction(t)
	parse(t, labCatalogue, &l.catalogue.Object)

	c := l.machine(t, "app01", `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`)

	looked, began := 0, time.Time{}

	log := func() []Request {
		all, err := l.Simulator.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		return all
	}

	l.BeforeCreate = func(r Resource) {
		if r.Kind == KindVM {
			looked, began = len(log()), time.Now()
		}
	}

	for range takenRounds {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	for _, r := range log()[looked:] {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.Path, "/nodes/pve/qemu") {
			continue
		}

		// The simulator's clock has no date.
		at, err := time.Parse(time.DateOnly+" 15:04:05.000", began.UTC().Format(time.DateOnly)+" "+r.Time)
		if err != nil {
			t.Fatal(err)
		}

		t.Logf("Terraform takes %s from its start to the creation of the VM", at.Sub(began).Round(time.Millisecond))

		return
	}

	t.Error("no VM was created")
}
