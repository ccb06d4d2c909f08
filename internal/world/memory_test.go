package world

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestFingerprint: equal values have equal ones, whatever holds them, and no others do.
func TestFingerprint(t *testing.T) {
	all := map[string]any{
		"nil": nil, "true": true, "false": false, "zero": 0.0, "one": 1.0, "empty": "", "text": "one", "digit": "1",
		"noList": []any{}, "list": []any{1.0, 2.0}, "turned": []any{2.0, 1.0}, "nested": []any{[]any{1.0, 2.0}}, "longer": []any{1.0, 2.0, nil},
		"noObject": map[string]any{}, "object": map[string]any{"a": 1.0, "b": 2.0}, "swapped": map[string]any{"a": 2.0, "b": 1.0},
		"null": map[string]any{"a": nil}, "inner": map[string]any{"a": map[string]any{"b": 1.0}}, "key": map[string]any{"ab": 1.0},
	}

	has := map[uint64]string{}
	for name, v := range all {
		if other, taken := has[Fingerprint(v)]; taken {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}

		has[Fingerprint(v)] = name
	}

	for name, same := range map[string][2]any{
		"Number": {1, 1.0}, "Copy": {all["object"], Copy(all["object"])}, "Objects": {map[string]map[string]any{"a": {"b": 1.0}}, all["inner"]},
		"Texts": {[]string{"a"}, []any{"a"}}, "NoMap": {map[string]any(nil), nil}, "NoSlice": {[]any(nil), nil},
	} {
		if Fingerprint(same[0]) != Fingerprint(same[1]) {
			t.Errorf("%s: %v and %v are equal, and have two fingerprints", name, same[0], same[1])
		}
	}
}

// TestMemory: a function is asked once of what is the same, and anew of what is not; and what it answers is what it would answer.
func TestMemory(t *testing.T) {
	asked := 0
	function := func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		asked++

		out := &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Message: req.GetObserved().String() + req.GetMeta().String()}}}
		for _, r := range req.GetRequiredResources()["all"].GetItems() {
			out.Results = append(out.Results, &fnv1.Result{Message: r.GetResource().String()})
		}

		out.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
			"all": {ApiVersion: "v1", Kind: "Node", Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}}},
		}}

		return out
	}

	c := NewCluster(t, function)
	c.Memory = NewMemory()
	m := c.Add(NewMachine(NewClaim("Machine", "a", "b", map[string]any{"x": "y"}), Installation{Namespaced: true}))
	m.AsksAtOnce = true
	m.Call()

	for name, tc := range map[string]struct {
		reason string
		change func()
		want   int
	}{
		"Nothing":  {"It is the same.", func() {}, 0},
		"Claim":    {"The claim is edited.", func() { m.Spec()["x"] = "z" }, 1},
		"Observed": {"A managed resource is there.", func() { m.Observed["vm"] = map[string]any{"kind": "EnvironmentVM"} }, 1},
		"Found": {"A Node is found.", func() {
			c.AddNode("n", map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n"}})
		}, 1},
		"Input":        {"The Composition has another input.", func() { m.Input = map[string]any{"kind": "Input", "a": "b"} }, 1},
		"Capabilities": {"Crossplane is a newer one.", func() { m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CONDITIONS} }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tc.change()

			before := asked
			got := m.Call()

			if asked-before != tc.want {
				t.Errorf("%s The function is asked %d times, want %d", tc.reason, asked-before, tc.want)
			}

			r := requestOf(m)
			r.found = m.answers(m.asked)
			req := r.message()

			if diff := cmp.Diff(true, proto.Equal(function(req), got)); diff != "" {
				t.Errorf("%s The answer is another one", tc.reason)
			}
		})
	}
}

// TestMemoryAsksAnew of a request that differs in as little as an order.
func TestMemoryAsksAnew(t *testing.T) {
	secrets := func(names ...string) []map[string]any {
		var out []map[string]any
		for _, name := range names {
			out = append(out, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name}})
		}

		return out
	}

	cases := map[string]struct {
		reason string
		change func(m *Machine)
		want   int
	}{
		"Same":      {"An equal spec is another object in memory, and no other request.", func(m *Machine) { m.Composite["spec"] = Copy(m.Composite["spec"]) }, 0},
		"ListOrder": {"Lists have an order.", func(m *Machine) { m.Spec()["list"] = []any{"x", 1.0, true, nil} }, 1},
		"Type":      {"Text is no number.", func(m *Machine) { m.Spec()["list"] = []any{"1", "x", true, nil} }, 1},
		"Null":      {"Null is no false.", func(m *Machine) { m.Spec()["list"] = []any{1.0, "x", true, false} }, 1},
		"Swapped":   {"Composed resources have names.", func(m *Machine) { m.Observed["vm"], m.Observed["image"] = m.Observed["image"], m.Observed["vm"] }, 1},
		"Renamed":   {"So have fields.", func(m *Machine) { m.Spec()["other"] = m.Spec()["list"]; delete(m.Spec(), "list") }, 1},
		"Fewer":     {"A managed resource has gone.", func(m *Machine) { delete(m.Observed, "vm") }, 1},
		"Order":     {"What was found comes in an order.", func(m *Machine) { m.Secrets = secrets("b", "a") }, 1},
		"NotThere":  {"Nothing is found any more.", func(m *Machine) { m.Secrets = nil }, 1},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			c := NewCluster(t, func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				asked++

				return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
					"all": {ApiVersion: "v1", Kind: "Secret", Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}}},
				}}}
			})
			c.Memory = NewMemory()
			m := c.Add(NewMachine(NewClaim("Machine", "a", "b", map[string]any{"list": []any{1.0, "x", true, nil}}), Installation{Namespaced: true}))
			m.AsksAtOnce, m.Secrets = true, secrets("a", "b")
			m.Observed["vm"], m.Observed["image"] = map[string]any{"c": 1.0}, map[string]any{"c": 2.0}
			m.Call()
			tc.change(m)

			before := asked
			m.Call()

			if asked-before != tc.want {
				t.Errorf("%s The function is asked %d times more, want %d", tc.reason, asked-before, tc.want)
			}
		})
	}
}

// TestDoubtfulMemory: of a function that is not pure it tells, of a pure one it does not, and nobody sees what another test changed in its answer.
func TestDoubtfulMemory(t *testing.T) {
	cases := map[string]struct {
		reason string
		pure   bool
		tells  bool
	}{
		"Pure":   {"The same request has the same answer.", true, false},
		"Impure": {"It answers with how often it was asked.", false, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked, told := 0, 0
			c := NewCluster(t, func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				asked++

				said := "answer"
				if !tc.pure {
					said = strconv.Itoa(asked)
				}

				return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Message: said}}}
			})
			c.Memory = NewDoubtfulMemory(func(_, _ *fnv1.RunFunctionResponse) { told++ })
			m := c.Add(NewMachine(NewClaim("Machine", "a", "b", map[string]any{"x": "y"}), Installation{Namespaced: true}))

			const claims = 200
			for n := range claims {
				m.Spec()["x"] = n

				for range 4 {
					rsp := m.Call()
					if rsp.GetResults()[0].GetMessage() == "changed" {
						t.Fatalf("%s It is the answer that somebody changed", tc.reason)
					}

					rsp.Results[0].Message = "changed"
				}
			}

			if again := asked - claims; again < claims/40 || again > claims/3 {
				t.Errorf("%s %d of %d requests are made once more, want one in %d", tc.reason, again, claims, askedAgain)
			}

			if (told > 0) != tc.tells || told > asked-claims {
				t.Errorf("%s It tells %d times, want to be told: %t", tc.reason, told, tc.tells)
			}
		})
	}
}
