package behaviour

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// withMAC is a machine with DHCP and a stable MAC address.
func withMAC(t *testing.T, in world.Installation, network string) *machine {
	t.Helper()

	m := exampleIn(t, "nixos/dns01", in)
	delete(world.Object(m.Spec()["proxmox"]), "vmId")
	m.Spec()["network"] = world.Object(world.FromYAML(t, network))

	return m
}

// mac is what was written for the machine's VM, and what Proxmox reports, in upper case.
func (m *machine) mac(name string) (written, reported string) {
	first := func(devices any) string {
		if all := world.List(devices); len(all) > 0 && world.Object(all[0])["macAddress"] != nil {
			return strings.ToUpper(fmt.Sprint(world.Object(all[0])["macAddress"]))
		}

		return ""
	}
	o := m.Observed[name]

	return first(world.Object(world.Object(o["spec"])["forProvider"])["networkDevice"]), first(world.Object(world.Object(o["status"])["atProvider"])["networkDevice"])
}

// vm is the composed resource name of the machine's only VM.
func (m *machine) vm() string {
	for _, name := range world.Keys(m.Observed) {
		if m.Observed[name]["kind"] == world.VMKind {
			return name
		}
	}

	m.t.Fatal("no VM")

	return ""
}

// TestAStableMACSurvives a replacement, and another claim of the same name.
func TestAStableMACSurvives(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := withMAC(t, in, "{dhcp: true, stableMAC: true}")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

			has, _ := m.mac(m.vm())
			if !regexp.MustCompile("^BC:24:11(:[0-9A-F]{2}){3}$").MatchString(has) {
				t.Errorf("got MAC address %q", has)
			}

			m.Proxmox.Done = nil
			m.replace("1")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

			if now, _ := m.mac(m.vm()); now != has {
				t.Errorf("had %s, has %s", has, now)
			}

			if stop, create := m.happened("stop"), m.happened("make"); stop < 0 || stop > create {
				t.Errorf("two VMs ran with one MAC address: %v", m.Proxmox.Done)
			}

			again := withMAC(t, in, "{dhcp: true, stableMAC: true}")
			again.Rest()

			if now, _ := again.mac(again.vm()); now != has {
				t.Errorf("another claim of the name has %s, want %s", now, has)
			}
		})
	}
}

// TestAMACOfProxmoxBecomesStable: the VM does not change, and the VM that replaces it has its MAC address.
func TestAMACOfProxmoxBecomesStable(t *testing.T) {
	m := withMAC(t, world.Installations[0], "{dhcp: true}")
	before := m.Rest()

	_, has := m.mac(m.vm())
	if has == "" {
		t.Fatal("Proxmox reports no MAC address")
	}

	m.Spec()["network"] = map[string]any{"dhcp": true, "stableMAC": true}
	m.only(before, m.Rest(), nil)

	m.replace("1")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

	if now, _ := m.mac(m.vm()); now != has {
		t.Errorf("had %s, has %s", has, now)
	}
}

// TestAnEditOfAStableMACIsRefused for a VM whose guest has its network by that MAC address, and the next VM has the other one.
func TestAnEditOfAStableMACIsRefused(t *testing.T) {
	m := withMAC(t, world.Installations[0], "{dhcp: true, stableMAC: true}")
	before := m.Rest()

	has, _ := m.mac(m.vm())

	m.Spec()["network"] = map[string]any{"dhcp": true, "mac": "BC:24:11:00:00:77"}
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

	if now, _ := m.mac(m.vm()); now != has {
		t.Errorf("the VM had %s, and has %s", has, now)
	}

	m.Spec()["network"] = map[string]any{"dhcp": true, "stableMAC": true}
	m.only(before, m.Rest(), nil)

	m.Spec()["network"] = map[string]any{"dhcp": true, "mac": "BC:24:11:00:00:77"}
	m.replace("1")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

	if now, _ := m.mac(m.vm()); now != "BC:24:11:00:00:77" {
		t.Errorf("the MAC address of the claim is not the new VM's: %s", now)
	}
}

// TestWithoutAStableMAC two VMs still run side by side.
func TestWithoutAStableMAC(t *testing.T) {
	m := withMAC(t, world.Installations[0], "{dhcp: true}")
	m.Rest()
	m.Proxmox.Done = nil
	m.replace("1")
	m.Rest()

	if stop, create := m.happened("stop"), m.happened("make"); create < 0 || stop >= 0 && stop < create {
		t.Errorf("the old VM does not run until the new one is ready: %v", m.Proxmox.Done)
	}
}

// TestTwoMachinesWithOneStableMAC: a warning says so, by the field that the person typed.
func TestTwoMachinesWithOneStableMAC(t *testing.T) {
	a := withMAC(t, world.Installations[0], "{dhcp: true, stableMAC: true}")
	a.Rest()

	has, _ := a.mac(a.vm())
	e := fake.ExampleNamed(t, "nixos/dns01")
	world.Object(e.Claim["metadata"])["name"] = "twin"

	b := a.beside(e.Machine(world.Installations[0]))
	delete(world.Object(b.Spec()["proxmox"]), "vmId")
	b.Spec()["network"] = map[string]any{"dhcp": true, "mac": has}
	b.lifecycle("force", "two-networks")
	b.Settle()

	c := a.Clone()
	c.Observed = map[string]map[string]any{}
	c.Neighbours = append(c.Neighbours, world.Object(world.Copy(b.Observed["vm"])))

	rsp := c.Call()
	said := world.Message(rsp, "MachineReady")

	// It is not made beside one that runs.
	if want := has + " of spec.network.stableMAC is the address of infra-machines/twin"; !strings.Contains(said, want) {
		t.Errorf("want a warning %q, got:\n%s", want, said)
	}
}
