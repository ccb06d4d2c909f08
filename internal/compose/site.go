package compose

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/site"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// What the function asks Crossplane for where something of a site may be deleted: all VMs and containers, because one may use it.
const (
	guestVMs        = "site-vms"
	guestContainers = "site-containers"
)

// A siteCall is a call for a ProxmoxSite.
type siteCall struct{ call *call }

// isSite says whether a composite is a ProxmoxSite.
func isSite(composite map[string]any) bool {
	kind, _ := composite["kind"].(string)

	return strings.TrimPrefix(kind, "X") == claim.KindProxmoxSite
}

// compose is the story of a call for a site: read what there is, resolve the claim, see who uses what, decide, and write.
func (c siteCall) compose() (known bool, err error) {
	if err := c.call.readAsked(); err != nil {
		return false, err
	}

	cat, known, err := catalogue(c.call.req, c.call.rsp, c.call.input)
	if err != nil || !known {
		return false, err
	}

	s, err := c.resolve(cat)
	if err != nil {
		return false, err
	}

	guests, known, err := c.guests(s)
	if err != nil || !known {
		return false, err
	}

	return true, c.respond(site.Decide(site.Request{Site: s, Observed: c.call.facts.Observed, Owner: c.call.facts.Owner, Flavour: c.call.flavour, Guests: guests}))
}

// otherSite is the fault of a site that moves to another Proxmox cluster.
const otherSite = "is fixed: the claim has interfaces or pools in another Proxmox cluster. Write another claim for this one"

// resolve makes a site in plain figures of claim and catalogue.
func (c siteCall) resolve(cat catalog.Catalog) (*machine.Site, error) {
	spec := v1alpha1.ProxmoxSiteSpec{}
	if c.call.claim.ProxmoxSite != nil {
		spec = *c.call.claim.ProxmoxSite
	}

	if errs := validate.SitesWith(c.call.flavour); len(errs) > 0 {
		return nil, &invalidError{status.OfSite, errs}
	}

	s, errs := resolve.ProxmoxSite(c.call.claim.Identity, spec, c.call.claim.Faults, cat, c.existing())
	if len(errs) > 0 {
		return nil, &invalidError{status.OfSite, claim.InOrderOfSite(errs)}
	}

	ref := c.call.flavour.Ref(proxmox.ProviderConfig{Name: s.ProviderConfig, Kind: s.ProviderConfigKind})

	for _, o := range c.call.facts.Observed.SiteParts {
		if !o.ObserveOnly() && o.Spec.ProviderConfigRef != ref {
			return nil, &invalidError{status.OfSite, field.ErrorList{field.Forbidden(field.NewPath("spec", "proxmox", "site"), otherSite)}}
		}
	}

	c.call.facts.Owner.ProviderConfigRef, c.call.facts.Owner.Proxmoxes = ref, lifecycle.ProxmoxesOf(cat, c.call.flavour)

	return s, nil
}

// existing is what is known of the interfaces and pools that exist, or that the provider may be creating.
func (c siteCall) existing() resolve.Existing {
	has := site.EntriesOf(c.call.facts.Observed.SiteParts)
	if has == nil {
		return resolve.Existing{}
	}

	c.call.previous.AppliedSpec = c.appliedBefore()

	return resolve.Existing{Has: has, Applied: c.call.appliedClaim()}
}

// containers of all claims. Where nobody serves the kind, there are none, and Crossplane could not list them.
func (c siteCall) containers() (out []proxmox.ObservedContainer, known bool, err error) {
	crd, version := c.call.flavour.ContainerDefinition()
	if missing, known := isMissing(c.call, containerKindRequirement, crd, version); missing || !known {
		return nil, known, nil
	}

	return requireByLabels(c.call, guestContainers, c.call.flavour.ContainerAPIVersion(), proxmox.ContainerKind, nil, proxmox.ObserveContainer)
}

// guests are the VMs and containers of claims, where something may be deleted: all but those of another Proxmox, which has nodes and bridges of the same names.
func (c siteCall) guests(s *machine.Site) (out []site.Guest, known bool, err error) {
	if s.DeletionPolicy != v1alpha1.DeletionDelete {
		return nil, true, nil
	}

	vms, haveVMs, err := c.call.vms(guestVMs, nil)
	if err != nil {
		return nil, false, err
	}

	containers, haveContainers, err := c.containers()
	if err != nil {
		return nil, false, err
	}

	for _, vm := range vms {
		if c.call.facts.Owner.IsElsewhere(vm.Spec.ProviderConfigRef) {
			continue
		}

		g := site.Guest{Name: c.guestName("VM", vm.Metadata), Nodes: []string{vm.Spec.ForProvider.NodeName, vm.Status.AtProvider.NodeName}}
		for _, nic := range vm.Spec.ForProvider.NetworkDevice {
			g.Bridges = append(g.Bridges, nic.Bridge)
		}

		out = append(out, g)
	}

	for _, ct := range containers {
		if c.call.facts.Owner.IsElsewhere(ct.Spec.ProviderConfigRef) {
			continue
		}

		g := site.Guest{Name: c.guestName("container", ct.Metadata), Nodes: []string{ct.Spec.ForProvider.NodeName, ct.Status.AtProvider.NodeName}}
		for _, nic := range ct.Spec.ForProvider.NetworkInterface {
			g.Bridges = append(g.Bridges, nic.Bridge)
		}

		out = append(out, g)
	}

	return out, haveVMs && haveContainers, nil
}

// guestName is a VM or a container in words, as far as the claim is told of it: whoever has a bridge in one namespace could list the machines of others by it.
func (c siteCall) guestName(what string, o proxmox.ObservedMetadata) string {
	if c.call.facts.Owner.Reads(o) {
		return what + " " + o.Name
	}

	return "a " + what + " of another claim, in another namespace"
}

// retain everything that exists, while Crossplane still fetches what the call needs.
func (c siteCall) retain() error {
	manifests, err := site.Retain(c.call.facts.Observed).Manifests(readIn(c.call.req))
	if err != nil {
		return err
	}

	desireAsItIs(c.call.rsp, manifests)

	return nil
}

// respond with the managed resources as the plan says, and with what is to be said of them.
func (c siteCall) respond(plan site.Plan) error {
	rendering := site.Render(plan)

	manifests, err := rendering.Manifests(readIn(c.call.req))
	if err != nil {
		return err
	}

	report := site.ReportOn(plan, rendering, c.call.written, c.appliedBefore())

	desire(c.call.rsp, manifests, report.Ready)

	applied := report.Status.AppliedSpec
	report.Status.AppliedSpec = nil

	if err := setStatus(c.call.req, c.call.rsp, &report.Status, applied); err != nil {
		return err
	}

	for _, condition := range report.Conditions {
		setCondition(c.call.rsp, condition)
	}

	if c.call.input.Explain {
		c.explain(plan)
	}

	return nil
}

// appliedBefore is the spec that had arrived before this call, as the composite's status has it; nil if that is not known.
func (c siteCall) appliedBefore() v1alpha1.AppliedSpec {
	return respelled(appliedSpec(statusOf(c.call.req)), c.call.written)
}

// explain the plan in words.
func (c siteCall) explain(plan site.Plan) {
	tell := sayer(c.call.rsp)

	c.call.explanation.Warnings = claim.Warnings(c.call.composite)
	for _, w := range c.call.explanation.Warnings {
		tell("claim: warning: %s", w)
	}

	c.call.explanation.Kept = append(c.call.explanation.Kept, keptWords(plan.Site.Kept)...)
	for _, text := range c.call.explanation.Kept {
		tell("claim: keeps %s", text)
	}

	for _, s := range plan.Steps() {
		step := Step{Resource: s.Resource, VM: true, Action: Kept, Words: s.Words, Changes: s.Changes, Pending: s.Waiting, Destroyed: s.Destroys}

		switch {
		case s.Action == site.ActionLook:
			step.Action = string(actionCheck)
		case s.Action == site.ActionCreate:
			step.Action = Created
		case s.Goes:
			step.Action = Removed
		case s.Changing:
			step.Action = string(actionChange)
		}

		tell("%s: %s", step.Resource, step.Action)

		for _, w := range step.Words {
			tell("%s: %s", step.Resource, w)
		}

		for _, ch := range step.Changes {
			tell("%s: %s: %s", step.Resource, effects[ch.Effect], ch)
		}

		for _, ch := range step.Pending {
			tell("%s: waits for allowInterruption: %s", step.Resource, ch)
		}

		c.call.explanation.Steps = append(c.call.explanation.Steps, step)
	}
}
