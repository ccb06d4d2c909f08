package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// An Outcome is what Terraform made of one managed resource.
type Outcome struct {
	// Found is true if the external name stood for something before anything was applied.
	Found bool
	// Applied is true if there was something to do.
	Applied bool
	// Withheld is the plan as text that the policies forbid.
	Withheld string
	// Attributes of the resource in the end: what status.atProvider shows.
	Attributes map[string]any
	// Drift is the last plan as text where it should have been empty; empty where it was.
	Drift string
	// PlanWrites are the requests other than reads that validating, reading and planning made.
	PlanWrites []Request
	// ApplyWrites are those that applying made.
	ApplyWrites []Request
}

// Errors of a reconcile, by the step that failed.
var (
	ErrInvalid = errors.New("is not valid")
	ErrRead    = errors.New("cannot be read")
	ErrPlan    = errors.New("cannot be planned")
	ErrApply   = errors.New("cannot be applied")
	ErrAbsent  = errors.New("is not there, and may not be created")
)

// Open makes the workspace of a managed resource. It may be reconciled more than once.
func (b *Bench) Open(ctx context.Context, r Resource) (*Workspace, error) {
	b.next++

	return b.tf.NewWorkspace(ctx, filepath.Join(b.dir, "ws-"+strconv.Itoa(b.next)), r, b.conn)
}

// Update gives a workspace a new version of its managed resource.
func (b *Bench) Update(w *Workspace, r Resource) error { return w.Render(r, b.conn) }

// Reconcile does with a managed resource what Upjet does until it calls it up to date: read what the external name stands
// for, plan, and apply if there is something to do and the policies allow it. Then it plans once more. A configuration that
// is seen for the first time is validated before, so that a fault in it is not taken for one of the cluster.
func (b *Bench) Reconcile(ctx context.Context, w *Workspace) (Outcome, error) {
	o := Outcome{}
	name := w.Resource.Kind + " " + w.Resource.Metadata.Name

	first := !w.seen
	w.seen = true

	if b.Quick && !first && w.Resource.May("Create") && w.Resource.May("Update") {
		return b.quick(ctx, w)
	}

	if first && !b.Quick {
		if err := w.Validate(ctx); err != nil {
			return o, fmt.Errorf("%s %w: %w", name, ErrInvalid, err)
		}
	}

	same, err := b.plan(ctx, w, first, &o)
	if err != nil {
		attributes, failure := w.Attributes()
		o.Attributes = attributes

		return o, errors.Join(fmt.Errorf("%s %w", name, err), failure)
	}

	if !same && o.Withheld == "" {
		o.Applied = true

		if b.BeforeCreate != nil && !o.Found && !w.Resource.May("Update") {
			b.BeforeCreate(w.Resource)
		}

		if o.ApplyWrites, err = b.writesOf(ctx, func() error {
			_, err := w.Apply(ctx)

			return err
		}); err != nil {
			var failure error
			o.Attributes, failure = w.afterFailure(ctx)

			return o, errors.Join(fmt.Errorf("%s %w: %w", name, ErrApply, err), failure)
		}
	}

	if o.Attributes, err = w.Attributes(); err != nil || !o.Applied {
		return o, err
	}

	o.Drift, err = b.drift(ctx, w, &o)

	return o, err
}

// quick applies without a plan of its own before, which saves a run: applying refreshes and plans, too.
func (b *Bench) quick(ctx context.Context, w *Workspace) (Outcome, error) {
	o := Outcome{}
	r := Report{}

	var err error

	o.ApplyWrites, err = b.writesOf(ctx, func() error {
		var err error
		r, err = w.Apply(ctx)

		return err
	})
	attributes, failure := w.Attributes()
	o.Attributes, o.Applied = attributes, r.Changes > 0

	switch {
	case err != nil && !r.Planned:
		// What is there is in the status all the same, if it can be read.
		err = cmp.Or(w.keepSeen(ctx), fmt.Errorf("%w: %w", ErrPlan, err))
		o.Attributes, failure = w.Attributes()

		return o, errors.Join(fmt.Errorf("%s %s %w", w.Resource.Kind, w.Resource.Metadata.Name, err), failure)
	case err != nil:
		o.Attributes, failure = w.afterFailure(ctx)

		return o, errors.Join(fmt.Errorf("%s %s %w: %w", w.Resource.Kind, w.Resource.Metadata.Name, ErrApply, err), failure)
	case failure != nil || !o.Applied:
		return o, failure
	}

	o.Drift, err = b.drift(ctx, w, &o)

	return o, err
}

// plan compares Proxmox with the configuration, and says whether they are the same. What the policies forbid is noted as withheld.
func (b *Bench) plan(ctx context.Context, w *Workspace, first bool, o *Outcome) (same bool, err error) {
	mayCreate, mayUpdate := w.Resource.May("Create"), w.Resource.May("Update")
	words := ""

	refresh := first && w.Resource.ExternalName() != "" || !mayCreate || !mayUpdate

	// Every plan reads, too. What is read first is whether there is something, and last, where nothing is to do, what has
	// become of it.
	o.PlanWrites, err = b.writesOf(ctx, func() error {
		var err error
		if refresh {
			if o.Found, err = w.Refresh(ctx); err != nil {
				return fmt.Errorf("%w: %w", ErrRead, err)
			}
		}

		if same, words, err = w.Plan(ctx); err != nil {
			err = fmt.Errorf("%w: %w", ErrPlan, err)
		}

		if refresh || err == nil && !same {
			return err
		}

		return cmp.Or(w.keepSeen(ctx), err)
	})

	switch {
	case err != nil || same:
	case o.Found && !mayUpdate:
		o.Withheld = words
	case !o.Found && !mayCreate:
		return false, ErrAbsent
	}

	return same, err
}

// keepSeen reads into the state what is there.
func (w *Workspace) keepSeen(ctx context.Context) error {
	if _, err := w.Refresh(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrRead, err)
	}

	return nil
}

// afterFailure is what the provider reports after an apply that failed: what was made before it failed, as the next poll reads
// it. Without a poll the state would say that the plugin did what was planned.
func (w *Workspace) afterFailure(ctx context.Context) (map[string]any, error) {
	attributes, err := w.Attributes()
	if err != nil || len(attributes) == 0 || w.keepSeen(ctx) != nil {
		return attributes, err
	}

	return w.Attributes()
}

// Look reads the VM of a resource that the provider may only observe, and says whether the VM exists.
func (b *Bench) Look(ctx context.Context, w *Workspace) (Outcome, error) {
	o := Outcome{}

	var err error

	o.PlanWrites, err = b.writesOf(ctx, func() error {
		var err error
		o.Found, err = w.Import(ctx, w.Resource.ExternalName())

		return err
	})
	if err != nil {
		return o, fmt.Errorf("%s %s %w: %w", w.Resource.Kind, w.Resource.Metadata.Name, ErrRead, err)
	}

	o.Attributes, err = w.Attributes()

	return o, err
}

// Restart plans after the pod of the provider was restarted, which loses every workspace: the state is made again from
// what was asked for and the status. It returns the plan as text where it is not empty. The workspace is as before then.
func (b *Bench) Restart(ctx context.Context, w *Workspace, id string, atProvider map[string]any) (string, error) {
	restore, err := w.keepState()
	if err != nil {
		return "", err
	}

	if err := w.Seed(id, atProvider); err != nil {
		return "", err
	}

	drift, err := b.drift(ctx, w, &Outcome{})

	return drift, errors.Join(err, restore())
}

// drift plans and returns the plan where it is not empty.
func (b *Bench) drift(ctx context.Context, w *Workspace, o *Outcome) (string, error) {
	drift := ""

	writes, err := b.writesOf(ctx, func() error {
		same, plan, err := w.Plan(ctx)
		if !same {
			drift = plan
		}

		return err
	})
	o.PlanWrites = append(o.PlanWrites, writes...)

	if err != nil {
		return "", fmt.Errorf("%s %s %w: %w", w.Resource.Kind, w.Resource.Metadata.Name, ErrPlan, err)
	}

	return drift, nil
}

// writesOf runs f and returns the requests other than reads that the API got meanwhile.
func (b *Bench) writesOf(ctx context.Context, f func() error) ([]Request, error) {
	before, err := b.Simulator.State(ctx)
	if err != nil {
		return nil, err
	}

	failure := f()

	writes, err := b.Simulator.Writes(ctx, before.Seq)

	return writes, errors.Join(failure, err)
}
