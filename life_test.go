package main

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestALife of a machine from its number to its third VM is the same in every installation, whatever provider and Crossplane
// tell of themselves.
func TestALife(t *testing.T) {
	for _, in := range installations {
		for _, undated := range []bool{false, true} {
			for _, caps := range [][]fnv1.Capability{nil, capable} {
				t.Run(fmt.Sprintf("%s%t%d", in.name, undated, len(caps)), func(t *testing.T) {
					l := newLab(t, worldIn(t, "nixos/dns01", in))
					l.undated, l.caps = undated, caps
					l.live()
				})
			}
		}
	}
}

// live a whole life.
func (l *lab) live() {
	l.t.Helper()

	spec := specOf(l.world)
	well := func(done ...string) {
		l.t.Helper()
		l.says(l.rest(), map[string]string{
			"SpecValid": "Valid", "MachineReady": "Running", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending", "ProviderHealthy": "NoError",
		})
		l.did(done...)
	}

	// Its number is somebody's, and another one is free.
	l.pve.foreign(153, handMade(l.t))
	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberTaken"})

	object(spec["proxmox"])["vmId"] = 154.0
	well("make 154")

	// It grows, at once and with a reboot.
	spec["size"] = map[string]any{"disk": "60Gi"}
	well("change disk of 154")

	spec["size"] = map[string]any{"disk": "60Gi", "cores": 6}
	l.says(l.rest(), map[string]string{"RebootPending": "ChangesPending"})
	l.lifecycle("reboot", "first")
	well("change cpu of 154", "stop 154", "start 154")

	// It is kept, stopped and started.
	spec["protection"] = true
	spec["power"] = "Stopped"
	l.says(l.rest(), map[string]string{"MachineReady": "Stopped"})
	spec["power"] = "Running"
	well("stop 154", "start 154")

	// It is moved by somebody, and fails for a while.
	l.pve.vms[154].config["nodeName"] = "pve2"
	l.rest()
	l.fails["vm"] = refused
	l.rest()
	clear(l.fails)

	object(spec["proxmox"])["node"] = "pve2"
	l.catalog = object(runtimeCopy(l.catalog))
	nodes := object(object(object(object(l.catalog["data"])["sites"])["home"])["nodes"])
	nodes["pve2"] = nodes["pve"]

	well()

	// It is replaced twice, once on another node.
	l.replace("second")
	object(spec["proxmox"])["vmId"] = 155.0
	object(spec["proxmox"])["node"] = "pve"
	well("change onBoot of 154", "stop 154", "make 155", "destroy 154")

	l.replace("third")
	delete(object(spec["proxmox"]), "vmId")
	well("change onBoot of 155", "stop 155", "make 100", "destroy 155")

	last := l.rest()
	if a := annotationsOf(last, vmNames(last)[0]); a[proxmox.ReplaceTriggersAnnotation] != "second,third" {
		l.t.Errorf("words %v", a)
	}

	if n := len(names(last)); n != 4 {
		l.t.Errorf("composed resources %v", names(last))
	}

	// Nobody ever touched the other one.
	if g := l.pve.vms[153]; g.owner != "" || g.config["name"] != "nas" {
		l.t.Errorf("the other VM: %v", g)
	}
}
