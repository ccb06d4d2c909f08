package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// A deed is what was done to a VM of a node, or to a container: docs/rehearse.md has the same words.
type deed struct {
	Node string
	VM   string // Its number, or "new" for one that there was not before the edit: what is made has a number of its own in each world.
	Verb string
}

// it is the VM of a deed on a part of a site, which has no other number.
const it = "it"

// String such as "server-0: 7101 is stopped".
func (d deed) String() string { return fmt.Sprintf("%s: %s is %s", d.Node, d.VM, d.Verb) }

// A rehearsed edit is what a rehearsal over a plane says of an edit of what lives there.
type rehearsed struct {
	*rig

	ids      func(*testing.T) map[string]int // VMs by the nodes whose deeds count, as they are.
	before   map[string]int                  // The same before the edit.
	written  int                             // Lines of Proxmox' journal.
	deeds    []deed
	parts    []string // Of a site, as the journal calls them: pve/vmbr1, or the name of a pool.
	upgrades []string // Nodes whose K3s is upgraded in place, in order.
	outcome  string
	anyOf    bool     // Which node it is done to is decided by who is first.
	loses    bool     // A majority of an etcd, at its worst moment.
	waits    []string // What is waited for in the end, as git01: RebootPending ChangesPending.
	stood    []string // What was waited for before the edit: the rehearsal does not say it again, and may say that it ends.
}

// rehearsedUpgrade is what a rehearsal says of a node whose K3s is upgraded in place.
var rehearsedUpgrade = regexp.MustCompile(`^K3s of node (\S+) is upgraded to \S+ in place$`)

// ofFirewall is what a rehearsal says of a VM whose firewall is changed, which is no change of the VM.
var ofFirewall = regexp.MustCompile(` is changed: firewall (options|rules)$`)

// rehearsedLine is what a rehearsal says of a VM or a container. Where others live beside a cluster, its nodes are called node-home/server-0. What the HA
// manager is told is no line here, but what comes of it.
var rehearsedLine = regexp.MustCompile(`^(?:VM|container) (\d+) \((?:[a-z0-9-]+/)?([a-z0-9-]+), [^)]*\) is (made|started|stopped|destroyed|changed)\b`)

// rehearses an edit of a cluster with the program that people have, which reads the plane. Nothing of it is applied.
func (c *clusterRun) rehearses(t *testing.T, changes map[string]any) *rehearsed {
	t.Helper()

	return c.rig.rehearses(t, c.ids, edited(c.claim, changes))
}

// rehearses edited claims of one namespace, or new ones.
func (r *rig) rehearses(t *testing.T, ids func(*testing.T) map[string]int, claims ...*unstructured.Unstructured) *rehearsed {
	t.Helper()

	return r.rehearsesWith(t, nil, ids, claims...)
}

// rehearsedPart is what a rehearsal says of a part of a site.
var rehearsedPart = regexp.MustCompile(`^(bridge|VLAN interface|pool) (\S+?)(?: of (\S+))? is (made|changed|destroyed)$`)

// partDeed is what a line of a rehearsal says of a part of a site.
func partDeed(line string) (deed, bool) {
	m := rehearsedPart.FindStringSubmatch(line)
	if m == nil {
		return deed{}, false
	}

	return deed{m[1] + " " + path.Join(m[3], m[2]), it, m[4]}, true
}

// rehearsesWith flags, such as --delete.
func (r *rig) rehearsesWith(t *testing.T, flags []string, ids func(*testing.T) map[string]int, claims ...*unstructured.Unstructured) *rehearsed {
	t.Helper()

	file := documents(t, claims)

	out := &rehearsed{rig: r, ids: ids, before: ids(t), written: len(r.world.Journal())}
	made := numbers{}
	said, code := r.commandLine(t, nil, append([]string{"rehearse", "-o", "json", "-f", file}, flags...)...)

	// Of docs/rehearse.md, what is compared.
	type wait struct{ Machine, Condition, Reason, Message string }

	var plays struct {
		Before struct{ Waits []wait }
		Steps  []struct{ Done, Moves []string }
		Sums   struct {
			LowestVotes []struct{ Members, Votes int }
		}
		Verdict struct {
			Outcome string
			Waits   []wait
		}
	}

	if err := json.Unmarshal([]byte(said), &plays); err != nil {
		t.Fatalf("kubectl machine rehearse ends with %d: %v\n%s", code, err, said)
	}

	var lines []string

	for _, s := range plays.Steps {
		lines = append(lines, s.Done...)

		for _, done := range s.Done {
			if m := rehearsedUpgrade.FindStringSubmatch(done); m != nil {
				out.upgrades = append(out.upgrades, m[1])
			}

			if d, is := partDeed(done); is {
				out.deeds = append(out.deeds, d)
			}

			if m := rehearsedLine.FindStringSubmatch(done); m != nil && !ofFirewall.MatchString(done) {
				id, err := strconv.Atoi(m[1])
				must(t, err)

				if counts(claims, m[2]) {
					out.deeds = append(out.deeds, made.deed(m[2], id, m[3]))
				}
			}
		}

		for _, name := range migrated(s.Moves) {
			if id, was := out.before[name]; was && counts(claims, name) {
				out.deeds = append(out.deeds, made.deed(name, id, "moved"))
			}
		}
	}

	out.outcome = plays.Verdict.Outcome
	t.Logf("rehearsed of %v: %s: %v: %q", out.before, out.outcome, out.deeds, lines)

	for _, etcd := range plays.Sums.LowestVotes {
		out.loses = out.loses || etcd.Votes < etcd.Members/2+1
	}

	for _, w := range plays.Verdict.Waits {
		out.waits = append(out.waits, waitOf(w.Machine, w.Condition, w.Reason))
		t.Logf("\t%s: %s %s: %s", w.Machine, w.Condition, w.Reason, w.Message)
	}

	for _, w := range plays.Before.Waits {
		out.stood = append(out.stood, waitOf(w.Machine, w.Condition, w.Reason))
	}

	slices.Sort(out.waits)
	out.waits = slices.Compact(out.waits)

	return out
}

// documents are a file with these.
func documents(t *testing.T, all []*unstructured.Unstructured) string {
	t.Helper()

	var content []byte

	for _, o := range all {
		one, err := yaml.Marshal(o.Object)
		must(t, err)

		content = append(append(content, "---\n"...), one...)
	}

	file := filepath.Join(t.TempDir(), "documents.yaml")
	must(t, os.WriteFile(file, content, 0o600))

	return file
}

// rehearsedMove is what a rehearsal says of a VM that is on another node; a new VM has another VMID, too.
var rehearsedMove = regexp.MustCompile(`^(?:[a-z0-9-]+/)?([a-z0-9-]+): (node|VMID) `)

// migrated machines among what moves in a step.
func migrated(moves []string) []string {
	of := map[string][]string{}

	for _, line := range moves {
		if m := rehearsedMove.FindStringSubmatch(line); m != nil {
			of[m[1]] = append(of[m[1]], m[2])
		}
	}

	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(name string) bool { return slices.Contains(of[name], "VMID") })
}

// counts says whether a node is one of edited claims, or of an edited cluster: beside machines others live.
func counts(claims []*unstructured.Unstructured, node string) bool {
	return slices.ContainsFunc(claims, func(c *unstructured.Unstructured) bool { return c.GetKind() == "K3sCluster" || c.GetName() == node })
}

// vmsOf machines that have one, by their names.
func (r *rig) vmsOf(claims ...*unstructured.Unstructured) func(*testing.T) map[string]int {
	return func(t *testing.T) map[string]int {
		t.Helper()

		out := map[string]int{}

		for _, c := range claims {
			now, err := r.now(t.Context(), c)
			if apierrors.IsNotFound(err) {
				continue
			}

			must(t, err)

			if id, has, err := unstructured.NestedInt64(now.Object, "status", "vmId"); err == nil && has {
				out[c.GetName()] = int(id)
			}
		}

		return out
	}
}

// numbers are the VMIDs of what was made since the edit, and is there. A number is free again when its VM is destroyed, and another one may get it.
type numbers map[int]bool

// deed on what has a number now.
func (n numbers) deed(node string, id int, verb string) deed {
	n[id] = n[id] || verb == "made"
	vm := strconv.Itoa(id)

	if n[id] {
		vm = "new"
	}

	if verb == "destroyed" {
		delete(n, id)
	}

	return deed{node, vm, verb}
}

// recordedLine is what the journal of Proxmox says of a VM or a container.
var recordedLine = regexp.MustCompile(`^(create|start|stop|destroy|change|migrate|HA starts|HA stops) (?:VM|container) (\d+)\b`)

// recordedPart is what it says of a part of a site.
var recordedPart = regexp.MustCompile(`^(create|change|delete) (bridge|VLAN interface|pool) ([^\s:]+)`)

var recordedVerbs = map[string]string{
	"delete": "destroyed",
	"create": "made", "start": "started", "stop": "stopped", "destroy": "destroyed", "change": "changed", "migrate": "moved", "HA starts": "started", "HA stops": "stopped",
}

// recorded is what was done on the plane since the rehearsal. nodes are the VMs that there are now, by node.
func (r *rehearsed) recorded(t *testing.T, nodes map[string]int) []deed {
	t.Helper()

	of, later, made := byNumber(r.before), byNumber(nodes), numbers{}
	startedByHA := 0 // The VM, where that is what was written last.

	var out []deed

	for _, line := range r.world.Journal()[r.written:] {
		if m := recordedPart.FindStringSubmatch(line); m != nil && slices.Contains(r.parts, m[3]) {
			out = append(out, deed{m[2] + " " + m[3], it, recordedVerbs[m[1]]})
		}

		m := recordedLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}

		id, err := strconv.Atoi(m[2])
		must(t, err)

		verb := recordedVerbs[m[1]]

		// The HA manager and the provider are told of a start at once: what the provider writes for it comes before the manager's start, or after it.
		late := verb == "changed" && startedByHA == id
		if startedByHA = 0; m[1] == "HA starts" {
			startedByHA = id
		}

		if late {
			continue
		}

		if verb == "made" {
			of[id] = later[id]
		}

		if node := of[id]; node != "" {
			out = append(out, made.deed(node, id, verb))
		}

		if verb == "destroyed" {
			delete(of, id)
		}
	}

	return out
}

// byNumber are nodes by the VMIDs that they have.
func byNumber(nodes map[string]int) map[int]string {
	out := map[int]string{}
	for node, id := range nodes {
		out[id] = node
	}

	return out
}

// came checks that what was rehearsed is what happened: to each node the same in the same order, the nodes in the same order, and the same end.
func (r *rehearsed) came(t *testing.T, outcome string) {
	t.Helper()
	r.cameInAnyOrder(t, outcome)

	if diff := cmp.Diff(turns(r.deeds), turns(r.recorded(t, r.ids(t)))); diff != "" {
		t.Errorf("nodes in the order of their turns: -rehearsed, +recorded:\n%s", diff)
	}
}

// cameInAnyOrder checks the same of nodes that wait for no other one.
func (r *rehearsed) cameInAnyOrder(t *testing.T, outcome string) {
	t.Helper()

	if r.outcome != outcome {
		t.Errorf("the rehearsal ends with %q, and the plane with %q", r.outcome, outcome)
	}

	// What is taken note of at the end is written a moment later.
	must(t, r.until(t.Context(), "what was rehearsed has happened", func(context.Context) (bool, string) {
		diff := r.did(t)
		return diff == "", "-rehearsed, +recorded:\n" + diff
	}))
}

// did says how what was rehearsed for each node differs from what was done to it by now.
func (r *rehearsed) did(t *testing.T) string {
	t.Helper()

	want, got := byNode(r.deeds), byNode(r.recorded(t, r.ids(t)))
	if r.anyOf {
		return cmp.Diff(nameless(want), nameless(got))
	}

	return cmp.Diff(want, got)
}

// nameless is what was done to nodes, whichever each was.
func nameless(byNode map[string][]string) []string {
	var out []string

	for _, deeds := range byNode {
		var verbs []string
		for _, d := range deeds {
			verbs = append(verbs, d[strings.LastIndexByte(d, ' ')+1:])
		}

		out = append(out, strings.Join(verbs, ", "))
	}

	slices.Sort(out)

	return out
}

// byNode is what was done to the VMs of each node, in order. The provider changes a VM to stop or start it, and stops one that it destroys: what belongs to the
// next deed is one with it. What is changed several times in a row counts once, and what is made is started.
func byNode(deeds []deed) map[string][]string {
	out := map[string][]string{}

	for _, d := range deeds {
		all := out[d.Node]

		for len(all) > 0 && (all[len(all)-1] == d.VM+" changed" || d.Verb == "destroyed" && all[len(all)-1] == d.VM+" stopped") {
			all = all[:len(all)-1]
		}

		// The provider changes a VM that it has moved, also where nothing else of it is another.
		if d.Verb == "changed" && len(all) > 0 && all[len(all)-1] == d.VM+" moved" {
			continue
		}

		if d.VM != "new" || d.Verb != "changed" && d.Verb != "started" {
			all = append(all, d.VM+" "+d.Verb)
		}

		out[d.Node] = all
	}

	return out
}

// turns are the nodes in the order in which each was first stopped, made or destroyed.
func turns(deeds []deed) []string {
	var out []string

	for _, d := range deeds {
		if d.Verb != "changed" && d.Verb != "started" && !slices.Contains(out, d.Node) {
			out = append(out, d.Node)
		}
	}

	return out
}

// TestNumbers: a number that is free again is another VM's.
func TestNumbers(t *testing.T) {
	n := numbers{}

	var got []string
	for _, verb := range []string{"stopped", "destroyed", "made", "started", "destroyed"} {
		got = append(got, n.deed("server-0", 7106, verb).String())
	}

	want := []string{"server-0: 7106 is stopped", "server-0: 7106 is destroyed", "server-0: new is made", "server-0: new is started", "server-0: new is destroyed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
