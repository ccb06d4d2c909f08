package k3s

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	selectors "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A controller is a stand-in for Rancher's system-upgrade-controller, as far as it is known from its source (pkg/upgrade/plan/plan.go,
// pkg/upgrade/handle_batch.go): of the Nodes that a Plan selects and that have not its hash, it upgrades as many at once as the Plan says, and goes on to the next
// one as soon as a Job has ended.
type controller struct {
	*Cluster // In which it runs.

	namespace string
	jobs      map[string]*job // By node.
}

// A job upgrades K3s on a node.
type job struct {
	plan, release, hash string
	begun               time.Time
	restarted           bool
}

// How long the parts of a Job take. In reality, minutes.
const (
	jobPulls    = 500 * time.Millisecond  // Until K3s is stopped.
	jobRestarts = 3 * time.Second         // Until K3s is back.
	jobEnds     = 3500 * time.Millisecond // Until the Job has ended.
)

// UpgradeBy lets system-upgrade-controller work with the Plans in a namespace from now on.
func (c *Cluster) UpgradeBy(namespace string) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.upgrades = &controller{Cluster: c, namespace: namespace, jobs: map[string]*job{}}
}

// upgrade nodes as the Plans say.
func (c *controller) upgrade(ctx context.Context, nodes map[string]*corev1.Node) {
	if c == nil {
		return
	}

	for name, j := range c.jobs {
		c.work(ctx, nodes[name], j)
	}

	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(schema.GroupVersionKind{Group: "upgrade.cattle.io", Version: "v1", Kind: "PlanList"})

	if err := c.client.List(ctx, l, client.InNamespace(c.namespace)); err != nil {
		return
	}

	for i := range l.Items {
		if err := c.carryOut(ctx, &l.Items[i], nodes); err != nil {
			c.violate(fmt.Sprintf("Plan %s: %v", l.Items[i].GetName(), err))
		}
	}

	if n := len(c.jobs); n > 1 {
		c.violate(fmt.Sprintf("%d nodes are upgraded at once", n))
	}
}

// carryOut a Plan: begin Jobs, and say for which nodes there are any.
func (c *controller) carryOut(ctx context.Context, p *unstructured.Unstructured, nodes map[string]*corev1.Node) error {
	var plan struct {
		Spec struct {
			Concurrency        int                  `json:"concurrency"`
			NodeSelector       metav1.LabelSelector `json:"nodeSelector"`
			ServiceAccountName string               `json:"serviceAccountName"`
			Version            string               `json:"version"`
		} `json:"spec"`
	}

	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(p.Object, &plan); err != nil {
		return err
	}

	sum := sha256.Sum224([]byte(strings.ReplaceAll(plan.Spec.Version, "+", "-") + plan.Spec.ServiceAccountName))
	hash := hex.EncodeToString(sum[:])

	selector, err := selectorOf(p.GetName(), hash, plan.Spec.NodeSelector)
	if err != nil {
		return err
	}

	var applying []string

	for name, j := range c.jobs {
		if j.plan == p.GetName() {
			applying = append(applying, name)
		}
	}

	for name, n := range nodes {
		if s := c.systems[c.owners[name]]; s == nil || c.jobs[name] != nil || len(applying) >= plan.Spec.Concurrency || !selector.Matches(selectors.Set(n.Labels)) {
			continue
		}

		if err := c.cordon(ctx, n); err != nil {
			continue // It is tried again with the next look.
		}

		c.jobs[name] = &job{plan: p.GetName(), release: plan.Spec.Version, hash: hash, begun: time.Now()}
		applying = append(applying, name)
		c.note("upgrade %s to %s by Plan %s", name, plan.Spec.Version, p.GetName())
	}

	slices.Sort(applying)

	return c.apply(ctx, p, applying)
}

// apply says in a Plan's status which nodes are upgraded.
func (c *controller) apply(ctx context.Context, p *unstructured.Unstructured, applying []string) error {
	if has, _, _ := unstructured.NestedStringSlice(p.Object, "status", "applying"); slices.Equal(has, applying) {
		return nil
	}

	before := p.DeepCopy()
	if err := unstructured.SetNestedStringSlice(p.Object, applying, "status", "applying"); err != nil {
		return err
	}

	// What cannot be written is tried again with the next look.
	_ = c.client.Status().Patch(ctx, p, client.MergeFrom(before))

	return nil
}

// selectorOf the Nodes that a Plan is still to upgrade.
func selectorOf(plan, hash string, of metav1.LabelSelector) (selectors.Selector, error) {
	selector, err := metav1.LabelSelectorAsSelector(&of)
	if err != nil {
		return nil, err
	}

	named, err := selectors.NewRequirement(corev1.LabelHostname, selection.Exists, nil)
	if err != nil {
		return nil, err
	}

	fresh, err := selectors.NewRequirement(planLabel(plan), selection.NotIn, []string{"disabled", hash})
	if err != nil {
		return nil, err
	}

	return selector.Add(*named, *fresh), nil
}

func planLabel(plan string) string { return "plan.upgrade.cattle.io/" + plan }

// work on a Job: K3s stops, and is back with the new release; then the Node gets the Plan's hash, and is uncordoned.
func (c *controller) work(ctx context.Context, n *corev1.Node, j *job) {
	if n == nil || c.systems[c.owners[n.Name]] == nil {
		return
	}

	s, m := c.systems[c.owners[n.Name]], c.etcd.named(n.Name)
	away := time.Since(j.begun) > jobPulls && time.Since(j.begun) < jobRestarts

	if away || !j.restarted {
		s.sick = away
		if m != nil {
			m.lost = away
		}
	}

	if time.Since(j.begun) >= jobRestarts && !j.restarted {
		s.sick, s.release, j.restarted = false, j.release, true
		c.note("%s runs %s", n.Name, j.release)
	}

	if time.Since(j.begun) < jobEnds {
		return
	}

	before := n.DeepCopy()
	n.Labels[planLabel(j.plan)] = j.hash
	n.Spec.Unschedulable = false

	if err := c.client.Patch(ctx, n, client.MergeFrom(before)); err == nil {
		delete(c.jobs, n.Name)
		c.note("%s is upgraded", n.Name)
	}
}

func (c *controller) cordon(ctx context.Context, n *corev1.Node) error {
	before := n.DeepCopy()
	n.Spec.Unschedulable = true

	return c.client.Patch(ctx, n, client.MergeFrom(before))
}
