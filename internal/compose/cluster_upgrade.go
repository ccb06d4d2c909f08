package compose

import (
	"cmp"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// A systemUpgrade is what a call knows of system-upgrade-controller in the cluster that it is about.
type systemUpgrade struct {
	// entry is the cluster's in the catalogue.
	entry catalog.Cluster
	// plans are the Objects of the Plans that exist, by composed resource name.
	plans map[string]object.ObservedPlan
	// noKind says that provider-kubernetes is not installed.
	noKind bool
	// stands says that the Plans stay as they were last written, because nobody can tell any more what runs in the cluster.
	stands bool
	// reachable says that there is an API server to write Plans to: a server has joined.
	reachable bool
}

// plansOf are the words for the nodes of a role in the names of their Plan and its Object.
var plansOf = map[cluster.Role]string{v1alpha1.K3sServer: "servers", v1alpha1.K3sAgent: "agents"} //nolint:gochecknoglobals // A constant table.

// version is the release that all nodes are to run.
func (u systemUpgrade) version(spec v1alpha1.K3sClusterSpec) string {
	return cmp.Or(spec.Version, u.entry.Version)
}

// readPlans reads the Objects of Plans.
func readPlans(c *clusterCall) (err error) {
	for name, r := range c.call.req.GetObserved().GetResources() {
		if !object.IsPlan(name, r.GetResource()) {
			continue
		}

		if c.upgrade.plans, err = readInto(c.upgrade.plans, name, r.GetResource()); err != nil {
			return err
		}
	}

	return nil
}

// planned are the releases to which Plans are to upgrade nodes.
func (u systemUpgrade) planned() (out []string) {
	for _, o := range u.plans {
		if len(o.Nodes()) > 0 {
			out = append(out, o.Version())
		}
	}

	return out
}

// findUpgrade finds out whether there can be Plans: Crossplane could apply nothing of an answer with a kind that
// is not installed.
func (c *clusterCall) findUpgrade(children map[string]cluster.Child) (known bool) {
	for _, child := range children {
		c.upgrade.reachable = c.upgrade.reachable || child.Role == v1alpha1.K3sServer && child.Joined
	}

	if c.spec.Upgrade != v1alpha1.UpgradeSystem || len(c.upgrade.plans) > 0 {
		return true
	}

	known = c.call.findObjectKind()
	c.upgrade.noKind = c.call.facts.Objects.NoKind

	return known
}

// state is what a decision needs to know; nil where system-upgrade-controller does not upgrade the cluster.
func (u systemUpgrade) state(spec v1alpha1.K3sClusterSpec) *cluster.SystemUpgrade {
	if spec.Upgrade != v1alpha1.UpgradeSystem {
		return nil
	}

	out := &cluster.SystemUpgrade{
		Version: u.version(spec), Window: spec.Rollout.Window != nil, Drains: u.entry.Drain.Outages, Plans: map[cluster.Role]cluster.UpgradePlan{},
	}

	if u.noKind {
		out.Trouble = "provider-kubernetes is not installed, which writes the Plans of system-upgrade-controller: see docs/node.md, With provider-kubernetes"
	}

	const writer = "provider-kubernetes"

	for role, word := range plansOf {
		o, there := u.plans[object.PlanName(word)]
		if !there {
			out.Pending = writer
			continue
		}

		out.Plans[role] = cluster.UpgradePlan{Version: o.Version(), Nodes: o.Nodes(), Applying: o.Applying()}

		switch sight := o.Sees(); sight {
		case object.SightClear:
		case object.SightPending:
			out.Pending = cmp.Or(out.Pending, writer)
		case object.SightUnreachable:
			// Also while the only server is upgraded.
			out.Pending = writer + " (it cannot reach the API server of the cluster)"
		default:
			out.Trouble = object.PlanTrouble(sight, u.entry.SystemUpgrade.Namespace, u.entry.ProviderConfig)
		}
	}

	return out
}

// A planWriter writes the Plans of a cluster.
type planWriter struct{ of clusterCall }

// write the Plans into the response. They never keep the composite from being ready.
func (c planWriter) write(plan cluster.Plan) error {
	if c.of.upgrade.stands {
		return c.keep()
	}

	if c.of.upgrade.noKind || !c.of.upgrade.reachable && len(c.of.upgrade.plans) == 0 {
		return nil
	}

	for role, p := range plan.Upgrades {
		name := object.PlanName(plansOf[role])
		metadata := proxmox.Metadata{Labels: map[string]string{cluster.NameLabel: c.of.id.Name}}

		err := c.writePlan(name, object.NewPlan(object.FlavourOf(c.of.call.flavour), c.of.upgrade.entry.ProviderConfig, c.planOf(role, p), c.plansGo(), metadata))
		if err != nil {
			return err
		}
	}

	return nil
}

// planOf some nodes, as the API has it.
func (c planWriter) planOf(role cluster.Role, p cluster.UpgradePlan) object.Upgrade {
	settings := c.of.upgrade.entry.SystemUpgrade
	out := object.Upgrade{
		Name: c.planName(role), Nodes: p.Nodes, Version: p.Version, Concurrency: 1,
		Window: c.window(object.PlanName(plansOf[role])), Namespace: settings.Namespace, ServiceAccount: settings.ServiceAccount, Image: settings.Image,
	}

	if role == v1alpha1.K3sAgent {
		out.Agents = true
		out.Servers, out.Concurrency = c.planName(v1alpha1.K3sServer), max(1, c.of.spec.Rollout.MaxUnavailable)
	}

	if p.Drain {
		out.DrainMinutes = object.DefaultDrainMinutes
		if m := c.of.upgrade.entry.Drain.TimeoutMinutes; m != nil {
			out.DrainMinutes = *m
		}
	}

	return out
}

// maxClusterInPlan is how many characters of the claim's name are in the name of a Plan, which is part of the name of a label: 63 at most.
const maxClusterInPlan = 22

// planName is the name of a role's Plan. All Plans of a K3s cluster are in one namespace, also those of claims in other namespaces, so a new one has the
// identity of its claim in its name. One that exists keeps its name.
func (c planWriter) planName(role cluster.Role) string {
	word := plansOf[role]
	if has := c.of.upgrade.plans[object.PlanName(word)].Name(); has != "" {
		return has
	}

	return strings.TrimRight(c.of.id.Name[:min(len(c.of.id.Name), maxClusterInPlan)], "-") + "-" + word + "-" + c.of.id.LongHash("plan", word)
}

// window of a Plan. A window that is taken back becomes one that is always open, where the Plan in the cluster has one: see
// [object.ObservedPlan.HasWindow].
func (c planWriter) window(plan string) *object.PlanWindow {
	w := c.of.spec.Rollout.Window

	switch {
	case w == nil && c.of.upgrade.plans[plan].HasWindow():
		w = &v1alpha1.Window{StartTime: "00:00", EndTime: "23:59"}
	case w == nil:
		return nil
	}

	days := w.Days
	if len(days) == 0 {
		days = cluster.Days
	}

	out := &object.PlanWindow{StartTime: w.StartTime, EndTime: w.EndTime, TimeZone: cmp.Or(w.TimeZone, "UTC")}
	for _, day := range days {
		out.Days = append(out.Days, string(day))
	}

	return out
}

// plansGo says whether the Plans go with the cluster's claim. Where the VMs go with it, the API server goes, too, and nobody could delete a
// Plan there any more; so the Plans stay as soon as the claim may be deleted.
func (c planWriter) plansGo() bool {
	return c.of.spec.DeletionPolicy != v1alpha1.DeletionDelete || c.of.protected()
}

func (c planWriter) writePlan(name string, o object.Of[object.Plan]) error {
	manifest, err := object.ManifestOf(o)
	if err != nil {
		return errors.Wrapf(err, "cannot write composed resource %q", name)
	}

	c.of.call.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: manifest, Ready: fnv1.Ready_READY_TRUE}

	return nil
}

// keep the Plans as they were last written, for a call that cannot decide yet.
func (c planWriter) keep() error {
	for name, r := range c.of.call.req.GetObserved().GetResources() {
		if !object.IsPlan(name, r.GetResource()) {
			continue
		}

		o, err := object.Read[object.ObservedPlan](r.GetResource())
		if err != nil {
			return errors.Wrapf(err, "cannot read observed composed resource %q", name)
		}

		for name, kept := range render.RetainObjects[object.Plan](map[string]object.ObservedPlan{name: o}) {
			if err := c.writePlan(name, kept); err != nil {
				return err
			}
		}
	}

	return nil
}
