package strict

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// synonyms are what other tools and people call a field, in lower case and without hyphens, and the fields that may be meant.
var synonyms = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	"cpu": {"cores"}, "vcpu": {"cores"}, "core": {"cores"}, "ram": {"memory"}, "mem": {"memory"}, "memorymb": {"memory"},
	"memorymib": {"memory"}, "id": {"vmId"}, "vm": {"vmId"}, "hostnode": {"node"}, "targetnode": {"node", "proxmoxNode"}, "nodename": {"node", "proxmoxNode"},
	"host": {"hostname", "node"}, "address": {"ip"}, "addr": {"ip"}, "ipaddress": {"ip"}, "ipaddr": {"ip"}, "ipv4": {"ip"}, "ip4": {"ip"},
	"ip6": {"ipv6"}, "gateway6": {"ipv6"}, "gw6": {"ipv6"},
	"prefix": {"cidr"}, "prefixlength": {"cidr"}, "netmask": {"cidr"}, "mask": {"cidr"}, "subnet": {"cidr"}, "gw": {"gateway"},
	"gateway4": {"gateway"}, "router": {"gateway"}, "nameserver": {"dns"}, "dnsserver": {"dns"}, "resolver": {"dns"},
	"searchdomain": {"domain"}, "user": {"adminUser"}, "username": {"adminUser"}, "ciuser": {"adminUser"}, "sshkey": {"sshAuthorizedKeys"},
	"sshpublickey": {"sshAuthorizedKeys"}, "key": {"sshAuthorizedKeys"}, "authorizedkey": {"sshAuthorizedKeys"},
	"datastore": {"storage", "datastores"}, "storageclas": {"storage"}, "mount": {"mountPath"}, "mountpoint": {"mountPath"},
	"fs": {"filesystem"}, "fstype": {"filesystem"}, "autostart": {"onBoot"}, "startonboot": {"onBoot"}, "cloudinit": {"userData"},
	"cloudconfig": {"userData"}, "interface": {"nics"}, "networkinterface": {"nics"}, "gpu": {"pci"}, "hostpci": {"pci"},
	"bio": {"firmware", "type"}, "vlanid": {"vlan"}, "vlantag": {"vlan"}, "tag": {"vlan"}, "node": {"proxmoxNode"}, "proxmox": {"proxmoxNode"},
	"flake": {"flakeRef"}, "template": {"image"}, "os": {"image"},
	"disksize": {"disk"}, "rootdisk": {"disk"}, "state": {"power"}, "agent": {"guestAgent"}, "qemuagent": {"guestAgent"},
	"macaddress": {"mac"}, "rule": {"allow"}, "restart": {"reboot"}, "balloon": {"memoryFloor"}, "ballooning": {"memoryFloor"}, "minmemory": {"memoryFloor"},
	"memorymin": {"memoryFloor"}, "floating": {"memoryFloor"}, "chipset": {"machine"}, "description": {"notes"}, "comment": {"notes"}, "display": {"vga"},
	"graphic": {"vga"}, "trim": {"discard"}, "prefixlen": {"cidr"},
	"replica": {"count"}, "number": {"count"}, "master": {"servers"}, "controlplane": {"servers"}, "worker": {"agents"}, "ctid": {"vmId"},
	"slaac": {"auto"}, "acceptra": {"auto"}, "autoconf": {"auto"}, "up": {"upDelaySeconds"}, "down": {"downDelaySeconds"}, "updelay": {"upDelaySeconds"},
	"downdelay": {"downDelaySeconds"}, "mp": {"disks"}, "volume": {"disks"}, "rootf": {"size", "disk"}, "cpulimit": {"cores"}, "ssdemulation": {"ssd"},
	"numcore": {"cores"}, "numcpu": {"cores"}, "memlimit": {"memory"}, "hdd": {"disk"}, "sourcenode": {"node"}, "sha256": {"checksum"}, "sha512": {"checksum"},
	"sha256sum": {"checksum"}, "clusterinit": {"init"}, "powerstate": {"power"}, "start": {"startTime", "power"}, "protected": {"deletionProtection"},
	"preventdestroy": {"deletionProtection"}, "containername": {"hostname"}, "vmname": {"hostname"}, "url": {"server"}, "provider": {"providerConfig"},
	"mountpath": {"path"}, "nodelabel": {"labels"}, "nodetaint": {"taints"}, "importid": {"adopt"},
	"newid": {"vmId"}, "box": {"image"}, "title": {"notes"}, "pubkey": {"sshAuthorizedKeys"}, "ostemplate": {"image"}, "privatenetwork": {"network"},
	"publicnetwork": {"network"}, "bridged": {"bridge"}, "from": {"startTime"}, "begin": {"startTime"}, "to": {"endTime"}, "until": {"endTime"}, "end": {"endTime"},
	"tz": {"timeZone"}, "hwaddr": {"mac"}, "weekday": {"days"}, "dayofweek": {"days"},
}

// meant is the end of the message on an unknown field: the field that was probably meant, here or elsewhere in the document, else the
// fields that there are. A field is named by its whole path, as the fault itself is: what is meant may be in another object.
func (d *decoder) meant(at *field.Path, name string, t structType) string {
	const ask = "did you mean "

	if same := message.Same(name, t.names()); same != "" {
		return ask + here(at, same) + "?"
	}

	for _, s := range synonyms[message.Plain(name)] {
		if t.byName[s] {
			return ask + here(at, s) + "?"
		}
	}

	// A right name in the wrong place is likelier than a typing error: node for proxmox.node, and not for notes. The type of a disk is not that of the display.
	ofItem := vague[message.Plain(name)] && strings.HasSuffix(at.String(), "]")
	if where := d.elsewhere(at, name); where != "" && !ofItem {
		return ask + where + "?"
	}

	if where := below(t, name); where != "" {
		return ask + here(at, where) + "?"
	}

	if near := message.Meant(name, t.names()); near != "" {
		return ask + here(at, near) + "?"
	}

	for _, s := range synonyms[message.Plain(name)] {
		if where := d.elsewhere(at, s); where != "" {
			return ask + where + "?"
		}
	}

	return message.ThereAre(message.SortNearest(t.names(), name))
}

// elsewhere is the path of a field of this name in another object of the document: of several the one with the shortest path. Empty
// where there is none, where the objects around it have names that people choose, and where the only one is a word of many meanings that an item of
// some list has: the name of a disk is not what somebody meant by the name of an interface.
func (d *decoder) elsewhere(at *field.Path, name string) string {
	best := ""

	var visit func(t reflect.Type, path string, depth int)

	visit = func(t reflect.Type, path string, depth int) {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}

		switch {
		case depth > 4:
		case t.Kind() == reflect.Slice:
			visit(t.Elem(), path+"[]", depth)
		case t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ UnmarshalJSON(b []byte) error }]()):
			for _, f := range describe(t).fields {
				p := path + "." + f.name
				plain := message.Plain(name)
				if message.Plain(f.name) == plain && (!strings.Contains(p, "[]") || !vague[plain]) && (best == "" || strings.Count(p, ".") < strings.Count(best, ".")) {
					best = p
				}

				visit(t.FieldByIndex(f.index).Type, p, depth+1)
			}
		}
	}

	if d.root == nil || strings.Contains(d.prefix, ": ") && at.String() != d.prefix {
		return "" // Of a catalogue, whose entries have names that people choose.
	}

	visit(d.root, inDocument(d.prefix), 0)

	return best
}

// below is a field of this name in one of an object's own objects, such as network.gateway for the gateway of a site; empty where none or several
// have it.
func below(t structType, name string) string {
	plain, found := message.Plain(name), ""

	for _, f := range t.fields {
		inside := f.of
		for inside.Kind() == reflect.Pointer {
			inside = inside.Elem()
		}

		if inside.Kind() != reflect.Struct || vague[plain] {
			continue
		}

		described := describe(inside)
		same := message.Same(name, described.names())

		switch {
		case same == "":
		case found != "":
			return ""
		default:
			found = f.name + "." + same
		}
	}

	return found
}

// here is the path in the document of a field of an object, or of one in an object in it.
func here(at *field.Path, name string) string {
	names := strings.Split(name, ".")
	for i, n := range names {
		names[i] = message.Key(n)
	}

	return inDocument(at.Child(names[0], names[1:]...).String())
}

// inDocument is a path without the document that it is of: data.sites of "EnvironmentConfig machine-catalog: data.sites".
func inDocument(path string) string {
	if _, below, ok := strings.Cut(path, ": "); ok {
		return below
	}

	return path
}

// vague are words that each object means something else by, in the form of [message.Plain].
var vague = map[string]bool{ //nolint:gochecknoglobals // A constant table.
	"name": true, "path": true, "type": true, "size": true, "key": true, "port": true, "from": true, "comment": true, "log": true, "storage": true,
	"filename": true, "group": true, "id": true, "interface": true, "format": true, "model": true,
}

// FieldNames are the fields of a structure, by their JSON names, in its order.
func FieldNames(v any) []string {
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	s := describe(t)

	return slices.Clone(s.names())
}
