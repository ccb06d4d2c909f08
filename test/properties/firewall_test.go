package properties

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// firewall of a VM.
func (d draw) firewall(k3sRole string) map[string]any {
	out := map[string]any{}
	d.maybe(out, 30, "enabled", d.chance(60))
	d.maybe(out, 30, "log", pick(d, "info", "nolog"))

	switch {
	case k3sRole == "":
		d.maybe(out, 60, "preset", pick(d, "ssh", "none", "k3s-agent"))
	case d.chance(70):
		out["preset"] = "k3s-" + k3sRole
	default:
		return out // A node with rules needs the preset.
	}

	if d.chance(50) {
		out["allow"] = some[any](d,
			map[string]any{"port": "30000-32767", "protocol": "udp", "from": "2001:db8::/32", "comment": "web ${x} %{y}"},
			map[string]any{"port": 80, "from": "192.168.4.0/24"}, map[string]any{"group": "web"})
	}

	return out
}

func isFirewall(o map[string]any) bool {
	return o["kind"] == world.FirewallOptionsKind || o["kind"] == world.FirewallRulesKind
}

// firewallFaults: a firewall stays with its VM, and nothing is deleted while it depends on it.
func firewallFaults(m *world.Machine, o, d map[string]any) []string {
	var out []string

	was, is := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(d["spec"])["forProvider"])
	if world.Compact(was["vmId"]) != world.Compact(is["vmId"]) {
		out = append(out, fmt.Sprintf("vmId is %v and was %v", is["vmId"], was["vmId"]))
	}

	if was, is := world.Compact(world.Object(o["spec"])["providerConfigRef"]), world.Compact(world.Object(d["spec"])["providerConfigRef"]); was != is {
		out = append(out, fmt.Sprintf("providerConfigRef is %s and was %s", is, was))
	}

	deletes := strings.Contains(world.Policies(d), "Delete")
	if id, _ := was["vmId"].(float64); deletes && (o["kind"] != world.FirewallRulesKind || m.Proxmox.Firewalls[int(id)].Drops()) {
		out = append(out, "may be deleted in Proxmox while the firewall depends on it: "+world.Policies(d))
	}

	return out
}

// mayDropFirewall says whether a managed resource of a firewall may go: with its VM, or once nothing depends on it.
func mayDropFirewall(m *world.Machine, rsp *fnv1.RunFunctionResponse, name string) bool {
	vm := proxmox.FirewalledVM(name)
	if _, stays := rsp.GetDesired().GetResources()[vm]; !stays {
		return true
	}

	id, _ := world.Object(world.Object(m.Observed[name]["spec"])["forProvider"])["vmId"].(float64)

	return !m.Proxmox.Firewalls[int(id)].Drops()
}
