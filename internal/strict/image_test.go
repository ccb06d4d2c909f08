package strict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestImageFile: who writes a URL in place of an image's name is told at once what is wrong with its file, and nothing where nothing is.
func TestImageFile(t *testing.T) {
	t.Parallel()

	iso := map[string]any{"url": "https://me:secret@example.org/netinst.iso?key=secret"}

	cases := map[string]struct {
		reason string
		into   any
		spec   map[string]any
		want   []string // Fields with the values that are shown.
	}{
		"Object":    {"An installer.", &v1alpha1.MachineSpec{}, map[string]any{"image": iso}, []string{"spec.image", "spec.image.url netinst.iso"}},
		"Field":     {"The same in a field of its own.", &v1alpha1.MachineSpec{}, map[string]any{"imageUrl": iso["url"]}, []string{"spec.imageUrl", "spec.imageUrl netinst.iso"}},
		"Pool":      {"In a pool.", &v1alpha1.K3sClusterSpec{}, map[string]any{"servers": map[string]any{"image": iso}}, []string{"spec.servers.image", "spec.servers.image.url netinst.iso"}},
		"Container": {"No template.", &v1alpha1.ContainerSpec{}, map[string]any{"image": iso}, []string{"spec.image", "spec.image.url netinst.iso"}},
		"Disk":      {"Its file is right.", &v1alpha1.MachineSpec{}, map[string]any{"image": map[string]any{"url": "https://example.org/noble.img"}}, []string{"spec.image"}},
		"FileName":  {"The catalogue can name the file otherwise.", &v1alpha1.MachineSpec{}, map[string]any{"image": map[string]any{"url": iso["url"], "fileName": "a.qcow2"}}, []string{"spec.image"}},
		"Volume":    {"No URL.", &v1alpha1.MachineSpec{}, map[string]any{"image": map[string]any{"volume": "local:iso/netinst.iso"}}, []string{"spec.image"}},
		"NoAddress": {"No address.", &v1alpha1.MachineSpec{}, map[string]any{"image": map[string]any{"url": "netinst.iso"}}, []string{"spec.image"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var got []string

			for _, err := range Decode(field.NewPath("spec"), tc.spec, tc.into, nil) {
				shown := err.Field
				if value, isText := err.BadValue.(string); isText && value != "" {
					shown += " " + value
				}

				got = append(got, shown)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}
