package properties

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// adoptionCount is how many adoptions are drawn: enough that each field of a VM changes in some.
const adoptionCount = 160

// announcedAs is what of a plan says that a field of the VM changes, by the beginnings of its lines.
var announcedAs = map[string][]string{
	"agent":             {"option agent"},
	"bios":              {"spec.firmware"},
	"bootOrder":         {"option boot"},
	"cpu":               {"spec.size.cores", "spec.size.cpuType", "option numa", "option sockets"},
	"description":       {"description"},
	"disk":              {"spec.size.disk", "spec.disks[", "spec.bootDisk", "spec.backup"},
	"firewall":          {"spec.firewall", "option firewall"},
	"hookScriptFileId":  {"option hookscript"},
	"hostpci":           {"spec.devices.pci"},
	"initialization":    {"option ciuser", "option ipconfig", "option nameserver", "option searchdomain", "option sshkeys", "option cicustom"},
	"memory":            {"spec.size.memory", "option balloon"},
	"name":              {"spec.hostname"},
	"networkDevice":     {"spec.proxmox.bridge", "spec.proxmox.vlan", "spec.network.mac", "spec.network.mtu", "spec.network.firewall", "spec.nics["},
	"nodeName":          {"spec.proxmox.node"},
	"onBoot":            {"spec.onBoot"},
	"poolId":            {"spec.proxmox.pool"},
	"started":           {"spec.power"},
	"startup":           {"spec.startup"},
	"tags":              {"spec.tags"},
	"usb":               {"spec.devices.usb"},
	"vga":               {"spec.vga"},
	"keyboardLayout":    {"option keyboard"},
	"tabletDevice":      {"option tablet"},
	"acpi":              {"option acpi"},
	"kvmArguments":      {"option args"},
	"operatingSystem":   {"option ostype"},
	"scsiHardware":      {"option scsihw"},
	"serialDevice":      {"spec.vga", "option serial"},
	"watchdog":          {"option watchdog"},
	"protection":        {"option protection"},
	"amdSev":            {"option amd-sev"},
	"numa":              {"option numa"},
	"rng":               {"option rng"},
	"smbios":            {"option smbios1"},
	"virtiofs":          {"option virtiofs"},
	"audioDevice":       {"option audio"},
	"efiDisk":           {"spec.firmware"},
	"tpmState":          {"spec.firmware"},
	"machine":           {"spec.firmware"},
	"cdrom":             {"option cdrom"},
	"template":          {"option template"},
	"hotplug":           {"option hotplug"},
	"migrate":           {"spec.proxmox.node"},
	"purgeOnDestroy":    nil,
	"rebootAfterUpdate": nil,
}

// TestAdoptions takes random VMs over by random claims, and compares what became of them in Proxmox with what was announced and approved: nothing comes
// unannounced, and what was announced comes.
func TestAdoptions(t *testing.T) {
	came := map[string]int{}

	for i := range uint64(adoptionCount) {
		d := newDraw(*seed, i+2<<32)
		p := d.pair(d.shape())
		p.adopts, p.taken, p.claimed, p.servers, p.takes, p.fails, p.handmade = true, []int{adoptedID}, nil, nil, 0, false, d.chance(50)
		p.first = withoutNumber(p.first)

		m := p.machine(t, compose.Answer)
		if m.Proxmox.VMs[adoptedID].Config["vmId"] == nil {
			continue // A VM like the second spec cannot be made.
		}

		// Half of them are stopped.
		if d.chance(50) {
			m.Proxmox.VMs[adoptedID].Config["started"] = false
		}

		rest(t, m, func(*fnv1.RunFunctionResponse) {})

		was := world.Object(world.Copy(m.Proxmox.VMs[adoptedID].Config))
		plan := world.Object(world.Object(m.Composite["status"])["adoption"])

		if !m.Approve() {
			continue // The claim has faults, or the VM cannot be adopted.
		}

		var announced []string
		for _, list := range []string{"changes", "reboots"} {
			for _, line := range world.List(plan[list]) {
				if text := fmt.Sprint(line); !strings.Contains(text, " or not set to ") { // It may be as it is to be.
					announced = append(announced, text)
				}
			}
		}

		rest(t, m, func(*fnv1.RunFunctionResponse) {})

		// Proxmox refuses to move it while it runs, and the provider writes nothing then.
		if runsWithDevices(m.Proxmox.VMs[adoptedID]) && slices.ContainsFunc(announced, func(l string) bool { return strings.HasPrefix(l, "spec.proxmox.node:") }) {
			continue
		}

		for _, fault := range unannounced(was, firewalled(m), announced, came) {
			t.Errorf("adoption %d (seed %d): %s\nannounced: %q\n%s", i, *seed, fault, announced, p)
		}
	}

	for _, field := range []string{"cpu", "disk", "firewall", "memory", "networkDevice", "nodeName", "poolId", "started", "startup", "tags"} {
		if came[field] == 0 {
			t.Errorf("no adoption changed %s: the random claims do not lead there", field)
		}
	}
}

// runsWithDevices says whether a VM runs that has devices of its Proxmox node.
func runsWithDevices(vm *world.VM) bool {
	return vm.Running != nil && len(world.List(vm.Config["hostpci"]))+len(world.List(vm.Config["usb"])) > 0
}

// firewalled is what the adopted VM is in Proxmox, with its firewall.
func firewalled(m *world.Machine) map[string]any {
	out := maps.Clone(m.Proxmox.VMs[adoptedID].Config)
	if f := m.Proxmox.Firewalls[adoptedID]; f != nil {
		out["firewall"] = map[string]any{"options": f.Options, "rules": f.Rules}
	}

	return out
}

// unannounced are the faults of an adoption. It counts what came.
func unannounced(was, is map[string]any, announced []string, came map[string]int) []string {
	var out []string

	left := slices.Clone(announced)

	for _, field := range world.UnionKeys(was, is) {
		lines := announcedAs[field]
		said := slices.ContainsFunc(announced, func(line string) bool { return beginsWithOneOf(line, lines) })

		if became(was[field], is[field]) {
			came[field]++

			if !said {
				out = append(out, fmt.Sprintf("%s became %s of %s, and was not announced", field, world.Compact(is[field]), world.Compact(was[field])))
			}

			left = slices.DeleteFunc(left, func(line string) bool { return beginsWithOneOf(line, lines) })
		}
	}

	for _, line := range left {
		out = append(out, "was announced, and did not come: "+line)
	}

	return out
}

func beginsWithOneOf(line string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(line, b) })
}

// became says whether a value is another one than before. What is not written any more, Proxmox keeps.
func became(was, is any) bool {
	switch now := is.(type) {
	case nil:
		return false
	case map[string]any:
		before := world.Object(was)
		for key, v := range now {
			if became(before[key], v) {
				return true
			}
		}

		return false
	case []any:
		before := world.List(was)
		if len(before) != len(now) {
			return true
		}

		for i := range now {
			if became(like(before, i, now[i]), now[i]) {
				return true
			}
		}

		return false
	}

	// What is not set is as good as the default.
	if was == nil && reflect.ValueOf(is).IsZero() {
		return false
	}

	return !reflect.DeepEqual(was, is)
}

// like is the item of a list that is the same one as another: the disk of the same interface, else the item of the same number.
func like(list []any, i int, item any) any {
	name := world.Object(item)["interface"]

	for _, other := range list {
		if name != nil && world.Object(other)["interface"] == name {
			return other
		}
	}

	return list[i]
}
