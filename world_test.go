package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The names under which the function asks Crossplane for what it needs, as a recorded request has them.
const (
	catalogRequirement    = "machine-catalog"
	tokenRequirement      = "k3s-token"
	serversRequirement    = "k3s-servers"
	neighboursRequirement = "vm-id"
)

// A world is what surrounds the function: a composite, what is required of the cluster, the managed resources that exist,
// and a provider that makes what it is asked for. It models what was observed of the real provider as far as the function
// can see it: external names, conditions, atProvider.
type world struct {
	composite map[string]any
	input     map[string]any
	catalog   map[string]any // Nil: there is none.
	secrets   []map[string]any
	observed  map[string]map[string]any
	// foreign are the VMs in Proxmox that no managed resource made, as the provider reads them, by number.
	foreign map[int]map[string]any
	// neighbours are managed resources of other machines' VMs.
	neighbours []map[string]any
}

// An installation is one way to install the packages.
type installation struct {
	name       string
	namespaced bool
	api        v1beta1.ProviderAPI
}

var installations = []installation{
	{name: "cluster", api: v1beta1.ProviderAPICluster},
	{name: "legacy", api: v1beta1.ProviderAPILegacy},
	{name: "namespaced", namespaced: true},
}

// newWorld with nothing in it but the composite of a claim.
func newWorld(claim map[string]any, in installation) *world {
	w := &world{composite: claim, observed: map[string]map[string]any{}, input: map[string]any{
		"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input",
	}}

	if in.api != "" {
		w.input["providerAPI"] = string(in.api)
	}

	if !in.namespaced {
		w.composite = compositeOf(claim)
	}

	meta := object(w.composite["metadata"])
	meta["uid"] = "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a11"

	return w
}

// compositeOf a claim, as Crossplane makes it.
func compositeOf(claim map[string]any) map[string]any {
	meta, spec := object(claim["metadata"]), maps.Clone(object(claim["spec"]))
	spec["claimRef"] = map[string]any{
		"apiVersion": claim["apiVersion"], "kind": claim["kind"], "name": meta["name"], "namespace": meta["namespace"],
	}
	labels := maps.Clone(object(meta["labels"]))
	labels["crossplane.io/claim-name"] = meta["name"]
	labels["crossplane.io/claim-namespace"] = meta["namespace"]

	return map[string]any{
		"apiVersion": claim["apiVersion"], "kind": "X" + claim["kind"].(string),
		"metadata": map[string]any{"name": meta["name"].(string) + "-x7f2k", "labels": labels},
		"spec":     spec,
	}
}

// object is a JSON object, empty where there is none.
func object(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}

	return m
}

// request is what Crossplane would send now.
func (w *world) request(t testing.TB) *fnv1.RunFunctionRequest {
	t.Helper()

	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "test"},
		Input:    toStruct(t, w.input),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: toStruct(t, w.composite)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{
			catalogRequirement: {}, tokenRequirement: {}, neighboursRequirement: {}, serversRequirement: {},
		},
	}

	if w.catalog != nil {
		req.RequiredResources[catalogRequirement].Items = []*fnv1.Resource{{Resource: toStruct(t, w.catalog)}}
	}

	for _, s := range w.secrets {
		req.RequiredResources[tokenRequirement].Items = append(req.RequiredResources[tokenRequirement].Items, &fnv1.Resource{Resource: toStruct(t, s)})
	}

	// A selector by label finds the machine's own, too; the function tells them apart, and looks at numbers again.
	for name, o := range w.observed {
		r := &fnv1.Resource{Resource: toStruct(t, o)}
		req.Observed.Resources[name] = r

		if o["kind"] == proxmox.VMKind {
			found(req, r)
		}
	}

	for _, o := range w.neighbours {
		found(req, &fnv1.Resource{Resource: toStruct(t, o)})
	}

	return req
}

// found answers both questions after VMs with one.
func found(req *fnv1.RunFunctionRequest, vm *fnv1.Resource) {
	for _, name := range []string{neighboursRequirement, serversRequirement} {
		a := req.GetRequiredResources()[name]
		a.Items = append(a.Items, vm)
	}
}

func newFunction() *Function {
	f := NewFunction(logging.NewNopLogger())
	f.answer = compared(f.answer)

	return f
}

// run the function once.
func (w *world) run(t testing.TB) *fnv1.RunFunctionResponse {
	t.Helper()

	rsp, err := newFunction().RunFunction(context.Background(), w.request(t))
	if err != nil {
		t.Fatalf("RunFunction(): %v", err)
	}

	return rsp
}

// apply what the function wants, as Crossplane does: nothing where a result is fatal, and otherwise all of it, deleting
// what is wanted no more.
func (w *world) apply(rsp *fnv1.RunFunctionResponse) {
	if fatal(rsp) != "" {
		return
	}

	next := map[string]map[string]any{}

	for name, r := range rsp.GetDesired().GetResources() {
		d := r.GetResource().AsMap()
		meta := object(d["metadata"])
		meta["name"] = object(w.composite["metadata"])["name"].(string) + "-" + name
		annotations := object(meta["annotations"])
		annotations["crossplane.io/composition-resource-name"] = name
		meta["annotations"] = annotations
		labels := object(meta["labels"])
		labels[proxmox.CompositeLabel] = object(w.composite["metadata"])["name"]
		meta["labels"] = labels
		meta["generation"] = 1.0

		if ns, ok := object(w.composite["metadata"])["namespace"]; ok {
			meta["namespace"] = ns
		}

		if before, ok := w.observed[name]; ok {
			d["status"] = before["status"]
			meta["generation"] = object(before["metadata"])["generation"]

			if !reflect.DeepEqual(runtimeCopy(before["spec"]), runtimeCopy(d["spec"])) {
				meta["generation"] = meta["generation"].(float64) + 1
			}

			// What the provider set stays, unless we say otherwise.
			if e, ok := object(object(before["metadata"])["annotations"])[proxmox.ExternalNameAnnotation]; ok && annotations[proxmox.ExternalNameAnnotation] == nil {
				annotations[proxmox.ExternalNameAnnotation] = e
			}
		}

		next[name] = d
	}

	w.observed = next

	// Crossplane applies the status on the server's side: what is said no more goes.
	status := map[string]any{}
	maps.Copy(status, object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]))

	var conditions []any
	for _, c := range rsp.GetConditions() {
		conditions = append(conditions, map[string]any{
			"type": c.GetType(), "status": strings.Title(strings.ToLower(strings.TrimPrefix(c.GetStatus().String(), "STATUS_CONDITION_"))), //nolint:staticcheck // ASCII.
			"reason": c.GetReason(), "message": c.GetMessage(), "lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}

	status["conditions"] = conditions
	w.composite["status"] = status
}

// provide lets the provider make everything that is asked for.
func (w *world) provide() {
	for _, o := range w.observed {
		spec := object(o["spec"])
		p := object(spec["forProvider"])
		at := object(runtimeCopy(unescaped(p)))
		policies, _ := spec["managementPolicies"].([]any)
		generation := object(o["metadata"])["generation"]

		switch o["kind"] {
		case proxmox.FileKind:
			raw := object(p["sourceRaw"].([]any)[0])
			id := p["datastoreId"].(string) + ":snippets/" + raw["fileName"].(string)
			at["id"] = id
			externalName(o, id)
		case proxmox.DownloadFileKind:
			id := p["datastoreId"].(string) + ":import/" + p["fileName"].(string)
			at["id"] = id
			externalName(o, id)
		case proxmox.VMKind:
			if len(policies) == 1 {
				w.look(o, p, generation)
				continue
			}

			if !slices.Contains(policies, any("Update")) && object(o["status"])["atProvider"] != nil {
				continue
			}

			observeVM(o, p, at)
		default:
			continue
		}

		o["status"] = map[string]any{"atProvider": at, "conditions": []any{
			condition("Ready", "True", "Available", "", generation),
			condition("Synced", "True", "ReconcileSuccess", "", generation),
			condition("LastAsyncOperation", "True", "Success", "", nil),
			condition("AsyncOperation", "True", "Finished", "", nil),
		}}
	}
}

// look is what the provider says of a VM that it may only look at.
func (w *world) look(o, p map[string]any, generation any) {
	at, ok := w.foreign[int(p["vmId"].(float64))]
	if !ok {
		o["status"] = map[string]any{"conditions": []any{
			condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", generation),
		}}

		return
	}

	o["status"] = map[string]any{"atProvider": runtimeCopy(at), "conditions": []any{
		condition("Ready", "True", "Available", "", generation),
		condition("Synced", "True", "ReconcileSuccess", "", generation),
	}}
}

func condition(typ, status, reason, message string, generation any) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "lastTransitionTime": "2026-01-01T00:00:00Z"}
	if message != "" {
		c["message"] = message
	}

	if generation != nil {
		c["observedGeneration"] = generation
	}

	return c
}

// observeVM fills in what Proxmox and the guest agent say of a VM.
func observeVM(o, p, at map[string]any) {
	id := 101.0
	if v, ok := p["vmId"].(float64); ok {
		id = v
	}

	at["id"] = strconv.Itoa(int(id))
	at["vmId"] = id
	externalName(o, at["id"].(string))

	names, macs, v4, v6 := []any{"lo"}, []any{"00:00:00:00:00:00"}, []any{[]any{"127.0.0.1"}}, []any{[]any{"::1"}}
	agent := object(p["agent"].([]any)[0])["enabled"] == true && p["started"] == true

	for i, d := range at["networkDevice"].([]any) {
		mac, ok := object(d)["macAddress"].(string)
		if !ok {
			mac = "BC:24:11:0A:00:0" + strconv.Itoa(i)
			object(d)["macAddress"] = mac
		}

		names = append(names, "eth"+strconv.Itoa(i))
		macs = append(macs, strings.ToLower(mac))
		v4 = append(v4, []any{"192.168.4.12" + strconv.Itoa(i)})
		v6 = append(v6, []any{"fe80::1"})
	}

	if agent {
		at["networkInterfaceNames"], at["macAddresses"], at["ipv4Addresses"], at["ipv6Addresses"] = names, macs, v4, v6
	}
}

func externalName(o map[string]any, name string) {
	meta := object(o["metadata"])
	annotations := object(meta["annotations"])
	annotations[proxmox.ExternalNameAnnotation] = name
	meta["annotations"] = annotations
}

// settle runs the function, Crossplane and the provider in turns until nothing changes, and returns the last answer.
func (w *world) settle(t testing.TB) *fnv1.RunFunctionResponse {
	t.Helper()

	var last *fnv1.RunFunctionResponse

	for range 6 {
		last = w.run(t)
		if msg := fatal(last); msg != "" {
			t.Fatalf("fatal result: %s", msg)
		}

		w.apply(last)
		w.provide()
	}

	return last
}

// fatal is the message of a fatal result, empty without one.
func fatal(rsp *fnv1.RunFunctionResponse) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}

	return ""
}

// vm is what is desired of the VM, nil where there is none.
func vm(rsp *fnv1.RunFunctionResponse) map[string]any {
	r, ok := rsp.GetDesired().GetResources()["vm"]
	if !ok {
		return nil
	}

	return r.GetResource().AsMap()
}

func unescaped(v any) any {
	switch v := v.(type) {
	case string:
		return proxmox.Unescape(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = unescaped(v[i])
		}

		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = unescaped(v[k])
		}

		return out
	}

	return v
}

// runtimeCopy is an independent copy of a JSON value.
func runtimeCopy(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}

	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}

	return out
}

func toStruct(t testing.TB, m map[string]any) *structpb.Struct {
	t.Helper()

	s, err := structpb.NewStruct(object(runtimeCopy(m)))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// fromYAML reads one YAML document.
func fromYAML(t testing.TB, text string) map[string]any {
	t.Helper()

	m := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}

	return m
}

// An example is a claim of example/, with what lies beside it.
type example struct {
	name    string // Folder and file without its ending.
	claim   map[string]any
	catalog map[string]any
	secrets []map[string]any
}

// examples of the repository, in the order of their names.
func examples(t testing.TB) []example {
	t.Helper()

	files, err := filepath.Glob("example/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples found")
	}

	var out []example

	beside := map[string]*example{}

	for _, f := range files {
		b, err := os.ReadFile(f) //nolint:gosec // Our own examples.
		if err != nil {
			t.Fatal(err)
		}

		dir := filepath.Dir(f)
		if beside[dir] == nil {
			beside[dir] = &example{}
		}

		o := fromYAML(t, string(b))

		switch o["kind"] {
		case "Machine", "K3sNode":
			out = append(out, example{name: strings.TrimSuffix(strings.TrimPrefix(f, "example/"), ".yaml"), claim: o})
		case "EnvironmentConfig":
			beside[dir].catalog = o
		case "Secret":
			beside[dir].secrets = append(beside[dir].secrets, o)
		}
	}

	for i := range out {
		b := beside[filepath.Join("example", filepath.Dir(out[i].name))]
		out[i].catalog, out[i].secrets = b.catalog, b.secrets
	}

	slices.SortFunc(out, func(a, b example) int { return strings.Compare(a.name, b.name) })

	return out
}

// world of an example.
func (e example) world(in installation) *world {
	w := newWorld(object(runtimeCopy(e.claim)), in)
	w.catalog, w.secrets = e.catalog, e.secrets

	return w
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
