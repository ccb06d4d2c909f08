package plane

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Namespace of Crossplane.
const Namespace = "crossplane-system"

// A chart is what Crossplane's Helm chart would put into a cluster.
type chart struct {
	// objects that are applied as they are: accounts, roles, bindings, Secrets.
	objects []*unstructured.Unstructured
	// deployments by name. Nothing here runs Pods, so we run their programs with what they say.
	deployments map[string]*appsv1.Deployment
}

// renderChart renders Crossplane's chart as `helm install crossplane --namespace crossplane-system` does, with values of a person.
func renderChart(dir string, set map[string]any) (chart, error) {
	out := chart{deployments: map[string]*appsv1.Deployment{}}

	c, err := loader.LoadDir(dir)
	if err != nil {
		return out, fmt.Errorf("cannot load Crossplane's chart: %w", err)
	}

	values, err := chartutil.ToRenderValues(c, set, chartutil.ReleaseOptions{Name: "crossplane", Namespace: Namespace, IsInstall: true}, nil)
	if err != nil {
		return out, fmt.Errorf("cannot make values of Crossplane's chart: %w", err)
	}

	files, err := engine.Render(c, values)
	if err != nil {
		return out, fmt.Errorf("cannot render Crossplane's chart: %w", err)
	}

	for name, content := range files {
		if path.Ext(name) != ".yaml" {
			continue
		}

		if err := out.add(content); err != nil {
			return out, fmt.Errorf("cannot read %s: %w", name, err)
		}
	}

	return out, nil
}

// add the documents of one file.
func (c *chart) add(content string) error {
	for doc := range strings.SplitSeq(content, "\n---") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			return err
		}

		switch u.GetKind() {
		case "":
		case "Deployment":
			d := &appsv1.Deployment{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, d); err != nil {
				return err
			}

			c.deployments[d.Name] = d
		case "Service":
			// It would need kube-proxy. The plane makes one that needs none.
		default:
			c.objects = append(c.objects, u)
		}
	}

	return nil
}

// apply all objects.
func (c *chart) apply(ctx context.Context, cl client.Client) error {
	for _, o := range c.objects {
		if slices.Contains([]string{"ServiceAccount", "Secret"}, o.GetKind()) {
			o.SetNamespace(Namespace)
		}

		if err := apply(ctx, cl, o); err != nil {
			return err
		}
	}

	return nil
}

// apply an object as `kubectl apply --server-side` does.
func apply(ctx context.Context, cl client.Client, o *unstructured.Unstructured) error {
	err := cl.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("plane"), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
	}

	return nil
}

// environment of a container of the chart, with other values for some variables: paths and ports of a container are not
// those of this machine.
func environment(c corev1.Container, account string, other map[string]string) []string {
	env := map[string]string{}

	for _, v := range c.Env {
		switch ref := v.ValueFrom; {
		case ref == nil:
			env[v.Name] = v.Value
		case ref.FieldRef == nil:
			// A limit of a container.
		case ref.FieldRef.FieldPath == "metadata.namespace":
			env[v.Name] = Namespace
		case ref.FieldRef.FieldPath == "spec.serviceAccountName":
			env[v.Name] = account
		}
	}

	maps.Copy(env, other)

	out := make([]string, 0, len(env))
	for name, value := range env {
		out = append(out, name+"="+value)
	}

	return out
}
