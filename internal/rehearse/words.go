package rehearse

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// names of what is in Proxmox and Kubernetes.
type names struct {
	vms   map[*world.Proxmox]map[int]vmName
	nodes map[string]string // By Kubernetes Node: the machine.
	k3s   map[string]bool   // By machine: whether it is to have K3s.
}

// vmName is what a VM or a container is for, and where.
type vmName struct {
	machine, node string
	dataDisks     bool
}

// namesOf all that is there now.
func (p *play) namesOf() names { return namesOf(p.all(), p.labelOf) }

// namesOf what machines have, each of which is called something.
func namesOf(machines []*world.Machine, labelOf func(*world.Machine) string) names {
	out := names{vms: map[*world.Proxmox]map[int]vmName{}, nodes: map[string]string{}, k3s: map[string]bool{}}

	for _, m := range machines {
		label := labelOf(m)
		out.nodes[m.NodeName()], out.k3s[label] = label, world.Object(m.Spec()["k3s"])["role"] != nil

		if out.vms[m.Proxmox] == nil {
			out.vms[m.Proxmox] = map[int]vmName{}
		}

		for id, vm := range m.Proxmox.VMs {
			if world.Owns(m, vm) {
				out.vms[m.Proxmox][id] = vmName{
					machine: label, node: vm.Node(), dataDisks: len(world.List(vm.Config["disk"])) > 1,
				}
			}
		}

		for id := range containersOf(m) {
			c := m.Proxmox.Containers[id]
			out.vms[m.Proxmox][id] = vmName{machine: label, node: fmt.Sprint(c.Config["nodeName"]), dataDisks: len(world.List(c.Config["mountPoint"])) > 0}
		}
	}

	return out
}

// containersOf a machine that there are: their composed resources by their VMIDs. What is only looked at is somebody's, unless the claim adopts it.
func containersOf(m *world.Machine) map[int]string {
	out := map[int]string{}

	for _, name := range world.Keys(m.Observed) {
		o := m.Observed[name]
		external := world.Annotation(o, world.ExternalName)
		id := number(external[strings.LastIndex(external, "/")+1:])

		if o["kind"] != world.ContainerKind || m.Proxmox.Containers[id] == nil {
			continue
		}

		if adopts := fmt.Sprint(world.Object(m.Spec()["adopt"])["vmId"]); world.Policies(o) != "Observe" || number(adopts) == id {
			out[id] = name
		}
	}

	return out
}

// with the names that were known before, of what is gone.
func (n names) with(before names) names {
	out := names{vms: map[*world.Proxmox]map[int]vmName{}, nodes: maps.Clone(before.nodes), k3s: n.k3s}
	maps.Copy(out.nodes, n.nodes)

	for _, all := range []names{before, n} {
		for proxmox, vms := range all.vms {
			if out.vms[proxmox] == nil {
				out.vms[proxmox] = map[int]vmName{}
			}

			maps.Copy(out.vms[proxmox], vms)
		}
	}

	return out
}

// An action is what was done.
type action struct {
	verb    string // The first word of the world's line.
	id      int    // Of the VM or the container; 0 for something else.
	machine string // Whose it is; empty where that is not known.
	of      vmName
	text    string
}

// phrases for what is done to a VM or a container: of what is done to it, behind its name.
var phrases = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"make": "is made", "change": "is changed", "start": "is started", "stop": "is stopped", "destroy": "is destroyed", "adopt": "is adopted",
}

// letGo of is said of what a managed resource leaves in Proxmox.
const letGo = "is let go of: it stays, and is nobody's"

// say a line in words.
func (n names) say(l line) action {
	words := strings.Fields(l.text)
	a := action{verb: words[0]}

	switch rest := words[1:]; {
	case a.inHA(n, l, rest):
	case a.verb == "label":
		a.machine, a.text = n.nodes[rest[1]], "node "+rest[1]+" is labelled "+rest[3]
	case a.verb == "drain":
		a.machine, a.text = n.nodes[rest[0]], "node "+rest[0]+" is drained"
	case a.verb == "uncordon":
		a.machine, a.text = n.nodes[rest[0]], "node "+rest[0]+" is uncordoned"
	case a.verb == "delete":
		a.machine, a.text = n.nodes[rest[len(rest)-1]], "node "+rest[len(rest)-1]+" is deleted from Kubernetes"
	case a.verb == "change" && number(rest[len(rest)-1]) > 0 && rest[len(rest)-2] == "container":
		fields := strings.Join(rest[:len(rest)-3], " ") //nolint:mnd // "of container", and the number.
		a.vm(n, l, "container", number(rest[len(rest)-1]), "is changed: "+fields)
	case a.verb == "change" && number(rest[len(rest)-1]) > 0:
		fields := strings.Join(rest[:len(rest)-2], " ") //nolint:mnd // "of", and the number.
		a.vm(n, l, "VM", number(rest[len(rest)-1]), "is changed: "+fields)
	case a.verb == "migrate":
		// Where it is by now is said in its place.
		a.vm(n, l, "VM", number(rest[0]), "is migrated")
		a.text = strings.Replace(a.text, ", "+a.of.node+")", ")", 1) + " to " + rest[len(rest)-1]
	case a.verb == verbLetGo && len(rest) > 3 && rest[2] != "container": //nolint:mnd // "go of", and more than a number: a part of a site.
		a.text = strings.Join(rest[2:], " ") + " " + letGo
	case a.verb == verbLetGo && rest[len(rest)-2] == "container":
		a.vm(n, l, "container", number(rest[len(rest)-1]), letGo)
	case a.verb == verbLetGo:
		a.vm(n, l, "VM", number(rest[len(rest)-1]), letGo)
	case rest[0] == "container" && a.verb == "restart":
		a.vm(n, l, "container", number(rest[1]), "is restarted for its "+rest[len(rest)-1])
	case rest[0] == "container":
		a.vm(n, l, "container", number(rest[1]), phrases[a.verb])
	case number(rest[0]) > 0 && phrases[a.verb] != "":
		a.vm(n, l, "VM", number(rest[0]), phrases[a.verb])
	case phrases[a.verb] != "":
		a.text = strings.Join(rest, " ") + " " + phrases[a.verb]
	default:
		a.text = l.text
	}

	return a
}

// statesInHA are what the HA manager does with a VM in a state, and what it has done.
var statesInHA = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"ignored": "is left alone by the HA manager", "started": "is kept running by the HA manager", "stopped": "is kept off by the HA manager",
	"starts": "is started by the HA manager", "stops": "is stopped by the HA manager",
}

// inHA says what is done to a VM's entry in HA, or by the HA manager; false for a line about anything else.
func (a *action) inHA(n names, l line, rest []string) bool {
	last := rest[len(rest)-1]

	switch {
	case a.verb == "add":
		a.vm(n, l, "VM", number(rest[0]), "is added to HA, and "+statesInHA[last])
	case a.verb == "HA" && rest[0] == "of":
		a.vm(n, l, "VM", number(rest[1]), statesInHA[last])
	case a.verb == "HA":
		a.vm(n, l, "VM", number(last), statesInHA[rest[0]])
	case a.verb == "take" && last == "HA":
		a.vm(n, l, "VM", number(rest[0]), "is taken out of HA")
	case a.verb == "take":
		a.vm(n, l, "VM", number(last), "has no "+rest[0]+" in HA any more")
	default:
		return false
	}

	return true
}

func (a *action) vm(n names, l line, what string, id int, is string) {
	a.id, a.of = id, n.vms[l.proxmox][id]
	a.machine = a.of.machine
	a.text = fmt.Sprintf("%s %d %s", what, id, is)

	if a.machine != "" {
		a.text = fmt.Sprintf("%s %d (%s, %s) %s", what, id, a.machine, a.of.node, is)
	}
}

// number that a word is; 0 for any other word.
func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0
	}

	return n
}
