package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Kinds of provider-proxmox-bpg's managed resources.
const (
	VMKind           = "EnvironmentVM"
	FileKind         = "EnvironmentFile"
	DownloadFileKind = "EnvironmentDownloadFile"

	FirewallOptionsKind = "EnvironmentFirewallOptions"
	FirewallRulesKind   = "EnvironmentFirewallRules"
)

// Annotations and labels that the fake reads or writes, in the words of Crossplane and of this function's documents.
const (
	ExternalName = "crossplane.io/external-name"

	paused         = "crossplane.io/paused"
	createPending  = "crossplane.io/external-create-pending"
	adopted        = "homelab.io/adopted"
	compositeLabel = "crossplane.io/composite"

	// onlyObserves are policies with which the provider changes nothing.
	onlyObserves = "Observe"
)

// A Provider is provider-proxmox-bpg, as far as it works for one machine.
type Provider struct {
	Proxmox *Proxmox

	// Stuck are prefixes of composed resources on which it does nothing.
	Stuck []string
	// Fails is what it says of a composed resource instead of working on it.
	Fails map[string]string
	// Refuses is what it says of a VM's forProvider before it asks Proxmox for anything; empty where it accepts it. A VM that it may
	// only observe, it reads all the same. Nil: it accepts all.
	Refuses func(forProvider map[string]any) string
	// FailsToCreate is what it says of every VM that it is to create, instead of creating it. Empty: it creates them.
	FailsToCreate string
	// Undated providers, those before v1.0.0, do not say which generation a condition speaks of.
	Undated bool

	creations int             // That it has begun.
	owned     map[string]bool // Managed resources that have had a VM.
}

// kindOf an object: of a managed resource as the function calls it, however its provider calls it.
func kindOf(o map[string]any) string {
	apiVersion, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)

	return proxmox.KindOf(&structpb.Struct{Fields: map[string]*structpb.Value{"apiVersion": structpb.NewStringValue(apiVersion), "kind": structpb.NewStringValue(kind)}})
}

// Provide is the provider's turn: it works on each managed resource once.
func (m *Machine) Provide() {
	m.cluster.T.Helper()

	for _, name := range Keys(m.Observed) {
		m.reconcile(m, name, m.Observed[name])
	}

	others(m)
}

// others work when the provider has: the HA manager, provider-kubernetes, system-upgrade-controller and the guests.
func others(m *Machine) {
	m.Proxmox.WorkHA()
	m.cluster.Kubernetes.work(m.cluster)

	if m.nodes != nil {
		return // A cluster has no Node.
	}

	m.cluster.Kubernetes.Upgrader.upgrade(m.cluster, m.NodeName())

	if m.Joins {
		m.JoinAll()
	}
}

// key of a managed resource, which owns a VM.
func key(m *Machine, name string) string { return m.Name() + "/" + name }

func (p *Provider) reconcile(m *Machine, name string, o map[string]any) {
	generation := Object(o["metadata"])["generation"]
	if p.Undated {
		generation = nil
	}

	if kindOf(o) == ObjectKind && jobOf(o) != nil {
		m.cluster.Kubernetes.workJob(m, name, o, generation)
		return
	}

	if kindOf(o) == ObjectKind && planOf(o) != nil {
		m.cluster.Kubernetes.workPlan(o, generation)
		return
	}

	if kindOf(o) == ObjectKind {
		m.cluster.Kubernetes.observe(m.cluster, o, generation)
		return
	}

	if kindOf(o) == AddressClaimKind {
		m.cluster.IPAM.bind(o)
		return
	}

	if kindOf(o) == DNSEndpointKind {
		m.cluster.ExternalDNS.read(o)
		return
	}

	forProvider := Object(terraformed(Object(Object(o["spec"])["forProvider"])))

	switch {
	case slices.ContainsFunc(p.Stuck, func(s string) bool { return strings.HasPrefix(name, s) }):
	case Annotation(o, paused) == "true":
		SetConditions(o, Condition("Synced", "False", "ReconcilePaused", "Reconciliation is paused via the pause annotation", generation))
	case p.onDead(o):
		fail(o, "observe failed: cannot run refresh: refresh failed: received an HTTP 595 response - Reason: No route to host", generation)
	case p.Fails[name] != "":
		fail(o, p.Fails[name], generation)
	case kindOf(o) == VMKind && p.Refuses != nil && Policies(o) != onlyObserves && p.Refuses(forProvider) != "":
		SetConditions(o, Condition("Synced", "False", "ReconcileError", p.Refuses(forProvider), generation))
	case kindOf(o) == VMKind:
		p.reconcileVM(m, name, o, generation)
	case kindOf(o) == HAResourceKind:
		p.reconcileHA(m, name, o, generation)
	case kindOf(o) == FileKind:
		id := fmt.Sprint(forProvider["datastoreId"], ":snippets/", Object(List(forProvider["sourceRaw"])[0])["fileName"])
		p.Proxmox.Snippets[fmt.Sprint(forProvider["nodeName"], " ", id)] = true
		found(o, id, forProvider, generation)
	case kindOf(o) == FirewallOptionsKind, kindOf(o) == FirewallRulesKind:
		p.reconcileFirewall(m, name, o, forProvider, generation)
	case kindOf(o) == ContainerKind:
		p.reconcileContainer(m, name, o, forProvider, generation)
	case isSitePart(o):
		p.reconcileSitePart(o, forProvider, generation)
	case kindOf(o) == DownloadFileKind && forProvider["contentType"] == "vztmpl":
		found(o, fmt.Sprint(forProvider["datastoreId"], ":vztmpl/", forProvider["fileName"]), forProvider, generation)
	case kindOf(o) == DownloadFileKind:
		found(o, fmt.Sprint(forProvider["datastoreId"], ":import/", forProvider["fileName"]), forProvider, generation)
	}
}

// onDead says whether a managed resource is on a Proxmox node that does not answer: a VM where Proxmox has it, whatever is written.
func (p *Provider) onDead(o map[string]any) bool {
	node := fmt.Sprint(Object(Object(o["spec"])["forProvider"])["nodeName"])

	if id, err := strconv.Atoi(Annotation(o, ExternalName)); err == nil && p.Proxmox.VMs[id] != nil {
		node = p.Proxmox.VMs[id].Node()
	}

	return slices.Contains(p.Proxmox.Dead, node)
}

// fail is what a failed try leaves behind. What was never there is not ready then.
func fail(o map[string]any, message string, generation any) {
	if Object(Object(o["status"])["atProvider"])["id"] == nil && Policies(o) != onlyObserves {
		failToCreate(o, message, generation)
		return
	}

	SetConditions(o, Condition("Synced", "False", "ReconcileError", message, generation))
}

// failToCreate is what a failed creation leaves behind.
func failToCreate(o map[string]any, message string, generation any) {
	SetConditions(o, Condition("Synced", "False", "ReconcileError", message, generation),
		Condition("Ready", "False", "Creating", "", generation),
		Condition("LastAsyncOperation", "False", "ApplyFailure", strings.TrimPrefix(message, "create failed: "), nil),
		Condition("AsyncOperation", "True", "Finished", "", nil))
}

// found is a file that the provider made or found.
func found(o map[string]any, id string, forProvider map[string]any, generation any) {
	at := Object(Copy(forProvider))
	at["id"] = id
	setExternalName(o, id)
	o["status"] = map[string]any{"atProvider": at}
	SetWell(o, generation)
}

func setExternalName(o map[string]any, name string) { annotate(o, ExternalName, name) }

func annotate(o map[string]any, annotation, value string) {
	meta := Object(o["metadata"])
	annotations := Object(meta["annotations"])
	annotations[annotation] = value
	meta["annotations"] = annotations
}

// Delete is what becomes of a managed resource that Crossplane deleted: its policies say that.
func (p *Provider) Delete(m *Machine, name string, o map[string]any) {
	external := Annotation(o, ExternalName)
	destroys := strings.Contains(Policies(o), "Delete")

	// The provider puts its finalizer on what it works on, and so on nothing that was paused from the start.
	neverSeen := Policies(o) == onlyObserves && external == ""

	if Annotation(o, paused) == "true" && !neverSeen {
		m.cluster.Fault("%s is paused (%v) and cannot go", name, Object(o["metadata"])["annotations"])
	}

	if destroys && external != "" && p.onDead(o) {
		m.cluster.Fault("%s waits for a Proxmox node that does not answer, and cannot go", name)
		return
	}

	switch kindOf(o) {
	case ObjectKind:
		if plan := planOf(o); plan == nil {
			m.cluster.Kubernetes.begin(m, name, o)
		} else if destroys {
			m.cluster.Kubernetes.deletePlan(fmt.Sprint(Object(plan["metadata"])["name"]))
		}
	case AddressClaimKind:
		m.cluster.IPAM.release(m, name, o)
	case FileKind:
		if destroys {
			delete(p.Proxmox.Snippets, fmt.Sprint(Object(Object(o["spec"])["forProvider"])["nodeName"], " ", external))
		}
	case HAResourceKind:
		p.Proxmox.leaveHA(external, destroys)
	case FirewallRulesKind:
		if destroys && external != "" {
			p.Proxmox.Firewalls[firewallID(o)].Rules = nil
			p.lockedOut(m, name, firewallID(o))
		}
	case ContainerKind:
		if id, err := strconv.Atoi(external); err == nil && destroys {
			delete(p.Proxmox.Containers, id)
			delete(p.Proxmox.Firewalls, id)
		}
	case proxmox.BridgeKind, proxmox.VLANKind, proxmox.PoolKind:
		p.deleteSitePart(o)
	case VMKind:
		p.Proxmox.leave(external, key(m, name), destroys)
	}
}

// SetWell sets all conditions as the provider does when it is done.
func SetWell(o map[string]any, generation any) {
	SetConditions(o,
		Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation),
		Condition("LastAsyncOperation", "True", "Success", "", nil), Condition("AsyncOperation", "True", "Finished", "", nil))
}

// SetConditions replaces conditions of the same types.
func SetConditions(o map[string]any, all ...map[string]any) {
	status := Object(o["status"])
	out := []any{}

	for _, c := range all {
		dateReady(o, c)
		out = append(out, c)
	}

	for _, before := range List(status["conditions"]) {
		if !slices.ContainsFunc(all, func(c map[string]any) bool { return c["type"] == Object(before)["type"] }) {
			out = append(out, before)
		}
	}

	status["conditions"] = out
	o["status"] = status
}

// dateReady dates condition Ready: it changes after a creation began, also where this provider creates a VM in one turn.
func dateReady(o, condition map[string]any) {
	if began := Annotation(o, createPending); began != "" && condition["type"] == "Ready" {
		condition["lastTransitionTime"] = began
	}
}

// Condition of a managed resource. Without a generation nobody says what it is about.
func Condition(typ, status, reason, message string, generation any) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "lastTransitionTime": "2026-01-01T00:00:00Z"}
	if message != "" {
		c["message"] = message
	}

	if generation != nil {
		c["observedGeneration"] = generation
	}

	return c
}

// Conditions of a managed resource, to be read and changed.
func Conditions(o map[string]any) []map[string]any {
	var out []map[string]any
	for _, c := range List(Object(o["status"])["conditions"]) {
		out = append(out, Object(c))
	}

	return out
}

// Report sets what the provider says of a VM: Ready, Synced and LastAsyncOperation, with the message of a failure.
func Report(o map[string]any, ready, synced, last, message string) {
	for _, c := range Conditions(o) {
		dateReady(o, c)

		switch c["type"] {
		case "Ready":
			c["status"], c["reason"] = ready, map[string]string{"True": "Available", "False": "Creating"}[ready]
		case "Synced":
			c["status"], c["reason"], c["message"] = synced, map[string]string{"True": "ReconcileSuccess", "False": "ReconcileError"}[synced], message
		case "LastAsyncOperation":
			c["status"], c["reason"], c["message"] = last, map[string]string{"True": "Success", "False": "ApplyFailure"}[last], message
		}
	}
}

// ProvideFor lets the provider work on one managed resource alone: each has its own time.
func ProvideFor(m *Machine, name string) {
	m.cluster.T.Helper()
	m.reconcile(m, name, m.Observed[name])
	others(m)
}
