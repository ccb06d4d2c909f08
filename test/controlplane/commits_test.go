package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A commit is what an edit is rehearsed of in internal/rehearse: YAML of the catalogue and of claims.
type commit struct {
	Reason  string
	Before  string   // Empty where all is new.
	After   string   // As before, where claims are deleted.
	Deleted []string // Claims, as Machine infra-machines/git01.
	Outcome string
}

// commits of the tables of internal/rehearse, which have goldens there.
var commits = sync.OnceValues(func() (map[string]commit, error) {
	dir, err := os.MkdirTemp("", "commits")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A folder for temporary files.

	file := filepath.Join(dir, "commits.json")

	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestCommits$", "./internal/rehearse", "-commits", file)
	cmd.Dir = repository

	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot read the commits of internal/rehearse: %w\n%s", err, out)
	}

	content, err := os.ReadFile(file) //nolint:gosec // Written above.
	if err != nil {
		return nil, err
	}

	all := map[string]commit{}

	return all, json.Unmarshal(content, &all)
})

// TestCommits makes each commit that has a rehearsal in internal/rehearse/testdata, one after the other: what was before it is rehearsed, born and compared, then the
// commit. So each chapter of docs/clusters.md and docs/day-two.md that is played is compared with what a real control plane does: docs/rehearsed.md.
func TestCommits(t *testing.T) { // Before TestCommitFaults: two planes are enough for a computer.
	current.needed(t)

	all, err := commits()
	must(t, err)

	onPlanes(t, "commits", slices.Sorted(maps.Keys(all)), func(t *testing.T, p *commitPlane, name string) {
		t.Helper()
		p.makes(t, all[name], func(c *committed) { c.make(t) })
	})
}

// A committed edit, on a plane.
type committed struct {
	*rig
	commit

	k3s     *k3s.Cluster // Of all claims: no commit has two.
	refused bool         // By the API server.

	waited []string
	asks   time.Time // Not before that for waited again.
}

// claimsOf YAML: claims, and what is none.
func claimsOf(t *testing.T, text string) (claims, others []*unstructured.Unstructured) {
	t.Helper()

	file := filepath.Join(t.TempDir(), "commit.yaml")
	must(t, os.WriteFile(file, []byte(text), 0o600))

	for _, o := range objects(t, file) {
		if o.GroupVersionKind().Group == "homelab.io" {
			claims = append(claims, o)
		} else {
			others = append(others, o)
		}
	}

	return claims, others
}

// observe the VMs with K3s, as K3s of a cluster does.
func (c *committed) observe(t *testing.T) {
	t.Helper()

	pace := k3s.Quick
	pace.Tells = true
	// An agent with a claim of its own joins servers that no claim describes.
	pace.Elsewhere = !strings.Contains(c.After, "role: server") && !strings.Contains(c.After, "servers:")

	cluster, err := k3s.Start(c.REST, c.world, pace, func(string) bool { return true })
	must(t, err)

	c.k3s = cluster
	c.k3s.UpgradeBy(upgradeNamespace)
	t.Cleanup(c.k3s.Stop)

	c.runJobs(t)
	c.world.EditPools(func(pools map[string]string) { clear(pools) })
	c.world.EditInterfaces(func(all map[string]*standin.NetworkInterface) { clear(all) })

	for _, name := range []string{"enp2s0", "vmbr0"} {
		c.world.AddInterface(standin.NetworkInterface{Node: "pve1", Name: name})
	}
}

// clear the plane of all that the commit has made. Nothing that is read keeps a node, and no VM.
func (c *committed) clear(t *testing.T) {
	t.Helper()

	if t.Failed() {
		t.Logf("in the cluster of K3s:\n%s", strings.Join(c.k3s.Journal(), "\n"))

		return
	}

	claims, catalogue := claimsOf(t, c.After)

	for _, o := range catalogue {
		unstructured.RemoveNestedField(o.Object, "data", "clusters", "home", "observe")
		must(t, c.apply(t.Context(), o))
	}

	claims = slices.DeleteFunc(claims, func(claim *unstructured.Unstructured) bool {
		_, err := c.now(t.Context(), claim)
		return apierrors.IsNotFound(err)
	})

	// An edit that the API server has refused is in no claim.
	if was, _ := claimsOf(t, c.Before); c.refused {
		claims = was
	}

	for _, claim := range claims {
		if claim.GetKind() != "ProxmoxSite" {
			must(t, c.lift(t.Context(), claim))
		}
	}

	must(t, c.remove(t.Context(), claims...))
	// Kubernetes deletes the nodes of a cluster after it, and each its VM: a rehearsal would see them go.
	must(t, c.until(t.Context(), "no node is left", func(ctx context.Context) (bool, string) {
		left := &unstructured.UnstructuredList{}
		kind := (&clusterRun{nodesRun: &nodesRun{rig: c.rig}}).nodeKind() + "List"
		left.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: kind})

		err := c.Client.List(ctx, left)

		return err == nil && len(left.Items) == 0, fmt.Sprintf("%d are left, error is %v", len(left.Items), err)
	}))
	c.k3s.Stop()
	must(t, c.k3s.Forget(t.Context()))
	must(t, c.Client.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(metav1.NamespaceSystem), client.MatchingFields{"type": "k3s.cattle.io/node-password"}))
	c.forget(t, catalogue)
	c.world.Remove(c.world.VMs()...)
	c.world.RemoveContainers(c.world.Containers()...)
}

// make the commit, after what was before it.
func (c *committed) make(t *testing.T) {
	t.Helper()

	if c.Before != "" {
		c.born(t)
	}

	claims, catalogue := claimsOf(t, c.After)

	if len(c.Deleted) == 0 {
		r := c.rehearsesWith(t, nil, c.idsOf(claims), slices.Concat(claims, catalogue)...)
		c.came(t, r, func() error {
			for node, deeds := range byNode(r.deeds) {
				if !slices.Contains(deeds, "new made") && strings.HasSuffix(deeds[len(deeds)-1], " destroyed") {
					c.leave(t, func(name string) bool { return name == node || name == "home-"+node })
				}
			}

			return c.apply(t.Context(), slices.Concat(catalogue, claims)...)
		})
		c.ends(t, r)

		return
	}

	gone := slices.DeleteFunc(slices.Clone(claims), func(o *unstructured.Unstructured) bool {
		return !slices.Contains(c.Deleted, o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName())
	})
	r := c.rehearsesWith(t, []string{"--delete"}, c.idsOf(claims), gone...)
	c.came(t, r, func() error {
		for _, o := range gone {
			c.leave(t, func(node string) bool {
				return node == o.GetName() || o.GetKind() == "K3sCluster" && strings.HasPrefix(node, o.GetName()+"-")
			})
			_ = c.Client.Delete(t.Context(), o.DeepCopy()) // What protects it refuses.
		}

		return nil
	})
	c.ends(t, r)
}

// leave tells K3s of nodes whose machines are about to be deleted.
func (c *committed) leave(t *testing.T, goes func(node string) bool) {
	t.Helper()

	nodes := &corev1.NodeList{}
	must(t, c.Client.List(t.Context(), nodes))

	for _, n := range nodes.Items {
		if goes(n.Name) {
			must(t, c.k3s.Leave(t.Context(), n.Name))
		}
	}
}

// born is what was before the commit, as it was rehearsed.
func (c *committed) born(t *testing.T) {
	t.Helper()

	claims, catalogue := claimsOf(t, c.Before)
	c.came(t, c.rehearsesWith(t, nil, c.idsOf(claims), slices.Concat(claims, catalogue)...), func() error { return c.apply(t.Context(), slices.Concat(catalogue, claims)...) })
}

// ends checks the end of a rehearsal, and that nothing happened on the way that must never happen.
func (c *committed) ends(t *testing.T, r *rehearsed) {
	t.Helper()

	if r.outcome != c.Outcome {
		t.Errorf("%s The rehearsal over the plane ends with %q, want %q", c.Reason, r.outcome, c.Outcome)
	}

	if v := c.k3s.Violations(); len(v) > 0 && !r.loses {
		t.Errorf("what must never happen, and no rehearsal says: %s", strings.Join(v, "; "))
	}
}

// idsOf the VMs of claims, and of the nodes of those that are clusters.
func (c *committed) idsOf(claims []*unstructured.Unstructured) func(*testing.T) map[string]int {
	return func(t *testing.T) map[string]int {
		t.Helper()

		out := c.vmsOf(claims...)(t)

		for _, claim := range claims {
			if claim.GetKind() == "K3sCluster" {
				maps.Copy(out, (&clusterRun{nodesRun: &nodesRun{rig: c.rig}, claim: claim}).ids(t))
			}
		}

		return out
	}
}

// standing is for how long a difference may be the same, on a busy machine. A plane with many claims moves for ever, so that its ceiling alone is a long wait.
const standing = 8 * time.Minute

// besides others, what is waited for.
func besides(waits, others []string) []string {
	return slices.DeleteFunc(slices.Clone(waits), func(w string) bool { return slices.Contains(others, w) })
}

// came makes a commit that was rehearsed, and waits until what was rehearsed has happened, nothing else, and the same is waited for, for a while.
func (c *committed) came(t *testing.T, r *rehearsed, commit func() error) {
	t.Helper()

	was, _ := claimsOf(t, c.Before)
	is, _ := claimsOf(t, c.After)
	r.parts = partsOf(slices.Concat(was, is))
	// Of single servers that all go, the one stays that is last in the etcd of K3s.
	r.anyOf = len(c.Deleted) > 1 && c.Outcome == "waits"
	begin, since := time.Now(), time.Now()
	before, changed := "", time.Now()

	// What the API server refuses is not there to wait for anything.
	if err := commit(); err != nil {
		t.Logf("refused: %v", err)

		c.refused = true

		if r.waits = nil; r.outcome != "refused" {
			t.Fatalf("the rehearsal ends with %q", r.outcome)
		}
	}

	must(t, c.until(t.Context(), "what was rehearsed has happened", func(context.Context) (bool, string) {
		diff := r.did(t)
		if diff == "" {
			diff = cmp.Diff(ofNodes(r.waits), ofNodes(besides(c.waits(t), besides(r.stood, r.waits))))
		}

		if diff != "" {
			since, diff = time.Now(), "-rehearsed, +recorded:\n"+diff
		}

		if diff != before {
			before, changed = diff, time.Now()
		}

		if diff != "" && time.Since(changed) > standing {
			t.Fatalf("what was rehearsed does not come, and the same has been missing for %s: %s", standing, diff)
		}

		return time.Since(since) > quiet, diff
	}))
	t.Logf("came after %s", time.Since(begin).Round(time.Second))
}

// ofComposite is how the name of a node begins whose cluster has a claim and a composite, whose name Kubernetes has chosen.
var ofComposite = regexp.MustCompile(`^XK3sNode/home-[a-z0-9]{5}-`)

// waits are what is waited for on the plane, as the command line lists it. To ask takes a program, which asks the API server a lot: it is
// not asked again at once.
func (c *committed) waits(t *testing.T) []string {
	t.Helper()

	if time.Now().Before(c.asks) {
		return c.waited
	}

	began := time.Now()
	said, code := c.commandLine(t, nil, "get", "-A", "-o", "json")

	type wait struct{ Condition, Reason, Message string }

	var all []struct {
		Kind, Name string
		Waits      []wait
	}

	if err := json.Unmarshal([]byte(said), &all); err != nil {
		t.Fatalf("kubectl machine get ends with %d: %v\n%s", code, err, said)
	}

	var out []string

	for _, m := range all {
		for i, w := range m.Waits {
			// What two conditions say in one way, a rehearsal says once.
			if !slices.ContainsFunc(m.Waits[:i], func(before wait) bool { return before.Message == w.Message }) {
				out = append(out, waitOf(ofComposite.ReplaceAllString(m.Kind+"/"+m.Name, "home-"), w.Condition, w.Reason))
			}
		}
	}

	slices.Sort(out)

	// On a busy machine it would be all that the API server does.
	c.waited, c.asks = slices.Compact(out), time.Now().Add(quiet/2+2*time.Since(began))

	return c.waited
}

// ofNodes are waits without what a cluster says of its rollout and of its servers, where others wait: it may say of its nodes what they say. What a person has to do in a guest is said by
// a condition that is well, so that nobody waits for it on a plane, and what is left of a claim that is gone is in no list.
func ofNodes(waits []string) []string {
	waits = slices.DeleteFunc(slices.Clone(waits), func(w string) bool {
		return strings.HasSuffix(w, " DataDisksChanged") || strings.Contains(w, ": Deletion ")
	})
	isRollout := func(w string) bool {
		return strings.Contains(w, ": RolledOut ") || strings.Contains(w, ": ServersReady ")
	}

	switch others := slices.DeleteFunc(slices.Clone(waits), isRollout); {
	case len(waits) == 0:
		return nil
	case len(others) > 0:
		return others
	default:
		return waits
	}
}

// waitOf a machine, whose name may be that of a cluster's node.
func waitOf(name, condition, reason string) string {
	return strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "home-") + ": " + condition + " " + reason
}

// partsOf sites, as the journal of Proxmox calls them.
func partsOf(claims []*unstructured.Unstructured) []string {
	var out []string

	for _, claim := range claims {
		var spec struct {
			Nodes map[string]struct {
				Bridges []struct{ Name string }
				VLANs   []struct {
					Interface string
					Tag       int
				}
			}
			Pools []struct{ Name string }
		}

		content, err := json.Marshal(claim.Object["spec"])
		if err != nil || claim.GetKind() != "ProxmoxSite" || json.Unmarshal(content, &spec) != nil {
			continue
		}

		for node, of := range spec.Nodes {
			for _, b := range of.Bridges {
				out = append(out, node+"/"+b.Name)
			}

			for _, v := range of.VLANs {
				out = append(out, fmt.Sprintf("%s/%s.%d", node, v.Interface, v.Tag))
			}
		}

		for _, p := range spec.Pools {
			out = append(out, p.Name)
		}
	}

	return out
}
