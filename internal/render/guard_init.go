package render

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// keepInitialization keeps the cloud-init drive where it is, and the snippets that the VM was made with. Addresses, name
// servers and keys on the drive follow the claim, and the guest may read them at its next power cycle. What was written once
// may change and not go: the provider never takes it away, and tries to for ever.
func keepInitialization(p *proxmox.VMParameters, made proxmox.VMParameters, native bool) []change.Change {
	if len(made.Initialization) == 0 || len(p.Initialization) == 0 {
		p.Initialization, p.Agent = made.Initialization, made.Agent
		return nil
	}

	to, from := &p.Initialization[0], made.Initialization[0]

	// Other user-data would install the guest agent, or leave it out; the guest has what it was made with.
	if native != (from.UserDataFileID == "") {
		p.Agent = made.Agent
		to.UserAccount = from.UserAccount
	}

	to.DatastoreID, to.Interface = from.DatastoreID, from.Interface
	to.UserDataFileID, to.VendorDataFileID, to.MetaDataFileID = from.UserDataFileID, from.VendorDataFileID, from.MetaDataFileID

	var held []change.Change

	held = append(held, keepDNS(to, from)...)
	held = append(held, keepAddresses(to, from)...)

	return append(held, keepKeys(to, from)...)
}

const nothing = "none"

func keepDNS(to *proxmox.Initialization, from proxmox.Initialization) []change.Change {
	if len(from.DNS) == 0 {
		return nil
	}

	if len(to.DNS) == 0 {
		to.DNS = []proxmox.DNS{{}}
	}

	var held []change.Change

	want, has := &to.DNS[0], from.DNS[0]
	if len(want.Servers) == 0 && len(has.Servers) > 0 {
		held = append(held, change.Change{Effect: change.Refused, Field: "spec.network.dns", Has: strings.Join(has.Servers, ", "), Wanted: nothing})
		want.Servers = has.Servers
	}

	if want.Domain == "" && has.Domain != "" {
		held = append(held, change.Change{Effect: change.Refused, Field: "spec.network.domain", Has: has.Domain, Wanted: nothing})
		want.Domain = has.Domain
	}

	return held
}

// keepAddresses keeps the entry of an interface that has no address in the claim any more.
func keepAddresses(to *proxmox.Initialization, from proxmox.Initialization) []change.Change {
	var held []change.Change

	for i, has := range from.IPConfig {
		if i == len(to.IPConfig) {
			to.IPConfig = append(to.IPConfig, proxmox.IPConfig{})
		}

		want := &to.IPConfig[i]
		if want.IPv4 != nil || want.IPv6 != nil || has.IPv4 == nil && has.IPv6 == nil {
			continue
		}

		field := "spec.network"
		if i > 0 {
			field = fmt.Sprintf("spec.nics[%d]", i-1)
		}

		held = append(held, change.Change{Effect: change.Refused, Field: field, Has: words(has), Wanted: "no address"})
		*want = has
	}

	return held
}

func words(c proxmox.IPConfig) string {
	var out []string
	for _, a := range append(append([]proxmox.IPAddress{}, c.IPv4...), c.IPv6...) {
		out = append(out, a.Address)
	}

	return strings.Join(out, ", ")
}

// keepKeys keeps the account that Proxmox makes, where the claim has no keys for it any more.
func keepKeys(to *proxmox.Initialization, from proxmox.Initialization) []change.Change {
	if len(from.UserAccount) == 0 || len(to.UserAccount) > 0 {
		return nil
	}

	to.UserAccount = from.UserAccount

	return []change.Change{{Effect: change.Refused, Field: "spec.bootstrap.sshAuthorizedKeys", Has: fmt.Sprintf("%d keys", len(from.UserAccount[0].Keys)), Wanted: nothing}}
}
