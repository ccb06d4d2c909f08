package compose

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// A clusterCall is a call for a K3sCluster.
type clusterCall struct {
	call *call

	id   machine.Identity
	spec v1alpha1.K3sClusterSpec
	// nodes that exist, by [cluster.Member.Node].
	nodes map[string]cluster.Child

	// spread is the condition on servers on one Proxmox node; nil where all are apart.
	spread    *status.Condition
	upgrade   systemUpgrade
	snapshots snapshotReport
	route     cluster.Route
	// refusals are what of the claim cannot be while the cluster lives.
	refusals cluster.Refusals
}

// isCluster says whether a composite is a K3sCluster.
func isCluster(composite map[string]any) bool {
	kind, _ := composite["kind"].(string)
	return strings.TrimPrefix(kind, "X") == claim.KindK3sCluster
}

// compose is the story of a call for a cluster: read what there is, decide who has its turn, and write the nodes.
func (c *clusterCall) compose() (known bool, err error) {
	if c.call.input, err = readInput(c.call.req); err != nil {
		return false, err
	}

	c.call.claim = claim.Decode(c.call.composite)
	c.id, c.call.flavour = c.call.claim.Identity, flavour(c.call.input, c.call.composite)

	c.spec = *c.call.claim.K3sCluster

	children, err := c.children()
	if err != nil {
		return false, err
	}

	c.nodes = children

	cat, known, err := catalogue(c.call.req, c.call.rsp, c.call.input)
	if err != nil || !known {
		return false, err
	}

	if len(c.call.claim.Faults) > 0 {
		return false, unreadCluster(c, children, cat)
	}

	findGoneHosts(children, cat)
	c.spread = cluster.SpreadBroken(children, func(name string) cluster.Site {
		return cluster.Site{Name: cmp.Or(name, cat.Defaults.Site), Nodes: nodesOfSite(cat, name, nil)}
	})
	c.upgrade.entry = cat.Clusters[c.spec.Cluster]

	if err = readPlans(c); err != nil {
		return false, err
	}

	c.route = cluster.RouteOf(c.spec, children, previousRoute(c.call.req))
	c.spec.Version = c.route.Version

	if c.snapshots, err = readSnapshots(*c, children, cat); err != nil {
		return false, err
	}

	members, err := c.members(children, cat)
	if err != nil {
		return false, err
	}

	plan, known, err := c.plan(members, children, cat)
	if err != nil || !known {
		return false, err
	}

	return true, c.respond(plan, children)
}

// unreadCluster is what is wrong with a claim of which something could not be read: of a new one all, of one that lives what keeps it from being read.
func unreadCluster(c *clusterCall, children map[string]cluster.Child, cat catalog.Catalog) error {
	if len(children) > 0 {
		return invalidCluster(c.call.claim.Faults)
	}

	apiVersion, _ := c.call.composite["apiVersion"].(string)

	return invalidCluster(cluster.CheckNew(c.id, apiVersion, c.spec, cat, c.call.claim.Faults, nil))
}

// plan what becomes of the nodes; known is false while Crossplane has not fetched what that needs.
func (c *clusterCall) plan(members []cluster.Member, children map[string]cluster.Child, cat catalog.Catalog) (plan cluster.Plan, known bool, err error) {
	adoptions, known, err := adopter{*c}.adoptions(members, children, cat)
	if !known || err != nil {
		return plan, false, err
	}

	if known = c.findUpgrade(children); !known {
		return plan, false, nil
	}

	return c.decide(cluster.World{
		Members: members, Children: children, Adoptions: adoptions, Rollout: c.spec.Rollout, Upgrade: c.spec.Upgrade, DeletionPolicy: c.spec.DeletionPolicy,
		Protected: c.protected(), NodesLeave: cluster.NodesLeave(cat, c.spec), Here: cat.Clusters[c.spec.Cluster].Observe == machine.ObserveHere,
		Refusals: c.refusals, Requests: cluster.Requests(c.spec), Unaccepted: c.unaccepted(children), System: c.upgrade.state(c.spec),
		Release: c.upgrade.entry.Version,
	})
}

// decide who has its turn. What is about to happen is asked for once more before: known is false while Crossplane has not fetched that yet.
func (c clusterCall) decide(world cluster.World) (plan cluster.Plan, known bool, err error) {
	plan = cluster.Decide(world)

	// Before anything is disturbed, the VMs are asked for. A node that went is gone before its VM is, and before it has left etcd.
	if plan.Disturbs() && len(world.Children) > 0 {
		if world.Leaving, known, err = c.leaving(world.Children); !known || err != nil {
			return plan, known, err
		}

		plan = cluster.Decide(world)
	}

	// A K3sNode of somebody else may have the name of a node: Crossplane would write over it.
	if world.Taken, known = c.taken(plan); !known {
		return plan, false, nil
	}

	if len(world.Taken) > 0 {
		plan = cluster.Decide(world)
	}

	return plan, true, nil
}

// memberRequirement begins the names of the nodes that are to be created, among what the function asks Crossplane for.
const memberRequirement = "k3s-cluster-node-"

// taken are the nodes that the plan creates although there is a composite of that name which the cluster does not control, sorted.
func (c clusterCall) taken(plan cluster.Plan) (names []string, known bool) {
	known = true

	for _, s := range plan.Steps {
		if s.Action != cluster.ActionCreate {
			continue
		}

		items, fetched := require(c.call.req, c.call.rsp, memberRequirement+s.Node, c.nodeNamed(s.Machine))
		known = known && fetched

		if there := first(items); there != nil && !c.controls(there) {
			names = append(names, s.Node)
		}
	}

	slices.Sort(names)

	return names, known
}

// children are the nodes that exist, by composed resource name.
func (c clusterCall) children() (map[string]cluster.Child, error) {
	out := map[string]cluster.Child{}

	for name, r := range c.call.req.GetObserved().GetResources() {
		if !c.isNode(r.GetResource()) {
			continue
		}

		child, err := cluster.Observe(r.GetResource().AsMap())
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read composed resource %q", name)
		}

		out[name] = child
	}

	return out, nil
}

// members that the claim describes, without what of it cannot be. A claim whose cluster has no node yet has to be right as a whole.
func (c *clusterCall) members(children map[string]cluster.Child, cat catalog.Catalog) ([]cluster.Member, error) {
	if large := cluster.CheckSize(c.spec); len(large) > 0 {
		return nil, invalidCluster(large)
	}

	wrong, useless := cluster.OfNodesThatGo(cluster.Check(c.id, c.spec), c.spec, children)

	c.refusals.Cluster = cluster.CheckUpgrade(c.spec, c.upgrade.version(c.spec), cluster.NodesLeave(cat, c.spec), children)
	if len(c.refusals.Cluster) > 0 && len(children) > 0 {
		c.stand(cat, children)
	}

	c.refusals.Cluster = append(c.refusals.Cluster, cluster.CheckRestore(c.spec, children)...)

	members, err := cluster.Members(c.id, c.spec, c.protected())
	if err != nil {
		return nil, err
	}

	c.refusals.Absent = append(cluster.Absent(c.spec, members), useless...)

	for _, m := range members {
		c.refusals.Refuse(m.Node, c.faultsOf(m, wrong, children, cat))
	}

	c.refusals.Together(members, c.spec, children)

	refused := c.refusals.All()

	// A pool that became smaller leaves such settings behind, and they wait for a larger count. In a new claim, a name that is nobody's is a slip.
	if len(children) == 0 {
		refused = append(refused, c.refusals.Absent...)
	}

	if len(wrong) > 0 || len(refused) > 0 && len(children) == 0 {
		return nil, invalidCluster(slices.Concat(wrong, refused))
	}

	return members, nil
}

// stand by the release that the servers were last asked to run, and by the Plans as they are where nobody can write them.
func (c *clusterCall) stand(cat catalog.Catalog, children map[string]cluster.Child) {
	if c.spec.Upgrade == v1alpha1.UpgradeSystem && !cluster.NodesLeave(cat, c.spec) {
		c.spec.Upgrade, c.spec.Rollout.Window, c.upgrade.stands = v1alpha1.UpgradeNone, nil, true
	}

	c.spec = cluster.Standing(c.spec, children, c.upgrade.planned()...)
}

// faultsOf a member: of one that is to be created, all; of one that exists and is to be changed, those that the change would bring. What was wrong
// before, a node says itself, so that a fault of the catalogue keeps no other node from its turn.
func (c *clusterCall) faultsOf(m cluster.Member, wrong field.ErrorList, children map[string]cluster.Child, cat catalog.Catalog) field.ErrorList {
	wrong = append(slices.Clone(wrong), c.refusals.Cluster...)
	apiVersion, _ := c.call.composite["apiVersion"].(string)
	child, exists := children[m.Node]

	var errs field.ErrorList

	switch {
	case !exists && m.Adopts == "":
		errs = append(cluster.CheckMember(m, c.id, apiVersion, c.spec, cat, checkSecrets(c.call.req)), cluster.CheckDatastore(m, children, c.spec, c.id.Namespace)...)
	case exists && cluster.Changes(m, child):
		errs = append(cluster.CheckName(child, c.spec, children), cluster.CheckChange(m, child, c.id, apiVersion, c.spec, cat)...)
	}

	return cluster.Besides(wrong, errs)
}

// retain every node as it is, while Crossplane still fetches what the call needs.
func (c *clusterCall) retain() error {
	for name, child := range c.nodes {
		step := cluster.Step{
			Node: name, Machine: child.Machine, Spec: child.Spec, Template: child.Template, Turn: child.Turn, Joined: child.Joined,
			Requested: child.Requested, DataDisks: child.DataDisks, Adopted: child.Adopted,
		}

		manifest, err := c.manifest(step)
		if err != nil {
			return err
		}

		c.call.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: manifest}
	}

	return errors.Join(c.keepUsages(), planWriter{*c}.keep())
}

// keepUsages that exist. A node can have a name like a Usage's.
func (c clusterCall) keepUsages() error {
	observed := maps.Clone(c.call.req.GetObserved().GetResources())
	maps.DeleteFunc(observed, func(_ string, o *fnv1.Resource) bool { return c.isNode(o.GetResource()) })

	usages, err := keptUsages(observed)

	for name, kept := range usages {
		addUsage(c.call, name, kept)
	}

	return err
}

// respondNodes writes the nodes as the plan says.
func respondNodes(c clusterCall, plan cluster.Plan, children map[string]cluster.Child) error {
	all := true

	for _, s := range plan.Steps {
		if s.Spec == nil {
			all = all && s.Action == cluster.ActionRemove
			continue
		}

		manifest, err := c.manifest(s)
		if err != nil {
			return err
		}

		ready := fnv1.Ready_READY_FALSE
		if children[s.Node].Ready && s.Node != plan.Emptied {
			ready = fnv1.Ready_READY_TRUE
		}

		c.call.rsp.Desired.Resources[s.Node] = &fnv1.Resource{Resource: manifest, Ready: ready}
	}

	if !all {
		c.call.rsp.GetDesired().GetComposite().Ready = fnv1.Ready_READY_FALSE
	}

	return nil
}

// respond with the nodes as the plan says, and with what is to be said of them.
func (c clusterCall) respond(plan cluster.Plan, children map[string]cluster.Child) error {
	if err := errors.Join(respondNodes(c, plan, children), c.protect(), planWriter{c}.write(plan)); err != nil {
		return err
	}

	before := c.previousRollout()
	report := cluster.ReportOn(plan, children, c.spec.Version, c.refusals)
	report.Status.Snapshots = c.snapshots.status
	report.Status.Minor, report.Status.Route, report.Status.Channel = c.route.Minor, c.route.Releases, c.route.Channel()

	if said := c.snapshots.condition; said != nil {
		report.Conditions = append(report.Conditions, *said)
	}

	if err := c.writeStatus(report.Status); err != nil {
		return err
	}

	said, spread := cluster.SaySpread(c.spread, reasonBefore(c, status.TypeSpreadBroken))
	report.Conditions = append(report.Conditions, said...)

	if plan.Lost == "" && had(c, cluster.TypeNodesLost) {
		report.Conditions = append(report.Conditions, cluster.NoneLost())
	}

	for _, condition := range report.Conditions {
		setCondition(c.call.rsp, condition)
	}

	warnings := report.Warnings(plan, c.refusals, saidBefore(c, status.TypeSpecValid, "message"))
	say(c.call.rsp, slices.Concat(warnings, cluster.Events(before, plan), spread))

	if c.call.input.Explain {
		c.explain(plan)
	}

	return nil
}

// explain the plan in words.
func (c clusterCall) explain(plan cluster.Plan) {
	say := sayer(c.call.rsp)

	c.call.explanation.Warnings = slices.Concat(claim.Warnings(c.call.composite), c.refusals.Useless(), plan.Announced)
	if held := cluster.OfLaterReleases(plan.Message); held != "" {
		c.call.explanation.Warnings = append(c.call.explanation.Warnings, held)
	}

	for _, w := range c.call.explanation.Warnings {
		say("claim: warning: %s", w)
	}

	for _, f := range c.refusals.All() {
		if text := f.Field + ": " + message.Fault(f); !slices.Contains(c.call.explanation.Refused, text) {
			c.call.explanation.Refused = append(c.call.explanation.Refused, text)
		}
	}

	for _, s := range plan.Steps {
		e := Step{Resource: s.Node, Action: strings.ToLower(string(s.Action)), Refused: s.Refused}

		switch {
		case s.MayReplace && c.spec.DeletionPolicy == v1alpha1.DeletionDelete:
			e.Turn = NodeTurnDestroys
		case s.MayReplace:
			e.Turn = NodeTurnReplaces
		}

		if s.Why != "" {
			e.Words = []string{s.Why}
		}

		say("%s: %s", e.Resource, e.Action)

		for _, w := range e.Words {
			say("%s: %s", e.Resource, w)
		}

		c.call.explanation.Steps = append(c.call.explanation.Steps, e)
	}
}

// manifest of a node. Its labels are the cluster's, as a claim's are those of its composite.
func (c clusterCall) manifest(s cluster.Step) (*structpb.Struct, error) {
	annotations := map[string]any{}

	if s.Template != "" {
		annotations[cluster.TemplateAnnotation] = s.Template
	}

	if s.Turn != "" {
		annotations[cluster.TurnAnnotation] = string(s.Turn)
	}

	if s.Joined {
		annotations[cluster.JoinedAnnotation] = "true"
	}

	if s.DataDisks {
		annotations[cluster.DataDisksAnnotation] = "true"
	}

	if s.Adopted {
		annotations[cluster.AdoptedAnnotation] = "true"
	}

	if len(s.Requested) > 0 {
		text, err := json.Marshal(s.Requested)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot write node %s", s.Node)
		}

		annotations[cluster.RequestedAnnotation] = string(text)
	}

	metadata := map[string]any{"name": s.Machine, "labels": c.labels()}
	if _, namespace := ownName(c.call.composite); namespace != "" {
		metadata["namespace"] = namespace
	}

	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}

	out, err := structpb.NewStruct(map[string]any{"apiVersion": c.call.composite["apiVersion"], "kind": c.nodeKind(), "metadata": metadata, "spec": s.Spec})

	return out, errors.Wrapf(err, "cannot write node %s", s.Node)
}

// labels of the nodes: those that a person wrote, and the name of the cluster.
func (c clusterCall) labels() map[string]any {
	metadata, _ := c.call.composite["metadata"].(map[string]any)
	has, _ := metadata["labels"].(map[string]any)

	out := maps.Clone(has)
	if out == nil {
		out = map[string]any{}
	}

	for _, name := range slices.Collect(maps.Keys(out)) {
		if strings.Contains(name, "crossplane.io/") || strings.Contains(name, "fluxcd.io/") {
			delete(out, name)
		}
	}

	out[cluster.NameLabel] = c.id.Name

	return out
}

// protect the claim from deletion: where a person asks for it, and where the VMs could not go, since each would wait for its Node, and the last ones for
// an API that is gone with the others.
func (c clusterCall) protect() error {
	entry, owner, api := c.upgrade.entry, ownerOf(c.call.composite, c.id), usageAPI(c.call.req)

	switch {
	case c.protected():
		name, u := usage.ForCluster(owner, api)
		return writeUsage(c.call, name, u)
	case c.spec.DeletionPolicy == v1alpha1.DeletionDelete && entry.ProviderConfig != "" && entry.Observe.Reads():
		name, u := usage.ForObservedCluster(owner, api)
		return writeUsage(c.call, name, u)
	default:
		return nil
	}
}
