package claims

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestWordsAgree puts every value that an XRD enumerates for a field into right claims: the function knows it, too.
func TestWordsAgree(t *testing.T) {
	all, c := loadJudges(t), world(t)
	tried := map[string]bool{}

	for file, object := range validClaims(t) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		kind := fmt.Sprint(object["kind"])
		spec := all[kind][0].definition.Structural().Properties["spec"]

		for _, m := range words([]string{"spec"}, object["spec"], &spec) {
			mutant := runtime.DeepCopyJSON(object)
			if !m.put(mutant) {
				t.Fatalf("cannot put %v into %s of %s", m.value, m.path, file)
			}

			tried[kind+" "+strings.Join(m.path, ".")] = true
			_, errs := function(composites(mutant)["namespaced"], c)

			for _, err := range errs {
				if err.Type == field.ErrorTypeNotSupported {
					t.Errorf("%s, %v in %s: %v", filepath.Base(file), m.value, strings.Join(m.path, "."), err)
				}
			}
		}
	}

	for _, path := range []string{"Machine spec.power", "Machine spec.lifecycle.rebootPolicy", "Machine spec.deletionPolicy", "K3sNode spec.k3s.role"} {
		if !tried[path] {
			t.Errorf("no word was tried in %s", path)
		}
	}
}

// TestWordsInPlaceOfOthers writes a number and a truth value into every field for which an XRD enumerates words: the answer has the words, or one of many.
func TestWordsInPlaceOfOthers(t *testing.T) {
	all, c := loadJudges(t), world(t)

	for file, object := range validClaims(t) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		said := map[string][]string{}
		spec := all[fmt.Sprint(object["kind"])][0].definition.Structural().Properties["spec"]

		for _, m := range words([]string{"spec"}, object["spec"], &spec) {
			said[strings.Join(m.path, ".")] = append(said[strings.Join(m.path, ".")], fmt.Sprint(m.value))
		}

		for path, enumerated := range said {
			for _, value := range []any{int64(5), true} {
				mutated := runtime.DeepCopyJSON(object)
				if m := (mutant{strings.Split(path, "."), value}); !m.put(mutated) {
					t.Fatalf("cannot put %v into %s of %s", value, path, file)
				}

				_, errs := function(composites(mutated)["namespaced"], c)
				if !slices.ContainsFunc(errs, func(err *field.Error) bool {
					return slices.ContainsFunc(enumerated, func(word string) bool { return strings.Contains(err.Detail, word) })
				}) {
					t.Errorf("%s, %v in %s: no answer has one of %q: %v", filepath.Base(file), value, path, enumerated, errs)
				}
			}
		}
	}
}

// words that a schema enumerates for the fields of a value.
func words(path []string, v any, s *schema.Structural) []mutant {
	var out []mutant

	if s.ValueValidation != nil {
		for _, word := range s.ValueValidation.Enum {
			out = append(out, mutant{path, word.Object})
		}
	}

	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			if p, ok := s.Properties[name]; ok {
				out = append(out, words(append(slices.Clone(path), name), child, &p)...)
			}
		}
	case []any:
		for i, item := range v {
			if s.Items != nil {
				out = append(out, words(append(slices.Clone(path), fmt.Sprint(i)), item, s.Items)...)
			}
		}
	}

	return out
}

// TestDefaultsAgree resolves right claims as they were written, as a preview has them, and with the defaults that an API
// server adds: both are the same machine.
func TestDefaultsAgree(t *testing.T) {
	all, c := loadJudges(t), world(t)
	added := 0

	for file, object := range validClaims(t) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		for _, j := range all[fmt.Sprint(object["kind"])] {
			stored := runtime.DeepCopyJSON(object)
			defaulting.Default(stored, j.definition.Structural())

			if cmp.Diff(object, stored) != "" {
				added++
			}

			want, errs := function(composites(object)["namespaced"], c)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			got, errs := function(composites(stored)["namespaced"], c)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Errorf("%s, %s: -without, +with the defaults of an API server:\n%s", filepath.Base(file), j.name, diff)
			}
		}
	}

	if added == 0 {
		t.Error("no XRD adds a default")
	}
}

// TestDefaultsOfLifecycle has an API server fill in the policy of whoever asks for something, and leave the others alone.
func TestDefaultsOfLifecycle(t *testing.T) {
	for kind, document := range map[string]string{
		claim.KindMachine: aMachine(`{proxmox: {node: pve}, lifecycle: {reboot: "1"}}`),
		claim.KindK3sNode: aNode(`{proxmox: {node: pve}, lifecycle: {reboot: "1"}, k3s: {role: server, cluster: home}}`),
	} {
		for _, j := range loadJudges(t)[kind] {
			object := parse(t, document)
			defaulting.Default(object, j.definition.Structural())

			spec, ok := object["spec"].(map[string]any)
			if !ok {
				t.Fatal("there is no spec")
			}

			want := map[string]any{"reboot": "1", "rebootPolicy": "OnRequest"}
			if diff := cmp.Diff(want, spec["lifecycle"]); diff != "" {
				t.Errorf("%s: lifecycle: -want, +got:\n%s", j.name, diff)
			}

			for _, name := range []string{"adopt", "protection"} {
				if v, ok := spec[name]; ok {
					t.Errorf("%s: %s was left out and became %v", j.name, name, v)
				}
			}
		}
	}
}
