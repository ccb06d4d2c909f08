package properties

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// hardwareFaults: what a claim can say of disks, memory, display and interfaces changes to what it says now, or, where it says nothing, back
// to the default of a machine that is not adopted. Nothing else changes it.
func hardwareFaults(m *world.Machine, o map[string]any, was, is map[string]any) []string {
	var out []string

	adopted := world.Annotation(o, proxmox.AdoptedAnnotation) != ""
	check := func(what string, before, after, said, byDefault any) {
		want := said
		if said == nil && !adopted {
			want = byDefault
		}

		if world.Compact(before) != world.Compact(after) && (want == nil || world.Compact(after) != world.Compact(want)) {
			out = append(out, fmt.Sprintf("%s is %v and was %v, and the claim says %v", what, after, before, said))
		}
	}

	spec := m.Spec()

	check("vga", only(was["vga"])["type"], only(is["vga"])["type"], world.Object(spec["vga"])["type"], "std")

	if world.Object(spec["size"])["memoryFloor"] == nil {
		check("floating memory", only(was["memory"])["floating"], only(is["memory"])["floating"], nil, 0)
	}

	before, after := byKey(was["disk"], "interface"), byKey(is["disk"], "interface")

	for address, old := range before {
		next, ok := after[address]
		if !ok {
			continue
		}

		said := world.Object(spec["bootDisk"])
		if old["serial"] != nil {
			said = byKey(spec["disks"], "name")[fmt.Sprint(old["serial"])]
		}

		var discard any
		if on, ok := said["discard"].(bool); ok {
			discard = map[bool]string{true: "on", false: "ignore"}[on]
		}

		check("disk "+address+": discard", old["discard"], next["discard"], discard, "on")
		check("disk "+address+": ssd", old["ssd"], next["ssd"], said["ssd"], !strings.HasPrefix(address, "virtio"))
	}

	said := append([]any{spec["network"]}, world.List(spec["nics"])...)

	for i, old := range world.List(was["networkDevice"]) {
		next := world.At(world.List(is["networkDevice"]), i)
		if next == nil {
			continue
		}

		claimed := world.Object(world.At(said, i))

		// A firewall that is on has the switches of all interfaces that do not say otherwise, also the default that the VM was made with.
		behind := claimed["firewall"]
		walled := spec["firewall"] != nil && world.Object(spec["firewall"])["enabled"] != false ||
			spec["firewall"] == nil && world.Annotation(o, proxmox.FirewallDefaultAnnotation) != ""

		if behind == nil && walled {
			behind = true
		}

		check(fmt.Sprintf("net%d: firewall", i), world.Object(old)["firewall"], world.Object(next)["firewall"], behind, false)

		// The default is not written.
		if mtu := world.Object(next)["mtu"]; mtu != nil || adopted {
			check(fmt.Sprintf("net%d: mtu", i), world.Object(old)["mtu"], mtu, claimed["mtu"], nil)
		}
	}

	return out
}
