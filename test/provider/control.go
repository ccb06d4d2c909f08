package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxRounds is how often a machine may be reconciled until nothing changes any more. It takes four: its files and a check of
// its number, its VM, what is remembered of it, and a last one that finds all as it should be. A replacement takes more.
const maxRounds = 16

// reconcileTimeout is how long the provider gives one poll of a resource before it ends Terraform.
const reconcileTimeout = 3 * time.Minute

// A Control plays Crossplane and the provider for one composite: it calls the function, lets Terraform make what is
// desired, and shows the function what came of it.
type Control struct {
	Function  *Function
	Bench     *Bench
	Composite unstructured.Unstructured
	Input     map[string]any
	// Required are the objects that the function may ask for.
	Required []unstructured.Unstructured
	// Neighbours are controls of other composites, whose managed resources the function may ask for, too.
	Neighbours []*Control
	// Replay, if not nil, holds outcomes of resources that are the same in another flavour, so that Terraform judges the
	// same text only once.
	Replay *Replay
	// MayDrop lets the function leave out a managed resource that exists. Crossplane deletes it then, and the provider does as
	// the policies say. Without it that is an error: it would delete a machine.
	MayDrop bool
	// Hasty calls the function twice more after each change: before the provider has done anything, and while it is at it.
	Hasty bool
	// Forgetful restarts the provider before everything it does, which loses its workspaces.
	Forgetful bool
	// Blind lets the provider report everything as ready without a poll.
	Blind bool
	// Old is a Crossplane from before 2.2, which does not tell what it can.
	Old bool
	// Timeout of one poll; [reconcileTimeout] where it is zero.
	Timeout time.Duration

	// Conditions that the function set on the composite in its last call, by type.
	Conditions map[string]*fnv1.Condition
	// Results of its last call.
	Results []*fnv1.Result

	composed map[string]*composed
}

// A Round is what one call of the function changed.
type Round struct {
	// Changed are the names of composed resources that are new or other than before, sorted.
	Changed []string
	// Dropped are the names of those that were deleted, sorted.
	Dropped []string
	// Ready is true if the function calls the composite ready, or all of its resources.
	Ready bool
	// Mended is true if something that had failed before went through.
	Mended bool
	// Failures of the provider, by composed name. It would try again.
	Failures map[string]error
}

// Err is all failures of a round in one, or nil.
func (r Round) Err() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.Failures)) {
		errs = append(errs, fmt.Errorf("cannot reconcile %s: %w", name, r.Failures[name]))
	}

	return errors.Join(errs...)
}

// Settle makes rounds until one changes nothing, and returns them all. It is an error if none does, if the function
// leaves out a resource that exists, or if the provider fails or never comes to rest.
func (c *Control) Settle(ctx context.Context) ([]Round, error) {
	var rounds []Round

	for range maxRounds {
		r, err := c.Round(ctx)
		if err = errors.Join(err, r.Err()); err != nil {
			return rounds, err
		}

		rounds = append(rounds, r)

		if len(r.Changed)+len(r.Dropped) == 0 && !r.Mended {
			return rounds, nil
		}
	}

	return rounds, fmt.Errorf("%s does not come to rest: %v", c.Composite.GetName(), rounds)
}

// Round calls the function, does what it says as Crossplane does, and lets the provider follow once. An error is one of
// the function, or of the test; failures of the provider are in the Round.
func (c *Control) Round(ctx context.Context) (Round, error) {
	round := Round{}

	touched, err := c.compose(ctx, &round)
	if err != nil {
		return round, err
	}

	if c.Hasty {
		if err := c.hurry(ctx, touched, &round); err != nil {
			return round, err
		}
	}

	for _, name := range c.inOrder() {
		if d := c.composed[name]; touched[name] || d.unsettled {
			c.work(ctx, name, d, &round)
		}
	}

	return round, nil
}

// hurry calls the function again, as Crossplane may at any moment: before the provider has seen what was written, and while
// it works on it and has nothing to report yet.
func (c *Control) hurry(ctx context.Context, touched map[string]bool, round *Round) error {
	for _, moment := range []string{"before the provider did anything", "while the provider works"} {
		if len(touched) == 0 {
			return nil
		}

		again, err := c.compose(ctx, round)
		if err != nil {
			return fmt.Errorf("%s: %w", moment, err)
		}

		maps.Copy(touched, again)

		for name := range touched {
			// The function may leave out now what it wrote a moment before.
			if d := c.composed[name]; d != nil {
				d.begin()
			}
		}
	}

	return nil
}

// Poll lets the provider poll every VM once, as it does every ten minutes, and change what differs from the spec. Files
// and images do not change by themselves here. The function is not called.
func (c *Control) Poll(ctx context.Context) (Round, error) {
	round := Round{}

	for _, name := range c.inOrder() {
		if d := c.composed[name]; slices.Contains([]string{KindVM, KindContainer, KindHAResource, KindBridge, KindVLAN, KindPool}, d.resource.Kind) || d.unsettled || d.resource.OnlyLooks() {
			c.work(ctx, name, d, &round)
		}
	}

	return round, nil
}

// work lets the provider work on one resource.
func (c *Control) work(ctx context.Context, name string, d *composed, round *Round) {
	failed := d.unsettled
	err := c.provide(ctx, d)
	round.Mended = round.Mended || failed && !d.unsettled

	if err == nil {
		return
	}

	if round.Failures == nil {
		round.Failures = map[string]error{}
	}

	round.Failures[name] = err
}

// compose calls the function once and writes what it desires. It returns what the provider has to reconcile.
func (c *Control) compose(ctx context.Context, round *Round) (map[string]bool, error) {
	rsp, err := c.call(ctx)
	if err != nil {
		return nil, err
	}

	c.status(rsp)

	desired := rsp.GetDesired().GetResources()
	round.Ready = rsp.GetDesired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE || allReady(desired)

	// Crossplane deletes first, and writes then.
	if err := c.drop(ctx, desired, round); err != nil {
		return nil, err
	}

	touched := map[string]bool{}

	for name, d := range desired {
		changed, work, err := c.write(name, d.GetResource().AsMap())
		if err != nil {
			return nil, err
		}

		if changed && !slices.Contains(round.Changed, name) {
			round.Changed = append(round.Changed, name)
		}

		if work {
			touched[name] = true
		}
	}

	slices.Sort(round.Changed)

	return touched, nil
}

// drop deletes what is no longer desired.
func (c *Control) drop(ctx context.Context, desired map[string]*fnv1.Resource, round *Round) error {
	for _, name := range slices.Backward(c.inOrder()) {
		if _, ok := desired[name]; ok {
			continue
		}

		// To take a VM out of HA neither stops nor starts it; a firewall may go while its machine stays.
		stay := []string{KindHAResource, KindFirewallOptions, KindFirewallRules}
		if d := c.composed[name]; d.managed() && !c.MayDrop && !slices.Contains(stay, d.resource.Kind) && !isCheck(name) {
			return fmt.Errorf("%s is no longer desired: Crossplane would delete it", name)
		}

		if err := c.destroy(ctx, c.composed[name]); err != nil {
			return fmt.Errorf("cannot delete %s: %w", name, err)
		}

		delete(c.composed, name)
		round.Dropped = append(round.Dropped, name)
	}

	slices.Sort(round.Dropped)

	return nil
}

// isCheck says whether a composed resource only looks for what has the VMID of a container, and goes when that is known.
func isCheck(name string) bool { return strings.HasPrefix(name, "vmid-") }

// Delete deletes everything, the VM first, as the provider does when the composite is gone. What its policies do not let be
// deleted stays.
func (c *Control) Delete(ctx context.Context) error {
	for _, name := range slices.Backward(c.inOrder()) {
		if err := c.destroy(ctx, c.composed[name]); err != nil {
			return fmt.Errorf("cannot delete %s: %w", name, err)
		}
	}

	return nil
}

// errPaused is what a person finds who deletes what is paused: nothing happens.
var errPaused = errors.New("is paused, so that the provider does not delete it either")

// destroy does what the provider does with a resource that is deleted.
func (c *Control) destroy(ctx context.Context, d *composed) error {
	switch {
	case !d.managed():
		return nil
	case d.resource.Paused():
		return errPaused
	case !d.resource.May("Delete"), d.workspace == nil, d.resource.OnlyLooks():
		return nil
	}

	return d.workspace.Destroy(ctx, c.Bench.conn)
}

// inOrder are the names of composed resources, files first, VMs last.
func (c *Control) inOrder() []string {
	rank := func(name string) int { return kinds()[c.composed[name].manifest.GetKind()].order }

	return slices.SortedFunc(maps.Keys(c.composed), func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}

		return slices.Compare([]string{a}, []string{b})
	})
}

func allReady(desired map[string]*fnv1.Resource) bool {
	for _, d := range desired {
		if d.GetReady() != fnv1.Ready_READY_TRUE {
			return false
		}
	}

	return len(desired) > 0
}
