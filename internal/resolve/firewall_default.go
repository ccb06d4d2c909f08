package resolve

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A firewallClaim is the firewall that a guest is to have, as somebody wrote it.
type firewallClaim struct {
	spec *v1alpha1.Firewall // Nil: none.
	at   *field.Path
	from machine.FirewallFrom
}

// said is the firewall that the guest is to have, and the default that it is made with, for its annotation. A default is for guests that are made with it: a
// guest that runs is neither closed nor opened by an edit of the catalogue, which no claim shows. So what it was made with is remembered of it, and counts as
// if its claim said it.
func (r firewall) said() (firewallClaim, string) {
	made := ""
	if !r.unmade() {
		made = r.g.existing.FirewallDefault
	}

	if f := r.g.spec.Firewall; f != nil {
		return firewallClaim{spec: f, at: r.g.at.Child("firewall")}, made
	}

	if made == "" && !r.unmade() {
		return firewallClaim{}, ""
	}

	out := firewallClaim{at: r.g.catalog.Defaults.Path("firewall"), from: machine.FirewallFromDefault}
	if r.unmade() {
		out.spec, made = r.forNew(out.at)
	} else {
		out.spec = r.remembered(out.at, made)
	}

	return out, made
}

// unmade says whether nothing of the guest exists yet, nor is being created.
func (r firewall) unmade() bool { return r.g.existing.Has == nil && !r.g.existing.Container }

// forNew is the default for a guest that is to be made, and how it is remembered. A guest that is to be adopted keeps what somebody set up.
func (r firewall) forNew(at *field.Path) (*v1alpha1.Firewall, string) {
	if r.g.existing.Adopting {
		return nil, ""
	}

	for _, doubt := range append(r.g.catalog.Doubt("firewall"), validate.DefaultFirewall(at, r.g.catalog.Defaults.Firewall)...) {
		if !slices.ContainsFunc(r.n.faults, func(has *field.Error) bool { return has.Error() == doubt.Error() }) {
			r.n.add(doubt)
		}
	}

	f := r.g.catalog.Defaults.Firewall
	if f == nil {
		return nil, ""
	}

	switch why := r.g.existing.WithoutFirewalls; {
	case why != "":
		r.n.warn("%s: the %s is made without it: %s.", at, r.g.guest(), why)
		return nil, ""
	case r.closesNetwork(*f):
		// Nobody sees in the claim that its pods would be cut off.
		r.n.warn("%s: the VM is made without it: flannel-backend of its cluster is none, and nobody knows the ports of your network plugin. "+
			"Write spec.firewall, with these in allow.", at)

		return nil, ""
	}

	b, err := json.Marshal(f)
	if err != nil {
		r.n.add(field.InternalError(at, err))
		return nil, ""
	}

	return r.forRole(*f), string(b)
}

// remembered is the default that a guest was made with. One that nobody can read stays as it was last written.
func (r firewall) remembered(at *field.Path, text string) *v1alpha1.Firewall {
	var f v1alpha1.Firewall
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		r.n.keeps(r.g, machine.PartFirewall, field.ErrorList{field.Invalid(field.NewPath("metadata", "annotations").Key(proxmox.FirewallDefaultAnnotation), message.Excerpt(text),
			"must be the default firewall that the "+r.g.guest()+" was made with, as JSON: write spec.firewall in its place")}, "", nil)
	}

	if why := r.g.existing.WithoutFirewalls; why != "" {
		r.n.keeps(r.g, machine.PartFirewall, field.ErrorList{field.Forbidden(at, "the provider cannot change what the "+r.g.guest()+" was made with: "+why)}, "", nil)
	}

	return r.forRole(f)
}

// closesNetwork says whether a default would drop what the nodes of a K3s cluster tell each other on ports that nobody knows.
func (r firewall) closesNetwork(f v1alpha1.Firewall) bool {
	return orTrue(f.Enabled) && r.forRole(f).Preset != f.Preset && r.of.k3s != nil && k3s.Backend(r.of.shared) == k3s.BackendNone
}

// forRole is a default with the preset of a K3s node's role in place of its own.
func (r firewall) forRole(f v1alpha1.Firewall) *v1alpha1.Firewall {
	if k := r.g.k3s; k != nil && (k.Role == v1alpha1.K3sServer || k.Role == v1alpha1.K3sAgent) {
		f.Preset = validate.PresetOf(&f, k.Role)
	}

	return &f
}

// misses notes that the site does not have what a rule names. A guest whose firewall names what the site has lost since keeps its firewall.
func (r firewall) misses(of firewallClaim, fault *field.Error, typed string, name catalog.FirewallName) {
	if of.from == machine.FirewallFromClaim {
		r.n.keeps(r.g, machine.PartFirewall, field.ErrorList{fault}, typed, appliedFirewallName(name))
		return
	}

	if !r.unmade() {
		fault.Detail += " (of the default that the " + r.g.guest() + " was made with)"
	}

	r.n.keeps(r.g, machine.PartFirewall, field.ErrorList{fault}, "", nil)
}
