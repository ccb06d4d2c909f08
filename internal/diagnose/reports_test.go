package diagnose

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A report is what the provider says of a managed resource; see the file itself.
type report struct {
	Synced string `json:"synced"`
	Last   string `json:"last"`
	Row    string `json:"row"`
	Source string `json:"source"`
}

func reports(t *testing.T) map[string]report {
	t.Helper()

	b, err := os.ReadFile("testdata/reports.yaml")
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

// vm is a VM of which the provider says what a report says.
func (r report) vm() proxmox.ObservedVM {
	var conditions []proxmox.Condition

	if r.Synced != "" {
		reason, message, _ := strings.Cut(r.Synced, ": ")
		conditions = append(conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: reason, Message: message})
	} else {
		conditions = append(conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
	}

	if r.Last != "" {
		conditions = append(conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: r.Last})
	}

	return vm(conditions...)
}

// vm is a VM that the provider may make, change and delete.
func vm(conditions ...proxmox.Condition) proxmox.ObservedVM {
	o := proxmox.ObservedVM{Kind: proxmox.VMKind}
	o.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	o.Metadata.Annotations = map[string]string{}
	o.Status.Conditions = conditions

	return o
}

// TestReports holds every text to its row. For a text that is no error of a VM that may be made, that the answer says so.
func TestReports(t *testing.T) {
	noErrors := []string{"paused", "import.missing", "import.silent", "image.exists"} // TestOf says when all but the last are one.

	for name, tc := range reports(t) {
		t.Run(name, func(t *testing.T) {
			if got := explain(tc.vm()); tc.Synced != "" && got.Name != tc.Row {
				t.Errorf("row of %q after %q: want %s, got %s", tc.Synced, tc.Last, tc.Row, got.Name)
			}

			got, wrong := Of(tc.vm(), "")
			if want := !slices.Contains(noErrors, tc.Row); wrong != want {
				t.Errorf("wrong: want %t, got %t", want, wrong)
			}

			if wrong && got.Name != tc.Row {
				t.Errorf("row of %q after %q: want %s, got %s", tc.Synced, tc.Last, tc.Row, got.Name)
			}
		})
	}
}

// TestRows holds the table to its form, so that a new row cannot be half done.
func TestRows(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range reports(t) {
		tested[r.Row] = true
	}

	classes := []string{
		ClassNoError, ClassValidationFailed, ClassConfigurationError, ClassNetworkError, ClassAuthenticationError, ClassQuotaExceeded, ClassNodeUnhealthy,
		ClassBusy, ClassImmutableChange, ClassTainted, ClassRebootRequired, ClassProtected, ClassPaused, ClassProviderError,
	}
	seen := map[string]bool{}

	for _, r := range Rows() {
		if seen[r.Name] {
			t.Errorf("row %s is there twice", r.Name)
		}

		seen[r.Name] = true

		if !tested[r.Name] {
			t.Errorf("no report ends in row %s: add its text to testdata/reports.yaml", r.Name)
		}

		if !slices.Contains(classes, r.Class) {
			t.Errorf("row %s has class %q, which there is not", r.Name, r.Class)
		}

		if r.Pauses && r.Retryable {
			t.Errorf("row %s pauses what may pass by itself", r.Name)
		}

		if r.Paused {
			t.Errorf("row %s is paused before anybody asked", r.Name)
		}

		for what, text := range map[string]string{"meaning": r.Meaning, "remedy": r.Remedy} {
			if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ".)") {
				t.Errorf("row %s: its %s is no sentence: %q", r.Name, what, text)
			}
		}

		if got, ok := Named(r.Name); !ok || got.Meaning != r.Meaning {
			t.Errorf("row %s is not found by its name", r.Name)
		}
	}

	if _, ok := Named("nothing"); ok {
		t.Error("a row that there is not is found by its name")
	}
}
