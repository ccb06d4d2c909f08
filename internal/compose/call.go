package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A call is one call of the function, as far as it has come.
type call struct {
	req *fnv1.RunFunctionRequest
	rsp *fnv1.RunFunctionResponse

	composite map[string]any // Without its status.
	written   map[string]any // The spec of the composite, as a person wrote it.
	previous  v1alpha1.Status
	input     *v1beta1.Input
	claim     claim.Claim
	facts     lifecycle.Request
	// otherServerVMs are those of all other servers of the machine's K3s cluster, also of those that do not vote.
	otherServerVMs []proxmox.ObservedVM
	// otherServerFiles are the snippets of all servers of the machine's K3s cluster, where it is to get a VM.
	otherServerFiles []proxmox.ObservedFile
	// seen are the VMs of whatever machines the call was given, for whatever reason it asked.
	seen    []proxmox.ObservedVM
	flavour proxmox.Flavour

	// planned for a VM; nil for other kinds, where the call fails, and while Crossplane still fetches.
	planned *lifecycle.Plan
	// tenancy of the catalogue.
	tenancy *catalog.Tenancy
	// announces what the machine is to have that others have to see before; nil where there is nothing to announce.
	announces *announcement

	explanation Explanation
}

// read what is known without asking for anything.
func (c *call) read() error {
	if err := c.readAsked(); err != nil {
		return err
	}

	c.previous.AppliedSpec = respelled(c.previous.AppliedSpec, c.written)

	c.facts.Intent = claim.Intent(c.composite)

	if err := errors.Join((claimer{c}).read(), (recorder{c}).read()); err != nil {
		return err
	}

	return c.readObjects()
}

// readAsked reads who asks for what, with which Input, and what is observed of it.
func (c *call) readAsked() error {
	c.written, c.claim = claim.Written(c.composite), claim.Decode(c.composite)

	var err error
	if c.input, err = readInput(c.req); err != nil {
		return err
	}

	c.flavour = flavour(c.input, c.composite)
	c.facts.HAUnread = c.flavour == proxmox.Legacy
	c.facts.Owner.Composite, c.facts.Owner.Namespace = ownName(c.composite)
	c.facts.Owner.ClaimNamespace = c.claim.Identity.Namespace
	c.facts.Owner.Kind, _ = c.composite["kind"].(string)
	c.facts.Owner.Root, c.facts.Owner.Machine = rootName(c.composite), c.claim.Identity.Name
	c.facts.Observed, err = readState(c.req)

	return err
}

// learn what a catalogue says of all machines: who its tenants are, and which ProviderConfigs are one Proxmox.
func learn(c *call, cat catalog.Catalog) {
	c.tenancy = cat.Tenancy
	c.facts.Owner.Tenancy, c.facts.Owner.Proxmoxes = cat.Tenancy, lifecycle.ProxmoxesOf(cat, c.flavour)
}

// require all that a claim names or depends on, and make a machine and its bootstrap data of it. known is false while
// Crossplane has not fetched all of it yet.
func (c *call) require() (boot *bootstrap.Bootstrap, known bool, err error) {
	cat, haveCatalogue, err := catalogue(c.req, c.rsp, c.input)
	if err != nil {
		return nil, false, err
	}

	learn(c, cat)

	haveServers, err := c.assignRoles(cat)
	if err != nil {
		return nil, false, err
	}

	haveGroup, err := waver{c}.askEarly(cat)
	if err != nil {
		return nil, false, err
	}

	around, err := neighbourhood{c}.look(cat)
	if err != nil || !haveCatalogue || !haveServers || !haveGroup {
		return nil, false, err
	}

	if err := c.resolve(cat, around); err != nil {
		return nil, false, err
	}

	haveAddress, err := c.pickAddress()
	if err != nil {
		return nil, false, err
	}

	if err := errors.Join(c.compareAddresses(), compareMTU(c)); err != nil {
		return nil, false, err
	}

	haveVMID, err := c.pickVMID()
	if err != nil {
		return nil, false, err
	}

	haveNode, err := c.readNode()
	if err != nil {
		return nil, false, err
	}

	haveDNSKind, err := recorder{c}.findKind()
	if err != nil {
		return nil, false, err
	}

	token, haveToken := k3sToken(c.req, c.rsp, c.facts.Machine)
	files, haveFiles := secretFiles(c.req, c.rsp, c.facts.Machine)

	if !haveAddress || !haveVMID || !haveNode || !haveDNSKind || !haveToken || !haveFiles {
		return nil, false, nil
	}

	boot, err = c.bootstrap(token, files)

	return boot, err == nil, err
}

// resolve makes a machine in plain figures of claim and catalogue.
func (c *call) resolve(cat catalog.Catalog, around surroundings) error {
	m, errs := c.resolveFor(c.facts.Roles, cat, around)

	if roles := c.facts.Roles; len(errs) == 0 && roles.Candidate != "" && !roles.Begun {
		errs = append(releaseOfReplacement(c, m), sharedOfReplacement(c, m, cat)...)
	}

	if len(errs) == 0 {
		errs = append(sharedOfBirth(c, m, cat), datastoreOfBirth(c, m, cat)...)
	}

	// What a new VM lacks blocks its replacement of another one, and nothing else.
	if roles := c.facts.Roles; len(errs) > 0 && roles.Candidate != "" && !roles.Begun {
		refused := lifecycle.RefuseForFaults(errs)
		without := refused.Apply(roles, c.facts.Observed.VMs)

		if active, faults := c.resolveFor(without, cat, around); len(faults) == 0 {
			c.facts.Decision, c.facts.Roles, m, errs = refused, without, active, nil
		}
	}

	if roles := c.facts.Roles; len(errs) == 0 && roles.Candidate != "" && !roles.Begun && lifecycle.AsksApproval(m) {
		m, errs = approver{c}.approveReplacement(m, cat, around)
	}

	if len(errs) == 0 {
		errs = validate.FirewallWith(c.flavour, m)
	}

	if roles := c.facts.Roles; len(errs) == 0 && roles.Candidate != "" && !roles.Begun && m.Rollout != nil {
		m, errs = waver{c}.awaitTurn(m, func(without lifecycle.Roles) (*machine.Machine, field.ErrorList) {
			return c.resolveFor(without, cat, around)
		})
	}

	if len(errs) > 0 {
		return invalid(errs)
	}

	if m.K3s != nil {
		m.K3s.NodeUID = m.Identity.UUID(c.facts.Roles.Described())
	}

	m.Warnings = append(append(m.Warnings, announcedOfServers(c, m)...), idleOf(c)...)
	m.Warnings = append(m.Warnings, droppedOf(c)...)
	c.facts.Machine = m
	c.facts.Owner.ProviderConfigRef = c.flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})

	return nil
}

// droppedOf are warnings of an edit that takes out of a claim what its VM keeps. Of a node, its cluster says so, in the fields that somebody edits.
func droppedOf(c *call) []string {
	if claim.IsOfCluster(c.composite) {
		return nil
	}

	return change.Pinned("VM", c.previous.AppliedSpec, c.written)
}

// idleOf are warnings of what a claim says that does nothing to the VM which it has.
func idleOf(c *call) []string {
	out := claim.Warnings(c.composite)
	vms, name := c.facts.Observed.VMs, c.facts.Roles.Described()

	adopt := c.claim.Fields().Adopt
	if adopt == nil || !lifecycle.Lives(vms, name) {
		return out
	}

	adopted := lifecycle.Adopts(nil, c.facts.Roles, vms)
	if w := lifecycle.IdleAdopt(adopt, lifecycle.Present{Guest: "VM", VMID: proxmox.VMIDOf(vms[name]), Adopted: adopted}); w != "" {
		out = append(out, w)
	}

	return out
}

// An approver asks for the approval of what a call is to begin.
type approver struct{ call *call }

// approveReplacement asks whether somebody approved a replacement that may begin otherwise. What they approve is described as for the active VM, which
// stays the machine until then. It returns the machine as it is with the answer.
func (c approver) approveReplacement(m *machine.Machine, cat catalog.Catalog, around surroundings) (*machine.Machine, field.ErrorList) {
	refused := lifecycle.RefuseForApproval()
	without := refused.Apply(c.call.facts.Roles, c.call.facts.Observed.VMs)

	active, faults := c.call.resolveFor(without, cat, around)
	if len(faults) > 0 {
		return nil, faults
	}

	roles := c.call.facts.Roles

	approval := lifecycle.ApproveReplacement(active, roles, c.call.facts.Observed.VMs[roles.Active])
	if approval.Waits() {
		c.call.facts.Decision, c.call.facts.Roles = refused, without

		return active, nil
	}

	c.call.facts.ReplacementApproval = approval

	return m, nil
}

// resolveFor the VM that the claim describes, by the roles of the observed VMs.
func (c *call) resolveFor(roles lifecycle.Roles, cat catalog.Catalog, around surroundings) (*machine.Machine, field.ErrorList) {
	existing := lifecycle.Existing(c.claim.Fields().Adopt, roles, c.facts.Observed.VMs)
	existing.Applied, existing.OfCluster = c.appliedClaim(), ofCluster(c.composite)
	existing.WithoutFirewalls = validate.WithoutFirewalls(c.flavour)
	existing.Spread, existing.Group, existing.Load = around.spread, around.group, around.load.of(false)

	m, errs := resolve.Claim(c.claim, cat, existing)

	// Whether two VMs of the machine run side by side is known of the machine only.
	if around.load.known && m != nil && roles.Candidate != "" && lifecycle.RunsSideBySide(m) {
		existing.Load = around.load.of(true)
		m, errs = resolve.Claim(c.claim, cat, existing)
	}

	if faults := append(checkTemplate(c, m), checkFormerCluster(c, m)...); len(faults) > 0 {
		return nil, append(errs, faults...)
	}

	if len(errs) == 0 {
		errs = checkForeign(c, cat, roles, m)
	}

	if len(errs) == 0 {
		errs = checkQuota(c, cat, roles, m)
	}

	return m, errs
}

// bootstrap is how the machine gets its first configuration. Nobody knows what a guest was set up with that somebody else
// made.
func (c *call) bootstrap(token bootstrap.Content, files []bootstrap.Content) (*bootstrap.Bootstrap, error) {
	if lifecycle.Adopts(c.facts.Machine.Adopt, c.facts.Roles, c.facts.Observed.VMs) {
		return &bootstrap.Bootstrap{Mode: bootstrap.ModeNone}, nil
	}

	if errs := checkSecrets(c.req)(c.facts.Machine); len(errs) > 0 {
		return nil, invalid(errs)
	}

	boot, errs := bootstrap.New(c.facts.Machine, token.Value, files...)
	if len(errs) > 0 {
		return nil, invalid(errs)
	}

	if boot.Lack != nil && boot.Lack.Token {
		boot.Lack.Keys = token.Keys
	}

	return boot, nil
}
