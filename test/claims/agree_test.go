package claims

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

var update = flag.Bool("update", false, "rewrite the files of expected results")

// world is the catalogue of these tests over the built-in one.
func world(t *testing.T) catalog.Catalog {
	t.Helper()

	b, err := os.ReadFile("testdata/catalogue.yaml")
	if err != nil {
		t.Fatal(err)
	}

	c, errs := catalog.FromValue(parse(t, string(b)), "EnvironmentConfig machine-catalog: data")
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	return catalog.Merge(catalog.BuiltIn(), c)
}

// function is what the function says to a composite.
func function(composite map[string]any, c catalog.Catalog) (*machine.Machine, field.ErrorList) {
	floats(composite)
	decoded := claim.Decode(composite)

	if decoded.K3sCluster != nil {
		return ofCluster(decoded, c)
	}

	if decoded.Container != nil {
		return ofContainer(decoded, c)
	}

	if decoded.ProxmoxSite != nil {
		return ofSite(decoded, c)
	}

	return resolve.Claim(decoded, c, resolve.Existing{Adopting: adopts(decoded)})
}

// ofContainer is what the function says to the composite of a Container. A machine stands for the container.
func ofContainer(decoded claim.Claim, c catalog.Catalog) (*machine.Machine, field.ErrorList) {
	m, errs := resolve.Container(decoded.Identity, *decoded.Container, decoded.Faults, c, resolve.Existing{Adopting: decoded.Container.Adopt != nil})
	if len(errs) > 0 {
		return nil, errs
	}

	return &m.Machine, nil
}

// ofSite is what the function says to the composite of a ProxmoxSite. A machine stands for the site.
func ofSite(decoded claim.Claim, c catalog.Catalog) (*machine.Machine, field.ErrorList) {
	s, errs := resolve.ProxmoxSite(decoded.Identity, *decoded.ProxmoxSite, decoded.Faults, c, resolve.Existing{})
	if len(errs) > 0 {
		return nil, errs
	}

	return &machine.Machine{Identity: s.Identity}, nil
}

// ofCluster is what the function says to the composite of a K3sCluster: to its claim, or else to the nodes that it describes. A machine stands
// for its nodes.
func ofCluster(decoded claim.Claim, c catalog.Catalog) (*machine.Machine, field.ErrorList) {
	errs := decoded.Faults
	if len(errs) == 0 {
		errs = cluster.Check(decoded.Identity, *decoded.K3sCluster)
	}

	if len(errs) > 0 {
		return nil, errs
	}

	members, err := cluster.Members(decoded.Identity, *decoded.K3sCluster, false)
	if err != nil {
		return nil, field.ErrorList{field.InternalError(field.NewPath("spec"), err)}
	}

	said := map[string]bool{}

	for _, m := range members {
		for _, err := range cluster.CheckMember(m, decoded.Identity, "homelab.io/v1alpha1", *decoded.K3sCluster, c, nil) {
			if !said[err.Error()] {
				errs = append(errs, err)
			}

			said[err.Error()] = true
		}
	}

	if len(errs) > 0 {
		return nil, errs
	}

	return &machine.Machine{Identity: decoded.Identity}, nil
}

// adopts says whether a claim that has no VM yet is to take one over.
func adopts(c claim.Claim) bool {
	return c.Machine != nil && c.Machine.Adopt != nil || c.K3sNode != nil && c.K3sNode.Adopt != nil
}

// validClaims of machines by file name.
func validClaims(t *testing.T) map[string]map[string]any {
	t.Helper()

	return validClaimsOf(t, claim.KindMachine, claim.KindK3sNode)
}

// validClaimsOf some kinds by file name.
func validClaimsOf(t *testing.T, kinds ...string) map[string]map[string]any {
	t.Helper()

	files, err := filepath.Glob("testdata/valid/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no valid claims")
	}

	examples, err := filepath.Glob("../../example/*/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples")
	}

	out := map[string]map[string]any{}

	for _, f := range append(files, examples...) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}

		object := parse(t, string(b))
		if slices.Contains(kinds, fmt.Sprint(object["kind"])) {
			out[f] = object
		}
	}

	return out
}

// TestValidClaims has both judges take every right claim.
func TestValidClaims(t *testing.T) {
	all, c := loadJudges(t), world(t)

	for file, object := range validClaimsOf(t, claim.KindMachine, claim.KindK3sNode, claim.KindK3sCluster, claim.KindContainer, claim.KindProxmoxSite) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, j := range all[fmt.Sprint(object["kind"])] {
				for _, err := range j.refuse(object) {
					t.Errorf("%s: %v", j.name, err)
				}
			}

			// Examples have catalogues of their own, with which they are rendered elsewhere.
			if strings.HasPrefix(file, "../../example/") {
				return
			}

			for generation, composite := range composites(object) {
				m, errs := function(composite, c)
				for _, err := range errs {
					t.Errorf("function, composite %s: %v", generation, err)
				}

				if len(errs) == 0 && m == nil {
					t.Errorf("function, composite %s: neither a machine nor a fault", generation)
				}
			}
		})
	}
}

// TestResolvedClaims compares the machines that right claims become with what was agreed on.
func TestResolvedClaims(t *testing.T) {
	c := world(t)

	for file, object := range validClaims(t) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		t.Run(filepath.Base(file), func(t *testing.T) {
			m, errs := function(composites(object)["of a claim"], c)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			got, err := yaml.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}

			golden := filepath.Join("testdata", "resolved", filepath.Base(file))
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (go test ./test/claims -update rewrites it): -want, +got:\n%s", golden, diff)
			}
		})
	}
}

// TestValidClaimsUseEveryField keeps the right claims complete: a new field must be in one of them.
func TestValidClaimsUseEveryField(t *testing.T) {
	for kind, judges := range loadJudges(t) {
		used := map[string]bool{}

		for file, object := range validClaimsOf(t, kind) {
			if object["kind"] == kind && strings.HasPrefix(file, "testdata/") {
				collect(used, "spec", object["spec"])
			}
		}

		spec := judges[0].definition.Structural().Properties["spec"]
		for _, p := range slices.Sorted(maps.Keys(schemaPaths("spec", spec))) {
			// The fields that both kinds share are used by Machine's claims.
			if shared := kind == claim.KindK3sNode && !strings.HasPrefix(p, "spec.k3s"); !shared && !used[p] {
				t.Errorf("no right claim of %s uses %s", kind, p)
			}
		}
	}
}

// collect the paths of all fields of a value, without indexes.
func collect(into map[string]bool, at string, v any) {
	into[at] = true

	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			collect(into, at+"."+name, child)
		}
	case []any:
		for _, item := range v {
			collect(into, at, item)
		}
	}
}

// crossplanes are the fields of a spec that are Crossplane's own.
var crossplanes = []string{
	"crossplane", "claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector",
	"compositionUpdatePolicy", "compositeDeletePolicy", "resourceRef", "resourceRefs", "writeConnectionSecretToRef", "publishConnectionDetailsTo",
}

// schemaPaths of all fields of a schema, without Crossplane's own.
func schemaPaths(at string, s schema.Structural) map[string]bool {
	out := map[string]bool{}

	if s.Items != nil {
		maps.Copy(out, schemaPaths(at, *s.Items))
	}

	for name, child := range s.Properties {
		if at == "spec" && slices.Contains(crossplanes, name) {
			continue
		}

		out[at+"."+name] = true
		maps.Copy(out, schemaPaths(at+"."+name, child))
	}

	return out
}

// agree says which faults of an XRD the function does not name.
func agree(xrd, function field.ErrorList) []string {
	var missing []string

	for _, x := range xrd {
		named := slices.ContainsFunc(function, func(f *field.Error) bool {
			// What is refused without a path has it in the message: a fraction in place of a whole number, and a rule on the whole.
			inMessage := x.Field == "<nil>" && (strings.HasSuffix(x.Detail, " in "+f.Field) || strings.HasPrefix(x.Detail, f.Field+" "))

			return inMessage || sameField(x.Field, f.Field)
		})
		if !named {
			missing = append(missing, x.Error())
		}
	}

	return missing
}

var keyInBrackets = regexp.MustCompile(`\[([^\]]*[^\]0-9][^\]]*)\]`)

// sameField says whether two paths name the same field, or one of them a field of the other's. A rule of an XRD names the
// object that it is about.
func sameField(a, b string) bool {
	a, b = keyInBrackets.ReplaceAllString(a, ".$1"), keyInBrackets.ReplaceAllString(b, ".$1")

	// The function puts names that are none in quotes, and cuts them short.
	if object, quoted, ok := strings.Cut(b, `."`); ok {
		beginning, _, _ := strings.Cut(strings.ReplaceAll(quoted, `\n`, "\n"), "...")
		return strings.HasPrefix(a, object+"."+strings.TrimSuffix(beginning, `"`))
	}

	return a == b || strings.HasPrefix(b, a+".") || strings.HasPrefix(b, a+"[") || strings.HasPrefix(a, b+".") || strings.HasPrefix(a, b+"[")
}

// distinctOf are the judges without those who judge a spec by the very schema and rules of one before them: those say the same of it.
func distinctOf(all []judge) []judge {
	var (
		out   []judge
		known []schema.Structural
	)

	for _, j := range all {
		s := judgesBy(j)
		if !slices.ContainsFunc(known, func(k schema.Structural) bool { return reflect.DeepEqual(k, s) }) {
			out, known = append(out, j), append(known, s)
		}
	}

	return out
}

// judgesBy is what a judge judges a spec by: its schema without metadata, status, and Crossplane's own fields.
func judgesBy(j judge) schema.Structural {
	root := *j.definition.Structural()
	spec := root.Properties["spec"]
	spec.Properties = maps.Clone(spec.Properties)
	maps.DeleteFunc(spec.Properties, func(name string, _ schema.Structural) bool { return slices.Contains(crossplanes, name) })

	// Crossplane has each kind described in its own words.
	root.Description, spec.Description = "", ""
	root.Properties = map[string]schema.Structural{"spec": spec}

	return root
}

// TestMutationsAgree puts wrong values into every field of right claims, and has the function refuse whatever an XRD
// refuses, naming the same field.
func TestMutationsAgree(t *testing.T) {
	all, c := loadJudges(t), world(t)
	refused := 0

	distinct := judges{}
	for kind := range all {
		distinct[kind] = distinctOf(all[kind])
	}

	for file, object := range validClaims(t) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		for _, m := range mutants([]string{"spec"}, object["spec"]) {
			mutant := runtime.DeepCopyJSON(object)
			if !m.put(mutant) {
				t.Fatalf("cannot put %v into %s of %s", m.value, m.path, file)
			}

			faults := map[string]field.ErrorList{}
			for generation, composite := range composites(mutant) {
				_, faults[generation] = function(composite, c)
			}

			for _, j := range distinct[fmt.Sprint(object["kind"])] {
				judged := j.refuse(mutant)
				if len(judged) > 0 {
					refused++
				}

				for generation, errs := range faults {
					for _, missing := range agree(judged, errs) {
						t.Errorf("%s: %s = %.60v\n%s says: %s\nfunction, composite %s, says: %v",
							filepath.Base(file), strings.Join(m.path, "."), fmt.Sprintf("%#v", m.value), j.name, missing, generation, errs.ToAggregate())
					}
				}
			}
		}
	}

	// Were the mutations not wrong, nothing would be compared.
	if refused < 1000 {
		t.Errorf("only %d mutants were refused by an XRD", refused)
	}
}
