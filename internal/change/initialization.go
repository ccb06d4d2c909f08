package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// drive is the cloud-init drive; an empty one where there is none.
func drive(p proxmox.VMParameters) proxmox.Initialization {
	if len(p.Initialization) == 0 {
		return proxmox.Initialization{}
	}

	return p.Initialization[0]
}

func dns(p proxmox.VMParameters) proxmox.DNS {
	if d := drive(p).DNS; len(d) > 0 {
		return d[0]
	}

	return proxmox.DNS{}
}

func dnsServers(p proxmox.VMParameters) string { return strings.Join(dns(p).Servers, ", ") }

func searchDomains(to []value, p proxmox.VMParameters) []value {
	first, further := dns(p).Search()

	return append(to, value{"spec.network.domain", first}, value{"spec.network.searchDomains", further})
}

func addresses(to []value, p proxmox.VMParameters) []value {
	for i, c := range drive(p).IPConfig {
		field := "spec.network.ip"
		if i > 0 {
			field = fmt.Sprintf("spec.nics[%d].ip", i-1)
		}

		to = append(to, value{field, addressWords(c)})
	}

	return to
}

func addressWords(c proxmox.IPConfig) string {
	var out []string

	for _, a := range slices.Concat(c.IPv4, c.IPv6) {
		w := a.Address
		if a.Gateway != "" {
			w += " via " + a.Gateway
		}

		out = append(out, w)
	}

	return strings.Join(out, ", ")
}

func account(to []value, p proxmox.VMParameters) []value {
	if a := drive(p).UserAccount; len(a) > 0 {
		return append(to, value{"spec.bootstrap.adminUser", a[0].Username})
	}

	return to
}

// keys are too long to be shown; their number and a hash tell them apart.
func keys(p proxmox.VMParameters) string {
	a := drive(p).UserAccount
	if len(a) == 0 || len(a[0].Keys) == 0 {
		return ""
	}

	h := sha256.Sum256([]byte(strings.Join(a[0].Keys, "\n")))

	return fmt.Sprintf("%d keys (%s)", len(a[0].Keys), hex.EncodeToString(h[:])[:8])
}

// ReadsDriveOnce says whether the guest of a VM reads its cloud-init drive at its first boot only: its snippets give it an instance ID that never changes.
// Without them Proxmox makes one of the drive's content, and cloud-init configures the guest again at the power cycle after a change.
func ReadsDriveOnce(p proxmox.VMParameters) bool { return drive(p).MetaDataFileID != "" }

// OnDrive says whether a change that takes effect is on the cloud-init drive.
func OnDrive(c Change) bool { return c.Effect != Refused && isOnDrive(c.Field) }

// IsGuests says whether a guest keeps what it has of a field while it runs, although Proxmox has another value at once: what it reads at a boot, and the MAC
// address that its network is bound to. See docs/day-two.md, "What an edit does".
func IsGuests(field string) bool {
	isMAC := field == "spec.network.mac" || strings.HasPrefix(field, "spec.nics[") && strings.HasSuffix(field, "].mac")

	return isMAC || field == "spec.hostname" || isOnDrive(field)
}

// OfAddress says whether a change is of the addresses of an interface.
func OfAddress(c Change) bool {
	return strings.HasSuffix(c.Field, ".ip") || strings.HasSuffix(c.Field, ".ipv6")
}

// OfDevices says whether a change is of the devices of its node that a VM has.
func OfDevices(c Change) bool { return strings.HasPrefix(c.Field, "spec.devices.") }

// isOnDrive says whether the value of a field is on the cloud-init drive.
func isOnDrive(field string) bool {
	switch field {
	case "spec.network.ip", "spec.network.dns", "spec.network.domain", "spec.network.searchDomains",
		"spec.bootstrap.adminUser", "spec.bootstrap.sshAuthorizedKeys":
		return true
	}

	return strings.HasPrefix(field, "spec.nics[") && strings.HasSuffix(field, "].ip")
}

// unsaidInitialization keeps the cloud-init drive where it is, and the snippets that the VM was made with: condition
// BootstrapCurrent speaks of those. A VM without a drive gets none, since that takes the VM powered off; an adopted VM
// keeps its drive as it is, since nobody knows what its guest was set up with.
func unsaidInitialization(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if len(made.Initialization) == 0 || len(to.Initialization) == 0 || c.Adopted {
		to.Initialization = made.Initialization
		return
	}

	want, has := &to.Initialization[0], made.Initialization[0]

	if c.Native != (has.UserDataFileID == "") {
		want.UserAccount = has.UserAccount
	}

	want.DatastoreID, want.Interface = has.DatastoreID, has.Interface
	want.UserDataFileID, want.VendorDataFileID, want.MetaDataFileID = has.UserDataFileID, has.VendorDataFileID, has.MetaDataFileID
}

// keepInitialization: addresses, name servers and keys on the drive follow the claim, and the guest may read them at its
// next power cycle. A value that was written once may change but not go: the provider never removes it, and retries for ever.
func keepInitialization(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	if len(made.Initialization) == 0 || len(to.Initialization) == 0 {
		return
	}

	want, has := &to.Initialization[0], made.Initialization[0]

	if len(has.DNS) > 0 {
		keepDNS(want, has.DNS[0])
	}

	for i, c := range has.IPConfig {
		switch {
		case i >= len(want.IPConfig):
			want.IPConfig = append(want.IPConfig, c)
		case addressWords(want.IPConfig[i]) == "":
			want.IPConfig[i] = c
		}
	}

	if len(want.UserAccount) == 0 {
		want.UserAccount = has.UserAccount
	}
}

// keepAddresses: in the network of another Proxmox cluster is no place for the VM, and with an address from there nobody would reach it.
func keepAddresses(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.OtherProxmox && len(made.Initialization) > 0 && len(to.Initialization) > 0 {
		to.Initialization[0].DNS, to.Initialization[0].IPConfig = made.Initialization[0].DNS, made.Initialization[0].IPConfig
	}
}

func keepDNS(to *proxmox.Initialization, has proxmox.DNS) {
	if len(to.DNS) == 0 {
		to.DNS = []proxmox.DNS{{}}
	}

	if len(to.DNS[0].Servers) == 0 {
		to.DNS[0].Servers = has.Servers
	}

	if to.DNS[0].Domain == "" {
		to.DNS[0].Domain = has.Domain
	}
}
