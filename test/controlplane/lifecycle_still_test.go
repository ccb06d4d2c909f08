package controlplane

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// still waits until a claim says nothing new for a while.
func (r *rig) still(ctx context.Context, claim *unstructured.Unstructured) error {
	last, since := "", time.Now()

	return r.until(ctx, claim.GetName()+" says nothing new", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		if said := conditions(now); said != last {
			last, since = said, time.Now()
		}

		return time.Since(since) > quiet, last
	})
}

// settled waits until a claim is ready and says nothing new: the provider looks once more at what it has just made, and the claim can
// be unready for a moment meanwhile.
func (r *rig) settled(ctx context.Context, claim *unstructured.Unstructured) error {
	for _, wait := range []func(context.Context, *unstructured.Unstructured) error{r.ready, r.still, r.ready} {
		if err := wait(ctx, claim); err != nil {
			return err
		}
	}

	return nil
}

// eventsOf an object. An object of the same name that was there before has others.
func (r *rig) eventsOf(ctx context.Context, o *unstructured.Unstructured) ([]corev1.Event, error) {
	now, err := r.now(ctx, o)
	if err != nil {
		return nil, err
	}

	l := &corev1.EventList{}
	err = r.Client.List(ctx, l, client.InNamespace(o.GetNamespace()), client.MatchingFieldsSelector{
		Selector: fields.SelectorFromSet(fields.Set{"involvedObject.uid": string(now.GetUID())}),
	})

	return l.Items, err
}
