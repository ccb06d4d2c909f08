package controlplane

import (
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

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

var (
	scale     = flag.String("scale", "", "numbers of claims at which to measure, such as 50,500,1000; make scale")
	wave      = flag.Int("wave", 50, "how many claims are added at once; the next ones follow when all are ready")
	addFor    = flag.Duration("limit", 0, "how long claims are added; the wave that is added then is measured as the last one. 0: no limit")
	stillness = flag.Duration("rest", 3*time.Minute, "how long machines are watched that need nothing")
)

// A measurement is what claims cost while there is a number of them.
type measurement struct {
	Claims int `json:"claims"` // That exist.
	Wave   int `json:"wave"`   // The last of them, which were added at once.

	// From the first claim of the wave applied until the last is ready.
	SettleSeconds float64 `json:"settleSeconds"`
	// Making is the cost of the wave, for all of its claims, without what the others cost at rest meanwhile.
	Making cost `json:"making"`
	// Makers are who wrote to the objects of the wave, by who, verb and resource; events count among them.
	Makers map[string]int `json:"makers"`

	// While nothing happens, for all claims.
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

// TestScale adds claims in waves, and measures the last wave before each of the numbers, and the rest that follows. All share one
// plane, with the settings of Crossplane's chart and the stand-in at the pace of the provider. The API server on two
// processors could not take the writes of a thousand new claims at once.
func TestScale(t *testing.T) {
	if *scale == "" {
		t.Skip("takes long: make scale")
	}

	if why := absent(current); why != "" {
		t.Fatal(why)
	}

	var marks []int

	for number := range strings.SplitSeq(*scale, ",") {
		n, err := strconv.Atoi(number)
		must(t, err)

		marks = append(marks, n)
	}

	if !slices.IsSorted(marks) {
		t.Fatalf("-scale %s: claims are only added", *scale)
	}

	s := scaleRun{rig: quietRig(t, marks[len(marks)-1]), begin: time.Now()}

	for _, n := range marks {
		m := s.measure(t, n)

		b, err := json.MarshalIndent(m, "", "  ")
		must(t, err)
		must(t, os.MkdirAll("testdata/scale", 0o755))
		must(t, os.WriteFile(fmt.Sprintf("testdata/scale/%05d.json", n), append(b, '\n'), 0o644))
		t.Logf("%s\n%s", b, m.makers())

		if m.Changed > 0 {
			t.Errorf("%d of %d objects changed while nothing happened: %v", m.Changed, n, m.Writers)
		}

		// Whoever stops a long run has the table of what was measured until then.
		writeScale(t)

		if m.Claims < n {
			t.Logf("after the limit of %s there are %d claims, and not %d", *addFor, m.Claims, marks[len(marks)-1])
			return
		}
	}
}

// A scaleRun is a plane that gets more and more claims.
type scaleRun struct {
	*rig

	begin   time.Time
	claims  int
	resting cost // A second of the rest before, for all claims of then.
	rested  int  // How many they were.
}

// measure at a number of claims: the wave that makes it full, and the rest after it. If the time for adding claims is over before,
// the number is that of the next wave.
func (s *scaleRun) measure(t *testing.T, n int) measurement {
	t.Helper()

	for n-s.claims > *wave && !s.late() {
		s.add(t, *wave)
	}

	n = min(n, s.claims+*wave)

	out := measurement{Claims: n, Wave: n - s.claims}
	first := s.claims

	before, begin := s.meters(t), time.Now()
	s.add(t, out.Wave)
	out.SettleSeconds = time.Since(begin).Seconds()

	// What follows on being ready, such as the status of the provider, is a cost of making, too.
	plane.Rest(t.Context(), 30*time.Second)

	settled := s.meters(t)
	out.Making = settled.since(before)

	// What the others cost meanwhile is known for each of them, from the rest before. Writes are known by their object.
	if s.rested > 0 {
		out.Making = out.Making.minus(s.resting, time.Since(begin).Seconds()*float64(first)/float64(s.rested))
	}

	out.Makers = s.audited(t, func(object string) bool { return scaleNumber(object) >= first })
	out.Making.Writes, out.Making.Events = crossplaneWrites(out.Makers)

	objects, rested := s.versions(t), time.Now()

	plane.Rest(t.Context(), *stillness)

	out.RestSeconds = time.Since(rested).Seconds()
	after := s.meters(t)
	out.Resting = after.since(settled)
	out.Writers = after.writers(settled)
	out.FunctionMiB, out.CrossplaneMiB = after.functionMiB, after.crossplaneMiB
	s.resting, s.rested = out.Resting.perSecond(out.RestSeconds), n

	for object, version := range s.versions(t) {
		if objects[object] != version {
			out.Changed++

			t.Logf("changed at rest: %s", object)
		}
	}

	return out
}

// late says whether no more claims than one wave are to be added.
func (s *scaleRun) late() bool { return *addFor > 0 && time.Since(s.begin) > *addFor }

// add a wave of claims, and wait until all are ready.
func (s *scaleRun) add(t *testing.T, n int) {
	t.Helper()

	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(20)

	begin := time.Now()

	for i := s.claims; i < s.claims+n; i++ {
		c := machine(fmt.Sprintf("scale-%04d", i), int64(10001+i))
		must(t, unstructured.SetNestedMap(c.Object, map[string]any{
			"ip": fmt.Sprintf("10.4.%d.%d", i/250, i%250+1), "cidr": int64(16), "gateway": "10.4.255.254",
		}, "spec", "network"))
		g.Go(func() error { return s.apply(ctx, c) })
	}

	must(t, g.Wait())

	s.claims += n
	s.allReady(t, s.claims)
	t.Logf("%d claims are ready, the last %d after %s", s.claims, n, time.Since(begin).Round(time.Second))
}

// scaleNumber is the number of the claim that an object belongs to: composite, managed resources and events have its name
// before their own. It is -1 for all other objects.
func scaleNumber(object string) int {
	var n int
	if _, err := fmt.Sscanf(object, "scale-%04d", &n); err != nil {
		return -1
	}

	return n
}

// stockRig is a plane with the settings of Crossplane's chart and the provider's pace.
func stockRig(t *testing.T, name string) *rig {
	t.Helper()

	on := current
	on.args = nil
	r := ownRig(t, &installation{release: on, configuration: claims.configuration}, name)

	r.provider.Stop()

	var err error
	r.provider, err = standin.Start(r.REST, r.world, standin.Real)
	must(t, err)

	return r
}

// quietRig is a stock plane with an audit log, and without logs for people.
func quietRig(t *testing.T, n int) *rig {
	t.Helper()

	ctx, r := t.Context(), stockRig(t, fmt.Sprintf("scale-%d", n))

	// A log of each program takes time, too, which nobody spends in a cluster.
	r.Crossplane.Args = slices.DeleteFunc(r.Crossplane.Args, func(a string) bool { return a == "--debug" })
	r.Crossplane.Frugal()
	must(t, r.Crossplane.Restart(ctx))

	for _, f := range r.Functions.Running() {
		f.Frugal()
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
	plane.Rest(t.Context(), 10*time.Second) // All find them again.

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

		plane.Rest(t.Context(), time.Second+time.Duration(n)*10*time.Millisecond)
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
