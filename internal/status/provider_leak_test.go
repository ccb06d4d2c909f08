package status

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// secrets are what the provider has been seen to write into conditions, and more of the kind.
const secrets = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDqv3Jk1Yw2uX8m5Pq7s9t0ZrLeFhGcVbNmKjHgFdSaQw
-----END OPENSSH PRIVATE KEY-----
#cloud-config
hostname: qwertzuiop
write_files:
- path: /etc/rancher/k3s/token
  content: K10aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899::server:7c8d9e0f
chpasswd: {users: [{name: root, password: hunter2hunter2}]}
api_token: terraform@pve!crossplane=0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0
`

// reports are texts of the provider, as package diagnose has to tell them apart.
func reports(t *testing.T) map[string]report {
	t.Helper()

	b, err := os.ReadFile("../diagnose/testdata/reports.yaml")
	if err != nil {
		t.Fatal(err)
	}

	var out map[string]report
	if err := yaml.UnmarshalStrict(b, &out); err != nil {
		t.Fatal(err)
	}

	if len(out) < 60 {
		t.Fatalf("there are %d reports only: were they all read?", len(out))
	}

	return out
}

// A report is what the provider says of a managed resource.
type report struct {
	Synced string `json:"synced"` // Condition Synced, as "Reason: message"; empty where it is not False.
	Last   string `json:"last"`   // The message of condition LastAsyncOperation; empty where it is not False.
	Row    string `json:"row"`
	Source string `json:"source"`
}

// vm makes the VM report what a report says.
func (r report) vm(in Input) Input {
	return edit(in, func(vm *proxmox.ObservedVM) {
		if r.Synced != "" {
			reason, message, _ := strings.Cut(r.Synced, ": ")
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: reason, Message: message})
		} else {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
		}

		if r.Last != "" {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: r.Last})
		}
	})
}

// TestNoProviderText: whatever the provider writes into its messages, what we say is the same as without it.
func TestNoProviderText(t *testing.T) {
	for name, tc := range reports(t) {
		t.Run(name, func(t *testing.T) {
			leaky := tc
			if tc.Synced != "" && tc.Row != "agent.timeout" { // Which is told by having no text at all.
				leaky.Synced += "\n" + secrets
			}

			if tc.Last != "" {
				leaky.Last += "\n" + secrets
			}

			want, got := text(t, Machine(tc.vm(running(t)))), text(t, Machine(leaky.vm(running(t))))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the provider's text changes ours: -without, +with:\n%s", diff)
			}

			for line := range strings.Lines(secrets) {
				if line = strings.TrimSpace(line); strings.Contains(got, line) {
					t.Errorf("the output holds %q of the provider's text", line)
				}
			}

			for _, said := range []string{tc.Synced, tc.Last} {
				for _, part := range strings.FieldsFunc(said, func(r rune) bool { return r == ':' || r == '\n' }) {
					if part = strings.TrimSpace(part); len(part) > 30 && strings.Contains(got, part) {
						t.Errorf("the output holds %q of the provider's text", part)
					}
				}
			}
		})
	}
}

// TestNoTextOfFilesAndImages: the same for the other kinds, and before there is a VM, when they are what is waited for.
func TestNoTextOfFilesAndImages(t *testing.T) {
	const broken = `# %s
apiVersion: x.m.crossplane.io/v1alpha1
kind: %s
status:
  conditions:
  - {type: Ready, status: "False", reason: Creating}
  - {type: Synced, status: "False", reason: ReconcileError, message: %q}
  - {type: LastAsyncOperation, status: "False", reason: ApplyFailure, message: %q}
`

	for name, tc := range reports(t) {
		t.Run(name, func(t *testing.T) {
			in := dns01()
			delete(in.Desired.VMs, lifecycle.FirstVM)
			in.Plan.Waiting = []string{image, metaData, userData}

			message := tc.Synced + "\n" + secrets
			in.State = observed(t, fmt.Sprintf(broken, userData, proxmox.FileKind, message, message), fmt.Sprintf(broken, image, proxmox.DownloadFileKind, message, message))

			got := text(t, Machine(in))
			for line := range strings.Lines(secrets) {
				if line = strings.TrimSpace(line); strings.Contains(got, line) {
					t.Errorf("the output holds %q of the provider's text", line)
				}
			}
		})
	}
}

// TestNoTextOnTheWay: the same in all other moments: while a number is looked at, a VM is taken over, replaced, restarted, or
// paused, for every managed resource that there is.
func TestNoTextOnTheWay(t *testing.T) {
	all := reports(t)

	for name, s := range scenarios() {
		t.Run(name, func(t *testing.T) {
			for _, report := range []string{"DiskShrink", "ImportNothing", "ImportSilent", "SnippetWrite", "TaintedOther", "Other"} {
				in := s.in(t)
				message := all[report].Synced + "\n" + secrets

				for name, o := range in.State.VMs {
					o.Status.Conditions = leaky(o.Status.Conditions, message)
					in.State.VMs[name] = o
				}

				for name, o := range in.State.Files {
					o.Status.Conditions = leaky(o.Status.Conditions, message)
					in.State.Files[name] = o
				}

				for name, o := range in.State.DownloadFiles {
					o.Status.Conditions = leaky(o.Status.Conditions, message)
					in.State.DownloadFiles[name] = o
				}

				got := text(t, Machine(in))
				for line := range strings.Lines(secrets) {
					if line = strings.TrimSpace(line); strings.Contains(got, line) {
						t.Errorf("%s: the output holds %q of the provider's text", report, line)
					}
				}
			}
		})
	}
}

// leaky makes all conditions that are False say something.
func leaky(conditions []proxmox.Condition, message string) []proxmox.Condition {
	out := set(conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message})
	out = set(out, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message})

	return out
}

// TestForeignNames: a VM may have been given any name in Proxmox. It stands on one line, set off, and not longer than a name
// may be.
func TestForeignNames(t *testing.T) {
	name := "nas`\n  status: \x1b[31m" + strings.Repeat("\u00e4", 200)

	in := looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: name, Node: name})

	want := "`nas__  status: _[31m" + strings.Repeat("\u00e4", 63-len("nas__  status: _[31m")) + "`"
	if got := Machine(in).condition(TypeVMIDInUse).Message; !strings.Contains(got, "VM 153 ("+want+") on node "+strings.Trim(want, "`")+".") {
		t.Errorf("a strange name: want %s in %q", want, got)
	}

	status := Machine(adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Name, a.Node = name, name }))).Status.Adoption
	if status.Name != strings.Trim(want, "`") || status.Node != strings.Trim(want, "`") {
		t.Errorf("a strange name in status: %q on %q", status.Name, status.Node)
	}

	long := lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeClaimed, Name: strings.Repeat("n", 63) + "/" + strings.Repeat("m", 63)}
	if got := Machine(looking(t, vmLooked, long)).condition(TypeVMIDInUse).Message; !strings.Contains(got, "`"+long.Name+"`") {
		t.Errorf("a machine's name was cut: %q", got)
	}
}

func text(t *testing.T, o Output) string {
	t.Helper()

	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
