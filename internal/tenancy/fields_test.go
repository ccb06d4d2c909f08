package tenancy

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// What a field of a claim reaches that is somebody else's, and what keeps a tenant from it. A field stands under the longest path of the table that it
// begins with, so that a new field of its own has to be stated, and one beside others in a part that is a tenant's own need not.
const (
	own        = "the claim's own machine, and nothing beside it"
	guest      = "the guest, in which the claim's author is root"
	namespace  = "objects of the claim's namespace"
	text       = "a text that is escaped where it is written"
	cluster    = "another team's K3s cluster: clusters"
	placeRule  = "nodes: pin and nodes"
	made       = "what the provider made for the claim, and nothing else: proxmoxSites"
	nodeUplink = "a NIC that no interface of the node uses: proxmoxSites; its tags are the bridge's, and a VLAN interface has a bridge and a tag of bridges"
	memberRule = "each node of a K3sCluster is judged as a K3sNode is"
)

var reaches = map[string]string{
	"class":                 "classes",
	"size":                  "limits and quota",
	"size.swap":             "the node's swap: limits.memory",
	"hostname":              "a name of others, as far as a DHCP server registers it: Proxmox has no rule for that",
	"image":                 "images and templates",
	"os":                    own,
	"role":                  text,
	"tags":                  "a tag tenant_* of others is refused",
	"power":                 own,
	"onBoot":                own,
	"startup":               "what others have on the node: startup",
	"network.bridge":        "bridges",
	"network.vlan":          "bridges",
	"network.ip":            "addresses, and clusters",
	"network.ipv6":          "addresses",
	"network.pool":          "addresses",
	"network.mac":           "mac",
	"network.stableMAC":     own,
	"network.dnsRecord":     "dns",
	"network.firewall":      "firewall: Required",
	"network.dhcp":          own,
	"network.cidr":          own,
	"network.gateway":       own,
	"network.dns":           guest,
	"network.domain":        guest,
	"network.searchDomains": guest,
	"network.mtu":           own,
	"nics.bridge":           "bridges",
	"nics.vlan":             "bridges",
	"nics.ip":               "addresses, and clusters",
	"nics.ipv6":             "addresses",
	"nics.mac":              "mac",
	"nics.firewall":         "firewall: Required",
	"nics.dhcp":             own,
	"nics.cidr":             own,
	"nics.gateway":          own,
	"nics.mtu":              own,
	"proxmox.site":          "sites",
	"proxmox.node":          placeRule,
	"proxmox.avoid":         placeRule,
	"proxmox.spread":        "a group of machines of the namespace",
	"proxmox.migrate":       "moves to proxmox.node: pin and nodes",
	"proxmox.storage":       "datastores",
	"proxmox.bridge":        "bridges",
	"proxmox.vlan":          "bridges",
	"proxmox.vmId":          "vmIds",
	"proxmox.pool":          "pool",
	"proxmox.protection":    own,
	"bootDisk":              own,
	"disks.storage":         "datastores",
	"disks.size":            "limits and quota",
	"disks":                 own,
	"firewall":              "firewall: Required",
	"firewall.allow.from":   "an IP set or an alias of the datacenter: firewall of the site",
	"firewall.allow.group":  "a security group of the datacenter: firewall of the site",
	"vga":                   own,
	"notes":                 text,
	"ha":                    "what others have on the node: ha",
	"devices.pci":           "pci",
	"devices.usb":           "usb",
	"firmware":              own,
	"features":              own,
	"unprivileged":          "privileged",
	"lifecycle":             own,
	"rollout":               "a group of machines of the namespace",
	"adopt":                 "adopt",
	"runsCrossplane":        own,
	"deletionProtection":    own,
	"deletionPolicy":        "a VM that stays is in no quota: deletion",
	"protection":            own,
	"bootstrap.snippets":    "snippets",
	"bootstrap.secrets":     namespace,
	"bootstrap":             guest,
	"nix":                   guest,
	"k3s.cluster":           cluster,
	"k3s.role":              cluster,
	"k3s.token.secretRef":   namespace,
	"k3s":                   guest,
}

var clusterReaches = map[string]string{
	"cluster":              cluster,
	"version":              own,
	"endpoint":             own,
	"token.secretRef":      namespace,
	"token":                guest,
	"joinToken.secretRef":  namespace,
	"joinToken":            guest,
	"servers.count":        "quota",
	"agents.count":         "quota",
	"servers.snapshots.s3": namespace,
	"servers.restore":      namespace,
	"servers":              memberRule,
	"agents":               memberRule,
	"nodes":                memberRule,
	"rollout":              own,
	"upgrade":              own,
	"deletionPolicy":       "VMs that stay are in no quota: deletion",
	"deletionProtection":   own,
}

var siteReaches = map[string]string{
	"proxmox.site":                    "sites",
	"nodes.bridges.name":              "nodes and bridges",
	"nodes.bridges.ports":             nodeUplink,
	"nodes.bridges.vlanAware":         "the tags of a machine are judged with the machine: bridges",
	"nodes.bridges.address":           "addresses, clusters, and bridges: it has no tag",
	"nodes.bridges.address6":          "addresses, clusters, and bridges: it has no tag",
	"nodes.bridges.mtu":               made,
	"nodes.bridges.comment":           text,
	"nodes.bridges.allowInterruption": made,
	"nodes.vlans.interface":           "nodes and bridges",
	"nodes.vlans.tag":                 "bridges",
	"nodes.vlans.address":             "addresses, and clusters",
	"nodes.vlans.address6":            "addresses, and clusters",
	"nodes.vlans.mtu":                 made,
	"nodes.vlans.comment":             text,
	"nodes.vlans.allowInterruption":   made,
	"pools.name":                      "pool",
	"pools.comment":                   text,
	"allowRemoval.interfaces":         made,
	"allowRemoval.pools":              made,
	"deletionPolicy":                  made,
}

// TestEveryFieldIsStated: a field of a claim states what of others it reaches, and which rule of a tenancy keeps a tenant from that. The rules themselves are
// held case by case in package resolve.
func TestEveryFieldIsStated(t *testing.T) {
	used := map[string]bool{}

	for _, kind := range []struct {
		name  string
		spec  any
		table map[string]string
	}{
		{"Machine", v1alpha1.MachineSpec{}, reaches},
		{"K3sNode", v1alpha1.K3sNodeSpec{}, reaches},
		{"Container", v1alpha1.ContainerSpec{}, reaches},
		{"K3sCluster", v1alpha1.K3sClusterSpec{}, clusterReaches},
		{"ProxmoxSite", v1alpha1.ProxmoxSiteSpec{}, siteReaches},
	} {
		for _, path := range leaves(reflect.TypeOf(kind.spec), "") {
			row := path
			for kind.table[row] == "" && row != "" {
				row = row[:max(strings.LastIndexByte(row, '.'), 0)]
			}

			if row == "" {
				t.Errorf("%s: nobody states what spec.%s reaches", kind.name, path)
			}

			// A part that has fields with a row of their own has all its fields in it, unless it is the claim's own as a whole.
			used[kind.name[:1]+row] = true
		}
	}

	for row := range reaches {
		if !used["M"+row] && !used["K"+row] && !used["C"+row] {
			t.Errorf("no claim has the field %s, which has a row", row)
		}
	}

	for row := range siteReaches {
		if !used["P"+row] {
			t.Errorf("no ProxmoxSite has the field %s, which has a row", row)
		}
	}
}

// leaves are the paths of all fields below a type, without the numbers of lists and the keys of maps.
func leaves(of reflect.Type, at string) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return leaves(of.Elem(), at)
	case reflect.Map:
		if of.Elem().Kind() != reflect.Interface {
			return leaves(of.Elem(), at)
		}
	case reflect.Struct:
		var out []string

		for f := range of.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			path := strings.TrimPrefix(at+"."+name, ".")

			if slices.Contains(strings.Split(options, ","), "inline") {
				path = at
			}

			out = append(out, leaves(f.Type, path)...)
		}

		if out != nil {
			return out
		}
	}

	return []string{at}
}
