package main

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
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestExamples holds what every example settles to against its golden file. One flavour is kept as files; the others must
// have the same forProvider.
func TestExamples(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			want := ""

			for _, in := range installations {
				got := forProviders(t, e.world(in).settle(t))

				if want == "" {
					want = got
					golden(t, filepath.Join("testdata", "examples", e.name+".yaml"), manifests(t, e.world(in)))

					continue
				}

				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s renders another forProvider than %s: -want, +got:\n%s", in.name, installations[0].name, diff)
				}
			}
		})
	}
}

// manifests are all managed resources of a settled world, with the names that they have there, and the status.
func manifests(t *testing.T, w *world) []byte {
	t.Helper()

	rsp := w.settle(t)

	var b bytes.Buffer

	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		d := rsp.GetDesired().GetResources()[name].GetResource().AsMap()
		meta := object(d["metadata"])
		meta["name"] = object(w.composite["metadata"])["name"].(string) + "-" + name

		y, err := yaml.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}

		b.WriteString("---\n# composed resource " + name + "\n")
		b.Write(y)
	}

	y, err := yaml.Marshal(map[string]any{"status": w.composite["status"]})
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
		all[name] = object(r.GetResource().AsMap()["spec"])["forProvider"]
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
		t.Fatalf("%v (run `go test . -update`)", err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", file, diff)
	}
}

// TestSettledIsAFixedPoint: when nothing changes around the function, its answer does not change, every composed resource
// is ready, and nobody is told anything.
func TestSettledIsAFixedPoint(t *testing.T) {
	eachExample(t, func(t *testing.T, w *world) {
		first := w.settle(t)
		second := w.run(t)

		if diff := cmp.Diff(first, second, protocmp.Transform()); diff != "" {
			t.Errorf("a settled machine changes: -first, +second:\n%s", diff)
		}

		if n := len(second.GetResults()); n > 0 {
			t.Errorf("a settled machine has %d results: %v", n, second.GetResults())
		}

		if len(second.GetDesired().GetResources()) == 0 || vm(second) == nil {
			t.Fatal("a settled machine has no VM")
		}

		for name, r := range second.GetDesired().GetResources() {
			if r.GetReady() != fnv1.Ready_READY_TRUE {
				t.Errorf("composed resource %s is not ready: %v", name, r.GetReady())
			}
		}
	})
}

// TestOwnAnswerAsObserved: the first answer fed back as observed state, without a word from the provider, changes nothing.
func TestOwnAnswerAsObserved(t *testing.T) {
	eachExample(t, func(t *testing.T, w *world) {
		// Up to the answer that holds the VM for the first time.
		var rsp *fnv1.RunFunctionResponse
		for rsp = w.run(t); vm(rsp) == nil; rsp = w.run(t) {
			w.apply(rsp)
			w.provide()
		}

		w.apply(rsp)

		again := w.run(t)
		for name, r := range rsp.GetDesired().GetResources() {
			if diff := cmp.Diff(r.GetResource(), again.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
				t.Errorf("composed resource %s changes: -first, +second:\n%s", name, diff)
			}
		}
	})
}

// TestSameRequestSameBytes runs every stage of every example several times.
func TestSameRequestSameBytes(t *testing.T) {
	eachExample(t, func(t *testing.T, w *world) {
		for stage := range 4 {
			want, err := proto.MarshalOptions{Deterministic: true}.Marshal(w.run(t))
			if err != nil {
				t.Fatal(err)
			}

			for range 5 {
				got, err := proto.MarshalOptions{Deterministic: true}.Marshal(w.run(t))
				if err != nil {
					t.Fatal(err)
				}

				if !bytes.Equal(want, got) {
					t.Fatalf("stage %d: the same request gave other bytes", stage)
				}
			}

			w.apply(w.run(t))
			w.provide()
		}
	})
}

// TestRules are the rules that hold for everything that is ever rendered.
func TestRules(t *testing.T) {
	eachExample(t, func(t *testing.T, w *world) {
		for range 4 {
			rsp := w.run(t)

			for name, r := range rsp.GetDesired().GetResources() {
				checkRules(t, name, r.GetResource().AsMap())
			}

			w.apply(rsp)
			w.provide()
		}
	})
}

func checkRules(t *testing.T, name string, d map[string]any) {
	t.Helper()

	spec, meta := object(d["spec"]), object(d["metadata"])

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

	// A VM may only be looked at, under the name of an import, before anybody knows that its number is free.
	policies, _ := spec["managementPolicies"].([]any)
	external, _ := object(meta["annotations"])[proxmox.ExternalNameAnnotation].(string)

	if looks := len(policies) == 1 && policies[0] == "Observe"; d["kind"] == proxmox.VMKind && looks != strings.Contains(external, "/") {
		t.Errorf("%s: managementPolicies are %v under the external name %q", name, policies, external)
	} else if !looks && len(policies) < 3 || slices.Contains(policies, "*") || slices.Contains(policies, "LateInitialize") {
		t.Errorf("%s: managementPolicies are %v", name, policies)
	}

	if d["kind"] == proxmox.DownloadFileKind && slices.Contains(policies, "Delete") {
		t.Errorf("%s: a machine may delete an image that others use", name)
	}

	eachString(spec["forProvider"], func(s string) {
		if proxmox.Escape(proxmox.Unescape(s)) != s {
			t.Errorf("%s: a string holds a Terraform template: %.80q", name, s)
		}
	})
}

func eachString(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for i := range v {
			eachString(v[i], do)
		}
	case map[string]any:
		for k := range v {
			eachString(v[k], do)
		}
	}
}

// providerCRDs are the real ones, in all published generations. They are not part of the repository.
func providerCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := os.Getenv("PROVIDER_CRDS")
	if dir == "" {
		dir = filepath.Join("..", "shared", "provider-crds")
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

	eachExample(t, func(t *testing.T, w *world) {
		for range 4 {
			rsp := w.run(t)

			for name, r := range rsp.GetDesired().GetResources() {
				if errs := set.Check(r.GetResource().AsMap()); len(errs) > 0 {
					t.Errorf("the provider refuses %s: %v", name, errs.ToAggregate())
				}
			}

			w.apply(rsp)
			w.provide()
		}
	})
}

// TestTheCheckCanFail, or it would prove nothing.
func TestTheCheckCanFail(t *testing.T) {
	set := providerCRDs(t)
	rsp := examples(t)[0].world(installations[0]).settle(t)

	spoil := map[string]func(p map[string]any){
		"UnknownField":    func(p map[string]any) { p["nodeNam"] = "pve" },
		"WrongType":       func(p map[string]any) { p["onBoot"] = "yes" },
		"RequiredMissing": func(p map[string]any) { delete(p, "nodeName") },
	}

	for name, do := range spoil {
		t.Run(name, func(t *testing.T) {
			d := vm(rsp)
			do(object(object(d["spec"])["forProvider"]))

			if errs := set.Check(d); len(errs) == 0 {
				t.Error("a spoilt VM passes")
			}
		})
	}
}

// eachExample in each installation, in a world of its own.
func eachExample(t *testing.T, do func(t *testing.T, w *world)) {
	t.Helper()

	for _, e := range examples(t) {
		for _, in := range installations {
			t.Run(strings.ReplaceAll(e.name, "/", "-")+"-"+in.name, func(t *testing.T) { do(t, e.world(in)) })
		}
	}
}

// TestBenchmarkRequest keeps the request of test/bench current: a settled K3sNode with its three managed resources.
func TestBenchmarkRequest(t *testing.T) {
	for _, e := range examples(t) {
		if e.name != "k3s-cluster/server-2" {
			continue
		}

		w := e.world(installations[0])
		// An image that is on the node already: VM, user-data and meta-data are left.
		object(w.composite["spec"])["image"] = "local:import/noble.qcow2"
		w.settle(t)

		if n := len(w.observed); n != 3 {
			t.Fatalf("the machine has %d managed resources, want 3", n)
		}

		b, err := protojson.Marshal(w.request(t))
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

		golden(t, filepath.Join("test", "bench", "testdata", "request.json"), append(fixed, '\n'))

		return
	}

	t.Fatal("the example is gone")
}

// TestCloudInitAcceptsExamples holds every rendered user-data against the schemas of three releases of cloud-init.
func TestCloudInitAcceptsExamples(t *testing.T) {
	schemas := schematest.New(t)
	checked := 0

	for _, e := range examples(t) {
		for name, r := range e.world(installations[0]).settle(t).GetDesired().GetResources() {
			if !strings.HasPrefix(name, "user-data-") {
				continue
			}

			raw := object(object(object(r.GetResource().AsMap()["spec"])["forProvider"])["sourceRaw"].([]any)[0])
			schemas.Check(t, e.name, []byte(proxmox.Unescape(raw["data"].(string))))

			checked++
		}
	}

	if checked < 5 {
		t.Errorf("only %d examples have user-data", checked)
	}
}
