package status

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Connection is the provider's configuration of a site, where it is another one than a VM or container was made with.
type Connection struct {
	Guest  string // VM or container.
	Has    string // The name of the configuration that the guest keeps.
	Shared string // The Proxmox cluster that both reach, as far as the catalogue says; empty where it says nothing.
}

// WayOut says what the change means for the guest, which needs no successor for it, and what to do.
func (c Connection) WayOut() string {
	has := quote(message.Text(c.Has))
	out := fmt.Sprintf("The site's providerConfig names another connection to Proxmox than the %s was made with. The %s keeps %s, and is managed through it: leave that configuration in place as long as there are "+
		"such %ss. No new %s is needed. To give existing ones other credentials, write the former name into the catalogue again, and change what is in the configuration. ", c.Guest, c.Guest, has, c.Guest, c.Guest)

	if c.Shared != "" {
		return out + fmt.Sprintf("Both reach Proxmox cluster %s, as the catalogue says: VMIDs, addresses and memory are counted together.", quote(message.Text(c.Shared)))
	}

	return out + fmt.Sprintf("If both reach one Proxmox cluster, say so: give this site and a site with %s the same name in proxmox. Otherwise they count as two clusters.", has)
}
