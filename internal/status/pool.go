package status

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// lacksAddress says why a new VM has no address of a pool, and what to do. namespace is the machine's, which is that of its IPAddressClaim.
func lacksAddress(a lifecycle.PoolAddress, namespace string) (reason, message string) {
	c := a.Claimed
	if c == nil {
		return ReasonAddressPoolExhausted, PoolExhausted(a)
	}

	pool := c.Pool.String()

	switch c.Stage {
	case lifecycle.ClaimImpossible:
		return ReasonAddressClaimsMissing, fmt.Sprintf("The VM gets its address from %s, and the kind IPAddressClaim (%s) is not installed, or is served in "+
			"another version. Install Cluster API's IPAM, or change %s. The function then continues by itself.", pool, ipam.APIVersion, a.Path)
	case lifecycle.ClaimUnfit:
		return ReasonClaimedAddressUnfit, fmt.Sprintf("%s gave the address %s, which %s. Correct the pool, and delete IPAddressClaim %s in namespace %s: Crossplane "+
			"creates it again, and the pool gives another address. The provider creates the VM then.",
			pool, plain(c.Given, maxForeignName), plain(c.Unfit, maxUnfit), c.Claim, namespace)
	case lifecycle.ClaimOpen, lifecycle.ClaimBound:
	}

	out := fmt.Sprintf("The provider creates the VM when %s has given it an address.", pool)

	if c.Claim != "" {
		out += fmt.Sprintf(" IPAddressClaim %s in namespace %s asks for it", c.Claim, namespace)

		if c.Says != "" {
			out += ", and its provider says: " + foreign(c.Says, maxUnfit)
		} else {
			out += ". If that takes longer than a minute, see whether the pool exists and has a free address"
		}

		out += "."
	}

	return ReasonClaimingAddress, out
}

// maxUnfit is how long a reason may be that names what somebody else wrote.
const maxUnfit = 200

// PoolExhausted says that the site's pool has no address for a new VM or container, and what to do.
func PoolExhausted(a lifecycle.PoolAddress) string {
	return fmt.Sprintf("The site's address pool is exhausted: %d of %d addresses are in use. Add a range to %s, delete a machine, or write an address "+
		"into spec.network.ip. The function then continues by itself.", a.InUse, a.Size, a.Path)
}

// rival is another machine or container, at the beginning of a sentence.
func rival(a lifecycle.PoolAddress) string {
	kind := claim.KindMachine
	if strings.TrimPrefix(a.RivalKind, "X") == claim.KindContainer {
		kind = claim.KindContainer
	}

	if a.Rival == lifecycle.AnotherClaim {
		return "Another claim of this Proxmox"
	}

	return kind + " " + foreign(strings.TrimPrefix(a.Rival, "/"), maxForeignMachine)
}

// reservingAddress says what a VM waits for whose address is not known to be no other machine's.
func reservingAddress(a lifecycle.PoolAddress) string {
	return fmt.Sprintf("The machine reserves address %s of the site's pool. The provider creates the VM when no other machine has reserved the address.", a.Address) + contested(a)
}

// ReservingForContainer says what a container waits for whose address is not known to be nobody else's.
func ReservingForContainer(a lifecycle.PoolAddress) string {
	return fmt.Sprintf("The container reserves address %s of the site's pool. The provider creates it when no other machine or container has reserved the address.", a.Address) + contested(a)
}

// contested says who reserved an address at the same time; empty where nobody did.
func contested(a lifecycle.PoolAddress) string {
	if a.Rival == "" {
		return ""
	}

	return fmt.Sprintf(" %s reserved it at the same time, and takes another address.", rival(a))
}
