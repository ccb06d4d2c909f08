package gitops

import (
	"encoding/json"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What Flux makes of an object.
const (
	current    = "Current"
	failed     = "Failed"
	inProgress = "InProgress"
	// waits is an expression that cannot be evaluated, for instance since there is no status: Flux goes on waiting.
	waits = "InProgress"
)

// judge an object as the health check of a layer does: with the layer's expressions for its kind, or without any.
func judge(t *testing.T, cluster, name string, o *unstructured.Unstructured) string {
	t.Helper()

	if e := evaluator(t, cluster, name, o); e != nil {
		return evaluated(t, e, o)
	}

	return plain(t, o)
}

// evaluator has the layer's expressions for the kind of an object; nil where it has none.
func evaluator(t *testing.T, cluster, name string, o *unstructured.Unstructured) *cel.StatusEvaluator {
	t.Helper()

	return evaluatorOf(t, layer(t, cluster, name), o)
}

// evaluatorOf a Kustomization of Flux for the kind of an object; nil where it has no expressions for it.
func evaluatorOf(t *testing.T, k unstructured.Unstructured, o *unstructured.Unstructured) *cel.StatusEvaluator {
	t.Helper()

	for _, check := range checks(t, k) {
		gvk := o.GroupVersionKind()
		if group, kind := check.of(); group != gvk.Group || kind != "" && kind != gvk.Kind {
			continue
		}

		e, err := cel.NewStatusEvaluator(&check.HealthCheckExpressions)
		if err != nil {
			t.Fatal(err)
		}

		return e
	}

	return nil
}

// evaluated is what the expressions say of an object.
func evaluated(t *testing.T, e *cel.StatusEvaluator, o *unstructured.Unstructured) string {
	t.Helper()

	r, err := e.Evaluate(t.Context(), o)
	if err != nil {
		return waits
	}

	return r.Status.String()
}

// plain is what Flux makes of an object without expressions.
func plain(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()

	r, err := status.Compute(o)
	if err != nil {
		t.Fatal(err)
	}

	return r.Status.String()
}

// A check is an entry of spec.healthCheckExprs.
type check struct{ kustomize.CustomHealthCheck }

func (c check) of() (group, kind string) {
	o := unstructured.Unstructured{}
	o.SetAPIVersion(c.APIVersion)

	return o.GroupVersionKind().Group, c.Kind
}

// checks of a Kustomization of Flux.
func checks(t *testing.T, l unstructured.Unstructured) []check {
	t.Helper()

	raw, err := json.Marshal(l.Object)
	if err != nil {
		t.Fatal(err)
	}

	var k struct {
		Spec struct{ HealthCheckExprs []kustomize.CustomHealthCheck }
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}

	out := make([]check, len(k.Spec.HealthCheckExprs))
	for i, c := range k.Spec.HealthCheckExprs {
		out[i] = check{c}
	}

	return out
}
