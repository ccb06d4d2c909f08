package world

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Firewall of a VM or a container, as Proxmox has it.
type Firewall struct {
	Options map[string]any // As the provider wrote them; nil for Proxmox's defaults, with which it is off.
	Rules   []any
	// CutAfter is after how many rules the next call that writes some breaks off, which happens once; nil: it does not.
	CutAfter *int
}

// Drops says whether the firewall drops what no rule accepts.
func (f *Firewall) Drops() bool {
	return f != nil && f.Options["enabled"] == true && f.Options["inputPolicy"] != "ACCEPT"
}

// firewallID is the VMID of a managed resource of a firewall, whose guest is a VM or a container.
func firewallID(o map[string]any) int {
	forProvider := Object(Object(o["spec"])["forProvider"])
	if id := int(number(forProvider["containerId"])); id != 0 {
		return id
	}

	return int(number(forProvider["vmId"]))
}

// hasGuest faults a firewall whose guest does not exist, unless somebody destroyed it, or is somebody else's. It says whether the guest exists.
func (r reconciliation) hasGuest(id int) bool {
	if r.proxmox.nodeOf(id) == "" && r.proxmox.lost[id] {
		return false
	}

	if number(r.forProvider["containerId"]) != 0 {
		if r.proxmox.Containers[id] == nil {
			r.fault("%s is for container %d, which does not exist", r.name, id)
			return false
		}

		return true
	}

	vm := r.proxmox.VMs[id]
	if vm == nil {
		r.fault("%s is for VM %d, which does not exist", r.name, id)
		return false
	}

	if vm.Owner == "" {
		r.fault("%s is for VM %d, which is somebody else's", r.name, id)
	}

	return true
}

// firewall writes options or rules of a VM's firewall, as bpg/proxmox 0.111.1 does: it creates rules only where there are none, and takes
// all that it finds later for its own. Rules that it may only observe it reads, under the name of a Terraform import.
func (r reconciliation) firewall() {
	id := firewallID(r.object)
	imports := strings.Contains(Annotation(r.object, ExternalName), "/")

	if imports && Policies(r.object) != onlyObserves {
		r.fault("%s may write rules under %s", r.name, Annotation(r.object, ExternalName))
		return
	}

	if imports {
		readRules(r, id)
		return
	}

	if Policies(r.object) == onlyObserves || !r.hasGuest(id) {
		return
	}

	if r.proxmox.Firewalls[id] == nil {
		r.proxmox.Firewalls[id] = &Firewall{}
	}

	wall := r.proxmox.Firewalls[id]

	switch {
	case kindOf(r.object) == FirewallOptionsKind:
		changed := r.changedByHand(wall)
		if (wall.Options != nil || guestRuns(r, id)) && !reflect.DeepEqual(wall.Options, r.forProvider) {
			r.noteFirewall("options", id)
		}

		wall.Options = maps.Clone(r.forProvider)

		if changed != nil { // It reports what it has read before it writes.
			r.lockedOut(id)
			found(r.object, fmt.Sprintf("%s-%d", kindOf(r.object), id), changed, r.generation)

			return
		}
	case Annotation(r.object, ExternalName) == "" && len(wall.Rules) > 0:
		failToCreate(r.object, "create failed: async create failed: failed to create the resource: [{0 Existing rules detected. Aborting...  []}]", r.generation)
		return
	default:
		rules := List(Copy(r.forProvider["rule"]))
		if (len(wall.Rules) > 0 || guestRuns(r, id)) && !reflect.DeepEqual(wall.Rules, rules) {
			r.noteFirewall("rules", id)
		}

		if n := wall.CutAfter; n != nil && *n < len(rules) && !reflect.DeepEqual(wall.Rules, rules) {
			// It writes the last one first.
			wall.Rules, wall.CutAfter = append(List(Copy(rules[len(rules)-*n:])), lost(wall.Rules, rules)...), nil
			breaksOff(r, "received an HTTP 596 response - Reason: Broken pipe")

			return
		}

		if lacksSource(r, wall, rules) {
			return
		}

		wall.Rules = rules
	}

	r.lockedOut(id)
	found(r.object, fmt.Sprintf("%s-%d", kindOf(r.object), id), r.forProvider, r.generation)
}

// readRules of a firewall, whoever has the guest: nothing is written.
func readRules(r reconciliation, id int) {
	if r.proxmox.VMs[id] == nil && r.proxmox.Containers[id] == nil {
		SetConditions(r.object, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run refresh: refresh failed: ", r.generation))
		return
	}

	wall := r.proxmox.Firewalls[id]
	if wall == nil {
		wall = &Firewall{}
	}

	at := map[string]any{"id": fmt.Sprintf("rule-%d", id), "nodeName": r.forProvider["nodeName"], "rule": wall.read()}
	r.object["status"] = map[string]any{"atProvider": at}
	SetWell(r.object, r.generation)
}

// lost are the rules that there were, without those that are written: an edit deletes them last.
func lost(has, written []any) []any {
	return slices.DeleteFunc(slices.Clone(has), func(rule any) bool {
		return slices.ContainsFunc(written, func(w any) bool { return reflect.DeepEqual(rule, w) })
	})
}

// lacksSource says whether Proxmox refuses a rule for what it names: a creation goes on after that with the others, and an edit does not.
func lacksSource(r reconciliation, wall *Firewall, rules []any) bool {
	refuses := func(rule any) bool {
		source, _ := Object(rule)["source"].(string)
		return r.proxmox.LacksSources[source]
	}

	i := slices.IndexFunc(rules, refuses)
	if i < 0 {
		return false
	}

	if Annotation(r.object, ExternalName) == "" {
		wall.Rules = slices.DeleteFunc(rules, refuses)
	}

	breaksOff(r, fmt.Sprintf("received an HTTP 400 response - Reason: Parameter verification failed. (source: no such ipset '%s')", Object(rules[i])["source"]))

	return true
}

// breaksOff is a call about rules that the provider does not finish. One that created some leaves no external name.
func breaksOff(r reconciliation, answer string) {
	why := "apply failed: could not create rule: error creating firewall rule: " + answer

	if Annotation(r.object, ExternalName) == "" {
		failToCreate(r.object, "create failed: "+why, r.generation)
		return
	}

	SetConditions(r.object, Condition("Synced", "False", "ReconcileError", "update failed: "+why, r.generation),
		Condition("LastAsyncOperation", "False", "ApplyFailure", why, nil), Condition("AsyncOperation", "True", "Finished", "", nil))
}

// read are the rules as the provider reports what it has read: with their positions, and with every field.
func (f *Firewall) read() []any {
	out := []any{}

	for i, rule := range f.Rules {
		read := map[string]any{"pos": float64(i), "enabled": false}
		for _, field := range []string{"type", "action", "proto", "dport", "macro", "source", "dest", "sport", "iface", "log", "securityGroup", "comment"} {
			read[field] = ""
		}

		maps.Copy(read, Object(Copy(rule)))
		out = append(out, read)
	}

	return out
}

// guestRuns says whether a guest runs: one that gets its first firewall then is no longer reached at what that closes.
func guestRuns(r reconciliation, id int) bool {
	if number(r.forProvider["containerId"]) != 0 {
		return r.proxmox.Containers[id].Config["started"] == true
	}

	return r.proxmox.VMs[id].Running != nil
}

// noteFirewall of a guest that has one, and gets other rules or options, or that runs and gets its first one.
func (r reconciliation) noteFirewall(what string, id int) {
	guest := ""
	if number(r.forProvider["containerId"]) != 0 {
		guest = "container "
	}

	r.proxmox.note("change firewall %s of %s%d", what, guest, id)
}

// changedByHand are the options of a firewall that are otherwise than the provider has read them last; nil where they are as they were, or are read the first
// time.
func (r reconciliation) changedByHand(wall *Firewall) map[string]any {
	read := Object(Object(r.object["status"])["atProvider"])
	if read["id"] == nil || wall.Options == nil {
		return nil
	}

	for option, has := range wall.Options {
		if !reflect.DeepEqual(has, read[option]) && !reflect.DeepEqual(has, r.forProvider[option]) {
			return maps.Clone(wall.Options)
		}
	}

	return nil
}

// lockedOut: a firewall that drops all that comes in locks people out. It never has to, whatever the order in which the provider works. Options and
// rules of a guest that somebody destroyed are there already, and the provider writes them again in any order.
func (r reconciliation) lockedOut(id int) {
	if wall := r.proxmox.Firewalls[id]; wall.Drops() && len(wall.Rules) == 0 && !r.proxmox.lost[id] {
		r.fault("VM %d is locked out after %s: its firewall drops everything", id, r.name)
	}
}

// goesBehind says whether an interface of a VM goes behind the VM's firewall with what is written of it.
func goesBehind(has, wants map[string]any) bool {
	before, after := List(has["networkDevice"]), List(wants["networkDevice"])

	for i := range min(len(before), len(after)) {
		if Object(before[i])["firewall"] != true && Object(after[i])["firewall"] == true {
			return true
		}
	}

	return false
}
