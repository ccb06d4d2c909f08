package preview

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// Running are the objects that a cluster would have once the machine of a new claim runs, as kubectl prints them: the composite with its status,
// its composed resources as the provider reports them, and the same of the nodes of a K3sCluster. With [Renderer.StandIns], the dummies that
// stand for Secrets follow, since user-data was made of them.
func (r Renderer) Running(ctx context.Context, in Story) ([]unstructured.Unstructured, error) {
	s, err := r.stage(in)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot have %s run", in.Claim)
	}

	if r.StandIns {
		if err := r.standIn(ctx, s); err != nil {
			return nil, err
		}
	}

	composite, err := r.settle(ctx, s)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot have %s run", in.Claim)
	}

	out := append([]unstructured.Unstructured{composite}, s.observed...)

	for _, o := range s.required {
		if o.GetKind() == "Secret" {
			out = append(out, o)
		}
	}

	out, err = r.withNodes(ctx, in, out)

	return lastSecrets(out), err
}

// settle a stage: turns, until nothing is asked for that is not there. It returns the composite as it is then.
func (r Renderer) settle(ctx context.Context, s *stage) (unstructured.Unstructured, error) {
	composition, err := r.composition(s.composite)
	if err != nil {
		return unstructured.Unstructured{}, err
	}

	for range maxTurns {
		t, err := r.Engine.Turn(ctx, s.input(composition, true))
		if err != nil {
			return unstructured.Unstructured{}, err
		}

		if settled := !s.lacksOneOf(t.Composed); settled && s.given {
			return t.Composite, nil
		}

		s.provide(t)

		s.given = true

		for i := range s.observed {
			if !onlyLooks(s.observed[i]) {
				report(s.observed[i])
			}
		}
	}

	return unstructured.Unstructured{}, errors.Errorf("after %d turns it still asks for new resources", maxTurns)
}

// report what Proxmox has of a managed resource: what was asked for.
func report(o unstructured.Unstructured) {
	wanted, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
	status, _ := o.Object["status"].(map[string]any)

	if wanted == nil || status == nil {
		return
	}

	wanted = maps.Clone(wanted)
	wanted["id"] = o.GetAnnotations()[annotationExternalName]
	status["atProvider"] = wanted
}

// withNodes adds what the nodes of a K3sCluster have, one after the other.
func (r Renderer) withNodes(ctx context.Context, in Story, objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	out := objects

	for i, o := range objects {
		if i == 0 || kindOf(o) != claim.KindK3sNode {
			continue
		}

		node := in
		node.Claim.Object = *o.DeepCopy()
		delete(node.Claim.Object.Object, "status")
		node.Observed = out[len(objects):]

		of, err := r.Running(ctx, node)
		if err != nil {
			return nil, err
		}

		for _, o := range of {
			if o.GetKind() == "Secret" {
				in.Required = append(slices.Clone(in.Required), o) // What stands for a token does so for all nodes.
			}
		}

		// The cluster has seen more of its node than the node says of itself.
		conditions := append(conditionsOf(of[0].Object), conditionsOf(o.Object)...)
		out[i] = of[0]

		for _, c := range conditions {
			setCondition(out[i].Object, c)
		}

		out[i].SetOwnerReferences(o.GetOwnerReferences())
		out = append(out, of[1:]...)
	}

	return out, nil
}

// lastSecrets of objects: of several of one name the last one counts, and the others go.
func lastSecrets(objects []unstructured.Unstructured) []unstructured.Unstructured {
	last := map[string]int{}
	for i, o := range objects {
		last[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] = i
	}

	var out []unstructured.Unstructured

	for i, o := range objects {
		if o.GetKind() != "Secret" || last[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] == i {
			out = append(out, o)
		}
	}

	return out
}
