package strict

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// synonyms are what other tools and people call a field, in lower case and without hyphens, and the fields that may be meant.
var synonyms = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	"cpu": {"cores"}, "vcpu": {"cores"}, "core": {"cores"}, "ram": {"memory"}, "mem": {"memory"}, "memorymb": {"memory"},
	"memorymib": {"memory"}, "id": {"vmId"}, "vm": {"vmId", "machines"}, "hostnode": {"node"},
	"targetnode": {"node", "proxmoxNode"}, "nodename": {"node", "proxmoxNode"},
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
	"macaddress": {"mac"}, "macaddr": {"mac"}, "hwaddr": {"mac"}, "hwaddres": {"mac"}, "ostype": {"os"}, "reclaimpolicy": {"deletionPolicy"},
	"targetstorage": {"storage"}, "storagepool": {"storage"}, "storageid": {"storage"}, "rule": {"allow"}, "restart": {"reboot"},
	"balloon": {"memoryFloor"}, "ballooning": {"memoryFloor"}, "minmemory": {"memoryFloor"},
	"memorymin": {"memoryFloor"}, "floating": {"memoryFloor"}, "chipset": {"machine"}, "description": {"notes"}, "comment": {"notes"}, "display": {"vga"},
	"graphic": {"vga"}, "trim": {"discard"}, "prefixlen": {"cidr"},
	"replica": {"count"}, "number": {"count"}, "master": {"servers"}, "controlplane": {"servers"}, "worker": {"agents"}, "ctid": {"vmId"},
	"slaac": {"auto"}, "acceptra": {"auto"}, "autoconf": {"auto"}, "up": {"upDelaySeconds"}, "down": {"downDelaySeconds"}, "updelay": {"upDelaySeconds"},
	"downdelay": {"downDelaySeconds"}, "mp": {"disks"}, "volume": {"disks"}, "rootf": {"size", "disk"}, "cpulimit": {"cores"}, "ssdemulation": {"ssd"},
	"numcore": {"cores"}, "numcpu": {"cores"}, "memlimit": {"memory"}, "hdd": {"disk"}, "sourcenode": {"node"}, "sha256": {"checksum"}, "sha512": {"checksum"},
	"sha256sum": {"checksum"}, "clusterinit": {"init"}, "powerstate": {"power"}, "start": {"startTime", "from", "power"}, "protected": {"deletionProtection"},
	"preventdestroy": {"deletionProtection"}, "containername": {"hostname"}, "vmname": {"hostname"}, "url": {"server"}, "provider": {"providerConfig"},
	"mountpath": {"path"}, "nodelabel": {"labels"}, "nodetaint": {"taints"}, "importid": {"adopt"},
	"newid": {"vmId"}, "box": {"image"}, "title": {"notes"}, "pubkey": {"sshAuthorizedKeys"}, "ostemplate": {"image"}, "privatenetwork": {"network"},
	"publicnetwork": {"network"}, "bridged": {"bridge"},
	"from": {"startTime"}, "begin": {"startTime"}, "to": {"endTime"}, "until": {"endTime"}, "end": {"endTime", "to"}, "min": {"from"}, "max": {"to"},
	"container": {"machines"}, "guest": {"machines"}, "instance": {"machines"}, "namespaceselector": {"namespaces"},
	"tz": {"timeZone"}, "weekday": {"days"}, "dayofweek": {"days"},
}

// A suggestion is a field that was probably meant, by its path in the document, and its type.
type suggestion struct {
	path string
	of   reflect.Type
}

// meant is the field that was probably meant by an unknown one, here or elsewhere in the document; without a path where nobody knows. A field is named by its
// whole path, as the fault itself is: what is meant may be in another object.
func (d *decoder) meant(at *field.Path, name string, t structType) suggestion {
	if same := message.Same(name, t.names()); same != "" {
		return suggestion{here(at, same), t.of(same)}
	}

	for _, s := range synonyms[message.Plain(name)] {
		if t.byName[s] {
			return suggestion{here(at, s), t.of(s)}
		}
	}

	// A right name in the wrong place is likelier than a typing error: node for proxmox.node, and not for notes. The type of a disk is not that of the display.
	ofItem := vague[message.Plain(name)] && strings.HasSuffix(at.String(), "]")
	if where := d.elsewhere(at, name); where.path != "" && !ofItem {
		return where
	}

	if where := below(t, name); where.path != "" {
		return suggestion{here(at, where.path), where.of}
	}

	if near := message.Meant(name, t.names()); near != "" {
		return suggestion{here(at, near), t.of(near)}
	}

	for _, s := range synonyms[message.Plain(name)] {
		if where := d.elsewhere(at, s); where.path != "" {
			return where
		}
	}

	return suggestion{}
}

// withB is an amount in bytes with their letter.
var withB = regexp.MustCompile(`^([0-9]+) ?([KMGT])i?[bB]$`)

// rest is what is wrong with the value of an unknown field where another one is meant, as the end of a sentence on the name and as faults of what is in the
// value: who has put the name right would read it then.
func (d *decoder) rest(typed *field.Path, s suggestion, value any) (string, field.ErrorList) {
	if value == nil || s.of == nil || strings.Contains(s.path, "[]") || secretName.MatchString(typed.String()) && !secretName.MatchString(s.path) {
		return "", nil
	}

	if text, _ := value.(string); withB.MatchString(text) && s.of.Name() == "Quantity" {
		return withB.ReplaceAllString(text, " Write ${1}${2}i"), nil
	}

	under := decoder{emptyAllowed: d.emptyAllowed, prefix: d.prefix, root: d.root}
	meant := field.NewPath(s.path)
	under.value(meant, value, reflect.New(s.of).Elem())

	var inside field.ErrorList

	for _, err := range under.faults {
		below, is := strings.CutPrefix(err.Field, s.path)

		switch {
		case is && below == "" && (strings.HasPrefix(err.Detail, "must") || err.Detail == message.TriggerRule):
			return " It " + err.Detail, nil
		case is && below != "":
			err.Origin = cmp.Or(err.Origin, originMeant+err.Field)
			err.Field = typed.String() + below
			inside = append(inside, err)
		}
	}

	if text, isText := value.(string); isText && s.of.Kind() == reflect.String && !oneOf(choicesOf(meant), text) {
		return " It must be " + choicesOf(meant), nil
	}

	return "", inside
}

// originMeant is before the path of what is meant by an unknown field in the value of another one.
const originMeant = "meant: "

// PathOf a fault's field by the names that are meant: of replicas in workers, that in agents.
func PathOf(err *field.Error) string {
	if path, is := strings.CutPrefix(err.Origin, originMeant); is {
		return path
	}

	return err.Field
}

// Explained leaves out what is wrong below a field of which somebody explains why it does not exist: it was judged as the value of another one.
func Explained(errs field.ErrorList) field.ErrorList {
	none := slices.DeleteFunc(slices.Clone(errs), func(err *field.Error) bool {
		return err.Type != field.ErrorTypeForbidden || !strings.HasPrefix(err.Detail, "unknown field") || strings.HasPrefix(err.Detail, "unknown field; ")
	})

	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return slices.ContainsFunc(none, func(is *field.Error) bool {
			return err != is && err.Field != is.Field && message.Within(err.Field, is.Field)
		})
	})
}

// elsewhere is the path of a field of this name in another object of the document: of several the one with the shortest path. Empty
// where there is none, where the objects around it have names that people choose, and where the only one is a word of many meanings that an item of
// some list has: the name of a disk is not what somebody meant by the name of an interface.
func (d *decoder) elsewhere(at *field.Path, name string) suggestion {
	var best suggestion

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
				shorter := best.path == "" || strings.Count(p, ".") < strings.Count(best.path, ".")

				if message.Plain(f.name) == plain && (!strings.Contains(p, "[]") || !vague[plain]) && shorter {
					best = suggestion{p, f.of}
				}

				visit(t.FieldByIndex(f.index).Type, p, depth+1)
			}
		}
	}

	if d.root == nil || strings.Contains(d.prefix, ": ") && at.String() != d.prefix {
		return suggestion{} // Of a catalogue, whose entries have names that people choose.
	}

	visit(d.root, inDocument(d.prefix), 0)

	return best
}

// below is a field of this name in one of an object's own objects, such as network.gateway for the gateway of a site; empty where none or several
// have it.
func below(t structType, name string) suggestion {
	plain, found := message.Plain(name), suggestion{}

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
		case found.path != "":
			return suggestion{}
		default:
			found = suggestion{f.name + "." + same, described.of(same)}
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

// HasField says whether a structure has a field at a path of JSON names, through objects, lists and pointers: disks[0].size of what has disks.
func HasField(v any, path string) bool {
	at := reflect.TypeOf(v)

	for part := range strings.SplitSeq(path, ".") {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
			at = at.Elem()
		}

		if at.Kind() != reflect.Struct {
			return false
		}

		name, _, _ := strings.Cut(part, "[")
		s := describe(at)

		if !slices.Contains(s.names(), name) {
			return false
		}

		at = s.of(name)
	}

	return true
}
