package preview

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// describeContainer on indented lines.
func describeContainer(out *strings.Builder, o proxmox.ObservedContainer) {
	p := o.Spec.ForProvider

	if o.ObserveOnly() {
		fmt.Fprintf(out, "  container %s: the provider only looks whether it is there\n", o.Metadata.ExternalName())
		return
	}

	fmt.Fprintf(out, "  container %s on %s", o.Metadata.ExternalName(), p.NodeName)

	if len(p.CPU) > 0 && len(p.Memory) > 0 {
		fmt.Fprintf(out, ": %s", sizeOf(p.CPU[0].Cores, p.Memory[0].Dedicated))
	}

	if len(p.Disk) > 0 {
		fmt.Fprintf(out, ", %d GiB on %s", p.Disk[0].Size, p.Disk[0].DatastoreID)
	}

	if len(p.OperatingSystem) > 0 && p.OperatingSystem[0].TemplateFileID != "" {
		fmt.Fprintf(out, ", from %s", p.OperatingSystem[0].TemplateFileID)
	}

	if !p.Unprivileged {
		out.WriteString(", privileged")
	}

	fmt.Fprintln(out)

	for _, m := range p.MountPoint {
		text := m.Volume
		if m.Size != "" {
			text = strings.Replace(m.Size, "G", " GiB", 1) + " on " + m.Volume
		}

		fmt.Fprintf(out, "    mount point %s: %s\n", m.Path, text)
	}

	for i, n := range p.NetworkInterface {
		fmt.Fprintf(out, "    NIC %d: %s on %s", i, n.Name, n.Bridge)

		if n.VLANID != 0 {
			fmt.Fprintf(out, ", VLAN %d", n.VLANID)
		}

		if len(p.Initialization) > 0 && i < len(p.Initialization[0].IPConfig) {
			for _, a := range append(p.Initialization[0].IPConfig[i].IPv4, p.Initialization[0].IPConfig[i].IPv6...) {
				fmt.Fprintf(out, ", %s", a.Address)
			}
		}

		fmt.Fprintln(out)
	}
}
