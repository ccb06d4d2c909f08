package world

import (
	"fmt"
	"strings"
)

// A JobFate is what becomes of a Job.
type JobFate string

// The fates.
const (
	JobCompletes JobFate = ""
	JobFails     JobFate = "Fails"
	// JobHangs: it has not ended, and its deadline is not over.
	JobHangs JobFate = "Hangs"
)

const jobFate = "fate"

// jobOf an Object is the manifest of its Job; nil for other Objects.
func jobOf(o map[string]any) map[string]any {
	manifest := Object(Object(Object(o["spec"])["forProvider"])["manifest"])
	if manifest["kind"] != "Job" {
		return nil
	}

	return manifest
}

// workJob lets provider-kubernetes create a Job, or read it, and lets a Job that was there before do its work. It never changes or deletes one:
// its policies do not let it.
func (k *Kubernetes) workJob(m *Machine, composed string, o map[string]any, generation any) {
	manifest := jobOf(o)
	name := fmt.Sprint(Object(manifest["metadata"])["name"])

	if k.Fails != "" {
		SetConditions(o, Condition("Synced", "False", "ReconcileError", k.Fails, generation))
		return
	}

	job, there := k.Jobs[name]

	switch {
	case there:
		k.end(m.cluster, job)
	case !strings.Contains(Policies(o), "Create"):
		m.cluster.Fault("%s may not create its Job", composed)
		return
	default:
		job = k.create(m, composed, name, manifest)
	}

	status := Object(o["status"])
	status["atProvider"] = map[string]any{"manifest": Copy(job)}
	o["status"] = status
	SetConditions(o, Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation))
}

// create a Job, which begins at once. It works on no Node but that of the VM which it is for, and no two servers of a cluster are drained at a time.
func (k *Kubernetes) create(m *Machine, composed, name string, manifest map[string]any) map[string]any {
	c, node := m.cluster, drainedNode(manifest)
	task, vm, _ := strings.Cut(composed[:strings.LastIndex(composed, "-")], "-")

	job := Object(Copy(manifest))
	job[jobFate] = string(k.Drain)

	if k.Jobs == nil {
		k.Jobs = map[string]map[string]any{}
	}

	k.Jobs[name] = job

	// Its first container waits for the Node that it is about, in vain.
	if !c.isIdentified(node, manifest) {
		job[jobFate] = string(JobFails)
		return job
	}

	if owner := c.registrants[node]; owner != OwnerOf(m, vm) {
		c.Fault("Job %s of %s works on Node %s, which is %q", name, OwnerOf(m, vm), node, owner)
	}

	if task == "drain" {
		for other, o := range k.Jobs {
			if runs(o) && drains(o) && c.IsServer(node) && c.IsServer(drainedNode(o)) && drainedNode(o) != node && !apart(c, node, drainedNode(o)) {
				c.Fault("Job %s drains server %s while Job %s drains server %s", name, node, other, drainedNode(o))
			}
		}

		c.Cordon(node, true)
	}

	m.Proxmox.note("%s %s", task, node)

	return job
}

// isIdentified says whether a Node is the one for which the first container of a Job waits, by its system UUID.
func (c *Cluster) isIdentified(node string, manifest map[string]any) bool {
	pod := Object(Object(Object(manifest["spec"])["template"])["spec"])
	uuid := Object(Object(c.Nodes[node]["status"])["nodeInfo"])["systemUUID"]

	for _, word := range List(Object(List(pod["initContainers"])[0])["command"]) {
		if word == fmt.Sprintf("--for=jsonpath={.status.nodeInfo.systemUUID}=%v", uuid) {
			return true
		}
	}

	return false
}

// end a Job that runs, as it is its fate.
func (k *Kubernetes) end(c *Cluster, job map[string]any) {
	if !runs(job) || job[jobFate] == string(JobHangs) {
		return
	}

	typ := "Complete"
	if job[jobFate] == string(JobFails) {
		typ = "Failed"
	} else if !drains(job) {
		c.Cordon(drainedNode(job), false)
	}

	job["status"] = map[string]any{"conditions": []any{map[string]any{"type": typ, "status": "True"}}}
}

// EndJobs gives all Jobs that run another fate.
func (k *Kubernetes) EndJobs(fate JobFate) {
	k.Drain = fate

	for _, job := range k.Jobs {
		job[jobFate] = string(fate)
	}
}

// Draining says whether a Job that drains a Node has not ended.
func (k *Kubernetes) Draining(node string) bool {
	for _, job := range k.Jobs {
		if runs(job) && drains(job) && drainedNode(job) == node {
			return true
		}
	}

	return false
}

func runs(job map[string]any) bool { return job["status"] == nil }

func drains(job map[string]any) bool { return jobCommand(job)[1] == "drain" }

func drainedNode(job map[string]any) string { return fmt.Sprint(jobCommand(job)[2]) }

func jobCommand(job map[string]any) []any {
	pod := Object(Object(Object(job["spec"])["template"])["spec"])

	return List(Object(List(pod["containers"])[0])["command"])
}
