package properties

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
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
			map[string]any{"port": "443", "comment": "web ${x} %{y}"}, map[string]any{"port": 80, "from": "192.168.4.0/24"},
			map[string]any{"port": "30000-32767", "protocol": "udp", "from": "2001:db8::/32"})
	}

	return out
}

func isFirewall(o map[string]any) bool {
	return o["kind"] == fake.FirewallOptionsKind || o["kind"] == fake.FirewallRulesKind
}

// firewallFaults: a firewall stays with its VM, and nothing is deleted while it depends on it.
func firewallFaults(m *fake.Machine, o, d map[string]any) []string {
	var out []string

	was, is := fake.Object(fake.Object(o["spec"])["forProvider"]), fake.Object(fake.Object(d["spec"])["forProvider"])
	if fake.Compact(was["vmId"]) != fake.Compact(is["vmId"]) {
		out = append(out, fmt.Sprintf("vmId is %v and was %v", is["vmId"], was["vmId"]))
	}

	if was, is := fake.Compact(fake.Object(o["spec"])["providerConfigRef"]), fake.Compact(fake.Object(d["spec"])["providerConfigRef"]); was != is {
		out = append(out, fmt.Sprintf("providerConfigRef is %s and was %s", is, was))
	}

	deletes := strings.Contains(fake.Policies(d), "Delete")
	if id, _ := was["vmId"].(float64); deletes && (o["kind"] != fake.FirewallRulesKind || m.Proxmox.Firewalls[int(id)].Drops()) {
		out = append(out, "may be deleted in Proxmox while the firewall depends on it: "+fake.Policies(d))
	}

	return out
}

// mayDropFirewall says whether a managed resource of a firewall may go: with its VM, or once nothing depends on it.
func mayDropFirewall(m *fake.Machine, rsp *fnv1.RunFunctionResponse, name string) bool {
	vm := proxmox.FirewalledVM(name)
	if _, stays := rsp.GetDesired().GetResources()[vm]; !stays {
		return true
	}

	id, _ := fake.Object(fake.Object(m.Observed[name]["spec"])["forProvider"])["vmId"].(float64)

	return !m.Proxmox.Firewalls[int(id)].Drops()
}
