package proxmox

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// A Found is a VM that somebody else made, as the provider read it: with these parameters it stays as it is.
type Found struct {
	VMParameters

	// Rest is what the models do not know, ready to be written.
	Rest *structpb.Struct
	// Unset are options that the VM does not have, and that the parameters have at Proxmox's default: [OptionScsihw], [OptionOstype].
	Unset []string
	// Unsupported says why the provider could not keep such a VM as it is; empty where it can.
	Unsupported string
}

// Options of a VM in Proxmox, by their names there.
const (
	OptionScsihw = "scsihw"
	OptionOstype = "ostype"
)

// readFound reads a VM that the provider imported. Nil without a VM.
//
// The provider reports a VM in the shape of forProvider, but leaves out a block whose values are all its own defaults, and
// reports its switches, which are not the VM's, at their defaults. Everything that is not rendered again is taken away
// from the VM at the next change, or at once. All of this was seen with test/provider.
func readFound(atProvider *structpb.Struct) (*Found, error) {
	if atProvider.GetFields()["id"].GetStringValue() == "" {
		return nil, nil //nolint:nilnil // No VM is no error.
	}

	f := &Found{}

	p := &f.VMParameters
	if err := structcodec.Decode(atProvider, p, structcodec.Text{}); err != nil {
		return nil, errors.Wrap(err, "status.atProvider")
	}

	if len(p.CPU) == 0 {
		p.CPU = []CPU{{Cores: 1, Sockets: 1, Type: "qemu64"}}
	}

	if len(p.Memory) == 0 {
		p.Memory = []Memory{{Dedicated: 512}}
	}

	if len(p.OperatingSystem) == 0 || p.OperatingSystem[0].Type == "" {
		p.OperatingSystem = []OperatingSystem{{Type: "other"}}
		f.Unset = append(f.Unset, OptionOstype)
	}

	if p.ScsiHardware == "" {
		// Proxmox' own default. The provider's is another, and the guest may not find its disk behind it.
		p.ScsiHardware = "lsi"
		f.Unset = append(f.Unset, OptionScsihw)
	}

	p.TimeoutCreate = 0

	for i := range p.Disk {
		p.Disk[i].ImportFrom, p.Disk[i].FileID = "", ""
	}

	bootDiskFirst(p)

	f.Unsupported = Unsupported(p)
	f.Rest = rest(atProvider)

	for _, name := range reported {
		delete(f.Rest.GetFields(), name)
	}

	return f, nil
}

// Unsupported says why the provider cannot keep a VM as it is, and what to do; empty where it can. Each case was seen with
// test/provider: the provider would change the VM, or repeat the same change for ever.
func Unsupported(p *VMParameters) string {
	switch {
	case p.Template:
		return "It is a template, not a VM: to create a VM from it, name it in images of the catalogue, as template, remove spec.adopt, and set spec.image to that name."
	case slices.ContainsFunc(p.Disk, func(d Disk) bool { return d.DatastoreID == "" }):
		return "One of its disks is a disk of the node, passed through by its path, which the provider cannot manage: first move the data to a disk on a datastore."
	case sizeless(p.Disk) != "":
		return "The provider reports no size of its disk " + sizeless(p.Disk) + ", and could shrink or grow the disk. If the disk has less than 1 GiB, first grow " +
			"it: `qm disk resize <vmId> " + sizeless(p.Disk) + " 1G`. Else write its size into the configuration: `qm disk rescan --vmid <vmId>`."
	case slices.ContainsFunc(p.NetworkDevice, func(d NetworkDevice) bool { return d.Bridge == "" }):
		return "The numbers of its network interfaces have a gap (as in net0, net2), and the provider would add an interface there: first renumber them in Proxmox, from net0 on."
	case slices.ContainsFunc(p.SerialDevice, func(d SerialDevice) bool { return d.Device == "" }):
		return "The numbers of its serial ports have a gap (as in serial0, serial2), and the provider would add a port there: first renumber them in Proxmox, from serial0 on."
	}

	return ""
}

// sizeless names a disk whose size is not known; empty where all are. The provider counts in whole GiB.
func sizeless(disks []Disk) string {
	for _, d := range disks {
		if d.Size == 0 {
			return d.Interface
		}
	}

	return ""
}

// bootDiskFirst puts the disk that a VM boots from before the others, as we write them.
func bootDiskFirst(p *VMParameters) {
	rank := func(d Disk) int {
		if i := slices.Index(p.BootOrder, d.Interface); i >= 0 {
			return i
		}

		return len(p.BootOrder)
	}

	slices.SortStableFunc(p.Disk, func(a, b Disk) int { return rank(a) - rank(b) })
}

// reported are fields of a VM that the provider finds out by itself, and unwritten are fields, wherever they are, that only
// the root user of Proxmox may write, or that never converge.
var (
	reported  = []string{"id", "ipv4Addresses", "ipv6Addresses", "macAddresses", "networkInterfaceNames"} //nolint:gochecknoglobals // A constant table.
	unwritten = []string{"fileFormat", "upgrade"}                                                         //nolint:gochecknoglobals // A constant table.
)

// rest is a report without what is not to be written, and with every string literal.
func rest(s *structpb.Struct) *structpb.Struct {
	out := &structpb.Struct{Fields: map[string]*structpb.Value{}}

	for name, v := range s.GetFields() {
		// A disk of the node itself has a path and no datastore; the path of all others is the datastore's business.
		path := name == "pathInDatastore" && s.GetFields()["datastoreId"].GetStringValue() != ""
		// An interface has it for old times' sake; a watchdog or a sound card needs it.
		enabled := name == "enabled" && s.GetFields()["bridge"] != nil
		hugepages := name == "keepHugepages" && !v.GetBoolValue()

		if path || enabled || hugepages || slices.Contains(unwritten, name) || strings.HasPrefix(name, "timeout") {
			continue
		}

		if v = restOf(v); v != nil {
			out.Fields[name] = v
		}
	}

	return out
}

// restOf a value; nil where it says nothing.
func restOf(v *structpb.Value) *structpb.Value {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		if k.StringValue != "" {
			return structpb.NewStringValue(Escape(k.StringValue))
		}
	case *structpb.Value_NumberValue:
		if k.NumberValue != 0 {
			return v
		}
	case *structpb.Value_BoolValue:
		return v
	case *structpb.Value_StructValue:
		if s := rest(k.StructValue); len(s.GetFields()) > 0 {
			return structpb.NewStructValue(s)
		}
	case *structpb.Value_ListValue:
		// Places in a list mean something, so an element that says nothing stays.
		list := &structpb.ListValue{}

		for _, e := range k.ListValue.GetValues() {
			r := restOf(e)
			if r == nil {
				r = e
			}

			list.Values = append(list.Values, r)
		}

		if len(list.GetValues()) > 0 {
			return structpb.NewListValue(list)
		}
	}

	return nil
}
