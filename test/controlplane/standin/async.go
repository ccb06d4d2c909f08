package standin

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Create starts Terraform and does not wait for it.
func (e *external) Create(_ context.Context, mg resource.Managed) (managed.ExternalCreation, error) {
	if err := e.start(mg, apply, "create failed", e.create); err != nil {
		return managed.ExternalCreation{}, fmt.Errorf("cannot start async apply: %w", err)
	}

	return managed.ExternalCreation{}, nil
}

// Update likewise.
func (e *external) Update(_ context.Context, mg resource.Managed) (managed.ExternalUpdate, error) {
	if err := e.start(mg, apply, "update failed", e.update); err != nil {
		return managed.ExternalUpdate{}, fmt.Errorf("cannot start async apply: %w", err)
	}

	return managed.ExternalUpdate{}, nil
}

// Delete likewise.
func (e *external) Delete(_ context.Context, mg resource.Managed) (managed.ExternalDelete, error) {
	if err := e.start(mg, destroy, "delete failed", e.destroy); err != nil {
		return managed.ExternalDelete{}, fmt.Errorf("cannot start async destroy: %w", err)
	}

	return managed.ExternalDelete{}, nil
}

// work of Terraform. It returns the id of what there is now.
type work func(ctx context.Context, mr managedResource) (id string, err error)

// start work in the background, and report what came of it.
func (e *external) start(mg resource.Managed, op operation, prefix string, do work) error {
	if err := e.ws.begin(op); errors.Is(err, errAlready) {
		return nil
	} else if err != nil {
		return err
	}

	mr := mg.DeepCopyObject().(managedResource)

	e.provider.background(func(ctx context.Context) {
		id, err := do(ctx, mr)
		if ctx.Err() != nil {
			return // The Pod is gone, and with it the workspace.
		}

		if err != nil {
			err = failure(op, err)
		}

		e.ws.end(id, err)
		e.provider.report(ctx, e.kind, mr, op, prefix, err)
	})

	return nil
}

// failure keeps a taint under the words of the operation.
func failure(op operation, err error) error { return fmt.Errorf("%s failed: %w", op, err) }

func (e *external) create(ctx context.Context, mr managedResource) (string, error) {
	w := e.provider.World
	// A new thing has no id yet, whatever Terraform knew before.
	r := func() request {
		r := e.request(mr)
		r.anywhere = false

		return r
	}

	w.mu.Lock()

	which, err := w.fault(apply, e.kind.Kind, mr.GetName())
	if err != nil && which != "half-made" {
		w.mu.Unlock()
		wait(ctx, e.provider.Pace.Refresh)

		return "", err
	}

	id, begun := e.kind.thing.begin(r())

	w.mu.Unlock()

	if isEnded(begun) {
		wait(ctx, e.provider.Pace.Limit)
	}

	if begun != nil {
		return "", begun
	}

	wait(ctx, e.kind.pace(e.provider.Pace))

	if ctx.Err() != nil {
		return id, nil
	}

	if err != nil {
		return id, taintError{err}
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	now := r()
	if id != "" {
		now.id = id
	}

	if err := e.kind.thing.finish(now); err != nil {
		return id, err
	}

	if id == "" {
		id = e.kind.volume(now)
	}

	return id, nil
}

func (e *external) update(ctx context.Context, mr managedResource) (string, error) {
	return "", e.do(ctx, mr, apply, e.kind.thing.change)
}

func (e *external) destroy(ctx context.Context, mr managedResource) (string, error) {
	return "", e.do(ctx, mr, destroy, e.kind.thing.destroy)
}

func (e *external) do(ctx context.Context, mr managedResource, op operation, what func(request) error) error {
	wait(ctx, e.provider.Pace.Refresh)

	w := e.provider.World

	w.mu.Lock()
	defer w.mu.Unlock()

	if _, err := w.fault(op, e.kind.Kind, mr.GetName()); err != nil {
		return err
	}

	return what(e.request(mr))
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func ongoing() xpv2.Condition {
	return xpv2.Condition{Type: typeAsync, Status: corev1.ConditionFalse, Reason: "Ongoing", LastTransitionTime: metav1.Now()}
}

func finished() xpv2.Condition {
	return xpv2.Condition{Type: typeAsync, Status: corev1.ConditionTrue, Reason: "Finished", LastTransitionTime: metav1.Now()}
}

// lastAsync is the outcome of an operation.
func lastAsync(op operation, err error) xpv2.Condition {
	c := xpv2.Condition{Type: typeLastAsync, Status: corev1.ConditionTrue, Reason: "Success", LastTransitionTime: metav1.Now()}
	if err != nil {
		c.Status, c.Message, c.Reason = corev1.ConditionFalse, err.Error(), "ApplyFailure"
		if op == destroy {
			c.Reason = "DestroyFailure"
		}
	}

	return c
}
