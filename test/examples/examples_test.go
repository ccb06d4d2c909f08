package examples

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

var update = flag.Bool("update", false, "rewrite golden files")

// machine of an example, in a cluster of its own. Proxmox has a VM already, so that no VMID is a default by chance.
func machine(t *testing.T, e fake.Example, in world.Installation) *world.Machine {
	t.Helper()

	m := fake.NewCluster(t, compose.Answer).Add(e.Machine(in))
	m.Proxmox.ByHand(100, fake.HandMade(t))

	return m
}

// TestExamples holds what every example settles to against its golden file. One flavour is kept as files; the others must
// have the same forProvider.
func TestExamples(t *testing.T) {
	for _, e := range fake.Examples(t) {
		t.Run(e.Name, func(t *testing.T) {
			want := ""

			for _, in := range world.Installations {
				got := forProviders(t, machine(t, e, in).Settle())

				if want == "" {
					want = got
					golden(t, filepath.Join("testdata", e.Name+".yaml"), manifests(t, machine(t, e, in)))

					continue
				}

				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s renders another forProvider than %s: -want, +got:\n%s", in.Name, world.Installations[0].Name, diff)
				}
			}
		})
	}
}

// manifests are all managed resources of a settled machine, with the names that they have there, and the status.
func manifests(t *testing.T, m *world.Machine) []byte {
	t.Helper()

	rsp := m.Settle()

	var b bytes.Buffer

	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		d := rsp.GetDesired().GetResources()[name].GetResource().AsMap()
		meta := world.Object(d["metadata"])
		meta["name"] = m.Name() + "-" + name

		y, err := yaml.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}

		b.WriteString("---\n# composed resource " + name + "\n")
		b.Write(y)
	}

	y, err := yaml.Marshal(map[string]any{"status": m.Composite["status"]})
	if err != nil {
		t.Fatal(err)
	}

	b.WriteString("---\n# the composite's status\n")
	b.Write(y)

	return b.Bytes()
}

// forProviders is what all managed resources ask of the provider, as one text.
func forProviders(t *testing.T, rsp *fnv1.RunFunctionResponse) string {
	t.Helper()

	all := map[string]any{}
	for name, r := range rsp.GetDesired().GetResources() {
		// A Usage asks the provider for nothing, and has another name where it protects something else.
		if p, ok := world.Object(r.GetResource().AsMap()["spec"])["forProvider"]; ok {
			all[name] = p
		}
	}

	y, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}

	// Hashes hold the kind of the composite's owner, which is the same in all installations.
	return string(y)
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()

	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // Test data is for everybody.
			t.Fatal(err)
		}

		if err := os.WriteFile(file, got, 0o644); err != nil { //nolint:gosec // Test data is for everybody.
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file) //nolint:gosec // Our own test data.
	if err != nil {
		t.Fatalf("%v (run `go test ./test/examples -update`)", err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", file, diff)
	}
}

// TestSettledIsAFixedPoint: when nothing changes around the function, its answer does not change, every composed resource
// is ready, and nobody is told anything.
func TestSettledIsAFixedPoint(t *testing.T) {
	eachExample(t, func(t *testing.T, m *world.Machine) {
		first := m.Settle()
		second := m.Call()

		if diff := cmp.Diff(first, second, protocmp.Transform()); diff != "" {
			t.Errorf("a settled machine changes: -first, +second:\n%s", diff)
		}

		if n := len(second.GetResults()); n > 0 {
			t.Errorf("a settled machine has %d results: %v", n, second.GetResults())
		}

		if len(second.GetDesired().GetResources()) == 0 || world.Desired(second, "vm") == nil {
			t.Fatal("a settled machine has no VM")
		}

		for name, r := range second.GetDesired().GetResources() {
			if r.GetReady() != fnv1.Ready_READY_TRUE {
				t.Errorf("composed resource %s is not ready: %v", name, r.GetReady())
			}
		}
	})
}

// TestOwnAnswerAsObserved: the first answer fed back as observed state, before the provider has written a status, changes nothing.
func TestOwnAnswerAsObserved(t *testing.T) {
	eachExample(t, func(t *testing.T, m *world.Machine) {
		// Up to the answer that holds the VM for the first time.
		var rsp *fnv1.RunFunctionResponse
		for rsp = m.Call(); world.Desired(rsp, "vm") == nil; rsp = m.Call() {
			m.Apply(rsp)
			m.Provide()
		}

		m.Apply(rsp)

		again := m.Call()
		for name, r := range rsp.GetDesired().GetResources() {
			if diff := cmp.Diff(r.GetResource(), again.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
				t.Errorf("composed resource %s changes: -first, +second:\n%s", name, diff)
			}
		}
	})
}

// TestSameRequestSameBytes runs every stage of every example several times.
func TestSameRequestSameBytes(t *testing.T) {
	eachExample(t, func(t *testing.T, m *world.Machine) {
		for stage := range 4 {
			want, err := world.Bytes(m.Call())
			if err != nil {
				t.Fatal(err)
			}

			for range 5 {
				got, err := world.Bytes(m.Call())
				if err != nil {
					t.Fatal(err)
				}

				if !bytes.Equal(want, got) {
					t.Fatalf("stage %d: the same request gave other bytes", stage)
				}
			}

			m.Apply(m.Call())
			m.Provide()
		}
	})
}

// TestRules are the rules that hold for everything that is ever rendered.
func TestRules(t *testing.T) {
	eachExample(t, func(t *testing.T, m *world.Machine) {
		for range 4 {
			rsp := m.Call()

			for name, r := range rsp.GetDesired().GetResources() {
				if !usage.Is(name) {
					checkRules(t, name, r.GetResource().AsMap())
				}
			}

			m.Apply(rsp)
			m.Provide()
		}
	})
}

func checkRules(t *testing.T, name string, d map[string]any) {
	t.Helper()

	spec, meta := world.Object(d["spec"]), world.Object(d["metadata"])

	for _, key := range []string{"deletionPolicy", "initProvider"} {
		if _, ok := spec[key]; ok {
			t.Errorf("%s: %s is rendered", name, key)
		}
	}

	if _, ok := meta["name"]; ok {
		t.Errorf("%s: a name is rendered, which Crossplane should choose", name)
	}

	if _, ok := d["status"]; ok {
		t.Errorf("%s: a status is rendered", name)
	}

	// The provider may only observe a VM, under the external name of an import, until its VMID is known to be free.
	policies, _ := spec["managementPolicies"].([]any)
	external, _ := world.Object(meta["annotations"])[world.ExternalName].(string)

	if looks := len(policies) == 1 && policies[0] == "Observe"; d["kind"] == world.VMKind && looks != strings.Contains(external, "/") {
		t.Errorf("%s: managementPolicies are %v under the external name %q", name, policies, external)
	} else if !looks && len(policies) < 3 && world.Annotation(d, proxmox.CreatingAnnotation) == "" || slices.Contains(policies, "*") || slices.Contains(policies, "LateInitialize") {
		t.Errorf("%s: managementPolicies are %v", name, policies)
	}

	if d["kind"] == world.DownloadFileKind && slices.Contains(policies, "Delete") {
		t.Errorf("%s: a machine may delete an image that others use", name)
	}

	world.EachString(spec["forProvider"], func(s string) {
		if proxmox.Escape(proxmox.Unescape(s)) != s {
			t.Errorf("%s: a string holds a Terraform template: %.80q", name, s)
		}
	})
}

// providerCRDs are the real ones, in all published generations. They are not part of the repository.
func providerCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := os.Getenv("PROVIDER_CRDS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "provider-crds")
	}

	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the provider's CRDs are missing: %v", err)
		}

		t.Skipf("the provider's CRDs are not here (%v); set PROVIDER_CRDS", err)
	}

	s, err := crds.Load(filepath.Join(dir, "v0.11.1"), filepath.Join(dir, "v1.18.0"))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// TestProviderAcceptsExamples holds everything that is rendered at any stage against the provider's CRDs.
func TestProviderAcceptsExamples(t *testing.T) {
	set := providerCRDs(t)

	eachExample(t, func(t *testing.T, m *world.Machine) {
		for range 4 {
			rsp := m.Call()

			for name, r := range rsp.GetDesired().GetResources() {
				// A Usage is Crossplane's: package usage holds it against Crossplane's own definitions.
				if usage.Is(name) {
					continue
				}

				if errs := set.Check(r.GetResource().AsMap()); len(errs) > 0 {
					t.Errorf("the provider refuses %s: %v", name, errs.ToAggregate())
				}
			}

			m.Apply(rsp)
			m.Provide()
		}
	})
}

// TestTheCheckCanFail, or it would prove nothing.
func TestTheCheckCanFail(t *testing.T) {
	set := providerCRDs(t)
	rsp := machine(t, fake.Examples(t)[0], world.Installations[0]).Settle()

	spoil := map[string]func(p map[string]any){
		"UnknownField":    func(p map[string]any) { p["nodeNam"] = "pve" },
		"WrongType":       func(p map[string]any) { p["onBoot"] = "yes" },
		"RequiredMissing": func(p map[string]any) { delete(p, "nodeName") },
	}

	for name, do := range spoil {
		t.Run(name, func(t *testing.T) {
			d := world.Desired(rsp, "vm")
			do(world.Object(world.Object(d["spec"])["forProvider"]))

			if errs := set.Check(d); len(errs) == 0 {
				t.Error("a spoilt VM passes")
			}
		})
	}
}

// eachExample in each installation, in a cluster of its own.
func eachExample(t *testing.T, do func(t *testing.T, m *world.Machine)) {
	t.Helper()

	for _, e := range fake.Examples(t) {
		for _, in := range world.Installations {
			t.Run(strings.ReplaceAll(e.Name, "/", "-")+"-"+in.Name, func(t *testing.T) { do(t, machine(t, e, in)) })
		}
	}
}

// TestBenchmarkRequest keeps the request of test/bench current: a settled K3sNode with its three managed resources.
func TestBenchmarkRequest(t *testing.T) {
	for _, e := range fake.Examples(t) {
		if e.Name != "k3s-cluster/server-2" {
			continue
		}

		m := machine(t, e, world.Installations[0])
		// An image that is on the node already: VM, user-data and meta-data are left.
		m.Spec()["image"] = "local:import/noble.qcow2"
		m.Settle()

		if n := len(m.Observed); n != 3 {
			t.Fatalf("the machine has %d managed resources, want 3", n)
		}

		b, err := protojson.Marshal(m.Request())
		if err != nil {
			t.Fatal(err)
		}

		// protojson adds random blanks on purpose; JSON in a fixed form makes the file comparable.
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}

		fixed, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}

		golden(t, filepath.Join("..", "bench", "testdata", "request.json"), append(fixed, '\n'))

		return
	}

	t.Fatal("the example is gone")
}

// TestCloudInitAcceptsExamples holds every rendered user-data against the schemas of three releases of cloud-init.
func TestCloudInitAcceptsExamples(t *testing.T) {
	schemas := schematest.New(t)
	checked := 0

	for _, e := range fake.Examples(t) {
		for name, r := range machine(t, e, world.Installations[0]).Settle().GetDesired().GetResources() {
			if !strings.HasPrefix(name, "user-data-") {
				continue
			}

			raw := world.Object(world.Object(world.Object(r.GetResource().AsMap()["spec"])["forProvider"])["sourceRaw"].([]any)[0])
			schemas.Check(t, e.Name, []byte(proxmox.Unescape(raw["data"].(string))))

			checked++
		}
	}

	if checked < 5 {
		t.Errorf("only %d examples have user-data", checked)
	}
}
