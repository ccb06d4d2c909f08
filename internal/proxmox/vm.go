package proxmox

import "strings"

// VMKind is the kind of a virtual machine.
const VMKind = "EnvironmentVM"

// A VM is a virtual machine.
type VM = Resource[VMParameters]

// VMParameters of a [VM]. A field without omitempty is always written, because the provider's own default bites or may
// change; a field that is omitted has a harmless default or is the template's business.
type VMParameters struct {
	NodeName    string   `json:"nodeName"`
	VMID        *int64   `json:"vmId,omitempty"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags"` // Never nil: a list that is left out keeps the tags of before.
	PoolID      string   `json:"poolId,omitempty"`

	Started    bool      `json:"started"`
	OnBoot     bool      `json:"onBoot"`
	Startup    []Startup `json:"startup,omitempty"`
	Protection bool      `json:"protection"`
	Template   bool      `json:"template"`

	// Reboot would power-cycle the VM once after it is made, RebootAfterUpdate whenever a change needs it.
	Reboot            bool `json:"reboot"`
	RebootAfterUpdate bool `json:"rebootAfterUpdate"`
	// Migrate true pulls a VM back that somebody moved.
	Migrate bool `json:"migrate"`
	// StopOnDestroy keeps a deletion from waiting half an hour for a guest that does not answer.
	StopOnDestroy bool `json:"stopOnDestroy"`
	// PurgeOnDestroy takes the VM out of backup jobs and HA. DeleteUnreferencedDisksOnDestroy would destroy disks that
	// belong to nobody any more but carry its number, for instance those that were detached to be kept.
	PurgeOnDestroy                   bool `json:"purgeOnDestroy"`
	DeleteUnreferencedDisksOnDestroy bool `json:"deleteUnreferencedDisksOnDestroy"`

	// ACPI, Bios, TabletDevice and KeyboardLayout are written with the provider's defaults even on a clone. There a default
	// is neither sent nor read, so the template's value stays; left out, the provider would write its default over it when
	// it has to rebuild its state.
	ACPI            bool              `json:"acpi"`
	Bios            string            `json:"bios"`
	TabletDevice    bool              `json:"tabletDevice"`
	KeyboardLayout  string            `json:"keyboardLayout"`
	Machine         string            `json:"machine,omitempty"`
	EFIDisk         []EFIDisk         `json:"efiDisk,omitempty"`
	TPMState        []TPMState        `json:"tpmState,omitempty"`
	OperatingSystem []OperatingSystem `json:"operatingSystem"`
	CPU             []CPU             `json:"cpu"`
	Memory          []Memory          `json:"memory"`
	Agent           []Agent           `json:"agent"`

	ScsiHardware  string          `json:"scsiHardware"`
	BootOrder     []string        `json:"bootOrder"`
	Disk          []Disk          `json:"disk" key:"interface"`
	CDROM         []CDROM         `json:"cdrom,omitempty"`
	Clone         []Clone         `json:"clone,omitempty"`
	NetworkDevice []NetworkDevice `json:"networkDevice"`
	HostPCI       []HostPCI       `json:"hostpci,omitempty" key:"device"`
	USB           []USB           `json:"usb,omitempty"`
	SerialDevice  []SerialDevice  `json:"serialDevice,omitempty"`
	VGA           []VGA           `json:"vga,omitempty"`

	Initialization []Initialization `json:"initialization,omitempty"`

	// SMBIOS tells a VM that we made from any other that has its VMID.
	SMBIOS []SMBIOS `json:"smbios,omitempty"`

	// TimeoutCreate, in seconds, is written at the provider's default, and only where the provider may do no more than observe: the
	// managed resource changes by it, so that the provider looks at once, and says with its generation that it has.
	TimeoutCreate int64 `json:"timeoutCreate,omitempty"`
}

// Startup is a VM's place in its node's start order. Delays are in seconds; -1 is the node's default.
type Startup struct {
	Order     int64 `json:"order"`
	UpDelay   int64 `json:"upDelay"`
	DownDelay int64 `json:"downDelay"`
}

// OperatingSystem tells Proxmox what to expect in the guest: l26 (Linux), win11 or other.
type OperatingSystem struct {
	Type string `json:"type"`
}

// CPU of a VM.
type CPU struct {
	Cores   int64  `json:"cores"`
	Sockets int64  `json:"sockets"`
	Type    string `json:"type"`
	NUMA    bool   `json:"numa"`
}

// Memory of a VM in MiB. Floating is what ballooning leaves the VM; 0 switches it off.
type Memory struct {
	Dedicated int64 `json:"dedicated"`
	Floating  int64 `json:"floating"`
}

// Agent is the QEMU guest agent. Every look at a VM whose agent is missing takes Timeout, so it is short.
type Agent struct {
	Enabled bool   `json:"enabled"`
	Timeout string `json:"timeout"`
	Trim    bool   `json:"trim"`
	Type    string `json:"type"`
}

// EFIDisk holds the variables of UEFI. PreEnrolledKeys switches Secure Boot on.
type EFIDisk struct {
	DatastoreID     string `json:"datastoreId"`
	Type            string `json:"type"`
	PreEnrolledKeys bool   `json:"preEnrolledKeys"`
}

// TPMState holds the state of a TPM.
type TPMState struct {
	DatastoreID string `json:"datastoreId"`
	Version     string `json:"version"`
}

// A Disk of a VM. Size is in GiB.
type Disk struct {
	Interface   string `json:"interface"`
	DatastoreID string `json:"datastoreId"`
	Size        int64  `json:"size"`
	ImportFrom  string `json:"importFrom,omitempty"`
	FileID      string `json:"fileId,omitempty"`
	// Serial names the disk in the guest, as the SCSI serial number (lsblk -o SERIAL). The link in /dev/disk/by-id has it only up to
	// Proxmox VE 8: from machine version 10.0 on, Proxmox names the device_id drive-scsi<N> (PVE::QemuServer, print_drivedevice_full).
	Serial    string `json:"serial,omitempty"`
	IOThread  bool   `json:"iothread"`
	Discard   string `json:"discard"`
	SSD       *bool  `json:"ssd,omitempty"` // Nil only where it is not known yet, of a VM that is to be adopted.
	Cache     string `json:"cache"`
	AIO       string `json:"aio"`
	Backup    bool   `json:"backup"`
	Replicate bool   `json:"replicate"`
}

// CDROM is a CD drive.
type CDROM struct {
	FileID    string `json:"fileId"`
	Interface string `json:"interface"`
}

// Clone makes the VM from a template. Every field is immutable, and one that is left out counts as changed when the
// provider has to rebuild its state, so all are written.
type Clone struct {
	VMID        int64  `json:"vmId"`
	NodeName    string `json:"nodeName"`
	DatastoreID string `json:"datastoreId"`
	Full        bool   `json:"full"`
	Retries     int64  `json:"retries"`
}

// NetworkDevice is a network interface of a VM.
type NetworkDevice struct {
	Bridge     string `json:"bridge"`
	Model      string `json:"model"`
	MACAddress string `json:"macAddress,omitempty"`
	VLANID     *int64 `json:"vlanId,omitempty"`
	Firewall   *bool  `json:"firewall,omitempty"` // Nil only where it is not known yet, of a VM that is to be adopted.
	MTU        *int64 `json:"mtu,omitempty"`
}

// HostPCI passes a PCI device through, by resource mapping.
type HostPCI struct {
	Device  string `json:"device"`
	Mapping string `json:"mapping,omitempty"`
	PCIe    bool   `json:"pcie"`
	ROMBar  bool   `json:"rombar"`
}

// USB passes a USB device through, by resource mapping.
type USB struct {
	Mapping string `json:"mapping,omitempty"`
	USB3    bool   `json:"usb3"`
}

// SerialDevice is a serial port. Cloud images write their console to the first one.
type SerialDevice struct {
	Device string `json:"device"`
}

// VGA is the display.
type VGA struct {
	Type string `json:"type"`
}

// Initialization is the cloud-init drive.
type Initialization struct {
	DatastoreID string        `json:"datastoreId"`
	Interface   string        `json:"interface"`
	DNS         []DNS         `json:"dns,omitempty"`
	IPConfig    []IPConfig    `json:"ipConfig,omitempty"`
	UserAccount []UserAccount `json:"userAccount,omitempty"`

	UserDataFileID   string `json:"userDataFileId,omitempty"`
	VendorDataFileID string `json:"vendorDataFileId,omitempty"`
	MetaDataFileID   string `json:"metaDataFileId,omitempty"`
}

// CICustom is how Proxmox writes the files of cloud-init: the value of a VM's option cicustom. Empty for none.
func (i Initialization) CICustom() string {
	var out []string

	for _, f := range []struct{ part, id string }{{"meta", i.MetaDataFileID}, {"user", i.UserDataFileID}, {"vendor", i.VendorDataFileID}} {
		if f.id != "" {
			out = append(out, f.part+"="+f.id)
		}
	}

	return strings.Join(out, ",")
}

// DNS is the guest's name resolution.
type DNS struct {
	Domain  string   `json:"domain,omitempty"` // Search domains, separated by blanks.
	Servers []string `json:"servers,omitempty"`
}

// Search returns the first search domain, and the further ones as they are.
func (d DNS) Search() (first, further string) {
	first, further, _ = strings.Cut(d.Domain, " ")

	return first, further
}

// IPConfig holds the addresses of one interface, in the order of the interfaces.
type IPConfig struct {
	IPv4 []IPAddress `json:"ipv4,omitempty"`
	IPv6 []IPAddress `json:"ipv6,omitempty"`
}

// IPAddress is an address with its prefix length, or dhcp, or auto.
type IPAddress struct {
	Address string `json:"address"`
	Gateway string `json:"gateway,omitempty"`
}

// UserAccount is the account that Proxmox' own user-data makes.
type UserAccount struct {
	Username string   `json:"username,omitempty"`
	Keys     []string `json:"keys,omitempty"`
}

// SMBIOS is what a VM's firmware tells of it. The provider makes a UUID up where none is written.
type SMBIOS struct {
	UUID string `json:"uuid,omitempty"`
}

// createTimeout is the provider's default of timeoutCreate, in seconds.
const createTimeout = 1800

// Ask has the provider look at a VM at once: with another generation of its managed resource. The timeout that it writes changes nothing else.
func Ask(p *VMParameters) { p.TimeoutCreate = createTimeout }

// LookAgain is the same for a VM that the provider was asked for before, see [Looks].
func LookAgain(p *VMParameters) { p.TimeoutCreate = createTimeout + Looks(*p) + 1 }

// Looks counts how often the provider was asked to look again.
func Looks(p VMParameters) int64 { return max(0, p.TimeoutCreate-createTimeout) }

// NewVM makes the managed resource of a VM.
func NewVM(f Flavour, pc ProviderConfig, m Metadata, d Deletion, p VMParameters) VM {
	return VM{
		APIVersion: f.VMAPIVersion(), Kind: VMKind, Metadata: m,
		Spec: Spec[VMParameters]{ManagementPolicies: Policies(d), ProviderConfigRef: f.Ref(pc), ForProvider: p},
	}
}
