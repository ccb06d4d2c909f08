package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// provide lets the provider work on d once, and writes down what it says: the conditions of the provider, of the reconciler
// that it is built on, and of its asynchronous operations.
// Source: provider v1.18.0 as observed; crossplane-runtime v2, pkg/reconciler/managed/reconciler.go.
func (c *Control) provide(ctx context.Context, d *composed) error {
	d.unsettled = false

	switch {
	case !d.managed():
		return nil
	case d.resource.Paused():
		d.set("Synced", "False", "ReconcilePaused", "Reconciliation (including deletion) is paused via the pause annotation", d.generation)

		return nil
	case d.resource.OnlyLooks():
		return c.look(ctx, d)
	case c.Blind:
		d.report(nil)

		return nil
	}

	err := c.reconcile(ctx, d)
	d.report(err)

	return err
}

// open makes the workspace of d, or gives it the resource as it is now. What Terraform has no state of gets one from what is
// asked for and from the status, as Upjet does it.
func (c *Control) open(ctx context.Context, d *composed) error {
	if c.Forgetful {
		d.workspace = nil
	}

	if d.workspace == nil {
		w, err := c.Bench.Open(ctx, d.resource)
		d.workspace = w

		id, _ := d.outcome.Attributes["id"].(string)
		if err != nil || id == "" || d.resource.OnlyLooks() {
			return err
		}

		if name := d.resource.ExternalName(); name != "" {
			id = name
		}

		return w.Seed(id, withoutSecrets(d.outcome.Attributes))
	}

	if err := c.Bench.Update(d.workspace, d.resource); err != nil {
		return err
	}

	has, err := d.workspace.Attributes()
	if err != nil || len(has) > 0 || d.resource.ExternalName() == "" || d.resource.OnlyLooks() {
		return err
	}

	return d.workspace.Seed(d.resource.ExternalName(), withoutSecrets(d.outcome.Attributes))
}

// look reads the VM or file of d and does nothing else.
func (c *Control) look(ctx context.Context, d *composed) error {
	o, replayed := c.Replay.find(d.resource)
	if !replayed {
		if err := c.open(ctx, d); err != nil {
			return err
		}

		limited, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, reconcileTimeout))
		defer cancel()

		var err error
		if o, err = c.Bench.Look(limited, d.workspace); err != nil {
			d.unsettled = true
			d.set("Synced", "False", "ReconcileError", "observe failed: cannot run import: "+importQuote(err)+": import failed", d.generation)

			return ctx.Err()
		}

		if len(o.PlanWrites) > 0 {
			return fmt.Errorf("%s writes while it is only looked at: %v", d.resource.Kind, o.PlanWrites)
		}

		if err := c.Replay.add(d.resource, o); err != nil {
			return err
		}
	}

	if !o.Found {
		// What was seen before stays in the status.
		d.unsettled = true
		d.set("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", d.generation)

		return nil
	}

	d.outcome = o
	d.set("Ready", "True", "Available", "", 0)
	d.set("Synced", "True", "ReconcileSuccess", "", d.generation)

	return nil
}

// begin sets the conditions of a resource that the provider has begun to make or to change: all is well, and what it reports
// is of before.
func (d *composed) begin() {
	if !d.managed() || d.resource.Paused() || d.resource.OnlyLooks() {
		return
	}

	if !d.made {
		d.set("Ready", "False", "Creating", "", d.generation)
	}

	d.set("Synced", "True", "ReconcileSuccess", "", d.generation)
	d.set("AsyncOperation", "False", "Ongoing", "", 0)
}

// importQuote is what the provider quotes of a failed import: all that Terraform said, in colour.
func importQuote(err error) string {
	exit := &ExitError{}
	if !errors.As(err, &exit) {
		return err.Error()
	}

	var b strings.Builder
	for line := range strings.Lines(exit.Output) {
		b.WriteString("\x1b[0m\x1b[1m" + strings.TrimSuffix(line, "\n") + "\x1b[0m\n")
	}

	return b.String()
}

// reconcile lets Terraform make d, or takes what it made of the same text before.
func (c *Control) reconcile(ctx context.Context, d *composed) error {
	if o, ok := c.Replay.find(d.resource); ok {
		d.outcome = o
		c.mark(d, o)

		return nil
	}

	first := d.workspace == nil || !d.workspace.seen

	if err := c.open(ctx, d); err != nil {
		return err
	}

	o, err := c.Bench.Reconcile(ctx, d.workspace)
	if len(o.Attributes) == 0 {
		// The status keeps what was seen last.
		o.Attributes = d.outcome.Attributes
	}

	d.outcome = o
	c.mark(d, o)

	switch {
	case err != nil:
		return err
	case o.Drift != "":
		return fmt.Errorf("%s never comes to rest, its second plan is:\n%s", d.resource.Kind, o.Drift)
	case len(o.PlanWrites) > 0:
		return fmt.Errorf("%s writes while it is only looked at: %v", d.resource.Kind, o.PlanWrites)
	}

	if first && !c.Bench.Quick {
		if err := c.restart(ctx, d); err != nil {
			return err
		}
	}

	return c.Replay.add(d.resource, d.outcome)
}

// mark a resource that the provider began to create, as its reconciler does. One that it may change, too, was there before.
func (c *Control) mark(d *composed, o Outcome) {
	if !o.Found && o.Applied && d.resource.May("Create") && !d.resource.May("Update") {
		d.began = c.now().Format(time.RFC3339)
	}
}

// restart checks that a restart of the provider's pod changes nothing. The status of a VM may not be filled yet when it
// happens; a file has no external name before it has a status.
func (c *Control) restart(ctx context.Context, d *composed) error {
	id, _ := d.outcome.Attributes["id"].(string)
	status := d.outcome.Attributes

	if d.resource.ExternalName() != "" {
		status = nil
	}

	drift, err := c.Bench.Restart(ctx, d.workspace, id, status)
	if err != nil {
		return fmt.Errorf("after a restart of the provider: %w", err)
	}

	if drift != "" {
		return fmt.Errorf("after a restart of the provider, %s wants:\n%s", d.resource.Kind, drift)
	}

	return nil
}

// report sets the conditions that a reconcile ends with. What the asynchronous part of the provider writes has no
// generation, and the outcome of the last such operation stays until another one ends.
func (d *composed) report(err error) {
	d.unsettled = err != nil

	if err == nil {
		d.made = true
		d.set("Ready", "True", "Available", "", 0)
		d.set("Synced", "True", "ReconcileSuccess", "", d.generation)
		d.set("AsyncOperation", "True", "Finished", "", 0)

		if d.outcome.Applied {
			d.set("LastAsyncOperation", "True", "Success", "", 0)
		}

		return
	}

	quote := err.Error()
	if exit := (&ExitError{}); errors.As(err, &exit) && len(exit.Diagnostics) > 0 {
		quote = exit.Quote()
	}

	switch {
	case errors.Is(err, ErrApply):
		step := "update failed: "

		if !d.made {
			step = "create failed: "
			d.set("Ready", "False", "Creating", "", d.generation)
		}

		d.set("Synced", "False", "ReconcileError", step+"apply failed: "+quote, 0)
		d.set("LastAsyncOperation", "False", "ApplyFailure", "apply failed: "+quote, 0)
		d.set("AsyncOperation", "True", "Finished", "", 0)
	case errors.Is(err, ErrPlan):
		// It was read before, and is there: also one whose making failed half way.
		d.made = true
		d.set("Ready", "True", "Available", "", 0)
		d.set("Synced", "False", "ReconcileError", "observe failed: cannot run plan: plan failed: "+quote, d.generation)
	default:
		d.set("Synced", "False", "ReconcileError", "observe failed: cannot run refresh: refresh failed: "+quote, d.generation)
	}
}
