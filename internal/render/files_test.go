package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// withUserData is a machine that has snippets and an image of its own.
func withUserData(edits ...func(m *machine.Machine)) *machine.Machine {
	return aMachine(append([]func(m *machine.Machine){func(m *machine.Machine) {
		m.UserData = "#cloud-config\ntimezone: Europe/Berlin\n"
		m.Boot.Source, m.Boot.Download = machine.SourceDownload, &machine.Download{URL: "https://example.org/y.img", FileName: "y.qcow2"}
	}}, edits...)...)
}

// existing is all that there is of a machine whose VM the provider created from its description.
func existing(t *testing.T, m *machine.Machine, edits ...func(o *proxmox.ObservedVM)) proxmox.State {
	t.Helper()

	d := describe(t, m)
	s := proxmox.State{
		VMs:   map[string]proxmox.ObservedVM{lifecycle.FirstVM: aVM(d.Parameters, edits...)},
		Files: map[string]proxmox.ObservedFile{}, DownloadFiles: map[string]proxmox.ObservedDownloadFile{},
	}

	for name, f := range d.Files {
		s.Files[name] = found(f, f.Spec.ForProvider.VolumeID())
	}

	for name, f := range d.Images {
		s.DownloadFiles[name] = found(f, f.Spec.ForProvider.VolumeID())
	}

	return s
}

// list what a description has: kinds of files with the node that they are on, and whether they may be deleted.
func list(d Description) []string {
	var out []string

	add := func(name, node string, policies []string) {
		what := name[:strings.LastIndex(name, "-")] + " on " + node
		if proxmox.MayDelete(policies) {
			what += ", deleted with its VM"
		}

		out = append(out, what)
	}

	for name, f := range d.Files {
		add(name, f.Spec.ForProvider.NodeName, f.Spec.ManagementPolicies)
	}

	for name, f := range d.Images {
		add(name, f.Spec.ForProvider.NodeName, f.Spec.ManagementPolicies)
	}

	return slices.Sorted(slices.Values(out))
}

// TestFiles holds which snippets and images a machine has, and that those of a VM that exists stay what they are.
func TestFiles(t *testing.T) {
	all := []string{"image on pve", "meta-data on pve, deleted with its VM", "user-data on pve, deleted with its VM"}
	movedAway := []string{"meta-data on pve", "meta-data on pve2, deleted with its VM", "user-data on pve", "user-data on pve2, deleted with its VM"}
	movedTo := func(node string) func(o *proxmox.ObservedVM) {
		return func(o *proxmox.ObservedVM) { o.Status.AtProvider.NodeName = node }
	}
	silent := func(node string) func(s proxmox.State) {
		gone := []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: cannot run refresh: refresh failed: received an HTTP 595 response - Reason: No route to host"}}

		return func(s proxmox.State) {
			for name, f := range s.Files {
				if f.Spec.ForProvider.NodeName == node {
					f.Status.Conditions = gone
					s.Files[name] = f
				}
			}

			for name, f := range s.DownloadFiles {
				if f.Spec.ForProvider.NodeName == node {
					f.Status.Conditions = gone
					s.DownloadFiles[name] = f
				}
			}
		}
	}

	cases := map[string]struct {
		reason   string
		machine  func(m *machine.Machine)
		observed bool                        // Whether the VM of the unedited machine exists.
		vm       func(o *proxmox.ObservedVM) // What happened to it.
		happened func(s proxmox.State)       // What else did.
		want     []string
		same     bool // Whether the files are those that are observed.
		missing  int  // For how many things a new VM waits.
	}{
		"New":     {reason: "Everything is made, and the VM waits for all of it.", want: all, missing: 3},
		"NewKept": {reason: "Snippets stay with their VM; an image is never deleted.", machine: func(m *machine.Machine) { m.DeletionPolicy = v1alpha1.DeletionOrphan }, want: []string{"image on pve", "meta-data on pve", "user-data on pve"}, missing: 3},
		"NewAndThere": {
			reason: "The provider found everything, so the VM waits for nothing.", observed: true, want: all, same: true,
			happened: func(s proxmox.State) { clear(s.VMs) },
		},
		"NewAndInTheMaking": {
			reason: "What the provider has not found yet is waited for.", observed: true, want: all, same: true, missing: 3,
			happened: func(s proxmox.State) {
				clear(s.VMs)

				for name, f := range s.Files {
					f.Status.Conditions = nil
					s.Files[name] = f
				}

				for name, f := range s.DownloadFiles {
					f.Status.Conditions = nil
					s.DownloadFiles[name] = f
				}
			},
		},
		"NewWithAnImageOfOthers": {
			reason: "An image that is on the node is enough, whoever brought it.", observed: true, want: all, same: true,
			happened: func(s proxmox.State) {
				clear(s.VMs)

				for name, f := range s.DownloadFiles {
					f.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Message: "create failed: File already exists in the datastore"}}
					s.DownloadFiles[name] = f
				}
			},
		},
		"Native": {reason: "Where Proxmox makes the user-data there are no snippets.", machine: func(m *machine.Machine) { m.UserData = "" }, want: []string{"image on pve"}, missing: 1},
		"Imported": {
			reason:  "A volume that is on the node is nobody's to fetch.",
			machine: func(m *machine.Machine) { m.Boot.Source, m.Boot.Download = machine.SourceImport, nil }, want: all[1:], missing: 2,
		},
		"Existing": {reason: "The same once more.", observed: true, want: all, same: true},
		"Edited": {
			reason: "Proxmox reads snippets at every cold start, so they stay what they are.", observed: true, want: all, same: true,
			machine: func(m *machine.Machine) {
				m.UserData = "#cloud-config\ntimezone: Europe/Paris\n"
				m.Boot.Download = &machine.Download{URL: "https://example.org/z.img", FileName: "z.qcow2"}
			},
		},
		"EditedToNative": {reason: "The VM reads them still.", observed: true, machine: func(m *machine.Machine) { m.UserData = "" }, want: all, same: true},
		"PolicyEdited": {
			reason: "Snippets that their VM needs at every start stay with it.", observed: true, same: true,
			machine: func(m *machine.Machine) { m.DeletionPolicy = v1alpha1.DeletionOrphan }, want: []string{"image on pve", "meta-data on pve", "user-data on pve"},
		},
		"SnippetsLost": {
			reason: "They are written again, if the claim still describes the same.", observed: true, want: all, same: true,
			happened: func(s proxmox.State) { clear(s.Files) },
		},
		"SnippetsLostOnAnotherNode": {
			reason: "The VM reads them where it is, and not where its claim wants a new VM.", observed: true, want: all, same: true,
			machine: func(m *machine.Machine) {
				m.Placement.Node, m.Placement.SnippetDatastore, m.Placement.ProviderConfig = "pve2", "other", "elsewhere"
			},
			happened: func(s proxmox.State) { clear(s.Files) },
		},
		"SnippetsLostAndMoved": {
			reason: "The VM was moved since, and needs them where it is now.", observed: true,
			vm:       func(o *proxmox.ObservedVM) { o.Status.AtProvider.NodeName = "pve2" },
			happened: func(s proxmox.State) { clear(s.Files) },
			want:     []string{"image on pve", "meta-data on pve2, deleted with its VM", "user-data on pve2, deleted with its VM"},
		},
		"SnippetsLostAndEdited": {
			reason: "Nobody knows any more what the VM was created with.", observed: true, want: []string{"image on pve", "meta-data on pve, deleted with its VM"},
			machine:  func(m *machine.Machine) { m.UserData = "#cloud-config\ntimezone: Europe/Paris\n" },
			happened: func(s proxmox.State) { clear(s.Files) },
		},
		"Moved": {
			reason: "Where the VM is now, it needs them to start again.", observed: true,
			vm:   func(o *proxmox.ObservedVM) { o.Status.AtProvider.NodeName = "pve2" },
			want: []string{"image on pve", "meta-data on pve, deleted with its VM", "meta-data on pve2, deleted with its VM", "user-data on pve, deleted with its VM", "user-data on pve2, deleted with its VM"},
		},
		"MovedFromADeadNode": {
			reason: "They are written where the VM is, and the old ones lose the right to be deleted before they go.", observed: true, vm: movedTo("pve2"), happened: silent("pve"), want: movedAway,
		},
		"MovedFromADeadNodeAndEdited": {
			reason: "So are those that the claim does not describe any more: the VM reads them at its next start.", observed: true, vm: movedTo("pve2"), happened: silent("pve"), want: movedAway,
			machine: func(m *machine.Machine) { m.UserData = "#cloud-config\ntimezone: Europe/Paris\n" },
		},
		"MayMove": {
			reason: "They go ahead of the VM.", observed: true,
			machine: func(m *machine.Machine) { m.Placement.Node, m.Placement.Migrate = "pve3", true },
			want:    []string{"image on pve", "meta-data on pve, deleted with its VM", "meta-data on pve3, deleted with its VM", "user-data on pve, deleted with its VM", "user-data on pve3, deleted with its VM"},
		},
		"MayMoveToALostNode": {
			reason: "Whatever is said of the node to which the VM moves, it needs them there.", observed: true,
			machine: func(m *machine.Machine) {
				m.Placement.Node, m.Placement.Migrate, m.Lifecycle.Lost = "pve3", true, "pve3"
			},
			happened: func(s proxmox.State) {
				for name, f := range maps.Clone(s.Files) {
					f.Spec.ForProvider.NodeName, f.Spec.ManagementPolicies = "pve3", proxmox.Policies(proxmox.DeletionOrphans)
					s.Files[strings.Replace(name, "data-", "data-0", 1)] = f
				}
			},
			want: []string{"image on pve", "meta-data on pve, deleted with its VM", "meta-data on pve3", "user-data on pve, deleted with its VM", "user-data on pve3"},
		},
		"Stray": {
			reason: "A snippet that no VM reads was for an edit that was taken back.", observed: true, want: all, same: true,
			happened: func(s proxmox.State) {
				for _, name := range slices.Sorted(maps.Keys(s.Files)) {
					f := s.Files[name]
					f.Spec.ForProvider.SourceRaw = []proxmox.SourceRaw{{FileName: "other.user-data.yaml"}}
					s.Files["user-data-0123456789"] = f

					return
				}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var observed, before proxmox.State
			if tc.observed {
				var edits []func(o *proxmox.ObservedVM)
				if tc.vm != nil {
					edits = append(edits, tc.vm)
				}

				observed, before = existing(t, withUserData(), edits...), existing(t, withUserData())
			}

			if tc.happened != nil {
				tc.happened(observed)
			}

			m := withUserData()
			if tc.machine != nil {
				tc.machine(m)
			}

			d, err := Describe(requestOf(t, m, observed))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, list(d)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if len(d.Missing) != tc.missing {
				t.Errorf("%s\nmissing: %v", tc.reason, d.Missing)
			}

			if !tc.same {
				return
			}

			for name, f := range before.Files {
				if diff := cmp.Diff(f.Spec.ForProvider, d.Files[name].Spec.ForProvider); diff != "" {
					t.Errorf("%s\n%s: -was, +is:\n%s", tc.reason, name, diff)
				}

				if was, is := f.Spec.ProviderConfigRef, d.Files[name].Spec.ProviderConfigRef; was != is {
					t.Errorf("%s\n%s: provider configuration: was %v, is %v", tc.reason, name, was, is)
				}
			}

			for name, f := range before.DownloadFiles {
				if diff := cmp.Diff(f.Spec.ForProvider, d.Images[name].Spec.ForProvider); diff != "" {
					t.Errorf("%s\n%s: -was, +is:\n%s", tc.reason, name, diff)
				}
			}
		})
	}
}

// TestFilesOfAReplacedVM: what a VM was made from that another one has replaced goes with that VM, also where its Proxmox node does not answer.
func TestFilesOfAReplacedVM(t *testing.T) {
	const successor = "vm-72e19a25a3"

	silent := proxmox.Conditions{
		{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: cannot run refresh: refresh failed: received an HTTP 595 response - Reason: No route to host"},
	}

	cases := map[string]struct {
		reason string
		old    func(o *proxmox.ObservedVM)
		want   []string
	}{
		"Waits": {
			reason: "The old VM is destroyed when its node is back.", old: func(o *proxmox.ObservedVM) { o.Status.Conditions = silent },
			want: []string{"image on pve", "image on pve2", "meta-data on pve, deleted with its VM", "meta-data on pve2, deleted with its VM", "user-data on pve, deleted with its VM", "user-data on pve2, deleted with its VM"},
		},
		"Goes": {
			reason: "The old VM was moved from its node, and goes with this call: the provider would try for as long as the node is away to delete them.",
			old:    func(o *proxmox.ObservedVM) { o.Status.AtProvider.NodeName = "pve2" },
			want:   []string{"image on pve2", "meta-data on pve", "meta-data on pve2, deleted with its VM", "user-data on pve", "user-data on pve2, deleted with its VM"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := existing(t, withUserData(), tc.old)

			moved := withUserData(func(m *machine.Machine) {
				m.Placement.Node, m.Hostname, m.UserData, m.Boot.Download.FileName = "pve2", "www", "#cloud-config\ntimezone: Europe/Paris\n", "z.qcow2"
			})
			is := existing(t, moved, func(o *proxmox.ObservedVM) {
				o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "101", proxmox.ReplaceTriggersAnnotation: "a"}
				o.Status.AtProvider.ID, o.Status.AtProvider.VMID, o.Status.AtProvider.Started = "101", 101, true
			})
			observed.VMs[successor] = is.VMs[lifecycle.FirstVM]

			for name, f := range observed.Files {
				f.Status.Conditions = silent
				observed.Files[name] = f
			}

			for name, f := range observed.DownloadFiles {
				f.Status.Conditions = silent
				observed.DownloadFiles[name] = f
			}

			maps.Copy(observed.Files, is.Files)
			maps.Copy(observed.DownloadFiles, is.DownloadFiles)

			moved.Lifecycle.Replace = "a"

			d, err := Describe(requestOf(t, moved, observed))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, list(d)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFileNames: what is somewhere else, or says something else, is another resource, since a file is never changed in place.
func TestFileNames(t *testing.T) {
	names := func(m *machine.Machine) map[string]string {
		out, d := map[string]string{}, describe(t, m)
		for _, n := range slices.Concat(slices.Collect(maps.Keys(d.Files)), slices.Collect(maps.Keys(d.Images))) {
			out[n[:strings.LastIndex(n, "-")]] = n
		}

		return out
	}

	cases := map[string]struct {
		reason string
		edit   func(m *machine.Machine)
		want   []string // The kinds that get another name.
	}{
		"Nothing":      {reason: "The same is the same.", edit: func(*machine.Machine) {}},
		"Size":         {reason: "No file says it.", edit: func(m *machine.Machine) { m.Cores = 8 }},
		"UserData":     {reason: "It is another text.", edit: func(m *machine.Machine) { m.UserData = "#cloud-config\ntimezone: Europe/Paris\n" }, want: []string{"user-data"}},
		"Image":        {reason: "It is another file.", edit: func(m *machine.Machine) { m.Boot.Download.FileName = "z.qcow2" }, want: []string{"image"}},
		"URL":          {reason: "A file of the same name from elsewhere is another image.", edit: func(m *machine.Machine) { m.Boot.Download.URL = "https://example.org/z.img" }, want: []string{"image"}},
		"OtherMachine": {reason: "Two machines never share one.", edit: func(m *machine.Machine) { m.Identity.UID = "2" }, want: []string{"image", "meta-data", "user-data"}},
	}

	was := names(withUserData())

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string

			for kind, n := range names(withUserData(tc.edit)) {
				if n != was[kind] {
					got = append(got, kind)
				}
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nother names: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRetain: a call that does not know enough to decide writes everything as it was last written.
func TestRetain(t *testing.T) {
	s := existing(t, withUserData())
	vm := s.VMs[lifecycle.FirstVM]
	vm.Spec.ManagementPolicies = []string{"Observe", "Create"}
	vm.Metadata.Annotations = map[string]string{
		proxmox.ExternalNameAnnotation: "100", proxmox.BootstrapHashAnnotation: "of old", "crossplane.io/external-create-succeeded": "2026-01-01T00:00:00Z",
		proxmox.PausedAnnotation: "true", proxmox.PausedByAnnotation: "render.invalid", proxmox.PausedForAnnotation: "x",
	}
	s.VMs[lifecycle.FirstVM] = vm

	got := Retain(s)

	if want := slices.Sorted(maps.Keys(s.Files)); !slices.Equal(want, slices.Sorted(maps.Keys(got.Files))) || len(got.DownloadFiles) != 1 || len(got.VMs) != 1 {
		t.Errorf("Retain(): %d files, %d images, %d VMs", len(got.Files), len(got.DownloadFiles), len(got.VMs))
	}

	want := proxmox.VM{APIVersion: vm.APIVersion, Kind: vm.Kind, Spec: vm.Spec, Metadata: proxmox.Metadata{
		Labels: map[string]string{proxmox.MachineLabel: "web"},
		Annotations: map[string]string{
			proxmox.ExternalNameAnnotation: "100", proxmox.BootstrapHashAnnotation: "of old",
			proxmox.PausedAnnotation: "true", proxmox.PausedByAnnotation: "render.invalid", proxmox.PausedForAnnotation: "x",
		},
	}}
	if diff := cmp.Diff(want, got.VMs[lifecycle.FirstVM]); diff != "" {
		t.Errorf("VM: -want, +got:\n%s", diff)
	}

	for name, f := range got.Files {
		if f.Metadata.Annotations[proxmox.ExternalNameAnnotation] != "" {
			t.Errorf("%s: a snippet's external name is the provider's to set", name)
		}
	}

	// A pause that somebody else set is not written as ours.
	delete(vm.Metadata.Annotations, proxmox.PausedByAnnotation)
	s.VMs[lifecycle.FirstVM] = vm

	if a := Retain(s).VMs[lifecycle.FirstVM].Metadata.Annotations; a[proxmox.PausedAnnotation] != "" {
		t.Errorf("annotations %v", a)
	}
}

// TestPausedLeaves: what is paused and desired no more stays for one call, which takes the pause off.
func TestPausedLeaves(t *testing.T) {
	pausedBy := func(row string) proxmox.State {
		s := existing(t, withUserData())
		for name, f := range s.DownloadFiles {
			if row != "" {
				f.Metadata.Annotations[proxmox.PausedAnnotation], f.Metadata.Annotations[proxmox.PausedByAnnotation] = "true", row
			}

			s.DownloadFiles[name] = f
		}

		return s
	}

	for name, tc := range map[string]struct {
		reason, row string
		want        int
	}{
		"Paused":    {reason: "Nobody could delete it with its pause.", row: "image.extension", want: 1},
		"NotPaused": {reason: "It can go at once."},
	} {
		t.Run(name, func(t *testing.T) {
			observed := pausedBy(tc.row)
			r := requestOf(t, withUserData(func(m *machine.Machine) { m.PauseOnError = true }), observed)
			got := Write(r, &lifecycle.Plan{Situation: r.Situation}, Description{Images: map[string]proxmox.DownloadFile{}})

			if len(got.DownloadFiles) != tc.want {
				t.Errorf("%s\nimages: %v", tc.reason, got.DownloadFiles)
			}

			for _, f := range got.DownloadFiles {
				if a := f.Metadata.Annotations; a[proxmox.PausedAnnotation] != "" || a[proxmox.PausedByAnnotation] != "" {
					t.Errorf("%s\nannotations: %v", tc.reason, a)
				}
			}
		})
	}
}

// TestLostSnippetsWaitForTheirMove: a VM that is to move does not before what it reads is where it goes, also if all of it is lost.
func TestLostSnippetsWaitForTheirMove(t *testing.T) {
	s := existing(t, withUserData())
	lost := maps.Clone(s.Files)
	clear(s.Files)

	m := withUserData()
	m.Placement.Node, m.Placement.Migrate = "pve2", true

	d, err := Describe(requestOf(t, m, s))
	if err != nil {
		t.Fatal(err)
	}

	if d.MayMigrate {
		t.Error("the VM moves away from its snippets")
	}

	// They are back where the VM is, and then where it goes.
	maps.Copy(s.Files, lost)

	for range 2 {
		if d, err = Describe(requestOf(t, m, s)); err != nil {
			t.Fatal(err)
		}

		for name, f := range d.Files {
			s.Files[name] = found(f, f.Spec.ForProvider.VolumeID())
		}
	}

	if !d.MayMigrate {
		t.Errorf("the VM does not move: %v", list(d))
	}
}

// TestSnippetUnderAnotherName: whatever the composed resource of a snippet is called, the VM reads its user-data as user-data. Go
// ranges over a map in another order each time, so once proves nothing.
func TestSnippetUnderAnotherName(t *testing.T) {
	want := describe(t, withUserData()).Parameters.Initialization
	observed := existing(t, withUserData())
	clear(observed.VMs)

	for name, f := range maps.Clone(observed.Files) {
		if strings.HasPrefix(name, userDataPrefix) {
			observed.Files["environmentfile-0"] = f
		}
	}

	for range 20 {
		d, err := Describe(requestOf(t, withUserData(), observed))
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, d.Parameters.Initialization); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
	}
}
