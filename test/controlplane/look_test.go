package controlplane

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

var update = flag.Bool("update", false, "write golden files")

// A shown condition.
type shown struct{ status, reason, message string }

// condition of an object, empty if it has none of that type.
func condition(o *unstructured.Unstructured, conditionType string) shown {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		m, _ := c.(map[string]any)
		if m["type"] == conditionType {
			text := func(key string) string { s, _ := m[key].(string); return s }

			return shown{text("status"), text("reason"), text("message")}
		}
	}

	return shown{}
}

// conditions of an object, for messages.
func conditions(o *unstructured.Unstructured) string {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")

	var out []string

	for _, c := range all {
		m, _ := c.(map[string]any)
		out = append(out, fmt.Sprintf("%v=%v %v: %v", m["type"], m["status"], m["reason"], m["message"]))
	}

	slices.Sort(out)

	return strings.Join(out, "; ")
}

// table is what `kubectl get` prints of objects of one kind in a namespace: the API server makes the columns.
func (r *rig) table(ctx context.Context, kind, namespace string) (*metav1.Table, error) {
	config := rest.CopyConfig(r.REST)
	config.NegotiatedSerializer = serializer.NewCodecFactory(r.Client.Scheme()).WithoutConversion()

	c, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}

	body, err := c.Get().
		AbsPath("/apis/homelab.io/v1alpha1/namespaces", namespace, strings.ToLower(kind)+"s").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
	if err != nil {
		return nil, err
	}

	out := &metav1.Table{}

	return out, json.Unmarshal(body, out)
}

// Numbers out of a range are chosen from the composite's UID, and the stand-in's DHCP server gives addresses by number.
var (
	chosenNumber  = regexp.MustCompile(`^4\d\d\d$`)
	chosenInGroup = regexp.MustCompile(`^50\d\d$`) // Of example/rollout.
	leasedAddress = regexp.MustCompile(`^192\.0\.2\.\d+$`)
)

func mask(cell string) string {
	cell = chosenInGroup.ReplaceAllString(chosenNumber.ReplaceAllString(cell, "4nnn"), "50nn")

	return leasedAddress.ReplaceAllString(cell, "192.0.2.n")
}

// get prints claims as `kubectl get` does.
func (r *rig) get(ctx context.Context, claims []*unstructured.Unstructured) (string, error) {
	var kinds []string
	for _, c := range claims {
		if place := c.GetKind() + " " + c.GetNamespace(); !slices.Contains(kinds, place) {
			kinds = append(kinds, place)
		}
	}

	slices.Sort(kinds)

	var b strings.Builder

	for _, place := range kinds {
		kind, namespace, _ := strings.Cut(place, " ")

		table, err := r.table(ctx, kind, namespace)
		if err != nil {
			return "", err
		}

		w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
		line := func(cells []string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }

		var names []string
		for _, c := range table.ColumnDefinitions {
			if c.Priority == 0 {
				names = append(names, strings.ToUpper(c.Name))
			}
		}

		line(names)

		for _, row := range table.Rows {
			var cells []string

			for i, c := range table.ColumnDefinitions {
				switch {
				case c.Priority > 0:
				case row.Cells[i] == nil:
					cells = append(cells, "")
				case strings.EqualFold(c.Name, "Age"):
					cells = append(cells, "<age>")
				default:
					cells = append(cells, mask(fmt.Sprint(row.Cells[i])))
				}
			}

			line(cells)
		}

		w.Flush()
	}

	return trailing.ReplaceAllString(b.String(), ""), nil
}

var trailing = regexp.MustCompile(`(?m) +$`)

// golden compares what `kubectl get` prints of claims with a file.
func (r *rig) golden(t *testing.T, file string, claims []*unstructured.Unstructured) {
	t.Helper()

	got, err := r.get(t.Context(), claims)
	if err != nil {
		t.Fatal(err)
	}

	compare(t, file, got)
}

// compare what a person sees with a file.
func compare(t *testing.T, file, got string) {
	t.Helper()

	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", file, diff)
	}
}
