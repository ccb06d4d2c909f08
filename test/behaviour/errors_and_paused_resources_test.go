package behaviour

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// Errors that another claim alone mends, and one that mends itself.
const (
	invalid   = "update failed: apply failed: error updating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cores: value must have a maximum value of 128): "
	extension = "create failed: apply failed: received an HTTP 400 response - Reason: Parameter verification failed. (filename: wrong file extension)"
	refused   = "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused"
)

// pausedBy is the row that an answer pauses a composed resource for; empty where it does not.
func pausedBy(rsp *fnv1.RunFunctionResponse, name string) string {
	a := world.Annotations(rsp, name)
	by, _ := a[proxmox.PausedByAnnotation].(string)

	if (a[proxmox.PausedAnnotation] == "true") != (by != "") || (by != "") != (a[proxmox.PausedForAnnotation] != nil) {
		return "half: " + by
	}

	return by
}

// TestTheBreaker pauses a VM that the provider would try for ever in vain, until somebody changes the claim.
func TestTheBreaker(t *testing.T) {
	for name, edit := range map[string]func(m *machine){
		"Retry":     func(m *machine) { m.lifecycle("retry", "2") },
		"Edit":      func(m *machine) { m.Spec()["onBoot"] = false },
		"Power":     func(m *machine) { m.Spec()["power"] = "Stopped" },
		"Catalogue": func(m *machine) { m.sized(7) },
	} {
		t.Run(name, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01", "class: own")
			m.Provider.Fails["vm"] = invalid
			m.Turn()

			paused := m.Turn()
			m.says(paused, map[string]string{"ProviderHealthy": diagnose.ClassValidationFailed})

			if by := pausedBy(paused, "vm"); by != "render.invalid" {
				t.Fatalf("paused by %q", by)
			}

			// The pause changes nothing but itself, and the message says how to go on.
			for _, a := range []string{proxmox.PausedAnnotation, proxmox.PausedByAnnotation, proxmox.PausedForAnnotation} {
				set(paused.GetDesired().GetResources(), "vm", nil, "metadata", "annotations", a)
			}

			m.only(settled, paused, nil)

			for range 5 {
				rsp := m.Turn()
				if by := pausedBy(rsp, "vm"); by != "render.invalid" {
					t.Errorf("paused by %q", by)
				}

				m := world.Message(rsp, "ProviderHealthy")
				for _, part := range []string{"spec.lifecycle.retry", "crossplane.io/paused-"} {
					if !strings.Contains(m, part) {
						t.Errorf("the message does not say %s: %s", part, m)
					}
				}
			}

			edit(m)

			again := m.Turn()
			if by := pausedBy(again, "vm"); by != "" {
				t.Errorf("the claim changed, and the VM is paused by %q", by)
			}

			// The same again: it is tried once, and paused.
			m.Turn()

			if by := pausedBy(m.Turn(), "vm"); by != "render.invalid" {
				t.Errorf("the error is back, and the VM is paused by %q", by)
			}

			// Mended, and asked to try.
			clear(m.Provider.Fails)
			m.lifecycle("retry", "3")

			last := m.Rest()
			if by := pausedBy(last, "vm"); by != "" {
				t.Errorf("paused by %q", by)
			}

			m.says(last, map[string]string{"ProviderHealthy": "NoError"})
		})
	}
}

// sized changes the class of the catalogue that the claim names.
func (m *machine) sized(cores int) {
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	world.Object(m.Catalogue["data"])["classes"] = map[string]any{"own": map[string]any{"cores": cores, "memory": "2Gi", "disk": "30Gi"}}
}

// TestAllReports holds every text of the provider that is known against the table: what waits for something outside is never
// paused, or nobody would see that it was mended.
func TestAllReports(t *testing.T) {
	t.Parallel()

	b, err := os.ReadFile(filepath.Join(fake.Root(t), "internal", "diagnose", "testdata", "reports.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	var reports map[string]struct{ Synced, Last, Row, Source string }
	if err := yaml.UnmarshalStrict(b, &reports); err != nil {
		t.Fatal(err)
	}

	pauses, others := 0, 0

	for name, r := range reports {
		message, ok := strings.CutPrefix(r.Synced, "ReconcileError: ")
		if !ok || r.Last != "" {
			continue
		}

		t.Run(name, func(t *testing.T) {
			row, known := diagnose.Named(r.Row)
			if !known {
				t.Fatalf("no row %q", r.Row)
			}

			want := ""
			if row.Pauses {
				want, pauses = row.Name, pauses+1
			} else {
				others++
			}

			m, _ := living(t, "nixos/dns01", "class: own")
			m.Provider.Fails["vm"] = message

			for range 3 {
				m.Turn()
			}

			rsp := m.Turn()
			if by := pausedBy(rsp, "vm"); by != want {
				t.Errorf("paused by %q, want %q", by, want)
			}

			if want == "" {
				clear(m.Provider.Fails)
				m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"})
			}
		})
	}

	if pauses < 3 || others < 20 {
		t.Errorf("%d reports pause and %d do not: were they all read?", pauses, others)
	}
}

// TestTheBreakerIsOff where the catalogue says so, and what it paused goes on.
func TestTheBreakerIsOff(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "class: own")
	m.Provider.Fails["vm"] = invalid
	m.Turn()

	if by := pausedBy(m.Turn(), "vm"); by == "" {
		t.Fatal("not paused")
	}

	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	world.Object(world.Object(m.Catalogue["data"])["defaults"])["pauseOnError"] = false

	for range 4 {
		if by := pausedBy(m.Turn(), "vm"); by != "" {
			t.Errorf("paused by %q", by)
		}
	}
}

// TestAnErrorOfBefore says nothing of what is about to be written.
func TestAnErrorOfBefore(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "class: own")
	m.Provider.Fails["vm"] = invalid
	m.Turn()
	m.sized(7)

	if by := pausedBy(m.Turn(), "vm"); by != "" {
		t.Errorf("a change that was never tried is paused by %q", by)
	}
}

// TestACheckIsNeverPaused: it costs nothing, and its answer may change.
func TestACheckIsNeverPaused(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Provider.Fails["vm"] = strings.Replace(invalid, "update", "observe", 1)

	for range 4 {
		if by := pausedBy(m.Turn(), "vm"); by != "" {
			t.Errorf("paused by %q", by)
		}
	}
}

// TestANumberThatIsTakenAfterAll, by somebody who was faster: the VM is paused, and another VMID is checked first.
func TestANumberThatIsTakenAfterAll(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Turn()
	m.Turn()
	m.Provider.Fails["vm"] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource already exists\n" +
		"received an HTTP 500 response - Reason: unable to create VM 153: config file already exists"
	m.Turn()

	// The provider is to look who has it.
	if rsp := m.Turn(); pausedBy(rsp, "vm") != "" || world.Policies(world.Desired(rsp, "vm")) != "Observe" {
		t.Fatalf("paused by %q, policies %s", pausedBy(rsp, "vm"), world.Policies(world.Desired(rsp, "vm")))
	}

	world.Object(m.Spec()["proxmox"])["vmId"] = 154.0

	rsp := m.Call()
	if by, p := pausedBy(rsp, "vm"), world.Policies(world.Desired(rsp, "vm")); by != "" || p != "Observe" {
		t.Errorf("paused by %q, policies %s", by, p)
	}

	clear(m.Provider.Fails)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("make 154")
}

// TestAPauseIsKept while Crossplane fetches resources, and where somebody else set it, it is not ours to take off.
func TestAPauseIsKept(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "class: own")
	m.Provider.Fails["vm"] = invalid
	m.Turn()
	m.Turn()

	req := m.Request()
	req.RequiredResources = nil

	rsp := m.ask(req)

	if diff := cmp.Diff(world.Object(m.Observed["vm"]["spec"])["forProvider"], any(world.ForProvider(rsp, "vm"))); diff != "" || pausedBy(rsp, "vm") != "render.invalid" {
		t.Errorf("paused by %q; -observed, +kept:\n%s", pausedBy(rsp, "vm"), diff)
	}

	// Somebody's own pause.
	annotations := world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])
	delete(annotations, proxmox.PausedByAnnotation)
	delete(annotations, proxmox.PausedForAnnotation)
	annotations[proxmox.PausedAnnotation] = "true"
	world.SetConditions(m.Observed["vm"], world.Condition("Synced", "False", "ReconcilePaused", "", nil))

	own := m.Call()
	m.says(own, map[string]string{"ProviderHealthy": diagnose.ClassPaused})

	if a := world.Annotations(own, "vm"); a[proxmox.PausedAnnotation] != nil {
		t.Error("somebody's own pause is written as ours")
	}
}

// TestRefusedCreation: a manifest that the provider refuses, before it begins to create the VM, is paused with a reason, and an edit of the
// claim gets out of it.
func TestRefusedCreation(t *testing.T) {
	refuses := func(forProvider map[string]any) string {
		if world.Object(forProvider["cpu"].([]any)[0])["cores"] != 5.0 {
			return ""
		}

		return "observe failed: cannot run refresh: refresh failed: expected cpu.0.cores to be in the range (1 - 4), got 5"
	}

	for name, edit := range map[string]string{
		"Size": `{size: {cores: 6}}`, "Hostname": `{hostname: other, size: {cores: 6}}`, "VMID": `{proxmox: {vmId: 177}, size: {cores: 6}}`, "UserData": `{bootstrap: {userData: "#cloud-config\ntimezone: UTC\n"}, size: {cores: 6}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "plain-debian/files01")
			m.Spec()["size"] = map[string]any{"cores": 5, "disk": "60Gi"}
			m.Provider.Refuses = refuses

			wedged := m.Settle()
			m.says(wedged, map[string]string{"ProviderHealthy": "ValidationFailed"})

			if got := world.Annotation(m.Observed["vm"], "crossplane.io/paused"); got != "true" {
				t.Error("the managed resource is not paused: the provider would retry for ever")
			}

			world.Merge(m.Spec(), world.FromYAML(t, edit))
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError", "ReplacementRequired": "NotRequired"})

			if len(m.Proxmox.VMs) != 1 {
				t.Errorf("%d VMs were created", len(m.Proxmox.VMs))
			}
		})
	}
}
