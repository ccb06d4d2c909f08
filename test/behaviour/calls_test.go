package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestCrossplaneFetchesTheCatalogue: while it does, everything that exists is kept, and both generations answer.
func TestCrossplaneFetchesTheCatalogue(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	settled := m.Settle()

	req := m.Request()
	answers := req.GetRequiredResources()
	req.RequiredResources = nil

	rsp := m.ask(req)
	if world.Fatal(rsp) != "" {
		t.Fatalf("fatal result: %s", world.Fatal(rsp))
	}

	for name, r := range settled.GetDesired().GetResources() {
		if diff := cmp.Diff(r.GetResource(), rsp.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
			t.Errorf("%s changes while Crossplane looks: -settled, +kept:\n%s", name, diff)
		}
	}

	want := &fnv1.ResourceSelector{ApiVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Match: &fnv1.ResourceSelector_MatchName{MatchName: "machine-catalog"}}
	for generation, asked := range map[string]map[string]*fnv1.ResourceSelector{
		"2.x": rsp.GetRequirements().GetResources(), "1.20": rsp.GetRequirements().GetExtraResources(),
	} {
		if diff := cmp.Diff(want, asked["machine-catalog"], protocmp.Transform()); diff != "" {
			t.Errorf("Crossplane %s is not asked: -want, +got:\n%s", generation, diff)
		}
	}

	// Crossplane 1.20 answers in the old field only.
	req.ExtraResources = answers

	old := m.ask(req)

	if diff := cmp.Diff(settled.GetDesired(), old.GetDesired(), protocmp.Transform()); diff != "" {
		t.Errorf("Crossplane 1.20 gets another answer: -2.x, +1.20:\n%s", diff)
	}
}

// TestOneCallIsEnough: Crossplane 2.4 hands over with the first call what the function asked for in the call before. It does not
// call again if the function asks for nothing else, in either generation of the field: see FetchingFunctionRunner there.
func TestOneCallIsEnough(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	m.Settle()

	for name, tc := range map[string]struct {
		reason string
		caps   []fnv1.Capability
	}{
		"SaysWhatItCan": {
			reason: "It knows the new generation of the field, so the old one is not set: it would be answered by a second call.",
			caps:   []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES},
		},
		"AnswersTheNew": {
			reason: "Crossplane 2.0 and 2.1 say nothing of what they can, but what they answered.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m.Capabilities = tc.caps
			req := m.Request()
			rsp := m.ask(req)

			asked, old := rsp.GetRequirements().GetResources(), rsp.GetRequirements().GetExtraResources()

			for _, name := range []string{world.CatalogueRequirement, world.TokenRequirement} {
				if asked[name] == nil {
					t.Errorf("want %s asked for in the new generation, got %v", name, asked)
				}
			}

			for name := range asked {
				if _, answered := req.GetRequiredResources()[name]; !answered {
					t.Errorf("the function still asks for %s, which the request should have", name)
				}
			}

			if len(old) > 0 {
				t.Errorf("%s\nwant nothing asked for in the old generation, got %v", tc.reason, old)
			}
		})
	}
}

// TestNoSecretForOldCrossplanes: Crossplane 1.20 fails where it is asked for something in a namespace, so it is not asked, and
// the claim says what is to be done. What lives is kept.
func TestNoSecretForOldCrossplanes(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	m.Settle()

	for name, observed := range map[string]map[string]*fnv1.Resource{"New": nil, "Living": m.Request().GetObserved().GetResources()} {
		t.Run(name, func(t *testing.T) {
			req := m.Request()
			req.Observed.Resources = observed
			req.ExtraResources = map[string]*fnv1.Resources{"machine-catalog": req.GetRequiredResources()["machine-catalog"], world.NeighboursRequirement: {}}
			req.RequiredResources = nil

			rsp := m.ask(req)

			for name, sel := range rsp.GetRequirements().GetExtraResources() {
				if sel.Namespace != nil {
					t.Errorf("Crossplane 1.20 is asked for %s in a namespace", name)
				}
			}

			want := "spec.k3s.token.secretRef: this Crossplane (before 2.0) cannot hand a Secret to a function. Have a file on the node write the token"
			if c := rsp.GetConditions(); len(c) != 1 || c[0].GetReason() != "ValidationFailed" || !strings.Contains(c[0].GetMessage(), want) {
				t.Errorf("conditions: %v", c)
			}

			if world.Fatal(rsp) == "" {
				t.Error("what exists would go: want a fatal result")
			}
		})
	}
}

// TestAnEmptyStatusOfAnEarlierStep is an object without fields, which is no map at all on arrival.
func TestAnEmptyStatusOfAnEarlierStep(t *testing.T) {
	m := example(t, "nixos/dns01")
	req := m.Request()
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: world.Struct(t, map[string]any{"status": map[string]any{}})},
		Resources: map[string]*fnv1.Resource{"other": {Resource: world.Struct(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
	}
	req.Desired.Composite.Resource.Fields["status"].GetStructValue().Fields = nil

	rsp := m.ask(req)
	if world.Fatal(rsp) != "" {
		t.Fatalf("fatal result: %s", world.Fatal(rsp))
	}

	if status := world.Object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]); status["class"] != "small" {
		t.Errorf("the status is %v", status)
	}
}

// TestLivingVMsKeepTheirKind: under another API group Crossplane would see another resource, and delete this one.
func TestLivingVMsKeepTheirKind(t *testing.T) {
	m := example(t, "nixos/dns01")
	before := m.Settle()

	m.Input["providerAPI"] = "legacy"

	after := m.Call()
	for name, r := range before.GetDesired().GetResources() {
		want := r.GetResource().GetFields()["apiVersion"].GetStringValue()
		if got := after.GetDesired().GetResources()[name].GetResource().GetFields()["apiVersion"].GetStringValue(); got != want {
			t.Errorf("%s became a %s", name, got)
		}
	}
}

// TestPrecedence: the claim comes first, then the EnvironmentConfig, then the Input, then what is built in.
func TestPrecedence(t *testing.T) {
	class := func(cores int) map[string]any {
		return map[string]any{"cores": cores, "memory": "2Gi", "disk": "20Gi"}
	}

	cases := map[string]struct {
		reason string
		claim  map[string]any
		named  map[string]any
		inline map[string]any
		want   float64
	}{
		"BuiltIn":   {reason: "Nobody says anything.", want: 4},
		"Input":     {reason: "The Input replaces what is built in.", inline: class(5), want: 5},
		"Catalogue": {reason: "The EnvironmentConfig replaces the Input.", named: class(6), inline: class(5), want: 6},
		"Claim":     {reason: "The claim takes precedence.", claim: map[string]any{"cores": 7}, named: class(6), inline: class(5), want: 7},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "plain-debian/files01")
			if tc.claim != nil {
				m.Spec()["size"] = tc.claim
			}

			if tc.named != nil {
				m.Catalogue = map[string]any{
					"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
					"data": map[string]any{"classes": map[string]any{"medium": tc.named}},
				}
			}

			if tc.inline != nil {
				m.Input["catalog"] = map[string]any{"inline": map[string]any{"classes": map[string]any{"medium": tc.inline}}}
			}

			cpu := world.Object(world.Object(world.Object(world.Desired(m.Settle(), "vm")["spec"])["forProvider"])["cpu"].([]any)[0])
			if cpu["cores"] != tc.want {
				t.Errorf("%s\nwant %v cores, got %v", tc.reason, tc.want, cpu["cores"])
			}
		})
	}
}

// TestTheInputNamesTheCatalogue, so that two Compositions can have two.
func TestTheInputNamesTheCatalogue(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Input["catalog"] = map[string]any{"name": "lab"}

	if got := m.Call().GetRequirements().GetResources()["machine-catalog"].GetMatchName(); got != "lab" {
		t.Errorf("asked for EnvironmentConfig %q", got)
	}
}

// TestCrossplane120Settles: every example and a whole cluster live with Crossplane 1.20, which would call again and again, and then give up, if the
// function asked in a generation that it does not know.
func TestCrossplane120Settles(t *testing.T) {
	lived := 0

	for _, e := range fake.Examples(t) {
		t.Run(strings.ReplaceAll(e.Name, "/", "-"), func(t *testing.T) {
			c := newCluster(t)
			c.Function, c.Memory = fake.Crossplane120(t, c.Function), nil
			m := c.Add(e.Machine(world.Installations[1]))

			if strings.Contains(world.Fatal(m.Call()), "cannot hand a Secret to a function") {
				return
			}

			rsp := m.Settle()
			if msg := world.Fatal(rsp); msg != "" {
				t.Errorf("fatal result: %s", msg)
			}

			lived++
		})
	}

	if lived < 5 {
		t.Errorf("%d examples lived, want those that read no Secret", lived)
	}

	c := newCluster(t)
	c.Function, c.Memory = fake.Crossplane120(t, c.Function), nil

	w := world.NewClusterWorldIn(c, world.Installations[1], "", `
token: {secretRef: null, allowPlaintext: null, file: /etc/rancher/k3s/token}
servers: {template: {bootstrap: {snippets: {vendorData: "local:snippets/k3s-token.yaml"}}}}
agents: [{name: worker, count: 2, class: agent, template: {bootstrap: {snippets: {vendorData: "local:snippets/k3s-token.yaml"}}}}]
`)
	w.Machine.Capabilities = nil

	if !w.Until(60) {
		t.Errorf("the cluster does not come to rest:\n%s", w.Story())
	}

	if diff := cmp.Diff([]string{"server-0", "server-1", "server-2", "worker-0", "worker-1"}, w.Nodes().Names()); diff != "" {
		t.Errorf("%v\nnodes: -want, +got:\n%s", w.Last.GetConditions(), diff)
	}
}
