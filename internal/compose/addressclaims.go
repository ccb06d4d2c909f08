package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// Names of what the function asks Crossplane for about addresses of Cluster API's IPAM.
const (
	// claimKindRequirement is the definition of the kind IPAddressClaim: without it, Cluster API is not installed.
	claimKindRequirement = "ip-address-claim-kind"
	// claimedAddressRequirement is the IPAddress of the machine's claim.
	claimedAddressRequirement = "ip-address"
	// goingVMsRequirement are the VMs of the machine, where one that Crossplane deletes may still have an address.
	goingVMsRequirement = "address-users"
)

// Why a machine cannot have an address of Cluster API's IPAM.
const (
	noClaimsBefore20 = "this Crossplane (before 2.0) cannot compose an IPAddressClaim, which the site's pool needs. Write network.ip or dhcp: true, give the " +
		"site a pool of the function's own (a range of addresses), or run Crossplane 2"
	noClaimsBefore22 = "with claims, this Crossplane (before 2.2) cannot keep the IPAddressClaim, which the site's pool needs, for as long as there is the VM. " +
		"Write network.ip or dhcp: true, give the site a pool of the function's own (a range of addresses), or run Crossplane 2.2"
	noClaimsWithoutNamespace = "an IPAddressClaim, which the site's pool needs, is in the namespace of its machine's claim, and this composite has no " +
		"claim. Write network.ip or dhcp: true, or create the machine by a claim"
)

// A claimer claims addresses of pools of Cluster API's IPAM.
type claimer struct{ call *call }

// read the observed IPAddressClaims.
func (c claimer) read() error {
	is := &c.call.facts.AddressClaims

	for name, r := range c.call.req.GetObserved().GetResources() {
		if usage.IsOfAddress(name) {
			if is.Used == nil {
				is.Used = map[string]bool{}
			}

			is.Used[usage.Of(r.GetResource())] = true
		}

		if !ipam.Is(name, r.GetResource()) {
			continue
		}

		o, err := ipam.ReadClaim(r.GetResource())
		if err != nil {
			return err
		}

		if is.Observed == nil {
			is.Observed = map[string]ipam.ObservedClaim{}
		}

		is.Observed[name] = o
	}

	return nil
}

// claimOn claims an address of a pool of Cluster API's IPAM for a VM that does not exist yet. The IPAddress is asked for by its name, once its claim names it:
// Crossplane has the rights on both kinds by then.
func (c claimer) claimOn(pool ipam.Pool) (known bool, err error) {
	if why := c.impossible(); why != "" {
		return false, invalid(field.ErrorList{field.Forbidden(field.NewPath("spec", "network", "pool"), why)})
	}

	name, wanted := ipam.NameOf(pool), lifecycle.HeldPools(c.call.facts)
	wanted[name] = pool

	if !c.findKind(wanted) {
		return false, nil
	}

	var (
		address *ipam.Address
		all     []proxmox.ObservedVM
	)

	if o := c.call.facts.AddressClaims.Observed[name]; o.Bound() && o.Metadata.DeletionTimestamp == "" {
		if address, known, err = c.address(o); !known || err != nil {
			return known, err
		}

		if all, known, err = c.call.vms(poolRequirement, nil); !known || err != nil {
			return known, err
		}
	}

	picked := lifecycle.ClaimAddress(c.call.facts, address, all)
	c.call.facts.PoolAddress = &picked

	if picked.Address.IsValid() {
		a := &c.call.facts.Machine.NICs[0].IPv4
		a.Address, a.Prefix, a.Gateway = picked.Address.String(), picked.Claimed.Prefix, picked.Claimed.Gateway
	}

	return c.findGoingVMs()
}

// keep the claims of VMs that exist. Their addresses are those that they were created with: nobody reads the IPAddress any more.
func (c claimer) keep() (known bool, err error) {
	if !c.findKind(lifecycle.HeldPools(c.call.facts)) {
		return false, nil
	}

	return c.findGoingVMs()
}

// findGoingVMs finds the VMs of the machine that Crossplane deletes: it observes no composed resource that is desired no more.
func (c claimer) findGoingVMs() (known bool, err error) {
	if !lifecycle.AsksForGoingVMs(c.call.facts) {
		return true, nil
	}

	all, known, err := c.call.vms(goingVMsRequirement, map[string]string{proxmox.MachineLabel: c.call.facts.Machine.Identity.Name})

	for _, vm := range all {
		name := vm.Metadata.Annotations[proxmox.ResourceNameAnnotation]
		if _, observed := c.call.facts.Observed.VMs[name]; observed || name == "" || !c.call.facts.Owner.Owns(vm) {
			continue
		}

		if c.call.facts.AddressClaims.Going == nil {
			c.call.facts.AddressClaims.Going = map[string]proxmox.ObservedVM{}
		}

		c.call.facts.AddressClaims.Going[name] = vm
	}

	return known, err
}

// impossible says why the machine cannot have an IPAddressClaim; empty where it can.
func (c claimer) impossible() string {
	_, own := ownName(c.call.composite)

	switch {
	case !fetchesFromNamespaces(c.call.req):
		return noClaimsBefore20
	case c.call.facts.Machine.Identity.Namespace == "":
		return noClaimsWithoutNamespace
	case own == "" && !can(c.call.req, fnv1.Capability_CAPABILITY_CAPABILITIES):
		return noClaimsBefore22
	}

	return ""
}

// findKind finds out whether the API server serves IPAddressClaims. A machine with all the claims that it is to have need not ask.
func (c claimer) findKind(wanted map[string]ipam.Pool) (known bool) {
	lacks := false

	for name := range wanted {
		if _, there := c.call.facts.AddressClaims.Observed[name]; !there {
			lacks = true
		}
	}

	if !lacks {
		return true
	}

	c.call.facts.AddressClaims.NoKind, known = isMissing(c.call, claimKindRequirement, ipam.ClaimDefinition, ipam.Version)

	return known
}

// address is the IPAddress of a claim; nil while it is not there, or is another claim's.
func (c claimer) address(o ipam.ObservedClaim) (address *ipam.Address, known bool, err error) {
	namespace := o.Metadata.Namespace

	items, known := require(c.call.req, c.call.rsp, claimedAddressRequirement, &fnv1.ResourceSelector{
		ApiVersion: o.APIVersion,
		Kind:       ipam.AddressKind,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: o.Status.AddressRef.Name},
		Namespace:  &namespace,
	})
	if len(items) == 0 {
		return nil, known, nil
	}

	a, err := ipam.ReadAddress(first(items))
	if err != nil || a.Metadata.Namespace != namespace || a.Spec.ClaimRef.Name != o.Metadata.Name || a.Metadata.DeletionTimestamp != "" {
		return nil, true, err
	}

	return &a, true, nil
}

// write the claims into the response. A claim without an address keeps the composite from being ready only while the VM waits for it.
func (c claimer) write(rendered render.Result, plan *lifecycle.Plan) error {
	for name, claim := range rendered.AddressClaims {
		m, err := claim.Manifest()
		if err != nil {
			return err
		}

		ready := fnv1.Ready_READY_TRUE
		if a := plan.PoolAddress; a.Lacks() && a.Claimed != nil && name == ipam.NameOf(a.Claimed.Pool) {
			ready = fnv1.Ready_READY_FALSE
		}

		c.call.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m, Ready: ready}
	}

	return nil
}

// addAddressClaimSteps says what becomes of IPAddressClaims.
func addAddressClaimSteps(to map[string]step, rendered render.Result, plan *lifecycle.Plan) {
	for name, o := range plan.AddressClaims.Observed {
		to[name] = step{action: actionRemove, words: []string{"no VM of the machine has its address any more, and " + o.Spec.PoolRef.String() + " may give it away"}}
	}

	for name, claim := range rendered.AddressClaims {
		if _, there := plan.AddressClaims.Observed[name]; there {
			to[name] = step{action: actionKeep}
			continue
		}

		to[name] = step{action: actionCreate, words: []string{"asks " + claim.Spec.PoolRef.String() + " for the address of the VM"}}
	}
}

// addressWords say which address of a pool a new VM gets, and for which machine's address it waits.
func addressWords(plan *lifecycle.Plan) []string {
	var out []string

	if words := poolWords(plan.PoolAddress); words != "" {
		out = append(out, words)
	}

	if s := plan.Shares; s != nil {
		out = append(out, s.Waits())
	}

	return out
}

// poolWords say which address of a pool a new VM gets; empty where it gets none.
func poolWords(a *lifecycle.PoolAddress) string {
	switch {
	case a == nil:
		return ""
	case a.Claimed == nil:
		return a.Words()
	}

	pool := a.Claimed.Pool.String()

	switch a.Claimed.Stage {
	case lifecycle.ClaimBound:
		return "takes address " + a.Address.String() + " of " + pool
	case lifecycle.ClaimImpossible:
		return "waits for an address from " + pool + ": the kind IPAddressClaim of Cluster API is not installed"
	case lifecycle.ClaimUnfit:
		return "waits for another address from " + pool + ": " + a.Claimed.Given + " " + a.Claimed.Unfit
	case lifecycle.ClaimOpen:
	}

	return "waits for an address from " + pool + ", which the pool gives once the IPAddressClaim is created"
}
