package render

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestSnippetNames: new snippets have names with 128 bits of hash, and those of earlier releases keep their names.
func TestSnippetNames(t *testing.T) {
	m := withUserData()
	long := existing(t, m)

	// What an earlier release would have written: the same with 40 bits.
	cut := regexp.MustCompile(`(-[0-9a-f]{10})[0-9a-f]{22}\.`)
	short := func(text string) string { return cut.ReplaceAllString(text, "$1.") }
	formerly := func(edits ...func(s *proxmox.State)) proxmox.State {
		s := existing(t, m)

		for name, f := range s.Files {
			f.Spec.ForProvider.SourceRaw = slices.Clone(f.Spec.ForProvider.SourceRaw)
			f.Spec.ForProvider.SourceRaw[0].FileName = short(f.Spec.ForProvider.SourceRaw[0].FileName)
			f.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: f.Spec.ForProvider.VolumeID()}
			s.Files[name] = f
		}

		vm := s.VMs[lifecycle.FirstVM]
		vm.Spec.ForProvider.Initialization = slices.Clone(vm.Spec.ForProvider.Initialization)
		i := &vm.Spec.ForProvider.Initialization[0]
		i.UserDataFileID, i.MetaDataFileID = short(i.UserDataFileID), short(i.MetaDataFileID)
		s.VMs[lifecycle.FirstVM] = vm

		for _, edit := range edits {
			edit(&s)
		}

		return s
	}
	namesOf := func(s proxmox.State) (out []string) {
		for _, f := range s.Files {
			out = append(out, f.Spec.ForProvider.SourceRaw[0].FileName)
		}

		return slices.Sorted(slices.Values(out))
	}
	longNames, shortNames := namesOf(long), namesOf(formerly())

	if slices.Equal(longNames, shortNames) {
		t.Fatalf("New snippets have short names: %v", longNames)
	}

	cases := map[string]struct {
		reason string
		state  proxmox.State
		want   []string
	}{
		"New":          {reason: "Nothing has a name yet.", want: longNames},
		"Existing":     {reason: "A VM that was created with long names has them.", state: long, want: longNames},
		"ExistingLost": {reason: "Also where the managed resources are gone.", state: proxmox.State{VMs: long.VMs}, want: longNames},
		"Formerly":     {reason: "The VM of an earlier release keeps its files.", state: formerly(), want: shortNames},
		"FormerlyLost": {
			reason: "A snippet that is gone is written again under the name that the VM reads.", state: formerly(func(s *proxmox.State) { s.Files = nil }), want: shortNames,
		},
		"FormerlyBegun": {
			reason: "An earlier release has written the snippets, and asked for the VM, which does not exist yet.", want: shortNames,
			state: formerly(func(s *proxmox.State) {
				vm := s.VMs[lifecycle.FirstVM]
				vm.Status.AtProvider.ID, vm.Metadata.Annotations = "", nil
				vm.Status.Conditions = nil
				s.VMs[lifecycle.FirstVM] = vm
			}),
		},
		"FormerlyWritten": {reason: "It has written snippets only.", state: formerly(func(s *proxmox.State) { s.VMs = nil }), want: shortNames},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d, err := Describe(requestOf(t, m, tc.state))
			if err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, f := range d.Files {
				got = append(got, f.Spec.ForProvider.SourceRaw[0].FileName)
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDescribe(...): file names: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
