package compose

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A containerCall is a call for a Container.
type containerCall struct{ call *call }

// isContainer says whether a composite is a Container.
func isContainer(composite map[string]any) bool {
	kind, _ := composite["kind"].(string)

	return strings.TrimPrefix(kind, "X") == claim.KindContainer
}

// compose is the story of a call for a container: read what there is, resolve the claim, look who has its VMID, decide, and write.
func (c containerCall) compose() (known bool, err error) {
	if err := c.call.readAsked(); err != nil {
		return false, err
	}

	cat, known, err := catalogue(c.call.req, c.call.rsp, c.call.input)
	if err != nil || !known {
		return false, err
	}

	learn(c.call, cat)

	m, err := c.resolve(cat)
	if err != nil {
		return false, err
	}

	if known, err := c.group(cat); err != nil || !known {
		return false, err
	}

	named := container.VMIDOf(m)
	next, faults, known, err := c.successor(cat)
	if err != nil || !known {
		return false, err
	}

	number, err := c.pickVMID(m, c.roles().Active)
	if err != nil {
		return false, err
	}

	address, haveAddress, err := c.pickAddress(m, c.roles().Active)
	if err != nil {
		return false, err
	}

	shares, err := c.compareAddresses(m, c.roles().Active)
	if err != nil {
		return false, err
	}

	others, known, err := c.others(m, c.roles().Active)
	if err != nil || !known || !haveAddress {
		return false, err
	}

	plan, known, err := c.decideInGroup(container.Request{
		Container: m, Observed: c.call.facts.Observed, Owner: c.call.facts.Owner, Flavour: c.call.flavour, Others: others, PoolAddress: address, Shares: shares,
		Nodes: nodesOfSite(cat, m.Placement.Site, nil), VMID: number, Apart: c.call.facts.Apart,
		Guest: c.roles().Active, Roles: c.roles(), Next: next, NamedVMID: named, Faults: faults,
	})
	if err == nil && known {
		err = c.checkAdoption(&plan)
	}

	if err != nil || !known {
		return false, err
	}

	return true, c.respond(plan)
}

// resolve makes a container in plain figures of claim and catalogue.
func (c containerCall) resolve(cat catalog.Catalog) (*machine.Container, error) {
	spec := v1alpha1.ContainerSpec{}
	if c.call.claim.Container != nil {
		spec = *c.call.claim.Container
	}

	if errs := validate.ContainersWith(c.call.flavour); len(errs) > 0 {
		return nil, &invalidError{status.OfContainer, errs}
	}

	existing := c.existing(spec)

	around, err := c.look(cat, spec)
	if err != nil {
		return nil, err
	}

	existing.Group, existing.Load = around.group, around.load.of(false)

	m, errs := resolve.Container(c.call.claim.Identity, spec, c.call.claim.Faults, cat, existing)
	if len(errs) == 0 {
		errs = c.checkForeign(cat, m)
	}

	if len(errs) == 0 {
		errs = c.checkQuota(cat, m)
	}

	if len(errs) > 0 {
		return nil, &invalidError{status.OfContainer, claim.InOrderOfContainer(errs)}
	}

	c.call.facts.Owner.ProviderConfigRef = c.call.flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})
	m.Warnings = append(m.Warnings, c.idle(spec)...)

	return m, nil
}

// idle are warnings of what a claim says that does nothing to the container which it has.
func (c containerCall) idle(spec v1alpha1.ContainerSpec) []string {
	out := claim.Warnings(c.call.composite)

	o, observed := c.active()
	if s := container.StateOf(o, observed); s != container.StateLiving && s != container.StateCreating {
		return out
	}

	has := lifecycle.Present{Guest: "container", VMID: proxmox.VMIDOfContainer(o), Adopted: o.Metadata.Annotations[proxmox.AdoptedAnnotation] != ""}
	if w := lifecycle.IdleAdopt(spec.Adopt, has); w != "" {
		out = append(out, w)
	}

	return out
}

// roles of the containers of the claim.
func (c containerCall) roles() succession.Roles {
	trigger := ""
	if spec := c.call.claim.Container; spec != nil {
		trigger = spec.Lifecycle.Replace
	}

	return container.RolesOf(c.call.facts.Observed.Containers, c.call.claim.Identity, trigger)
}

// active is the container that the claim has.
func (c containerCall) active() (o proxmox.ObservedContainer, observed bool) {
	o, observed = c.call.facts.Observed.Containers[c.roles().Active]

	return o, observed
}

// successor is the plan of the container that is to replace the one that there is, as if nothing spoke against it; nil where none is asked for, or where
// nobody gives it a VMID. The faults are those of a new container: one that exists lacks nothing of what it was created from.
func (c containerCall) successor(cat catalog.Catalog) (plan *container.Plan, faults field.ErrorList, known bool, err error) {
	r := c.roles()
	if r.Candidate == "" {
		return nil, nil, true, nil
	}

	old, _ := c.active()
	o, observed := c.call.facts.Observed.Containers[r.Candidate]
	// It takes over the address of the old one, which is off when it starts.
	existing := resolve.Existing{Node: old.Spec.ForProvider.NodeName, Address: container.AddressOf(old)}

	if container.StateOf(o, observed) == container.StateLiving {
		existing = livingContainer(o)
	}

	m, errs := resolve.Container(c.call.claim.Identity, *c.call.claim.Container, c.call.claim.Faults, cat, existing)
	if len(errs) > 0 {
		return nil, claim.InOrderOfContainer(errs), true, nil
	}

	if container.VMIDOf(m) == 0 && m.Placement.VMIDRange == nil {
		return nil, nil, true, nil
	}

	number, err := c.pickVMID(m, r.Candidate)
	if err != nil {
		return unmade(err)
	}

	address, haveAddress, err := c.pickAddress(m, r.Candidate)
	if err != nil {
		return nil, nil, false, err
	}

	shares, err := c.compareAddresses(m, r.Candidate)
	if err != nil {
		return nil, nil, false, err
	}

	others, known, err := c.others(m, r.Candidate)
	if err != nil || !known || !haveAddress {
		return nil, nil, known && haveAddress, err
	}

	next, err := c.decide(container.Request{
		Container: m, Observed: c.call.facts.Observed, Owner: c.call.facts.Owner, Flavour: c.call.flavour, Others: others, PoolAddress: address, Shares: shares,
		Nodes: nodesOfSite(cat, m.Placement.Site, nil), VMID: number, Guest: r.Candidate,
		Roles: r.Successor(), Replaced: r.Active, Beside: proxmox.VMIDOfContainer(old),
	})
	if err != nil {
		return unmade(err)
	}

	return &next, nil, true, nil
}

// unmade is no container, because of an error. A range that is too small is a fault of the new container alone: the old one follows its claim.
func unmade(err error) (plan *container.Plan, faults field.ErrorList, known bool, other error) {
	var invalid *invalidError
	if errors.As(err, &invalid) {
		return nil, invalid.errs, true, nil
	}

	return nil, nil, false, err
}

// existing is what is known of the container that exists.
func (c containerCall) existing(spec v1alpha1.ContainerSpec) resolve.Existing {
	o, observed := c.active()
	builtIn := proxmox.ReadBuiltIn(o.Metadata.Annotations[proxmox.BuiltInAnnotation])

	if s := container.StateOf(o, observed); s != container.StateLiving && s != container.StateTakenOver {
		out := resolve.Existing{
			Adopting: spec.Adopt != nil, Container: builtIn != nil, BuiltIn: builtIn, FirewallDefault: o.Metadata.Annotations[proxmox.FirewallDefaultAnnotation],
			Overrides: proxmox.ReadOverrides(o.Metadata.Annotations[proxmox.OverridesAnnotation]),
		}

		if s != container.StateCreating && s != container.StateFailed {
			return out
		}

		// A container that the provider is creating, or tries to, stays on the node that was chosen for it, and keeps its address.
		out.Address = container.AddressOf(o)

		if spec.Proxmox.Node == "" {
			out.Node = o.Spec.ForProvider.NodeName
		}

		return out
	}

	c.call.previous.AppliedSpec = c.previousContainer().AppliedSpec

	out := livingContainer(o)
	out.Applied = c.call.appliedClaim()

	return out
}

// livingContainer is what is known of a container that exists.
func livingContainer(o proxmox.ObservedContainer) resolve.Existing {
	builtIn := proxmox.ReadBuiltIn(o.Metadata.Annotations[proxmox.BuiltInAnnotation])

	out := resolve.Existing{
		Has: container.EntriesOf(o), Node: o.Spec.ForProvider.NodeName, ProviderConfig: o.Spec.ProviderConfigRef.Name,
		Adopting: o.Metadata.Annotations[proxmox.AdoptedAnnotation] != "", Container: builtIn != nil, BuiltIn: builtIn, Address: container.AddressOf(o),
		Overrides: proxmox.ReadOverrides(o.Metadata.Annotations[proxmox.OverridesAnnotation]),
		Tenant:    resolve.TenantTagged(o.Spec.ForProvider.Tags), FirewallDefault: o.Metadata.Annotations[proxmox.FirewallDefaultAnnotation],
	}
	if d := o.Spec.ForProvider.Disk; len(d) > 0 {
		out.DiskDatastore = d[0].DatastoreID
	}

	return out
}

// look asks for what others need of the site's nodes, and where those of its group are, for a container that is to be created. Any other one is on a node
// already: of one that is there, it is only said who is there with it.
func (c containerCall) look(cat catalog.Catalog, spec v1alpha1.ContainerSpec) (out surroundings, err error) {
	o, observed := c.active()
	s := container.StateOf(o, observed)

	switch {
	case s == container.StateLiving:
		return out, neighbourhood(c).askGroup(cat, spec.Proxmox.Spread, spec.Proxmox.Site, spec.Proxmox.Avoid)
	case spec.Adopt != nil || s != container.StateAbsent && s != container.StateForeign:
		return out, nil
	}

	newcomer := c.newcomer()
	if out.group, err = neighbourhood(c).group(spec.Proxmox.Spread, newcomer.Roles.Active); err != nil {
		return out, err
	}

	out.load, err = neighbourhood(c).load(cat, spec.Proxmox.Site, newcomer)

	return out, err
}

// newcomer is the claim, as far as the choice of a node and the quota go: it asks with the check whether a VM has its VMID, the first one where there
// are several.
func (c containerCall) newcomer() lifecycle.Newcomer {
	out := lifecycle.Newcomer{Observed: proxmox.State{VMs: c.call.facts.Observed.VMs}}

	for name, vm := range out.Observed.VMs {
		if first := out.Observed.VMs[out.Roles.Active]; out.Roles.Active == "" || vm.Metadata.Before(first.Metadata) {
			out.Roles.Active = name
		}
	}

	return out
}

// others asks for the VMs and containers of all claims with the VMID, until the container exists.
func (c containerCall) others(m *machine.Container, name string) (out []lifecycle.Other, known bool, err error) {
	o, observed := c.call.facts.Observed.Containers[name]

	if s := container.StateOf(o, observed); s == container.StateLiving || s == container.StateCreating || s == container.StateTakenOver {
		return nil, true, nil
	}

	labels := vmIDLabel(container.VMIDOf(m))

	vms, haveVMs, err := c.call.vms(sameVMIDRequirement, labels)
	if err != nil {
		return nil, false, err
	}

	containers, haveContainers, err := requireByLabels(
		c.call, sameVMIDContainers, c.call.flavour.ContainerAPIVersion(), proxmox.ContainerKind, labels, proxmox.ObserveContainer)
	if err != nil {
		return nil, false, err
	}

	return lifecycle.Others(vms, containers), haveVMs && haveContainers, nil
}

// retain everything that exists, while Crossplane still fetches what the call needs.
func (c containerCall) retain() error {
	manifests, err := container.Retain(c.call.facts.Observed).Manifests(readIn(c.call.req))
	if err != nil {
		return err
	}

	usages, err := keptUsages(c.call.req.GetObserved().GetResources())
	if err != nil {
		return err
	}

	maps.Copy(manifests, usages)

	desireAsItIs(c.call.rsp, manifests)

	return nil
}

// respond with the managed resources as the plan says, and with what is to be said of them.
func (c containerCall) respond(plan container.Plan) error {
	plan.Container.Warnings = append(plan.Container.Warnings, container.Dropped(plan, c.call.previous.AppliedSpec, c.call.written)...)

	rendering := container.Render(plan)

	manifests, err := rendering.Manifests(readIn(c.call.req))
	if err != nil {
		return err
	}

	report := container.ReportOn(plan, rendering, c.call.written, c.previousContainer())

	desire(c.call.rsp, manifests, report.Ready)

	if _, there := rendering.Containers[plan.Guest]; !there {
		c.call.rsp.GetDesired().GetComposite().Ready = fnv1.Ready_READY_FALSE
	}

	if err := c.protect(plan); err != nil {
		return err
	}

	applied := report.Status.AppliedSpec
	report.Status.AppliedSpec = nil

	if err := setStatus(c.call.req, c.call.rsp, &report.Status, applied); err != nil {
		return err
	}

	for _, condition := range report.Conditions {
		setCondition(c.call.rsp, condition)
	}

	say(c.call.rsp, report.Events)

	if c.call.input.Explain {
		c.explain(plan)
	}

	return nil
}

// actionOf a container's step, as explanations have it.
func actionOf(a container.StepAction) string {
	switch a {
	case container.StepCreates:
		return Created
	case container.StepCycles:
		return Restarted
	case container.StepKeeps:
		return Kept
	case container.StepChecks:
		return string(actionCheck)
	case container.StepAdopts:
		return string(actionAdopt)
	case container.StepReplaces:
		return Replaced
	case container.StepChanges:
	}

	return string(actionChange)
}

// explain the plan in words.
func (c containerCall) explain(plan container.Plan) {
	said := plan.Step()
	step := Step{Resource: said.Resource, VM: true, Action: actionOf(said.Action), Words: said.Words, Changes: said.Changes}
	step.Destroyed = said.Action == container.StepReplaces && bool(plan.Deletion())
	tell := sayer(c.call.rsp)

	if plan.Approval.Waits() {
		c.call.explanation.Approval = plan.Approval.Hash
	}

	c.call.explanation.NoNode = plan.Container.Placement.NoNode
	c.call.explanation.Kept = append(c.call.explanation.Kept, keptWords(plan.Container.Kept)...)
	for _, text := range c.call.explanation.Kept {
		tell("claim: keeps %s", text)
	}

	for _, w := range plan.Container.Warnings {
		c.call.explanation.Warnings = append(c.call.explanation.Warnings, message.Text(w))
		tell("claim: warning: %s", w)
	}

	tell("%s: %s", step.Resource, step.Action)

	for _, w := range step.Words {
		tell("%s: %s", step.Resource, w)
	}

	for _, ch := range step.Changes {
		tell("%s: %s: %s", step.Resource, effects[ch.Effect], ch)
	}

	c.call.explanation.Steps = append(c.call.explanation.Steps, step)
}

// previousContainer is the status that the composite has now. One that cannot be read counts as none.
func (c containerCall) previousContainer() (before v1alpha1.ContainerStatus) {
	conditions, ok := readStatus(statusOf(c.call.req), &before)
	if !ok {
		return v1alpha1.ContainerStatus{}
	}

	before.Conditions, before.AppliedSpec = conditions, respelled(appliedSpec(statusOf(c.call.req)), c.call.written)

	return before
}

// protect the claim from deletion.
func (c containerCall) protect(plan container.Plan) error {
	owner, api := ownerOf(c.call.composite, plan.Container.Identity), usageAPI(c.call.req)

	var (
		name string
		u    usage.Usage
	)

	switch container.ProtectionOf(plan) {
	case container.ProtectedByNothing:
		return nil
	case container.ProtectedByMaking:
		name, u = usage.ForMaking(owner, api, "container")
	case container.ProtectedByClaim:
		name, u = usage.ForContainer(owner, api)
	case container.ProtectedByProxmox:
		name, u = usage.ForProtectedContainer(owner, api, "")
	case container.ProtectedByBoth:
		name, u = usage.ForProtectedContainer(owner, api, " and spec.deletionProtection: false")
	}

	return writeUsage(c.call, name, u)
}
