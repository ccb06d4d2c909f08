package controlplane

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

var (
	scale     = flag.String("scale", "", "numbers of claims to measure with, such as 10,100,1000; make scale")
	stillness = flag.Duration("rest", 3*time.Minute, "how long machines are watched that need nothing")
)

// A measurement is what a number of claims costs.
type measurement struct {
	Claims int `json:"claims"`

	// From the first claim applied until the last is ready.
	SettleSeconds float64 `json:"settleSeconds"`
	Making        cost    `json:"making"`

	// While nothing happens.
	RestSeconds float64 `json:"restSeconds"`
	Resting     cost    `json:"resting"`

	FunctionMiB   float64 `json:"functionMiB"` // The most that was resident.
	CrossplaneMiB float64 `json:"crossplaneMiB"`

	// Changed are objects that are other ones after the rest than before: claims, composites, managed resources.
	Changed int `json:"changed"`
	// Writers of the rest, by who, verb and resource.
	Writers map[string]int `json:"writers"`
}

// A cost is what a stretch of time took, for all claims.
type cost struct {
	FunctionSeconds   float64 `json:"functionSeconds"` // Processor time.
	CrossplaneSeconds float64 `json:"crossplaneSeconds"`
	Calls             float64 `json:"calls"` // Of the function.
	// Writes are requests of Crossplane that write to claims, composites and managed resources, whether or not they change
	// something. Beside them it writes events.
	Writes int `json:"writes"`
	Events int `json:"events"`
}

// TestScale measures with more and more claims, each time on a plane of its own, with the settings of Crossplane's chart and
// the stand-in at the pace of the provider.
func TestScale(t *testing.T) {
	if *scale == "" {
		t.Skip("takes long: make scale")
	}

	if why := absent(current); why != "" {
		t.Fatal(why)
	}

	for number := range strings.SplitSeq(*scale, ",") {
		n, err := strconv.Atoi(number)
		must(t, err)

		t.Run(number, func(t *testing.T) {
			m := measure(t, n)

			b, err := json.MarshalIndent(m, "", "  ")
			must(t, err)
			must(t, os.MkdirAll("testdata/scale", 0o755))
			must(t, os.WriteFile(fmt.Sprintf("testdata/scale/%05d.json", n), append(b, '\n'), 0o644))
			t.Logf("%s", b)

			if m.Changed > 0 {
				t.Errorf("%d objects changed while nothing happened: %v", m.Changed, m.Writers)
			}
		})
	}

	writeScale(t)
}

// measure a number of claims.
func measure(t *testing.T, n int) measurement {
	t.Helper()

	r := quietRig(t, n)
	out := measurement{Claims: n}
	before, begin := r.meters(t), time.Now()

	all := make([]*unstructured.Unstructured, n)
	for i := range all {
		all[i] = machine(fmt.Sprintf("scale-%04d", i), int64(10001+i))
		_ = unstructured.SetNestedMap(all[i].Object, map[string]any{
			"ip": fmt.Sprintf("10.4.%d.%d", i/250, i%250+1), "cidr": int64(16), "gateway": "10.4.255.254",
		}, "spec", "network")
	}

	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(20)

	for _, c := range all {
		g.Go(func() error { return r.apply(ctx, c) })
	}

	must(t, g.Wait())
	r.allReady(t, n)

	out.SettleSeconds = time.Since(begin).Seconds()

	// What follows on being ready, such as the status of the provider, is a cost of making, too.
	time.Sleep(30 * time.Second)

	settled := r.meters(t)
	out.Making = settled.since(before)

	objects, rested := r.versions(t), time.Now()

	time.Sleep(*stillness)

	out.RestSeconds = time.Since(rested).Seconds()
	after := r.meters(t)
	out.Resting = after.since(settled)
	out.Writers = after.writers(settled)
	out.FunctionMiB, out.CrossplaneMiB = after.functionMiB, after.crossplaneMiB

	for object, version := range r.versions(t) {
		if objects[object] != version {
			out.Changed++

			t.Logf("changed at rest: %s", object)
		}
	}

	return out
}

// stockRig is a plane with the settings of Crossplane's chart and the provider's pace.
func stockRig(t *testing.T, name string) *rig {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()

	on := current
	on.logs, on.args = name, nil

	r, err := startRig(ctx, on, claims.configuration)
	must(t, err)
	t.Cleanup(r.stop)

	r.provider.Stop()

	r.provider, err = standin.Start(r.REST, r.world, standin.Real)
	must(t, err)

	return r
}

// quietRig is a stock plane with an audit log, and without logs for people.
func quietRig(t *testing.T, n int) *rig {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()

	r := stockRig(t, fmt.Sprintf("scale-%d", n))

	// A log of each program takes time, too, which nobody spends in a cluster.
	r.Crossplane.Args = slices.DeleteFunc(r.Crossplane.Args, func(a string) bool { return a == "--debug" })
	must(t, r.Crossplane.Restart(ctx))

	for _, f := range r.Functions.Running() {
		f.Args = slices.DeleteFunc(f.Args, func(a string) bool { return a == "--debug" })
		must(t, f.Restart(ctx))
	}

	dir := filepath.Dir(filepath.Dir(r.Kubeconfig))
	policy := filepath.Join(dir, "audit-policy.yaml")
	must(t, os.WriteFile(policy, []byte(auditPolicy), 0o600))

	r.APIServer.Args = append(r.APIServer.Args, "--audit-policy-file="+policy, "--audit-log-path="+filepath.Join(dir, "audit.log"))
	must(t, r.APIServer.Restart(ctx))

	// Thousands of versions of objects are kept for minutes.
	for i, a := range r.Etcd.Args {
		if strings.HasPrefix(a, "--quota-backend-bytes=") {
			r.Etcd.Args[i] = "--quota-backend-bytes=8589934592"
		}
	}

	must(t, r.Etcd.Restart(ctx))
	time.Sleep(10 * time.Second) // All find them again.

	return r
}

// auditPolicy has who writes what written down, once for each request that is answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create, update, patch, delete, deletecollection]
`

// allReady waits until all claims are. It asks seldom, since asking for thousands of objects is work, too; an API server that
// has too much to do to answer is asked again.
func (r *rig) allReady(t *testing.T, n int) {
	t.Helper()

	const slowest = time.Hour

	for begin := time.Now(); ; {
		ready := 0

		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: "MachineList"})

		err := r.Client.List(t.Context(), l)

		for i := range l.Items {
			if condition(&l.Items[i], "Ready").status == "True" && condition(&l.Items[i], "MachineReady").status == "True" {
				ready++
			}
		}

		if ready == n {
			return
		}

		if time.Since(begin) > slowest {
			t.Fatalf("%d of %d machines are ready after %s: %v", ready, n, slowest, err)
		}

		time.Sleep(time.Second + time.Duration(n)*10*time.Millisecond)
	}
}

// list all objects of a kind.
func (r *rig) list(t *testing.T, kind schema.GroupVersionKind) []unstructured.Unstructured {
	t.Helper()

	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	must(t, r.Client.List(t.Context(), l))

	return l.Items
}

// versions of all objects of machines.
func (r *rig) versions(t *testing.T) map[string]string {
	t.Helper()

	out := map[string]string{}

	for _, kind := range []schema.GroupVersionKind{
		{Group: "homelab.io", Version: "v1alpha1", Kind: "Machine"},
		{Group: "homelab.io", Version: "v1alpha1", Kind: "XMachine"},
		{Group: "virtualenvironmentvm.proxmoxbpg.crossplane.io", Version: "v1alpha1", Kind: "EnvironmentVM"},
		{Group: "virtualenvironmentdownloadfile.proxmoxbpg.crossplane.io", Version: "v1alpha1", Kind: "EnvironmentDownloadFile"},
	} {
		l := r.list(t, kind)
		if len(l) == 0 {
			t.Fatalf("there is no %s", kind.Kind)
		}

		for i := range l {
			out[kind.Kind+" "+l[i].GetName()] = l[i].GetResourceVersion()
		}
	}

	return out
}
