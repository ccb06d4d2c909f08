package installation

import (
	"net/http"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A firewallList is one of the lists of names of a datacenter's firewall.
type firewallList struct {
	kind catalog.Kind
	path string
	// called is what people call an entry, and makes begins the command that makes one.
	called, makes, ends string
}

// firewallLists are those of the catalogue. Anybody with a token may read the security groups; IP sets and aliases take Sys.Audit on /, which nothing else of a
// machine needs (pve-firewall 6f1311f, src/PVE/API2/Firewall/Groups.pm and src/PVE/Firewall.pm, rules_audit_permissions).
func firewallLists() []firewallList {
	return []firewallList{
		{catalog.KindGroup, "/cluster/firewall/groups", "security group", "pvesh create /cluster/firewall/groups --group ", ""},
		{catalog.KindIPSet, "/cluster/firewall/ipset", "IP set", "pvesh create /cluster/firewall/ipset --name ", ""},
		{catalog.KindAlias, "/cluster/firewall/aliases", "alias", "pvesh create /cluster/firewall/aliases --name ", " --cidr ADDRESS"},
	}
}

// firewall compares the names of the datacenter's firewall that the catalogue lists with those that there are: Proxmox takes a rule with a name that is not
// there, and opens nothing for it.
func (t *trial) firewall(name string, site catalog.Site) (out []Finding) {
	for _, list := range firewallLists() {
		wanted, key := catalog.NamesOf(list.kind, site.Firewall)
		if len(wanted) == 0 {
			continue
		}

		at := "site " + message.Excerpt(name) + ": "

		var there []struct {
			Group string `json:"group"`
			Name  string `json:"name"`
		}

		answer := t.cluster.Proxmox(t.connection, list.path)
		if answer.Failure == "" && answer.Status == http.StatusForbidden {
			out = append(out, Finding{
				checkProxmox, Unknown, at + "the token may not read sites." + message.Excerpt(name) + ".firewall." + key + " of the datacenter's firewall, and need not",
				"pvesh get " + list.path + " on a node lists what there is",
			})

			continue
		}

		if found := t.judge(answer, list.path, &there); found != nil {
			out = append(out, *found)
			continue
		}

		var names []string
		for _, entry := range there {
			names = append(names, entry.Group+entry.Name)
		}

		for _, n := range wanted {
			if !slices.Contains(names, n) {
				out = append(out, Finding{
					checkProxmox, Fault,
					at + "the datacenter's firewall has no " + list.called + " " + message.Excerpt(n) + ", which firewall." + key + " of the catalogue lists",
					list.makes + message.Excerpt(n) + list.ends + " on a node makes it: docs/outside.md has what goes into it",
				})
			}
		}
	}

	return out
}
