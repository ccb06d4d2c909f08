package why

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// adoptionPlan is how conditions name the list of what an adoption changes.
const adoptionPlan = "status.adoption"

// adoption says what an adoption changes, for a condition that sends its reader to status.adoption: who reads why, or a rehearsal, has no object at hand to
// look it up in. Empty for any other condition, and where the object has no such list.
func adoption(machine unstructured.Unstructured, condition string) string {
	if !strings.Contains(condition, adoptionPlan) {
		return ""
	}

	var out strings.Builder

	for _, part := range []struct{ field, title string }{
		{"changes", "At once"}, {"reboots", "At the next power cycle"}, {"refused", "Refused, and not made"},
	} {
		lines, _, _ := unstructured.NestedStringSlice(machine.Object, "status", "adoption", part.field)
		if len(lines) == 0 {
			continue
		}

		for i := range lines {
			lines[i] = strings.TrimSuffix(message.Lines(lines[i]), ".")
		}

		out.WriteString(" " + part.title + ": " + end(strings.Join(lines, "; ")))
	}

	return out.String()
}
