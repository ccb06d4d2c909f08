package properties

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// FuzzAnswer mutates real requests: one value somewhere in the request's JSON is replaced by another, or taken away.
// Whatever comes in, the function must answer, must not panic, must answer the same twice, and must not drop a VM that
// exists unless it says so in a fatal result.
func FuzzAnswer(f *testing.F) {
	bases := fuzzBases(f)

	for i := range bases {
		f.Add(uint8(i), uint16(7*i), `null`)                   //nolint:gosec // A handful of bases.
		f.Add(uint8(i), uint16(31*i), `"${file(\"/etc/x\")}"`) //nolint:gosec // A handful of bases.
		f.Add(uint8(i), uint16(101*i), `{"a":[1]}`)            //nolint:gosec // A handful of bases.
		f.Add(uint8(i), uint16(17*i), `"a\u202eb\nc\u0007"`)   //nolint:gosec // A handful of bases.
		f.Add(uint8(i), uint16(211*i), `-1e308`)               //nolint:gosec // A handful of bases.
	}

	fn := fake.Compared(compose.Answer)

	f.Fuzz(func(t *testing.T, base uint8, place uint16, value string) {
		req, ok := mutate(bases[int(base)%len(bases)], int(place), value)
		if !ok {
			return
		}

		again := proto.CloneOf(req)

		// A panic ends the process, and the fuzzer tells of it.
		rsp := fn(req)
		if !proto.Equal(rsp, fn(again)) {
			t.Error("the same request gave another answer")
		}

		legible(t, rsp)

		if message := world.Fatal(rsp); message != "" {
			if twice := fake.SaidTwice(message); twice != "" {
				t.Errorf("the error says %q twice: %s", twice, message)
			}

			return
		}

		for name, r := range req.GetObserved().GetResources() {
			if _, kept := rsp.GetDesired().GetResources()[name]; !kept && r.GetResource().GetFields()["kind"].GetStringValue() == "EnvironmentVM" {
				t.Errorf("the VM %q was dropped without a word", name)
			}
		}
	})
}

// legible holds that every message can be shown: short, and without a letter that nobody sees. Only faults have lines of their own, indented below their head.
func legible(t *testing.T, rsp *fnv1.RunFunctionResponse) {
	t.Helper()

	check := func(text string, faults bool) {
		if faults {
			text = strings.ReplaceAll(text, "\n  ", " ")
		}

		hidden := strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) })
		if hidden || len(text) > 4096 {
			t.Errorf("%d bytes: %q", len(text), text)
		}
	}

	for _, c := range rsp.GetConditions() {
		check(c.GetMessage(), c.GetType() == status.TypeSpecValid)
	}

	for _, r := range rsp.GetResults() {
		check(r.GetMessage(), r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL || r.GetReason() == status.ReasonCatalogueEntryMissing)
	}
}

// fuzzBases are requests of every example, new and settled, as JSON.
func fuzzBases(tb testing.TB) [][]byte {
	tb.Helper()

	var out [][]byte

	for i, e := range fake.Examples(tb) {
		m := fake.NewCluster(tb, compose.Answer).Add(e.Machine(world.Installations[i%len(world.Installations)]))

		for _, settled := range []bool{false, true} {
			if settled {
				m.Settle()
			}

			req := m.Request()
			if i%2 == 0 {
				req.Desired = earlierSteps(tb)
			}

			b, err := protojson.Marshal(req)
			if err != nil {
				tb.Fatal(err)
			}

			out = append(out, b)
		}
	}

	return out
}

// earlierSteps is what other functions of a pipeline may have left.
func earlierSteps(tb testing.TB) *fnv1.State {
	tb.Helper()

	return &fnv1.State{
		Composite: &fnv1.Resource{Resource: world.Struct(tb, map[string]any{"status": map[string]any{}})},
		Resources: map[string]*fnv1.Resource{"other": {Resource: world.Struct(tb, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
	}
}

// mutate replaces the value at a place, counted in depth-first order, by a JSON value; one that is no JSON is taken for a
// string.
func mutate(base []byte, place int, value string) (*fnv1.RunFunctionRequest, bool) {
	var tree, with any
	if err := json.Unmarshal(base, &tree); err != nil {
		return nil, false
	}

	if err := json.Unmarshal([]byte(value), &with); err != nil {
		with = value
	}

	tree, _ = replace(tree, place%count(tree), with)

	b, err := json.Marshal(tree)
	if err != nil {
		return nil, false
	}

	req := &fnv1.RunFunctionRequest{}

	return req, protojson.Unmarshal(b, req) == nil
}

func count(v any) int {
	n := 1

	switch v := v.(type) {
	case []any:
		for _, c := range v {
			n += count(c)
		}
	case map[string]any:
		for _, c := range v {
			n += count(c)
		}
	}

	return n
}

// replace the value number n; what is left to count comes back with it.
func replace(v any, n int, with any) (any, int) {
	if n == 0 {
		return with, -1
	}

	n--

	switch v := v.(type) {
	case []any:
		for i := range v {
			if v[i], n = replace(v[i], n, with); n < 0 {
				return v, n
			}
		}
	case map[string]any:
		for _, k := range world.Keys(v) {
			if v[k], n = replace(v[k], n, with); n < 0 {
				return v, n
			}
		}
	}

	return v, n
}
