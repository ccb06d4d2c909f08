package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A story is a folder of example/: claims, and what a platform team keeps beside them.
type story struct {
	name   string
	claims []*unstructured.Unstructured
	others []*unstructured.Unstructured // Catalogue and Secrets.
}

// stories of example/.
func stories(t *testing.T) []story {
	t.Helper()

	files, err := filepath.Glob(repository + "/example/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}

	byFolder := map[string]*story{}

	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		if byFolder[folder] == nil {
			byFolder[folder] = &story{name: folder}
		}

		for _, o := range objects(t, file) {
			s := byFolder[folder]
			switch {
			case o.GetKind() == "K3sCluster":
				// It has no VM of its own, and its nodes wait for K3s: TestClusters.
			case o.GetKind() == "Container", o.GetKind() == "ProxmoxSite":
				// Lives of their own: TestContainers, where one is adopted in two steps, and TestSites.
			case o.GroupVersionKind().Group == "homelab.io":
				s.claims = append(s.claims, o)
			default:
				s.others = append(s.others, o)
			}
		}
	}

	var out []story

	for _, s := range byFolder {
		if len(s.claims) > 0 {
			out = append(out, *s)
		}
	}

	slices.SortFunc(out, func(a, b story) int { return strings.Compare(a.name, b.name) })

	return out
}

// lay the snippets that claims name on their nodes, as an administrator does before the commit.
func (r *rig) lay(claims []*unstructured.Unstructured) {
	for _, c := range claims {
		node, _, _ := unstructured.NestedString(c.Object, "spec", "proxmox", "node")

		named, _, _ := unstructured.NestedStringMap(c.Object, "spec", "bootstrap", "snippets")
		for _, id := range named {
			r.world.AddVolume(standin.Volume{Node: node, ID: id})
		}
	}
}

// objects of a file.
func objects(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()

	out, err := decode(file)
	must(t, err)

	return out
}

func decode(file string) ([]*unstructured.Unstructured, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var out []*unstructured.Unstructured

	for d := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", file, err)
		}

		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
}

// apply objects as `kubectl apply --server-side` does.
func (r *rig) apply(ctx context.Context, objects ...*unstructured.Unstructured) error {
	for _, o := range objects {
		o = o.DeepCopy()
		if err := r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("user"), client.ForceOwnership); err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}

	return nil
}

// ready waits until a claim is.
func (r *rig) ready(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, claim.GetName()+" is ready", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		for _, t := range []string{"Synced", "Ready"} {
			if c := condition(now, t); c.status != "True" {
				return false, fmt.Sprintf("conditions are %s", conditions(now))
			}
		}

		return true, ""
	})
}

// now is an object as it is now.
func (r *rig) now(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(o.GroupVersionKind())

	return out, r.Client.Get(ctx, client.ObjectKeyFromObject(o), out)
}

// isBeingMade says whether a deletion was refused because the claim's VM or container is being made.
func isBeingMade(err error) bool { return err != nil && strings.Contains(err.Error(), "is being made") }

// remove claims, and wait until they are gone with all that was made of them. A claim itself goes at once: Kubernetes deletes
// what belongs to it afterwards.
func (r *rig) remove(ctx context.Context, claims ...*unstructured.Unstructured) error {
	for _, c := range claims {
		if err := r.Client.Delete(ctx, c.DeepCopy()); client.IgnoreNotFound(err) != nil && !isBeingMade(err) {
			return fmt.Errorf("cannot delete %s: %w", c.GetName(), err)
		}
	}

	for _, c := range claims {
		err := r.until(ctx, "nothing is left of "+c.GetName(), func(ctx context.Context) (bool, string) {
			if now, err := r.now(ctx, c); !apierrors.IsNotFound(err) {
				// What prunes tries again, too.
				if err == nil && now.GetDeletionTimestamp() == nil {
					_ = r.Client.Delete(ctx, now)
				}

				return false, fmt.Sprintf("conditions are %s, error is %v", conditions(now), err)
			}

			left, err := r.managed(ctx, c)
			if err != nil {
				return false, err.Error()
			}

			for _, m := range left {
				return false, fmt.Sprintf("%s %s is there: %s", m.GetKind(), m.GetName(), conditions(m))
			}

			return true, ""
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// group of the managed resources, without what each kind has before it.
func (r *rig) group() string {
	switch {
	case r.fromGit:
		return "crossplane.io"
	case r.configuration == namespaced.configuration:
		return "proxmoxbpg.m.crossplane.io"
	}

	return "proxmoxbpg.crossplane.io"
}

// managed resources of a claim, as a person finds them: by label. What few claims have is only listed where its kind is among further ones.
func (r *rig) managed(ctx context.Context, claim *unstructured.Unstructured, further ...string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured

	kinds := []string{kindVM, kindFile, kindImage}

	switch claim.GetKind() {
	case "Container":
		kinds = []string{kindContainer, kindVM, kindImage} // A VM is only looked for.
	case "ProxmoxSite":
		kinds = []string{kindBridge, kindVLAN, kindPool}
	}

	for _, kind := range append(kinds, further...) {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(schema.GroupVersionKind{
			Group: "virtual" + strings.ToLower(kind) + "." + r.group(), Version: "v1alpha1", Kind: kind + "List",
		})

		err := r.Client.List(ctx, l, client.MatchingLabels{"homelab.io/machine": claim.GetName(), "homelab.io/namespace": claim.GetNamespace()})
		if err != nil {
			return nil, err
		}

		for i := range l.Items {
			out = append(out, &l.Items[i])
		}
	}

	return out, nil
}

// TestExamples lets every claim of example/ become ready and looks at it as `kubectl get` shows it, then deletes it: VMs go,
// but for those whose claims say that they stay.
func TestExamples(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		for _, s := range stories(t) {
			t.Run(s.name, func(t *testing.T) { r.example(t, s) })
		}
	})
}

// example lives and goes. All have the same catalogue, so they follow one another.
func (r *rig) example(t *testing.T, s story) {
	t.Helper()
	r.lay(s.claims)

	if err := r.apply(t.Context(), s.others...); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { r.forget(t, s.others) })

	before := r.world.VMs()

	if err := r.apply(t.Context(), s.claims...); err != nil {
		t.Fatal(err)
	}

	g, ctx := errgroup.WithContext(t.Context())
	for _, c := range s.claims {
		g.Go(func() error { return r.settled(ctx, c) })
	}

	if err := g.Wait(); err != nil {
		t.Fatalf("%v\nwritten to Proxmox: %s", err, strings.Join(r.world.Journal(), ", "))
	}

	r.golden(t, filepath.Join("testdata", "columns", r.configuration, s.name+".txt"), s.claims)

	if made := len(r.world.VMs()) - len(before); made != len(s.claims) {
		t.Errorf("%d VMs were made of %d claims", made, len(s.claims))
	}

	switch s.name {
	case "rollout":
		r.rollsOut(t, s)
	case "nixos":
		r.nixosRollsOut(t, s)
	}

	r.protects(t, s.claims)
	must(t, r.lift(t.Context(), s.claims...))

	if err := r.remove(t.Context(), s.claims...); err != nil {
		t.Fatal(err)
	}

	r.leaves(t, before, s.claims)
}

// protects checks that those claims are protected, and no others, whose VMs would be destroyed with data disks or a vote in a quorum.
func (r *rig) protects(t *testing.T, claims []*unstructured.Unstructured) {
	t.Helper()

	for _, c := range claims {
		all, err := r.usages(t.Context(), c.GetNamespace())
		must(t, err)

		disks, _, _ := unstructured.NestedSlice(c.Object, "spec", "disks")
		role, _, _ := unstructured.NestedString(c.Object, "spec", "k3s", "role")
		want := !orphans(c) && (len(disks) > 0 || role == "server")

		if got := slices.Contains(all, c.GetName()); got != want {
			t.Errorf("that %s is protected is %t, want %t", c.GetName(), got, want)
		}
	}
}

// forget the catalogue and Secrets of a story: the next one has its own.
func (r *rig) forget(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()

	for _, o := range objects {
		if err := r.Client.Delete(context.Background(), o.DeepCopy()); client.IgnoreNotFound(err) != nil {
			t.Errorf("cannot delete %s: %v", o.GetName(), err)
		}
	}
}

// leaves checks that only VMs stay whose claims say so, and takes them away by hand.
func (r *rig) leaves(t *testing.T, before []int, claims []*unstructured.Unstructured) {
	t.Helper()

	want := 0
	for _, c := range claims {
		if orphans(c) {
			want++
		}
	}

	var left []int
	for _, id := range r.world.VMs() {
		if !slices.Contains(before, id) {
			left = append(left, id)
		}
	}

	if len(left) != want {
		t.Errorf("VMs %v are left, want %d of them", left, want)
	}

	r.world.Remove(left...)
}

// orphans says whether a claim's VM stays when the claim is deleted: that is a K3sNode's default.
func orphans(c *unstructured.Unstructured) bool {
	policy, _, _ := unstructured.NestedString(c.Object, "spec", "deletionPolicy")

	return policy == "Orphan" || policy == "" && c.GetKind() == "K3sNode"
}
