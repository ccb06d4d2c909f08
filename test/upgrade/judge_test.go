package upgrade

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// oneVM is an answer with one VM.
func oneVM(name string, edit func(manifest map[string]any)) storedAnswer {
	m := map[string]any{
		"apiVersion": "v", "kind": "EnvironmentVM",
		"metadata": map[string]any{"labels": map[string]any{"homelab.io/machine": "m"}},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create"},
			"forProvider":        map[string]any{"disk": []any{map[string]any{"size": 10.0}}, "started": true},
		},
	}
	edit(m)

	return storedAnswer{Resources: map[string]storedResource{name: {Ready: "READY_TRUE", Manifest: m}}}
}

func same(map[string]any) {}

func started(m map[string]any) {
	world.Object(world.Object(m["spec"])["forProvider"])["started"] = false
}

func labelled(m map[string]any) {
	world.Object(world.Object(m["metadata"])["labels"])["homelab.io/vm-id"] = "7"
}

// TestJudge holds what a line of the changelog can allow, and what it cannot.
func TestJudge(t *testing.T) {
	cases := map[string]struct {
		reason  string
		now     storedAnswer
		lines   []string
		living  bool
		unsaid  []string // Paths of what is not announced.
		tooMuch int      // Announcements of nothing.
	}{
		"Same": {reason: "Nothing changed.", now: oneVM("vm", same)},
		"Unsaid": {
			reason: "A label is a change, too.", now: oneVM("vm", labelled), unsaid: []string{`metadata.labels["homelab.io/vm-id"]`},
		},
		"Said": {
			reason: "A line names exactly it.", now: oneVM("vm", labelled),
			lines: []string{"* **New machines** `EnvironmentVM: metadata.labels[\"homelab.io/vm-id\"]` appears: others find the number."},
		},
		"Above": {
			reason: "A line about what is around it says nothing.", now: oneVM("vm", labelled),
			lines:  []string{"* **New machines** `EnvironmentVM: metadata.labels` changes: labels are other ones."},
			unsaid: []string{`metadata.labels["homelab.io/vm-id"]`}, tooMuch: 1,
		},
		"OtherWord": {
			reason: "What appears does not vanish.", now: oneVM("vm", labelled),
			lines:  []string{"* **New machines** `EnvironmentVM: metadata.labels[\"homelab.io/vm-id\"]` vanishes: others find the number."},
			unsaid: []string{`metadata.labels["homelab.io/vm-id"]`}, tooMuch: 1,
		},
		"OtherKind": {
			reason: "A line is about one kind.", now: oneVM("vm", labelled),
			lines:  []string{"* **New machines** `EnvironmentFile: metadata.labels[\"homelab.io/vm-id\"]` appears: others find the number."},
			unsaid: []string{`metadata.labels["homelab.io/vm-id"]`}, tooMuch: 1,
		},
		"ALineForNewOnes": {
			reason: "It says nothing of those that live.", living: true, now: oneVM("vm", labelled),
			lines:  []string{"* **New machines** `EnvironmentVM: metadata.labels[\"homelab.io/vm-id\"]` appears: others find the number."},
			unsaid: []string{`metadata.labels["homelab.io/vm-id"]`}, tooMuch: 1,
		},
		"GraveAndGeneral": {
			reason: "What can harm a VM that lives is never said in passing.", living: true, now: oneVM("vm", started),
			lines:  []string{"* **Every machine** `EnvironmentVM: spec.forProvider.started` changes: they are stopped now."},
			unsaid: []string{"spec.forProvider.started"}, tooMuch: 1,
		},
		"GraveAndSaid": {
			reason: "A line for living VMs with its values announces it.", living: true, now: oneVM("vm", started),
			lines: []string{"* **Living VMs** `EnvironmentVM: spec.forProvider.started` changes from `true` to `false`: they are stopped now."},
		},
		"GraveWithoutValues": {
			reason: "What harms is said in full.", living: true, now: oneVM("vm", started),
			lines:  []string{"* **Living VMs** `EnvironmentVM: spec.forProvider.started` changes to `false`: they are stopped now."},
			unsaid: []string{"spec.forProvider.started"}, tooMuch: 1,
		},
		"HarmlessWithoutValues": {
			reason: "What harms nobody need not be.", living: true, now: oneVM("vm", labelled),
			lines: []string{"* **Living VMs** `EnvironmentVM: metadata.labels[\"homelab.io/vm-id\"]` appears: others find the number."},
		},
		"GraveWithOtherValues": {
			reason: "The values of the line must be true.", living: true, now: oneVM("vm", started),
			lines:  []string{"* **Living VMs** `EnvironmentVM: spec.forProvider.started` changes from `false` to `true`: they are stopped now."},
			unsaid: []string{"spec.forProvider.started"}, tooMuch: 1,
		},
		"Policies": {
			reason: "What the provider may do with a VM is as grave.", living: true,
			now:    oneVM("vm", func(m map[string]any) { world.Object(m["spec"])["managementPolicies"] = []any{"Observe"} }),
			lines:  []string{"* **Every machine** `EnvironmentVM: spec.managementPolicies` changes: they are looked at only."},
			unsaid: []string{"spec.managementPolicies"}, tooMuch: 1,
		},
		"Dropped": {
			reason: "A VM under another name is another VM.", living: true, now: oneVM("machine", same),
			unsaid: []string{"resource", "resource"},
		},
		"OtherHash": {
			reason: "Of a machine that has no VM yet, a hash in a name may change.", now: oneVM("vm-0123456789", labelled),
			lines:  []string{"* **New machines** `EnvironmentVM: name` changes: the hash has more in it."},
			unsaid: []string{`metadata.labels["homelab.io/vm-id"]`},
		},
		"InAList": {
			reason: "Items are named by their place.",
			now: oneVM("vm", func(m map[string]any) {
				world.Object(m["spec"])["forProvider"] = map[string]any{"disk": []any{map[string]any{"size": 11.0}, map[string]any{"size": 1.0}}, "started": true}
			}),
			unsaid: []string{"spec.forProvider.disk[0].size", "spec.forProvider.disk[1]"},
		},
		"Refused": {reason: "A claim that was taken and is not any more.", now: storedAnswer{Fatal: true}, unsaid: []string{"fatal"}},
		"Ready": {
			reason: "A machine that is ready no more is noticed.",
			now: storedAnswer{Resources: map[string]storedResource{
				"vm": {Ready: "READY_FALSE", Manifest: oneVM("vm", same).Resources["vm"].Manifest},
			}},
			unsaid: []string{"ready"},
		},
		"EveryMachineButOneSort": {
			reason: "A line about every machine is true of those with a VM and of those without.", now: oneVM("vm", labelled), tooMuch: 1,
			lines: []string{"* **Every machine** `EnvironmentVM: metadata.labels[\"homelab.io/vm-id\"]` appears: others find the number."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			byVersion, err := announcements(strings.Join(append([]string{"## Unreleased", outputHeading}, append(tc.lines, "## v0.1.0")...), "\n"), "v0.1.0")
			if err != nil {
				t.Fatal(err)
			}

			unannounced, stale := judge(differences(oneVM("vm", same), tc.now, tc.living, "here"), byVersion["Unreleased"])

			var paths []string
			for _, d := range unannounced {
				paths = append(paths, d.path)
			}

			slices.Sort(paths)

			if diff := cmp.Diff(tc.unsaid, paths); diff != "" {
				t.Errorf("%s\nnot announced: -want, +got:\n%s", tc.reason, diff)
			}

			if len(stale) != tc.tooMuch {
				t.Errorf("%s\n%d announcements of nothing, want %d", tc.reason, len(stale), tc.tooMuch)
			}
		})
	}
}

// TestAnnouncementsAreStrict: a line that is not understood allows nothing, and says so.
func TestAnnouncementsAreStrict(t *testing.T) {
	cases := map[string]struct {
		reason, changelog, want string
	}{
		"Prose":       {reason: "A list item that names no path.", changelog: "## Unreleased\n" + outputHeading + "\n* Labels are other ones.\n## v1", want: "not understood"},
		"Scope":       {reason: "Nobody knows of which machines.", changelog: "## Unreleased\n" + outputHeading + "\n* `EnvironmentVM: spec` changes: a reason is here.\n## v1", want: "not understood"},
		"NoReason":    {reason: "Nobody knows why.", changelog: "## Unreleased\n" + outputHeading + "\n* **New machines** `EnvironmentVM: spec` changes: so.\n## v1", want: "reason"},
		"NoChapter":   {reason: "Nobody knows what is newer than the release.", changelog: "## Unreleased\n## v2", want: "no chapter v1"},
		"Other lists": {reason: "Other parts of the changelog are for people only.", changelog: "## Unreleased\n### Added\n* Labels.\n\n" + outputHeading + "\n\nWords.\n\n## v1"},
		"TwoLines": {
			reason:    "A line may be wrapped.",
			changelog: "## Unreleased\n" + outputHeading + "\n* **Living VMs** `EnvironmentVM: spec.a` changes from `1`\n  to `2`: a reason that\n  is long.\n## v1",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := announcements(tc.changelog, "v1")

			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestUpgradeCanFail spoils stored answers one by one, and has each spoilt one found.
func TestUpgradeCanFail(t *testing.T) {
	t.Parallel()

	releases := storedReleases(t)
	calls := readStore(t, filepath.Join(storeDir, releases[len(releases)-1]))
	spoilt := map[bool]int{}

	for name, c := range calls {
		vm, ok := c.Answer.Resources["vm"]
		if !ok {
			continue
		}

		// No release ever renders this, so that no announcement can speak of it.
		world.Object(world.Object(vm.Manifest["spec"])["forProvider"])["name"] = "another"

		found := replay(t, map[string]storedCall{name: c})
		if !slices.ContainsFunc(found, func(d difference) bool {
			return d.kind == "EnvironmentVM" && d.path == "spec.forProvider.name" && d.from == `"another"` && d.living == living(c)
		}) {
			t.Errorf("%s: the spoilt answer is not found", name)
		}

		spoilt[living(c)]++
	}

	if spoilt[true] < 50 || spoilt[false] < 20 {
		t.Errorf("%d answers of machines with a VM and %d of others were spoilt, want 50 and 20", spoilt[true], spoilt[false])
	}
}
