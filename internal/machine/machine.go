// Package machine is the resolved machine: a claim with everything that its catalogue, the Input and the built-in values
// add to it. It holds data and no rules. Package resolve makes it, packages bootstrap and render read it.
package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Machine is one virtual machine in plain figures. Nothing in it is optional unless it says so: defaults are applied,
// names are looked up, quantities are whole numbers in the unit of their name.
type Machine struct {
	Identity Identity

	Hostname string // As claimed: the VM's name in Proxmox. Lower case DNS name.
	Domain   string // First search domain of the guest, which completes the host name; empty where there is none.
	// SearchDomains are those after Domain.
	SearchDomains []string `json:",omitempty"`

	// DNSRecord is the name that external-dns points to the VM's addresses; empty for none. No part of a plan to approve.
	DNSRecord string `json:",omitempty"`
	Role      string // Empty where there is none.
	Tags      []string

	Class     string
	Cores     int64
	CPUType   string // As Proxmox spells it, for instance x86-64-v2-AES.
	MemoryMiB int64
	// MemoryFloorMiB is what ballooning leaves the VM; 0: no ballooning, or that of an adopted VM whose claim does not say it.
	MemoryFloorMiB int64
	VGA            string // As Proxmox spells it; empty for an adopted VM whose claim does not say it.
	Notes          string // Trimmed; empty where there are none.

	Boot  Boot
	Disks []Disk // Data disks, in the order of the claim; never the boot disk.
	NICs  []NIC  // The first one is the claim's network.
	DNS   []string
	// Firewall is nil where the claim has none.
	Firewall *Firewall `json:",omitempty"`
	PCI      []string  // Names of resource mappings.
	USB      []string
	// Firmware is nil for a clone whose firmware is its template's. Where a clone's is said, an empty chipset is the template's.
	Firmware *v1alpha1.Firmware

	Power          v1alpha1.Power
	OnBoot         bool
	Startup        *v1alpha1.Startup // Nil where the claim has none.
	DeletionPolicy v1alpha1.DeletionPolicy
	Protection     bool                     // Whether deleting the claim is to fail.
	RunsCrossplane bool                     `json:",omitempty"` // Whether the claim says that Crossplane runs on the VM. No part of a plan to approve.
	Lifecycle      v1alpha1.Lifecycle       // RebootPolicy is never empty; Approval is OnRisk, Always or empty.
	Rollout        *v1alpha1.MachineRollout `json:",omitempty"` // Nil where the machine is in no group. No part of a plan to approve.
	Adopt          *v1alpha1.Adopt          // Nil where the claim adopts nothing.
	Unsaid         Unsaid                   // What an adopted VM keeps since the claim does not say it.
	PauseOnError   bool                     // Whether an error that no retry mends pauses its managed resource.
	HA             *HA                      `json:",omitempty"` // Nil where Proxmox's HA manager does not manage the VM.

	Placement Placement
	Access    Access
	Snippets  v1alpha1.Snippets
	// InstallAgent is the claim's word on the guest agent; nil leaves it to what the machine is.
	InstallAgent *bool
	// Silent: the guest does not report on itself.
	Silent   bool
	UserData string // The claim's own cloud-config; empty where there is none.
	Secrets  []SecretFile
	// SecretStore is where the guest fetches files from; nil where it fetches none.
	SecretStore *SecretStore `json:",omitempty"`

	// Kept is what the catalogue does not tell, and what the machine's VM keeps for that reason; empty for a machine without a VM.
	Kept []Kept
	// BuiltIn are the defaults, by JSON name, that no catalogue gives, sorted; nil where nobody can tell.
	BuiltIn []string
	// Overrides are the entries of a catalogue that the machine has under the name of a built-in one, as "classes.small", sorted; as "-classes.small", one
	// that came when it had the built-in one.
	Overrides []string `json:",omitempty"`
	// FirewallDefault is the default firewall of the catalogue that the guest is made with, as JSON, also where its claim has another one; empty: none.
	FirewallDefault string `json:"-"`
	// Typed are fields that the person typed in another place than the table of changes names them by, by the table's name.
	Typed map[string]string
	// Warnings are about fields that are valid and do not do what the person probably expects; sentences.
	Warnings []string

	Nix *Nix // Nil unless the machine converges from a flake.
	K3s *K3s // Nil unless the machine is a K3s node.
}

// HA is what Proxmox's HA manager does for a VM.
type HA struct {
	MaxRestart, MaxRelocate int64
	// Shared are the datastores that all nodes of the site see.
	Shared []string
}

// Unsaid are settings that the claim of an adopted VM does not say, so that the VM keeps its own. Of settings that are not among
// these, an empty value tells so.
type Unsaid struct {
	Node   bool
	OnBoot bool
	Backup bool // Of the boot disk.
	SSD    bool // Of the boot disk, whether the VM is adopted or not: the default depends on the interface that the VM's disk has.
}

// KeptFor are the faults for which the machine's VM keeps parts of its own; none for nil.
func (m *Machine) KeptFor() (out field.ErrorList) {
	if m == nil {
		return nil
	}

	for _, k := range m.Kept {
		out = append(out, k.Faults...)
	}

	return out
}

// A Kept part of a machine is as its VM has it, because the catalogue's entry for it is missing or faulty.
type Kept struct {
	Part   Part
	Faults field.ErrorList // Why the catalogue's entry cannot be used.
}

// A Part of a machine that comes from one entry of the catalogue.
type Part string

// The parts.
const (
	PartSize    Part = "size and CPU type"
	PartImage   Part = "image and firmware"
	PartSite    Part = "node, network and datastores"
	PartStorage Part = "datastores"
	PartBridge  Part = "network bridge and VLAN"
	PartSubnet  Part = "subnet"
	PartAccess  Part = "account and SSH keys"
	PartCluster Part = "K3s settings"
	PartToken   Part = "source of the K3s token"
	// PartFirewall is the whole own firewall: Proxmox takes its rules together.
	PartFirewall Part = "firewall"
	// PartProvider is all that the interfaces and pools of a ProxmoxSite have of the entry.
	PartProvider Part = "provider configuration"
)

// Keeps says whether a machine's VM keeps a part.
func (m *Machine) Keeps(parts ...Part) bool {
	return slices.ContainsFunc(m.Kept, func(k Kept) bool { return slices.Contains(parts, k.Part) })
}

// BootstrapUndetermined says whether nobody can tell what the claim's user-data would be, because an entry of the catalogue that it
// depends on is missing.
func (m *Machine) BootstrapUndetermined() bool {
	return slices.ContainsFunc(m.Kept, func(k Kept) bool {
		return !slices.Contains([]Part{PartSize, PartStorage, PartBridge, PartSubnet, PartFirewall}, k.Part)
	})
}

// An Identity tells machines apart.
type Identity struct {
	Kind      string // Machine or K3sNode, whichever generation the composite is of.
	Name      string // The claim's name, or the namespaced composite's.
	Namespace string // The namespace that the person works in; empty for a cluster scoped composite without a claim.
	Composite string // The composite's name.
	UID       string // The composite's UID; empty in a preview.
	Tenant    string // Empty where no label names one.
}

// Hash is a short hash of some parts that no other machine gets for the same parts: ten hexadecimal digits.
func (i Identity) Hash(parts ...string) string { return i.digest(parts)[:10] }

// LongHash is one of 128 bits, for names that nobody else's words may lead to: of shorter ones, somebody who chooses a part can find two alike.
func (i Identity) LongHash(parts ...string) string { return i.digest(parts)[:32] }

func (i Identity) digest(parts []string) string {
	h := sha256.New()

	owner := []string{i.UID}
	if i.UID == "" {
		owner = []string{i.Kind, i.Namespace, i.Name}
	}

	for _, p := range append(owner, parts...) {
		// Lengths keep parts apart, so that no two lists of parts are the same bytes.
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// UUID of one of the machine's VMs, by composed resource name. No VM of another machine has it, and neither has one of a machine
// of the same name before.
func (i Identity) UUID(vm string) string {
	owner := i.UID
	if owner == "" {
		owner = i.Kind + "/" + i.Namespace + "/" + i.Name
	}

	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("homelab.io/machine/"+owner+"/"+vm)).String()
}

// Origin is how the notes of a VM or container begin to say which claim it was made for, whichever Crossplane made it.
func (i Identity) Origin() string { return i.Kind + " " + i.scoped() + " (homelab.io" }

// Made says whether the notes of a VM or container say that it was made for the claim.
func (i Identity) Made(notes string) bool { return strings.Contains(notes, i.Origin()) }

// origins are the namespaces and names in notes, as [Identity.Origin] has them.
var origins = regexp.MustCompile(`(?:Machine|K3sNode|Container) (?:([a-z0-9-]+)/)?([a-z0-9.-]+) \(homelab\.io`)

// Origins are the claims, without their kind, for which the notes of a VM or container say that it was made.
func Origins(notes string) (out []Identity) {
	for _, found := range origins.FindAllStringSubmatch(notes, -1) {
		out = append(out, Identity{Namespace: found[1], Name: found[2]})
	}

	return out
}

// scoped is the machine's name, with its namespace where it has one.
func (i Identity) scoped() string {
	if i.Namespace == "" {
		return i.Name
	}

	return i.Namespace + "/" + i.Name
}

// Nameless of its composite, the identity is the same for a claim that comes back after its composite was deleted, or in another cluster.
func (i Identity) Nameless() Identity {
	return Identity{Kind: i.Kind, Namespace: i.Namespace, Name: i.Name}
}

// Number below n that a machine always gets for the same purpose.
func (i Identity) Number(purpose string, n uint64) uint64 {
	// Ten hexadecimal digits: always a number.
	h, err := strconv.ParseUint(i.Hash(purpose), 16, 64)
	if err != nil {
		return 0
	}

	return h % n
}

// MAC address of the machine's first interface that follows from its name alone: with the prefix of Proxmox's own, BC:24:11.
func (i Identity) MAC() string {
	sum := sha256.Sum256([]byte("homelab.io/mac/" + i.Kind + "/" + i.Namespace + "/" + i.Name))

	return fmt.Sprintf("BC:24:11:%02X:%02X:%02X", sum[0], sum[1], sum[2])
}

// Search is the guest's list of search domains as Proxmox has it: separated by blanks (get_dns_conf in src/PVE/QemuServer/Cloudinit.pm of
// qemu-server, verify_searchdomain_list in src/PVE/LXC.pm of pve-container). A site's domain may be in the claim, too.
func (m *Machine) Search() string {
	if len(m.SearchDomains) == 0 {
		return m.Domain
	}

	further := slices.DeleteFunc(slices.Clone(m.SearchDomains), func(d string) bool { return d == m.Domain })

	return strings.TrimSpace(m.Domain + " " + strings.Join(further, " "))
}

// FullHostname is the guest's full name: what was claimed where it has a dot, else with the domain.
func (m *Machine) FullHostname() string {
	if m.Domain == "" || strings.Contains(m.Hostname, ".") {
		return m.Hostname
	}

	return m.Hostname + "." + m.Domain
}

// A Placement says where the machine lives.
type Placement struct {
	Site               string // Empty without a catalogue.
	ProviderConfig     string
	ProviderConfigKind string // ProviderConfig or ClusterProviderConfig; only namespaced resources say it.
	Node               string
	Migrate            bool   // Whether a VM that is elsewhere is moved to Node.
	Pool               string // Empty where there is none.
	Spread             string // The group whose machines are kept apart; empty where there is none.
	// Reserves is what other machines have to see of this one, which has no VM yet.
	Reserves Reservation
	// Choice is why the function chose Node; nil where it did not, or where there is nothing to tell.
	Choice *Choice
	// Elsewhere says that the site has other nodes than the one that the VM is on.
	Elsewhere bool `json:"-"`
	// NoNode says that the site has no such node as the claim names for a VM or container that is on another one; empty where it has. The guest stays where it is,
	// and all else that the claim says takes effect.
	NoNode string `json:"-"`
	// Reconnected is where the catalogue says the provider's configuration of the site, if it is another one than the VM was made with; empty where the
	// VM has the site's, and where the claim names another site.
	Reconnected   string `json:"-"`
	VMID          int64  // The claim's; 0 where it says none.
	VMIDRange     *Range // The site's; nil where it has none.
	VMIDRangePath string // Where the catalogue says it, in messages.

	ImageDatastore   string // Where images are downloaded to.
	SnippetDatastore string // Where snippets are written to.
	// SnippetSource says how SnippetDatastore is known.
	SnippetSource SnippetSource `json:"SnippetsNamed"`
	DiskDatastore string        // The boot disk's; also of the EFI disk, the TPM state and the cloud-init drive.
}

// A SnippetSource says how the datastore for snippets is known.
type SnippetSource string

// The sources.
const (
	// SnippetsGuessed: no catalogue names the datastore, and Proxmox stores no snippets there unless somebody has enabled the content type.
	SnippetsGuessed SnippetSource = ""
	// SnippetsNamed: the catalogue names it.
	SnippetsNamed SnippetSource = "named"
	// SnippetsUnserved: the catalogue names it, and lists it without the content type.
	SnippetsUnserved SnippetSource = "unserved"
)

// MarshalJSON writes whether the catalogue names one that serves snippets, as in plans that a person approved already: their hashes are of a machine's JSON.
func (s SnippetSource) MarshalJSON() ([]byte, error) {
	return strconv.AppendBool(nil, s == SnippetsNamed), nil
}

// A Reservation is what other machines have to see of one that has no VM yet.
type Reservation string

// The reservations.
const (
	ReservesNothing Reservation = ""
	ReservesMemory  Reservation = "memory" // Nodes are chosen by their memory.
	ReservesSize    Reservation = "size"   // A tenant's: its quota counts memory, cores and disks, and other tenants' machines compare addresses.
)

// MarshalJSON writes whether there is one, as in plans that a person approved already: their hashes are of a machine's JSON.
func (r Reservation) MarshalJSON() ([]byte, error) {
	return strconv.AppendBool(nil, r != ReservesNothing), nil
}

// A Choice is the function's choice of a node.
type Choice struct {
	Reason string // One sentence, with the name of the node.
}

// A Range of VM numbers, both ends included.
type Range struct{ From, To int64 }

// Size is how many numbers the range has.
func (r Range) Size() int64 { return r.To - r.From + 1 }

// Has says whether a number is one of the range.
func (r Range) Has(number int64) bool { return r.From <= number && number <= r.To }

// A Source says what the boot disk is made from.
type Source string

// The sources of a boot disk.
const (
	SourceDownload Source = "Download" // A URL, downloaded to the image datastore and imported.
	SourceImport   Source = "Import"   // A volume on the node, imported.
	SourceDiskFile Source = "DiskFile" // A disk image kept as content type iso, imported over SSH by the provider.
	SourceClone    Source = "Clone"    // A template.
	SourceISO      Source = "ISO"      // An empty disk, and an installer in the CD drive.
)

// An OS is the family of a guest, as far as bootstrapping differs.
type OS string

// The families of guests.
const (
	OSDebian  OS = "debian"
	OSUbuntu  OS = "ubuntu"
	OSNixOS   OS = "nixos"
	OSLinux   OS = "linux"   // Any other Linux with cloud-init.
	OSWindows OS = "windows" // Windows 11 or Server 2022 and later.
	OSOther   OS = "other"
)

// CloudInitInterface is where the cloud-init drive is: the last SCSI address, clear of data disks. Not IDE, because the
// kernel of Debian's cloud image has no driver for the AHCI that IDE drives of a q35 machine sit on; cloud-init would
// never start.
const CloudInitInterface = "scsi30"

// A Boot is the boot disk and where it comes from.
type Boot struct {
	Image     string // The name, number or volume id that the claim asked for.
	Source    Source
	OS        OS
	DiskGiB   int64
	Backup    bool
	Cache     string // As the claim spells it: none, writeback, ...; empty for an adopted VM whose claim does not say it.
	Discard   *bool  // Nil for an adopted VM whose claim does not say it; so is SSD.
	SSD       *bool
	Interface string // Of the boot disk: scsi0, but for a template that has it elsewhere.

	Download *Download // Source Download only.
	Volume   string    // Sources Import, DiskFile and ISO: storage:type/file.
	Template *Template // Source Clone only.

	CloudInit    bool // Whether the image reads a cloud-init drive.
	GuestAgent   bool // Whether the image brings the QEMU guest agent.
	ConvergeUnit bool // NixOS: whether the image carries nix-gitops-apply.service.
}

// A Download is a cloud image behind a URL.
type Download struct {
	URL               string
	FileName          string // On the datastore.
	Checksum          string // Hexadecimal; empty where the catalogue has none.
	ChecksumAlgorithm string // As the provider spells it, for instance sha256; empty without a checksum.
}

// A Template is a VM template to clone.
type Template struct {
	VMID int64
	Node string // The node that the template is on; empty: the machine's own.
	// Unnamed says that the claim has the VMID itself, and that no image of the catalogue is this template.
	Unnamed bool
}

// A Disk is one data disk.
type Disk struct {
	Name      string
	SizeGiB   int64
	Datastore string
	Backup    bool
	Cache     string
	Discard   *bool // Nil for an adopted VM whose claim does not say it; so is SSD.
	SSD       *bool

	Filesystem string // ext4 or xfs; empty: the guest leaves the disk alone.
	MountPath  string // Absolute and clean; empty without a file system.
}

// Mounts are the data disks that the claim wants formatted and mounted, in the order of their paths: a path inside another one comes
// after it.
func (m *Machine) Mounts() []Disk {
	var out []Disk

	for _, d := range m.Disks {
		if d.Filesystem != "" {
			out = append(out, d)
		}
	}

	slices.SortFunc(out, func(a, b Disk) int { return strings.Compare(a.MountPath, b.MountPath) })

	return out
}

// DiskGiB of all disks together.
func (m *Machine) DiskGiB() int64 {
	out := m.Boot.DiskGiB
	for _, d := range m.Disks {
		out += d.SizeGiB
	}

	return out
}

// RendersUserData reports whether a field needs user-data that the function renders. NixOS sets up its own disks.
func (m *Machine) RendersUserData() bool {
	return m.Nix != nil || m.K3s != nil || m.UserData != "" || len(m.Secrets) > 0 || m.SecretStore != nil || m.Boot.OS != OSNixOS && len(m.Mounts()) > 0
}

// A NIC is one network interface.
type NIC struct {
	Bridge string
	VLAN   int64  // 0: untagged.
	MAC    string // Upper case; empty: Proxmox makes one up.
	// StableMAC says that the claim does not name MAC, but asks for the same one over replacements.
	StableMAC bool
	IPv4      Addressing
	IPv6      Addressing

	Firewall *bool // Nil for an adopted VM whose claim does not say it.
	MTU      int64 // 1: the bridge's; 0: Proxmox's default, or that of an adopted VM whose claim does not say it.
}

// A Method says how an interface gets its address of one family.
type Method string

// The methods of addressing.
const (
	MethodNone   Method = ""
	MethodDHCP   Method = "dhcp"
	MethodAuto   Method = "auto" // IPv6 only: router advertisements.
	MethodStatic Method = "static"
)

// An Addressing is how an interface gets its address of one family.
type Addressing struct {
	Method  Method
	Address string // Static only, without a prefix length.
	Prefix  int64  // Static only.
	Gateway string // Static only; empty: none.

	// Pool is nil unless the claim asks for an address of its site's pool.
	Pool *AddressPool
	// Refused is what the claim asks for in place of this, where only a new VM can have it; nil where there is nothing of the kind, and then without a trace in
	// JSON, of which the hashes of plans are made.
	Refused *Addressing `json:",omitempty"`
}

// An AddressPool is where a machine's IPv4 address comes from.
type AddressPool struct {
	// Ranges of the site, in the order of the catalogue. None where the machine has its address already.
	Ranges []AddressRange
	// Of is the pool of Cluster API's IPAM that the address is from, or is to be; zero for the function's own pools.
	Of   ipam.Pool
	Path string // Where the catalogue says it, in messages.
	// Except are addresses that are known to be in use, and not by machines: name servers, and what K3s clusters are reached at.
	Except []netip.Addr
}

// Pending says whether the address is still to be found in the pool.
func (a Addressing) Pending() bool {
	return a.Pool != nil && a.Method == MethodStatic && a.Address == ""
}

// String is the address with its prefix length, or the word for how the interface gets one; empty where it has none.
func (a Addressing) String() string {
	switch a.Method {
	case MethodStatic:
		return fmt.Sprintf("%s/%d", a.Address, a.Prefix)
	case MethodNone:
		return ""
	case MethodDHCP, MethodAuto:
	}

	return string(a.Method)
}

// Access is who may log in.
type Access struct {
	AdminUser         string
	SSHAuthorizedKeys []string // Trimmed, each on one line.
}

// A SecretFile is a file of the guest whose content is one key of a Secret in the machine's namespace.
type SecretFile struct {
	Secret, Key string
	Path        string // Absolute and clean.
	Mode        string // Octal, for instance 0600.
}

// A SecretStore is an OpenBao or Vault, and what the guest fetches from it.
type SecretStore struct {
	Address       string // https, without / at its end.
	CACertificate string // PEM. Empty: what the guest trusts.
	Namespace     string // Empty: none.
	Mount         string // Of the auth method.
	// A login with AppRole.
	RoleID       string
	SecretIDFile string
	Wrapped      bool // The file of the secret id has a wrapping token.
	// TLS is a login with a certificate; nil with AppRole.
	TLS     *CertificateLogin `json:",omitempty"`
	Refresh time.Duration     `json:",omitempty"` // Zero: never.
	Files   []StoredFile      // At least one; the K3s token is the last one.
}

// A CertificateLogin is a login to a secret store with a certificate.
type CertificateLogin struct {
	Role                     string // Empty: any.
	CertificateFile, KeyFile string
}

// LoginFiles are the files with which the guest logs in. Nothing else may write them.
func (s *SecretStore) LoginFiles() []string {
	if s.TLS != nil {
		return []string{s.TLS.CertificateFile, s.TLS.KeyFile}
	}

	return []string{s.SecretIDFile}
}

// WithoutFiles is the store without what is fetched from it.
func (s *SecretStore) WithoutFiles() *SecretStore {
	out := *s
	out.Files = nil

	return &out
}

// A StoredFile is a file of the guest whose content is a field of a secret in the secret store.
type StoredFile struct {
	Path                 string // Absolute and clean.
	Mount, Secret, Field string
	Mode                 string // Octal, for instance 0600.
	Owner                string // user:group.
	// Restart are the services that read the file.
	Restart []string `json:",omitempty"`
	// Once: a refresh leaves the file alone, as a K3s token.
	Once bool `json:",omitempty"`
}

// Nix says what a NixOS machine converges from.
type Nix struct {
	FlakeRef    string // With #name.
	Schedule    string // Empty: once.
	Reboot      string // never, kernel or always.
	HealthCheck string // Empty: none.
}

// A Proxy has the HTTP proxies of a node; empty where it has none.
type Proxy struct {
	HTTP, HTTPS string
	No          []string
}

// An Observation is how the function learns that a VM has become a node of its K3s cluster.
type Observation = catalogue.Observation

// The observations, as the catalogue spells them.
const (
	ObserveNone   = catalogue.ObserveNone
	ObserveHere   = catalogue.ObserveHere
	ObserveObject = catalogue.ObserveObject
)

// A ZoneLabel is what the zone label of a cluster's Nodes follows.
type ZoneLabel = catalogue.ZoneLabel

// The zone labels, as the catalogue spells them.
const (
	ZoneNone        = catalogue.ZoneNone
	ZoneProxmoxNode = catalogue.ZoneProxmoxNode
)

// A Drain is how the node of a machine is drained.
type Drain struct {
	// Outages says that the node is drained before each planned outage of its VM, too.
	Outages bool
	Image   string // Of kubectl. Empty: the built-in one.
	// TimeoutMinutes is how long the Job may evict pods. 0: the built-in default.
	TimeoutMinutes int64
}

// A SystemUpgrade says how system-upgrade-controller is installed in a cluster. Empty: the defaults of the controller's own manifests.
type SystemUpgrade struct{ Namespace, ServiceAccount, Image string }

// K3s says which node of which cluster a machine becomes.
type K3s struct {
	// Cluster is what the servers of the cluster find each other by: the value of a label. Empty: nobody knows them.
	Cluster string
	// ClusterName is what the claim calls a cluster that is no entry of the catalogue; else empty.
	ClusterName string
	// Former is the Cluster that the VM was made in, where the claim's is another one now; else empty.
	Former  string      `json:"-"`
	Observe Observation // Never empty.
	// NodesConfig is the name of the configuration of provider-kubernetes for the cluster's Nodes. Empty: the function composes no Objects.
	NodesConfig string
	// ZoneLabel is what the zone label of the Node follows. Empty, or None: the function writes none.
	ZoneLabel ZoneLabel `json:",omitempty"`
	// ProtectVolumes says that PersistentVolumes which live on the machine alone keep it from deletion.
	ProtectVolumes bool
	Drain          Drain
	// SystemUpgrade is how system-upgrade-controller upgrades the node in place; nil where nobody does.
	SystemUpgrade *SystemUpgrade
	ReadyWhen     v1alpha1.ReadyWhen // Never empty.
	NodeUID       string             // What a new VM labels its Node with; empty before it is known which VM that is.
	Role          v1alpha1.K3sRole
	// Etcd is where a server keeps the cluster's state. It is what its VM was made with, whatever claim and catalogue say now. Empty: an agent.
	Etcd      proxmox.Etcd `json:"-"`
	Init      bool
	Restore   string `json:",omitempty"` // The snapshot of etcd in S3 with which a first server begins. Empty: none.
	ServerURL string // Empty for a first server without one.
	Version   string
	Disable   []string
	TLSSANs   []string
	Labels    map[string]string
	Taints    []string
	Config    map[string]any
	// PodNetwork is the cluster-cidr of the node\'s cluster, which only servers have in Config. Nil: the default of K3s, IPv4.
	PodNetwork any

	InstallURL    string // Empty: the release's own script.
	InstallSHA256 string // Empty: not checked.
	ReleaseURL    string // The folder of all releases. Empty: the installer downloads K3s.
	BinarySHA256  string // Empty: that of the release's list.
	Proxy         Proxy

	TokenFile   string                 // Path in the guest that a pre-placed snippet fills; empty otherwise.
	TokenSecret *v1alpha1.SecretKeyRef // Nil unless the token comes from a Secret.
	TokenStored *v1alpha1.StoredSecret `json:",omitempty"` // Nil unless the guest fetches the token from a secret store.
	// TrustOnFirstUse says that the node may join with a short token, which does not name the cluster's CA.
	TrustOnFirstUse bool
}
