package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

const aRehearsed = `apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: git01, namespace: infra-machines}
spec:
  size: {cores: 2, memory: 4Gi, disk: 20Gi}
  image: debian-12
  network: {dhcp: true}
  proxmox: {node: pve}
  lifecycle: {rebootPolicy: OnRequest}
`

// TestRehearse: what there is comes from claims as they were, from a file or from nowhere, and the exit code is the verdict's.
func TestRehearse(t *testing.T) {
	edit := func(old, is string) string { return strings.Replace(aRehearsed, old, is, 1) }
	dir := writeTree(t, map[string]string{
		"old/git01.yaml": aRehearsed, "other/db01.yaml": edit("name: git01, namespace: infra-machines", "name: db01, namespace: data"), "memory.yaml": edit("4Gi", "6Gi"), "restart.yaml": strings.Replace(edit("4Gi", "6Gi"), "OnRequest", "WhenNeeded", 1),
		"wrong.yaml": edit("cores: 2", "cores: 0"), "old/catalogue.yaml": "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {}}",
	})
	in := func(name string) string { return filepath.Join(dir, name) }

	// Two folders, of which only the edited one has a catalogue: ours is a class of it.
	const ours = "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, " +
		"data: {classes: {ours: {cores: 2, memory: 4Gi, disk: 20Gi}}}}"

	classed := strings.Replace(aRehearsed, "size: {cores: 2, memory: 4Gi, disk: 20Gi}", "class: ours", 1)
	bare := writeTree(t, map[string]string{"git01.yaml": classed})
	with := writeTree(t, map[string]string{"catalogue.yaml": ours, "git01.yaml": strings.Replace(classed, "OnRequest", "WhenNeeded", 1)})
	larger := writeTree(t, map[string]string{"catalogue.yaml": strings.Replace(ours, "memory: 4Gi", "memory: 6Gi", 1), "git01.yaml": classed})
	beside := filepath.Join(larger, "catalogue.yaml")
	old := []string{"--before", in("old")}

	cases := map[string]rehearseCase{
		"Birth":   {"Where nothing is, machines are born.", []string{"-f", in("memory.yaml"), "--observed", "none"}, ExitOK, []string{"is made", "boots", "Verdict: done after 2m00s."}, ""},
		"Done":    {"The machine may restart.", append([]string{"-f", in("restart.yaml")}, old...), ExitOK, []string{"is stopped", "away: git01", "is started", "Verdict: done after 1m00s.", "1 restart"}, ""},
		"Boot":    {"How long a boot takes.", append([]string{"-f", in("restart.yaml"), "--boot", "100s"}, old...), ExitOK, []string{"Verdict: done after 2m00s."}, ""},
		"Waits":   {"A person is to restart it.", append([]string{"-f", in("memory.yaml")}, old...), ExitWaits, []string{"set spec.lifecycle.reboot to a new value", "Verdict: waits"}, ""},
		"Refused": {"The function refuses it.", append([]string{"-f", in("wrong.yaml")}, old...), ExitFailed, []string{"spec.size.cores", "Verdict: refused"}, ""},
		"Until":   {"It stops before the restart.", append([]string{"-f", in("restart.yaml"), "--until", "1"}, old...), ExitOK, []string{"Verdict: none"}, ""},
		"Observed": {
			"What a cluster has.",
			[]string{"-f", dayTwo + "git01.yaml", "--observed", dayTwo + "cluster/observed.yaml"},
			ExitWaits,
			[]string{"VM 161 (git01, pve) is changed: cpu, disk, memory, tags", "set spec.lifecycle.replace"},
			"has no EnvironmentConfig machine-catalog: the one of the claims counts before and after the edit",
		},
		"Step":       {"The world after the first step.", append([]string{"-f", in("restart.yaml"), "--step", "1"}, old...), ExitOK, []string{"Step 1, 20s after the commit", "git01", "off", "MachineReady Rebooting"}, ""},
		"StepBeyond": {"There are two.", append([]string{"-f", in("restart.yaml"), "--step", "3"}, old...), ExitFailed, nil, "there is no step 3: the rehearsal has 2 steps"},
		"Faults":     {"What can go wrong.", append([]string{"-f", in("restart.yaml"), "--faults"}, old...), ExitOK, []string{"Verdict: done", "Where something goes wrong", "the VM is stopped by hand, at steps"}, ""},
		"FaultsHarm": {"Nothing does a harm.", append([]string{"-f", in("restart.yaml"), "--faults", "--fail-on", "quorum,data,stuck", "-o", "markdown"}, old...), ExitOK, []string{"| fault | steps |"}, ""},
		"NoHarm":     {"There is no such harm.", append([]string{"-f", in("restart.yaml"), "--faults", "--fail-on", "pain"}, old...), ExitUsage, nil, "unknown harm"},
		"NoOutput":   {"It has no YAML, and says so.", append([]string{"-f", in("restart.yaml"), "-o", "yaml"}, old...), ExitUsage, nil, `unknown output "yaml"`},
		"HarmAlone":  {"It is about faults.", append([]string{"-f", in("restart.yaml"), "--fail-on", "data"}, old...), ExitUsage, nil, "--fail-on is about --faults, --delete and --prune"},
		"Excludes":   {"A fault is played to its end.", append([]string{"-f", in("restart.yaml"), "--faults", "--until", "1"}, old...), ExitUsage, nil, "exclude each other"},
		"Renamed":    {"Of a claim under another name, none is edited.", []string{"-f", in("memory.yaml"), "--before", in("other")}, ExitOK, []string{"is made"}, "has none of the claims of -f, so each of these is new"},
		"Markdown":   {"For a pull request.", append([]string{"-f", in("restart.yaml"), "-o", "markdown"}, old...), ExitOK, []string{"### Rehearsal", "<details><summary>2 steps</summary>"}, ""},
		"NoClaims":   {"Nothing is edited.", nil, ExitUsage, nil, "name the claims with -f"},
		"Both":       {"One of them says what there is.", append([]string{"-f", in("memory.yaml"), "--observed", "none"}, old...), ExitUsage, nil, "exclude each other"},
		"NoDuration": {"Half a second is no time.", []string{"-f", in("memory.yaml"), "--boot", "1500ms"}, ExitUsage, nil, `--boot "1500ms": must be whole seconds`},
		"NoStep":     {"There is no such step.", append([]string{"-f", in("memory.yaml"), "--until", "-1"}, old...), ExitUsage, nil, "--until -1 is no step"},
		"NoCatalogueBefore": {
			"What was has the catalogue of what is.", []string{"-f", filepath.Join(with, "git01.yaml"), "--before", bare}, ExitOK, []string{"Sums: 0 restarts, 0 made"}, "",
		},
		"CatalogueEdited": {"Each folder has its own.", []string{"-f", larger, "--before", with}, ExitWaits, []string{"is changed: memory"}, ""},
		"CatalogueNamed": {
			"One that a person names counts for both, and one beside the claims as they were does not.",
			[]string{"-f", larger, "--before", with, "--catalogue", beside},
			ExitOK,
			[]string{"Sums: 0 restarts, 0 made"},
			"# --catalogue " + beside + " counts before and after the edit",
		},
		"CatalogueNamedAlone": {
			"Nothing is said where there is no other.", []string{"-f", larger, "--before", bare, "--catalogue", beside}, ExitOK, []string{"Sums: 0 restarts, 0 made"}, "",
		},
		"TwoBefore": {
			"Each of them says what was.", append([]string{"-f", in("memory.yaml")}, append(slices.Clone(old), "--before", in("other"))...), ExitWaits,
			[]string{"set spec.lifecycle.reboot to a new value"},
			"",
		},
		"NoFile": {"A file that is not there.", []string{"-f", in("memory.yaml"), "--before", in("nowhere")}, ExitFailed, nil, "nowhere"},
	}

	rehearses(t, cases)
}

// A rehearseCase is a call of rehearse, and what comes of it.
type rehearseCase struct {
	reason string
	args   []string
	code   ExitCode
	has    []string // Of what is printed.
	err    string   // Of what is said of a failure; empty where nothing may be.
}

func rehearses(t *testing.T, cases map[string]rehearseCase) {
	t.Helper()

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := call(t, "", append([]string{"rehearse"}, tc.args...)...)

			if got.code != tc.code || !strings.Contains(got.stderr, tc.err) || tc.err == "" && got.stderr != "" {
				t.Errorf("%s Want exit code %d and %q, got %d and %q", tc.reason, tc.code, tc.err, got.code, got.stderr)
			}

			for _, want := range tc.has {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("%s Want %q in\n%s", tc.reason, want, got.stdout)
				}
			}
		})
	}
}

// TestPlanWithRehearsal: a plan says what happens, too, where a person asks for that, and nothing else of it changes.
func TestPlanWithRehearsal(t *testing.T) {
	args := []string{"plan", "-f", dayTwo + "git01.yaml", "--observed", dayTwo + "cluster/observed.yaml", "-o", "markdown"}
	plain, with := call(t, "", args...), call(t, "", append(args, "--rehearse")...)

	rest, isPrefix := strings.CutPrefix(with.stdout, plain.stdout)
	if !isPrefix || !strings.HasPrefix(rest, "\n<details><summary>Rehearsal: waits") || !strings.Contains(rest, "| step | after |") || with.code != plain.code {
		t.Errorf("code %d, not %d, with\n%s", with.code, plain.code, with.stdout)
	}

	if got := call(t, "", append(args[:len(args)-2:len(args)-2], "--rehearse")...); got.code != ExitUsage || !strings.Contains(got.stderr, "--rehearse is for -o markdown") {
		t.Errorf("as text: code %d, %s", got.code, got.stderr)
	}
}

// TestRehearseAsJSON: a program reads what a person does.
func TestRehearseAsJSON(t *testing.T) {
	dir := writeTree(t, map[string]string{"git01.yaml": aRehearsed})

	var r rehearse.Rehearsal
	if err := json.Unmarshal([]byte(call(t, "", "rehearse", "-f", dir, "--observed", "none", "-o", "json").stdout), &r); err != nil {
		t.Fatal(err)
	}

	if r.Verdict.Outcome != rehearse.Done || len(r.Steps) != 3 || r.Steps[2].Machines[0].State != rehearse.StateServes || !r.Before.Born {
		t.Errorf("a machine is born otherwise: %+v", r)
	}
}

// TestRehearseDeletions: what is no longer among the files goes, where a person says so; the other flags and exit codes are those of edits.
func TestRehearseDeletions(t *testing.T) {
	named := func(name, more string) string { return strings.Replace(aRehearsed, "git01", name, 1) + more }
	data := "  disks: [{name: data, size: 20Gi}]\n"
	catalogue := "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {}}"
	dir := writeTree(t, map[string]string{
		"old/git01.yaml": named("git01", ""), "old/db01.yaml": named("db01", data+"  deletionProtection: false\n"), "old/catalogue.yaml": catalogue,
		"held/git01.yaml": named("git01", ""), "held/db01.yaml": named("db01", data), "held/catalogue.yaml": catalogue,
		"named/git01.yaml": named("git01", ""), "named/db02.yaml": named("db02", data+"  deletionProtection: false\n"), "named/catalogue.yaml": catalogue,
		"orphan/db01.yaml": named("db01", data+"  deletionPolicy: Orphan\n"), "orphan/catalogue.yaml": catalogue,
		"orphaned/db02.yaml": named("db02", data+"  deletionPolicy: Orphan\n"), "orphaned/catalogue.yaml": catalogue,
		"other/git02.yaml": named("git02", ""), "other/catalogue.yaml": catalogue,
		"left/git01.yaml": named("git01", ""), "left/catalogue.yaml": catalogue,
		"moved/git01.yaml": strings.Replace(named("git01", ""), "infra-machines", "other", 1), "moved/catalogue.yaml": catalogue,
		"else/git01.yaml": strings.Replace(named("git02", ""), "infra-machines", "other", 1), "else/catalogue.yaml": catalogue,
	})
	from := func(before, files string, more ...string) []string {
		return append([]string{"-f", filepath.Join(dir, files), "--before", filepath.Join(dir, before)}, more...)
	}
	observed := []string{"-f", dayTwo + "git01.yaml", "--observed", dayTwo + "cluster/observed.yaml", "--delete"}

	cases := map[string]rehearseCase{
		"Kept":    {"Nobody says that it goes.", from("old", "left"), ExitOK, []string{"The edit does nothing"}, ""},
		"Pruned":  {"It goes with its disks.", from("old", "left", "--prune"), ExitOK, []string{"Machine infra-machines/db01 is deleted", "is destroyed", "Destroyed with data disks"}, ""},
		"Renamed": {"Another name is another machine.", from("old", "named", "--prune"), ExitOK, []string{"Warning: db02: it has all settings of Machine infra-machines/db01"}, ""},
		"Beside": {
			"One that stays runs beside it, and somebody has to decide.", from("orphan", "orphaned", "--prune"), ExitWaits,
			[]string{"db02 (Deletion RunsBeside): It has all settings of Machine infra-machines/db01, whose claim is gone.", "Verdict: waits"},
			"",
		},
		"Orphaned":   {"One whose place nobody takes stays as its claim wants it.", from("orphan", "other", "--prune"), ExitOK, []string{"and is nobody's: ", "Verdict: done"}, ""},
		"Harm":       {"A person wants no data destroyed.", from("old", "left", "--prune", "--fail-on", "data"), ExitHarm, []string{"Verdict: done"}, ""},
		"NoHarm":     {"Nothing of it is an etcd.", from("old", "left", "--prune", "--fail-on", "quorum,stuck"), ExitOK, []string{"Verdict: done"}, ""},
		"HarmFaults": {"It counts beside faults, too.", from("old", "left", "--prune", "--faults", "--fail-on", "data"), ExitHarm, []string{"Where something goes wrong"}, ""},
		"Protected":  {"Protection holds.", from("held", "left", "--prune", "--fail-on", "data"), ExitWaits, []string{"db01 (Deletion Refused)", "kubectl patch machines.homelab.io db01 -n infra-machines"}, ""},
		"Namespace":  {"What is in no namespace of the files is not theirs to prune.", from("old", "else", "--prune"), ExitOK, []string{"1 made, 0 destroyed"}, ""},
		"Moved":      {"Another namespace is another machine, too.", from("old", "moved"), ExitOK, []string{"1 made, 0 destroyed", "Warning: other/git01: it has the name of Machine infra-machines/git01, whose file is"}, ""},
		"Deleted":    {"The claims of the files go.", from("old", "left", "--delete"), ExitOK, []string{"Machine infra-machines/git01 is deleted", "0 made, 1 destroyed"}, ""},
		"Observed":   {"What a cluster has.", observed, ExitWaits, []string{"git01 (Deletion Refused)", "0 destroyed"}, ""},
		"Markdown":   {"For a pull request.", from("old", "left", "--prune", "-o", "markdown"), ExitOK, []string{"### Rehearsal", "db01 is deleted"}, ""},
		"Excludes":   {"One of them says what goes.", from("old", "left", "--prune", "--delete"), ExitUsage, nil, "--delete and --prune exclude each other"},
	}

	rehearses(t, cases)
}

// TestPlanWithRehearsedDeletion: a plan of a deletion has its rehearsal, too.
func TestPlanWithRehearsedDeletion(t *testing.T) {
	got := call(t, "", "plan", "-f", dayTwo+"git01.yaml", "--observed", dayTwo+"cluster/observed.yaml", "-o", "markdown", "--delete", "--rehearse")

	if !strings.Contains(got.stdout, "<details><summary>Rehearsal: waits") || !strings.Contains(got.stdout, "git01 (Deletion Refused)") {
		t.Errorf("code %d, with\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestRehearsedNodes: a preview and a rehearsal put each node of a cluster on the same Proxmox node, whatever UIDs the objects of a cluster have.
func TestRehearsedNodes(t *testing.T) {
	const claim = "../../example/cluster/home.yaml"

	nodes := func(pattern string, args ...string) map[string]string {
		code, out, said := runAt(t, "", args...)
		if code != ExitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, said)
		}

		found := map[string]string{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(out, -1) {
			found[m[1]] = m[2]
		}

		return found
	}

	shown := nodes(`VM (\d+) on (\w+):`, "render", "-f", claim)
	played := nodes(`VM (\d+) \([\w-]+, (\w+)\) is made`, "rehearse", "-f", claim, "--observed", "none")

	if diff := cmp.Diff(shown, played); diff != "" || len(shown) != 5 {
		t.Errorf("-render, +rehearse:\n%s", diff)
	}
}
