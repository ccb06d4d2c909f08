package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// key of a managed resource.
func (l *lab) key(name string) string {
	return fmt.Sprint(object(l.composite["metadata"])["name"], "/", name)
}

// work is the provider's turn.
func (l *lab) work() {
	l.t.Helper()

	for _, name := range slices.Sorted(maps.Keys(l.observed)) {
		o := l.observed[name]

		generation := object(o["metadata"])["generation"]
		if l.undated {
			generation = nil
		}

		annotations := object(object(o["metadata"])["annotations"])

		switch {
		case slices.ContainsFunc(l.stuck, func(s string) bool { return strings.HasPrefix(name, s) }):
		case annotations[proxmox.PausedAnnotation] == "true":
			setConditions(o, condition("Synced", "False", "ReconcilePaused", "Reconciliation is paused via the pause annotation", generation))
		case l.fails[name] != "":
			l.fail(o, l.fails[name], generation)
		case o["kind"] == proxmox.VMKind:
			l.workOnVM(name, o, generation)
		case o["kind"] == proxmox.FileKind:
			p := object(object(o["spec"])["forProvider"])
			id := fmt.Sprint(p["datastoreId"], ":snippets/", object(asList(p["sourceRaw"])[0])["fileName"])
			l.pve.snippets[fmt.Sprint(p["nodeName"], " ", id)] = true
			found1(o, id, generation)
		case o["kind"] == proxmox.DownloadFileKind:
			p := object(object(o["spec"])["forProvider"])
			found1(o, fmt.Sprint(p["datastoreId"], ":import/", p["fileName"]), generation)
		}
	}
}

// fail is what a failed try leaves behind. What was never there is not ready then.
func (l *lab) fail(o map[string]any, message string, generation any) {
	setConditions(o, condition("Synced", "False", "ReconcileError", message, generation))

	if object(object(o["status"])["atProvider"])["id"] == nil && policies(o) != "Observe" {
		setConditions(o, condition("Ready", "False", "Creating", "", generation),
			condition("LastAsyncOperation", "False", "ApplyFailure", strings.TrimPrefix(message, "create failed: "), nil),
			condition("AsyncOperation", "True", "Finished", "", nil))
	}
}

// found1 is a file that the provider found.
func found1(o map[string]any, id string, generation any) {
	externalName(o, id)
	o["status"] = map[string]any{"atProvider": map[string]any{"id": id}}
	setWell(o, generation)
}

func setWell(o map[string]any, generation any) {
	setConditions(o,
		condition("Ready", "True", "Available", "", generation), condition("Synced", "True", "ReconcileSuccess", "", generation),
		condition("LastAsyncOperation", "True", "Success", "", nil), condition("AsyncOperation", "True", "Finished", "", nil))
}

// setConditions replaces conditions of the same types.
func setConditions(o map[string]any, all ...map[string]any) {
	status := object(o["status"])
	out := []any{}

	for _, c := range all {
		out = append(out, c)
	}

	for _, before := range asList(status["conditions"]) {
		if !slices.ContainsFunc(all, func(c map[string]any) bool { return c["type"] == object(before)["type"] }) {
			out = append(out, before)
		}
	}

	status["conditions"] = out
	o["status"] = status
}

// workOnVM as the provider does: it looks, makes and changes, as far as its policies let it.
func (l *lab) workOnVM(name string, o map[string]any, generation any) {
	l.t.Helper()

	p := object(unescaped(object(object(o["spec"])["forProvider"])))
	may := policies(o)
	external, _ := object(object(o["metadata"])["annotations"])[proxmox.ExternalNameAnnotation].(string)

	if may == "Observe" {
		l.lookAtVM(o, external, generation)
		return
	}

	if strings.Contains(external, "/") {
		l.t.Errorf("%s has external name %s, which only a look may have", name, external)
	}

	id, err := strconv.Atoi(external)
	if err != nil {
		id = l.pve.free()
	}

	if want, ok := p["vmId"].(float64); ok && int(want) != id {
		l.t.Errorf("%s has number %v and external name %s", name, want, external)
	}

	g, there := l.pve.vms[id]

	switch {
	case !there && !strings.Contains(may, "Create"):
		l.t.Errorf("%s may neither be looked at alone nor be made: %s", name, may)
		return
	case !there:
		l.pve.vms[id] = &guest{owner: l.key(name), config: made(p), silent: l.pve.mute}
		l.pve.note("make %d", id)
	case g.owner != l.key(name):
		if annotations := object(object(o["metadata"])["annotations"]); annotations[proxmox.AdoptedAnnotation] != "true" {
			l.t.Errorf("%s takes VM %d over without a word", name, id)
		}

		l.pve.note("adopt %d", id)
		g.owner = l.key(name)
	}

	moved := l.moved(id, p)
	if !moved && (strings.Contains(may, "Update") || !there) {
		l.change(id, p, there)
	}

	externalName(o, strconv.Itoa(id))
	o["status"] = map[string]any{"atProvider": l.pve.vms[id].seen(id), "conditions": object(o["status"])["conditions"]}
	setWell(o, generation)

	if moved {
		setConditions(o, condition("Synced", "False", "ReconcileError", "observe failed: cannot run plan: plan failed: Instance cannot be destroyed: "+
			"Resource proxmox_virtual_environment_vm.x has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed.", generation))
	}
}

// lookAtVM is a look at a number.
func (l *lab) lookAtVM(o map[string]any, external string, generation any) {
	l.t.Helper()

	_, number, ok := strings.Cut(external, "/")
	id, err := strconv.Atoi(number)

	if !ok || err != nil {
		setConditions(o, condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: unexpected format of ID (), expected node/id: import failed", generation))
		return
	}

	g, there := l.pve.vms[id]

	switch {
	case there && g.silent:
		setConditions(o, condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: vm: Refreshing state... [id="+number+"]: import failed", generation))
	case there:
		o["status"] = map[string]any{"atProvider": g.seen(id)}
		setConditions(o, condition("Ready", "True", "Available", "", generation), condition("Synced", "True", "ReconcileSuccess", "", generation))
	default:
		// What an earlier look saw stays where it is.
		setConditions(o, condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", generation))
	}
}

// moved says whether a VM is elsewhere than it is written to be. The provider sees where, and would make it anew, which it
// refuses. Nobody may write a node without asking for a migration but the one that the VM is on.
func (l *lab) moved(id int, p map[string]any) bool {
	l.t.Helper()

	g := l.pve.vms[id]
	written := g.written
	g.written = p["nodeName"]

	if p["nodeName"] == g.config["nodeName"] || p["migrate"] == true {
		return false
	}

	if written != nil && written != p["nodeName"] {
		l.t.Errorf("VM %d is on %v, and is written to be on %v", id, g.config["nodeName"], p["nodeName"])
	}

	return true
}

// change a VM into what is written of it.
func (l *lab) change(id int, p map[string]any, there bool) {
	l.t.Helper()

	g := l.pve.vms[id]
	want := made(p)

	var keys []string

	for k := range want {
		if k != "nodeName" && !reflect.DeepEqual(essence(g.config[k]), essence(want[k])) {
			keys = append(keys, k)
		}
	}

	slices.Sort(keys)

	if want["nodeName"] != g.config["nodeName"] {
		l.pve.note("migrate %d to %v", id, want["nodeName"])
		g.config["nodeName"] = want["nodeName"]
	}

	if len(keys) > 0 && there {
		l.pve.note("change %s of %d", strings.Join(keys, ", "), id)
	}

	maps.Copy(g.config, want)

	switch on := g.config["started"] == true; {
	case p["started"] == true && !on:
		if there {
			l.pve.note("start %d", id)
		}

		l.pve.start(id)
	case p["started"] != true && on:
		l.pve.note("stop %d", id)
		l.pve.stop(id)
	}
}

// drop is what becomes of a managed resource that Crossplane deleted.
func (l *lab) drop(name string, o map[string]any) {
	l.t.Helper()

	annotations := object(object(o["metadata"])["annotations"])
	external, _ := annotations[proxmox.ExternalNameAnnotation].(string)
	destroys := strings.Contains(policies(o), "Delete")

	if annotations[proxmox.PausedAnnotation] == "true" {
		l.t.Errorf("%s is paused (%v) and cannot go", name, annotations[proxmox.PausedByAnnotation])
	}

	switch o["kind"] {
	case proxmox.FileKind:
		if destroys {
			delete(l.pve.snippets, fmt.Sprint(object(object(o["spec"])["forProvider"])["nodeName"], " ", external))
		}
	case proxmox.VMKind:
		id, err := strconv.Atoi(external)
		if g, ok := l.pve.vms[id]; err == nil && ok && g.owner == l.key(name) {
			if destroys {
				l.pve.note("destroy %d", id)
				delete(l.pve.vms, id)
			} else {
				l.pve.note("let go of %d", id)
				g.owner = ""
			}
		}
	}
}
