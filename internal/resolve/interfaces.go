package resolve

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// firstSlot is the place of the first interface on Proxmox' PCI bus, net0; that of net5 is 23: PVE::QemuServer::PCI.
const firstSlot = 18

var (
	// nameBySlot is how a guest names an interface by its place. Devices that are passed through have other places.
	nameBySlot = regexp.MustCompile(`\b(?:ens|enp[0-9]+s)(1[89]|2[0-3])\b`)
	// renames is what gives interfaces other names, or asks for them.
	renames = regexp.MustCompile(`set-name|\.link\b|net\.ifnames|ip link (?:add|set \S+ name)|altname`)
	// ofVPN is an interface that a program for private networks makes (k3s-io/k3s issues 4743 and 12436).
	ofVPN   = regexp.MustCompile(`^(?:tailscale|wg|tun|zt|netbird|nebula|wt)[a-z0-9]*$`)
	byOrder = regexp.MustCompile(`^eth([0-9]+)$`)
)

// interfaceNames warns of interfaces by a name that they do not have: the network configuration of the cloud-init drive names them eth0, eth1 and so on
// (PVE::QemuServer::Cloudinit), and cloud-init renames them by their MAC addresses. Nobody knows the names of other images.
func interfaceNames(g *given, n *notes, m *machine.Machine) {
	if !namesByOrder(m) || renames.MatchString(g.spec.Bootstrap.UserData) {
		return
	}

	for i, line := range strings.Split(g.spec.Bootstrap.UserData, "\n") {
		text, _, _ := strings.Cut(line, "#")

		if name := nameBySlot.FindString(text); name != "" {
			n.warn("spec.bootstrap.userData: line %d: the guest has no interface %s: cloud-init names those of spec.network and spec.nics eth0, eth1 and so on. Write %s.", i+1, name, insteadOf(name, m))
			return // One is enough to know it.
		}
	}
}

// namesByOrder says whether it is known that cloud-init names a new guest's interfaces eth0, eth1 and so on.
func namesByOrder(m *machine.Machine) bool {
	return m.Boot.CloudInit && m.Boot.OS.DefaultUser() != ""
}

// insteadOf is the name that an interface has in place of one by its slot.
func insteadOf(name string, m *machine.Machine) string {
	found := nameBySlot.FindStringSubmatch(name)
	slot, err := strconv.Atoi(found[1])

	if err != nil || slot-firstSlot >= len(m.NICs) {
		return "one of them"
	}

	return fmt.Sprintf("eth%d", slot-firstSlot)
}

// interfaceOfPods warns of an interface for flannel that the guest does not have, without which K3s does not start.
func interfaceOfPods(at *field.Path, g *given, n *notes, m *machine.Machine, config map[string]any) {
	name, _ := config["flannel-iface"].(string)
	order := byOrder.FindStringSubmatch(name)

	if !namesByOrder(m) || renames.MatchString(g.spec.Bootstrap.UserData) {
		return
	}

	switch {
	case nameBySlot.FindString(name) == name && name != "":
		n.warn("%s: the guest has no interface %s, and K3s does not start without it: cloud-init names those of spec.network and spec.nics eth0, eth1 and so on. Write %s.",
			at, message.Excerpt(name), insteadOf(name, m))
	case order != nil && len(m.NICs) > 0:
		if i, err := strconv.Atoi(order[1]); err == nil && i >= len(m.NICs) {
			n.warn("%s: the guest has no interface %s, and K3s does not start without it: the machine has %d, which begin with eth0. Add one to spec.nics, or name another one.",
				at, message.Excerpt(name), len(m.NICs))
		}
	case ofVPN.MatchString(name) && config["vpn-auth-file"] == nil && m.Boot.Source != machine.SourceClone && g.spec.Bootstrap.UserData == "" && g.spec.Bootstrap.Snippets.VendorData == "":
		n.warn("%s: the guest has %s once a VPN is set up, and K3s does not start without it: install the VPN in runcmd of spec.bootstrap.userData, which is over before K3s is installed, or have K3s set up "+
			"Tailscale itself, with vpn-auth-file in place of flannel-iface.", at, message.Excerpt(name))
	}
}
