package proxmox

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// ContainerKind is the kind of an LXC container.
const ContainerKind = "EnvironmentContainer"

// A Container is an LXC container.
type Container = Resource[ContainerParameters]

// ContainerParameters of a [Container], as far as the function decides about them. Of a container that exists, the provider's report carries
// the rest over.
//
// What the provider does with a change is in containerUpdate of bpg/terraform-provider-proxmox v0.111.1, proxmoxtf/resource/container/container.go:
// it restarts a container that is to run after any change of memory, initialization, networkInterface, mountPoint, devicePassthrough, console,
// environmentVariables or operatingSystem, and it destroys and creates a container for another number of mount points.
type ContainerParameters struct {
	NodeName    string   `json:"nodeName"`
	VMID        *int64   `json:"vmId,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags"` // Never nil: a list that is left out keeps the tags of before.
	PoolID      string   `json:"poolId,omitempty"`

	Started      bool      `json:"started"`
	StartOnBoot  bool      `json:"startOnBoot"`
	Startup      []Startup `json:"startup,omitempty"`
	Unprivileged bool      `json:"unprivileged"`
	// Protection is Proxmox's own option, with which it neither destroys the container nor removes its volumes. Nil where nobody says it, which is off.
	Protection *bool `json:"protection,omitempty"`

	OperatingSystem  []ContainerOS      `json:"operatingSystem,omitempty"`
	CPU              []ContainerCPU     `json:"cpu,omitempty"`
	Memory           []ContainerMemory  `json:"memory,omitempty"`
	Features         []ContainerFeature `json:"features,omitempty"`
	Disk             []RootFS           `json:"disk,omitempty"`
	MountPoint       []MountPoint       `json:"mountPoint,omitempty"`
	NetworkInterface []ContainerNIC     `json:"networkInterface,omitempty"`
	Initialization   []ContainerInit    `json:"initialization,omitempty"`
}

// ContainerOS is what a container was created from. The provider never reads TemplateFileID from Proxmox.
type ContainerOS struct {
	TemplateFileID string `json:"templateFileId,omitempty"`
	Type           string `json:"type,omitempty"`
}

// ContainerCPU of a container.
type ContainerCPU struct {
	Cores int64 `json:"cores"`
}

// ContainerMemory of a container, in MiB.
type ContainerMemory struct {
	Dedicated int64 `json:"dedicated"`
	Swap      int64 `json:"swap"`
}

// UnsetMemoryMiB is the memory of a container without settings, which the provider leaves out.
const UnsetMemoryMiB = 512

// MemoryMiB of a container.
func (p ContainerParameters) MemoryMiB() int64 {
	if len(p.Memory) == 0 {
		return UnsetMemoryMiB
	}

	return p.Memory[0].Dedicated
}

// DiskGiB of the root file system and all mount points together. A size that nobody can read counts nothing.
func (p ContainerParameters) DiskGiB() (out int64) {
	for _, d := range p.Disk {
		out += d.Size
	}

	for _, m := range p.MountPoint {
		out += mountGiB(m.Size)
	}

	return out
}

// mountGiB is the size of a mount point in GiB, of which a begun one counts. The provider reports the largest unit that fits, with two decimals: 1.5T for 1536G
// (bpg v0.111.1, proxmox/types/disk_size.go, FormatDiskSize).
func mountGiB(size string) int64 {
	digits := strings.TrimRight(size, "KMGT")

	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0 && n <= math.MaxInt32) { // Also what is no number.
		return 0
	}

	switch size[len(digits):] {
	case "T":
		n *= 1 << 10
	case "M":
		n /= 1 << 10
	case "K":
		n /= 1 << 20
	}

	return int64(math.Ceil(n))
}

// ContainerFeature is what a container may do beyond its own.
type ContainerFeature struct {
	Nesting bool `json:"nesting"`
}

// RootFS is the root file system of a container. Size is in GiB.
type RootFS struct {
	DatastoreID string `json:"datastoreId"`
	Size        int64  `json:"size"`
	// Replicate is Proxmox's own default; the provider's is false, which takes the volume out of replication.
	Replicate bool `json:"replicate"`
}

// A MountPoint of a container. Volume is a datastore, for a new volume; of a volume that exists it is the volume's own name.
type MountPoint struct {
	Path   string `json:"path"`
	Volume string `json:"volume"`
	Size   string `json:"size,omitempty"` // As 8G.
	Backup bool   `json:"backup"`
}

// A ContainerNIC is a network interface of a container.
type ContainerNIC struct {
	Name       string `json:"name"`
	Bridge     string `json:"bridge"`
	VLANID     int64  `json:"vlanId,omitempty"`
	MACAddress string `json:"macAddress,omitempty"`
	Firewall   bool   `json:"firewall"`
	MTU        int64  `json:"mtu,omitempty"`
}

// ContainerInit is what Proxmox configures in the guest: IPConfig has an entry per interface.
type ContainerInit struct {
	Hostname    string             `json:"hostname"`
	DNS         []DNS              `json:"dns,omitempty"`
	IPConfig    []IPConfig         `json:"ipConfig,omitempty"`
	UserAccount []ContainerAccount `json:"userAccount,omitempty"`
}

// A ContainerAccount is root. It never has a password.
type ContainerAccount struct {
	Keys []string `json:"keys"`
}

// An ObservedContainer is a container as it was found.
type ObservedContainer = Observed[ContainerParameters, ContainerObservation]

// ContainerObservation is what the provider reports of a container, beside its configuration.
type ContainerObservation struct {
	ID       string `json:"id"`
	NodeName string `json:"nodeName"`
	Started  bool   `json:"started"`
	// IPv4 and IPv6 have the first address of each interface, by the interface's name.
	IPv4 map[string]string `json:"ipv4"`
	IPv6 map[string]string `json:"ipv6"`

	// Parameters are the whole configuration that the provider has read; nil where there is no container.
	Parameters *FoundContainer `json:"-"`
}

// Addresses of the container's interfaces, by the interfaces' names, IPv4 before IPv6.
func (o ContainerObservation) Addresses() []string {
	var out []string

	for _, of := range []map[string]string{o.IPv4, o.IPv6} {
		names := make([]string, 0, len(of))
		for name := range of {
			names = append(names, name)
		}

		slices.Sort(names)

		for _, name := range names {
			if name != "lo" && of[name] != "" {
				out = append(out, of[name])
			}
		}
	}

	return out
}

// A FoundContainer is a container as the provider read it: with these parameters it stays as it is.
type FoundContainer struct {
	ContainerParameters

	// Rest is what the models do not know, ready to be written.
	Rest *structpb.Struct
}

// Hostname of a container, which is its name in Proxmox.
func (p ContainerParameters) Hostname() string {
	if len(p.Initialization) == 0 {
		return ""
	}

	return p.Initialization[0].Hostname
}

// readFoundContainer reads a container that the provider found. Nil without a container.
func readFoundContainer(atProvider *structpb.Struct) (*FoundContainer, error) {
	if atProvider.GetFields()["id"].GetStringValue() == "" {
		return nil, nil //nolint:nilnil // No container is no error.
	}

	f := &FoundContainer{Rest: carried(atProvider)}
	if err := structcodec.Decode(atProvider, &f.ContainerParameters, structcodec.Text{}); err != nil {
		return nil, errors.Wrap(err, "status.atProvider")
	}

	if f.Tags == nil {
		f.Tags = []string{}
	}

	return f, nil
}

// carried is the report of a container in the form of forProvider: without what the provider finds out by itself, without its timeouts, and without
// what says nothing. A zero says something: a container without terminals has console[].ttyCount 0, and the provider's default is another one.
func carried(atProvider *structpb.Struct) *structpb.Struct {
	out := literal(atProvider)

	for name := range out.GetFields() {
		if slices.Contains([]string{"id", "ipv4", "ipv6"}, name) || strings.HasPrefix(name, "timeout") {
			delete(out.GetFields(), name)
		}
	}

	for _, name := range []string{"disk", "mountPoint"} {
		for _, v := range out.GetFields()[name].GetListValue().GetValues() {
			delete(v.GetStructValue().GetFields(), "pathInDatastore")
		}
	}

	// Proxmox has a weight of its own where nobody set one, and the plugin refuses the 0 that it reports then.
	for _, v := range out.GetFields()["cpu"].GetListValue().GetValues() {
		if cpu := v.GetStructValue().GetFields(); cpu["units"].GetNumberValue() == 0 {
			delete(cpu, "units")
		}
	}

	return out
}

// literal is an object with every string escaped, and without what is empty.
func literal(s *structpb.Struct) *structpb.Struct {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(s.GetFields()))}

	for name, v := range s.GetFields() {
		if v = literalOf(v); v != nil {
			out.Fields[name] = v
		}
	}

	return out
}

// literalOf a value; nil where it is empty.
func literalOf(v *structpb.Value) *structpb.Value {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		if k.StringValue != "" {
			return structpb.NewStringValue(Escape(k.StringValue))
		}
	case *structpb.Value_NumberValue, *structpb.Value_BoolValue:
		return v
	case *structpb.Value_StructValue:
		if s := literal(k.StructValue); len(s.GetFields()) > 0 {
			return structpb.NewStructValue(s)
		}
	case *structpb.Value_ListValue:
		list := &structpb.ListValue{}

		// Places in a list mean something, so an element that is empty stays.
		for _, e := range k.ListValue.GetValues() {
			if l := literalOf(e); l != nil {
				e = l
			}

			list.Values = append(list.Values, e)
		}

		if len(list.GetValues()) > 0 {
			return structpb.NewListValue(list)
		}
	}

	return nil
}

// ObserveContainer reads a container.
func ObserveContainer(object *structpb.Struct) (ObservedContainer, error) {
	o, err := observe[ContainerParameters, ContainerObservation](object)
	if err != nil {
		return o, err
	}

	// The external name of an import tells a VMID check from a container of ours, even if somebody removed the policies.
	if strings.Contains(o.Metadata.ExternalName(), "/") {
		o.Spec.ManagementPolicies = ObserveOnly()
	}

	putBack(&o, o.Status.AtProvider.ID, false)

	o.Spec.Rest = object.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue()
	o.Status.AtProvider.Parameters, err = readFoundContainer(object.GetFields()["status"].GetStructValue().GetFields()["atProvider"].GetStructValue())

	return o, err
}

// VMIDOfContainer is a container's VMID, or the one that is looked for; 0 where nobody knows it.
func VMIDOfContainer(c ObservedContainer) int64 {
	if id := c.Spec.ForProvider.VMID; id != nil {
		return *id
	}

	id, err := strconv.ParseInt(c.Metadata.ExternalName(), 10, 64)
	if err != nil {
		return 0
	}

	return id
}

// NewContainer makes the managed resource of a container.
func NewContainer(f Flavour, pc ProviderConfig, m Metadata, d Deletion, p ContainerParameters) Container {
	return Container{
		APIVersion: f.ContainerAPIVersion(), Kind: ContainerKind, Metadata: m,
		Spec: Spec[ContainerParameters]{ManagementPolicies: Policies(d), ProviderConfigRef: f.Ref(pc), ForProvider: p},
	}
}
