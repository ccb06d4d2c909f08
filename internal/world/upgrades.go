package world

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// noPlans is what provider-kubernetes says of a Plan where there is no system-upgrade-controller.
const noPlans = `observe failed: cannot get object: no matches for kind "Plan" in version "upgrade.cattle.io/v1"`

// An Upgrader is Rancher's system-upgrade-controller in the K3s cluster, as far as the function has to do with it. What it does was read in
// its source (pkg/upgrade/plan/plan.go, pkg/upgrade/job/job.go): a Node that a Plan chooses, and that has not got the Plan's release from it, is
// cordoned, upgraded by a Job and uncordoned.
type Upgrader struct {
	// Missing says that it is not installed.
	Missing bool
	// Hangs says that its Jobs do not end.
	Hangs bool
	// Plans by name.
	Plans map[string]map[string]any
	// Done are the Nodes that were upgraded, in their order.
	Done []string

	jobs map[string]*upgradeJob // By Node.
	had  map[string]string      // The release that a Node got last, by Plan and Node.
}

// An upgradeJob upgrades K3s on a Node.
type upgradeJob struct {
	plan, release string
	age           int // In turns of its machine.
}

// planOf an Object is the manifest of its Plan; nil for other Objects.
func planOf(o map[string]any) map[string]any {
	manifest := Object(Object(Object(o["spec"])["forProvider"])["manifest"])
	if manifest["kind"] != "Plan" {
		return nil
	}

	return manifest
}

// workPlan lets provider-kubernetes write a Plan and read it.
func (k *Kubernetes) workPlan(o map[string]any, generation any) {
	u := &k.Upgrader
	manifest := Object(Copy(planOf(o)))
	name := fmt.Sprint(Object(manifest["metadata"])["name"])

	switch {
	case k.Fails != "":
		SetConditions(o, Condition("Synced", "False", "ReconcileError", k.Fails, generation))
		return
	case u.Missing:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", noPlans, generation))
		return
	case u.Plans == nil:
		u.Plans = map[string]map[string]any{}
	}

	applying := []any{}

	for _, node := range Keys(u.jobs) {
		if u.jobs[node].plan == name {
			applying = append(applying, node)
		}
	}

	manifest["status"] = map[string]any{"applying": applying}
	u.Plans[name] = manifest

	status := Object(o["status"])
	status["atProvider"] = map[string]any{"manifest": Copy(manifest)}
	o["status"] = status
	SetConditions(o, Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation))
}

// deletePlan of an Object that is deleted. Its Jobs go with it, and leave their Nodes as they are.
func (k *Kubernetes) deletePlan(name string) {
	delete(k.Upgrader.Plans, name)

	for node, j := range k.Upgrader.jobs {
		if j.plan == name {
			delete(k.Upgrader.jobs, node)
		}
	}
}

// upgrade the Node of a machine, as a Plan says.
func (u *Upgrader) upgrade(c *Cluster, node string) {
	if j := u.jobs[node]; j != nil {
		u.work(c, node, j)
		return
	}

	if c.Nodes[node] == nil {
		return
	}

	for _, name := range Keys(u.Plans) {
		release, chosen := u.chooses(c, name, node)
		if !chosen || u.had[name+" "+node] == release {
			continue
		}

		u.check(c, node, release)
		c.Cordon(node, true)

		if u.jobs == nil {
			u.jobs, u.had = map[string]*upgradeJob{}, map[string]string{}
		}

		u.jobs[node] = &upgradeJob{plan: name, release: release}

		return
	}
}

// chooses says whether a Plan is for a Node, and the Plan's release.
func (u *Upgrader) chooses(c *Cluster, plan, node string) (release string, chosen bool) {
	spec := Object(u.Plans[plan]["spec"])
	labels := Object(Object(c.Nodes[node]["metadata"])["labels"])

	for _, r := range List(Object(spec["nodeSelector"])["matchExpressions"]) {
		r := Object(r)
		value, has := labels[fmt.Sprint(r["key"])]
		in := has && slices.Contains(List(r["values"]), value)

		switch r["operator"] {
		case "In":
			chosen = in
		case "NotIn":
			chosen = !in
		case "DoesNotExist":
			chosen = !has
		default:
			c.Fault("Plan %s has the operator %v", plan, r["operator"])
		}

		if !chosen {
			return "", false
		}
	}

	return fmt.Sprint(spec["version"]), chosen
}

// check what must be true when the upgrade of a Node begins: it is the only one, all other servers vote, no minor release is skipped, etcd
// counts no removed member again, and no agent becomes newer than a server.
func (u *Upgrader) check(c *Cluster, node, release string) {
	for other := range u.jobs {
		if !apart(c, node, other) {
			c.Fault("%s is upgraded while %s is", node, other)
		}
	}

	has, ok := k3s.MinorOf(c.Release(node))
	next, ok2 := k3s.MinorOf(release)

	if !ok || !ok2 || next > has+1 || k3s.OlderRelease(release, c.Release(node)) {
		c.Fault("%s is upgraded from %s to %s", node, c.Release(node), release)
	}

	if c.IsServer(node) && k3s.EtcdHop(c.Release(node), release).Verdict == k3s.HopRefused {
		c.Fault("etcd of server %s counts removed members again after its upgrade from %s to %s", node, c.Release(node), release)
	}

	for _, other := range Keys(c.Nodes) {
		switch {
		case other == node, apart(c, node, other), c.Lately[other], c.isDead(other):
		case !c.IsServer(other):
			if !c.is(other, "Ready") {
				c.Fault("%s is upgraded while agent %s is not Ready", node, other)
			}
		case c.IsServer(node) && (!c.NodeServes(other) || !c.is(other, "Ready") || !c.is(other, "EtcdIsVoter")):
			c.Fault("server %s is upgraded while server %s does not run, is not Ready or does not vote", node, other)
		case !c.IsServer(node) && k3s.OlderRelease(c.Release(other), release):
			c.Fault("agent %s is upgraded to %s while server %s runs %s", node, release, other, c.Release(other))
		}
	}
}

// work on a Job: K3s stops, is back with its release, and the Node is uncordoned.
func (u *Upgrader) work(c *Cluster, node string, j *upgradeJob) {
	if u.Hangs && j.age > 0 {
		return
	}

	switch j.age++; j.age {
	case 1:
		c.SetNode(node, "Ready", "Unknown", "NodeStatusUnknown")
	case 2:
		c.SetRelease(node, j.release)
		c.SetNode(node, "Ready", "True", "KubeletReady")
	case 3:
		c.Cordon(node, false)
		u.had[j.plan+" "+node] = j.release
		u.Done = append(u.Done, node)
		delete(u.jobs, node)
	}
}

// Working are the Nodes that are upgraded now, sorted.
func (u *Upgrader) Working() []string { return Keys(u.jobs) }

// ReleaseFor is the release to which a Node is upgraded now; empty if it is not.
func (u *Upgrader) ReleaseFor(node string) string {
	if j := u.jobs[node]; j != nil {
		return j.release
	}

	return ""
}

// WorksFor says whether a Job of a Plan works on a Node: it goes with its Plan, and leaves the Node as it is.
func (u *Upgrader) WorksFor(plan string) bool {
	for _, j := range u.jobs {
		if j.plan == plan {
			return true
		}
	}

	return false
}
