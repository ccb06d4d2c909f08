package behaviour

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// keptBy is the reason of the Usage whose composed resource name ends so, once all machines are at rest; empty where there is none.
func (m *machine) keptBy(suffix string) string {
	m.Rest()

	for name, o := range m.Observed {
		if strings.HasSuffix(name, suffix) {
			reason, _ := world.Object(o["spec"])["reason"].(string)
			return reason
		}
	}

	return ""
}

// localVolume is a PersistentVolume of local-path on a Node.
func localVolume(name, node, phase string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": "pvc-" + name},
		"spec": map[string]any{
			"claimRef":                      map[string]any{"namespace": "media", "name": name},
			"persistentVolumeReclaimPolicy": "Delete",
			"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{
				"matchExpressions": []any{map[string]any{"key": "kubernetes.io/hostname", "operator": "In", "values": []any{node}}},
			}}}},
		},
		"status": map[string]any{"phase": phase},
	}
}

// TestVolumesKeepTheirMachine from deletion where the catalogue says so, and only as long.
func TestVolumesKeepTheirMachine(t *testing.T) {
	t.Parallel()

	all := joined(t, 1, "Here", deletes)
	m, c := all[0], all[0].Cluster()

	expect := func(reason, want string) {
		t.Helper()

		got := m.keptBy("-volumes")
		if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s\nwant %q, got %q", reason, want, got)
		}
	}

	c.Volumes = []map[string]any{localVolume("photos", "server-1", "Bound"), localVolume("films", "server-2", "Bound")}
	expect("Nobody asked for it.", "")

	m.SetCluster("home", "protectVolumes", true)
	expect("The data is on this machine.", "would be lost with its VM: media/photos. Move the data")

	for i := range 7 {
		c.Volumes = append(c.Volumes, localVolume(fmt.Sprint("db-", i), "server-1", "Bound"))
	}

	expect("Not all are named.", "media/db-0, media/db-1, media/db-2, media/db-3, media/db-4 and 3 more. ")

	c.DeleteNode("server-1")
	expect("The data is there without the Node.", "media/db-0")

	c.Volumes = []map[string]any{localVolume("photos", "server-1", "Released")}
	expect("The data is being deleted.", "")

	c.Volumes = []map[string]any{localVolume("photos", "server-1", "Bound")}
	expect("Data again.", "media/photos")

	manual, err := os.ReadFile("../../docs/node.md")
	if err != nil {
		t.Fatal(err)
	}

	if why := m.keptBy("-volumes"); !strings.Contains(strings.Join(strings.Fields(string(manual)), " "), why) {
		t.Errorf("docs/node.md shows another reason than %q", why)
	}

	m.Spec()["deletionPolicy"] = "Orphan"
	expect("The VM stays with its disks.", "")
}
