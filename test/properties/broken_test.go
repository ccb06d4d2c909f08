package properties

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// breaks says that TestBrokenRules is to run.
var breaks = flag.Bool("broken", false, "whether TestBrokenRules builds the function with rules that can be broken, and breaks each")

// A broken rule is one that a change of the product breaks, and the world of TestModel that finds it.
type broken struct {
	rule  string
	file  string
	text  string // In the file, once.
	by    string // What it is replaced by: isBroken(NAME) says whether the rule is broken.
	name  string
	world string
	steps int // After how many of them the fault is found.
	// also is the text of another rule that backs this one up, which is broken with it; empty for none.
	also, alsoBy, alsoIn string
}

// A changed text of a file.
type changed struct{ file, text, by string }

// changes that break a rule.
func (b broken) changes() []changed {
	out := []changed{{b.file, b.text, b.by}}
	if b.also != "" {
		out = append(out, changed{b.alsoIn, b.also, b.alsoBy})
	}

	return out
}

// mostSteps is how many steps a fault may be away that a broken rule leads to.
const mostSteps = 14

// selection is what is beside each file in which rules are broken: which of them is.
const selection = `
import "os"

func isBroken(rule string) bool { return os.Getenv("BROKEN_RULE") == rule }
`

// TestBrokenRules breaks one rule after the other in copies of the files that have them, and TestModel has to find each: a model that finds nothing proves nothing.
func TestBrokenRules(t *testing.T) {
	if !*breaks {
		t.Skip("-broken is not set")
	}

	binary := breakable(t)

	for _, b := range brokenRules() {
		t.Run(b.name, func(t *testing.T) {
			steps, timeline := finds(t, binary, b)

			switch {
			case timeline == "":
				t.Fatalf("%s is not found", b.rule)
			case steps != b.steps, steps > mostSteps:
				t.Errorf("%s: found after %d steps; want %d, and %d at most:\n%s", b.rule, steps, b.steps, mostSteps, timeline)
			}

			t.Logf("%s:\n%s", b.rule, timeline)
		})
	}
}

// finds what a broken rule leads to: after how many steps, and what was done until then. It is looked for where one thing is done after the other; what is too far away
// for that, or no single step does, comes when all take turns.
func finds(t *testing.T, binary string, b broken) (steps int, timeline string) {
	t.Helper()

	for _, turns := range []string{"-turns=false", "-turns"} {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestModel$/^"+b.world+"$", "-states", "1000", turns)
		cmd.Env = append(os.Environ(), "BROKEN_RULE="+b.name)

		// It fails where it finds what is broken.
		out, _ := cmd.CombinedOutput()

		found := regexp.MustCompile(`(?s)after (\d+) steps: .*`).FindSubmatch(out)
		if found == nil {
			continue
		}

		if steps, _ = strconv.Atoi(string(found[1])); steps <= mostSteps {
			return steps, string(found[0])
		}
	}

	return 0, ""
}

// TestBrokenTexts: each text that is replaced is in its file once, so that nobody moves a rule away from its proof, and docs/proof.md has the rule.
func TestBrokenTexts(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join(fake.Root(t), "docs", "proof.md"))
	if err != nil {
		t.Fatal(err)
	}

	for _, b := range brokenRules() {
		for _, c := range b.changes() {
			content, err := os.ReadFile(filepath.Join(fake.Root(t), c.file))
			if err != nil {
				t.Fatal(err)
			}

			if n := strings.Count(string(content), c.text); n != 1 {
				t.Errorf("%s: %s has %d times %q; want it once", b.rule, c.file, n, c.text)
			}
		}

		if row := fmt.Sprintf("| %s | `%s` | %d |\n", b.rule, b.world, b.steps); !strings.Contains(string(docs), row) {
			t.Errorf("docs/proof.md lacks the row %s", row)
		}
	}
}

// breakable builds these tests with rules that can be broken, in copies of their files.
func breakable(t *testing.T) string {
	t.Helper()

	dir, files := t.TempDir(), map[string]string{}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "properties.test")

	for _, b := range brokenRules() {
		for _, c := range b.changes() {
			file := filepath.Join(fake.Root(t), c.file)
			if files[file] == "" {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}

				files[file] = string(content)
			}

			_, behind, _ := strings.Cut("\n"+files[file], "\npackage ")
			pkg, _, _ := strings.Cut(behind, "\n")
			files[filepath.Join(filepath.Dir(file), "broken.go")] = "package " + pkg + selection
			files[file] = strings.Replace(files[file], c.text, c.by, 1)
		}
	}

	replaced, n := map[string]string{}, 0

	for file, content := range files {
		n++
		replaced[file] = filepath.Join(dir, strconv.Itoa(n)+".go")
		write(t, replaced[file], content)
	}

	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}

	write(t, overlay, string(list))

	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}

	return binary
}

func write(t *testing.T, file, content string) {
	t.Helper()

	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// brokenRules are rules that are broken on purpose. docs/proof.md has them.
func brokenRules() []broken {
	const (
		lifecycle = "internal/lifecycle/"
		container = "internal/container/"
	)

	return slices.Concat(brokenServers(), brokenClaims(), brokenVMIDs(), brokenHA(), []broken{
		{
			rule: "A server that begins an outage says so until it is back.", name: "announcement", file: lifecycle + "announcement.go", world: "ServerReturnsLate", steps: 4,
			text: "case PermissionAnnounced:\n\t\treturn Announcement{Outage: of,", by: "case PermissionAnnounced:\n\t\tif isBroken(\"announcement\") {\n\t\t\treturn Announcement{}\n\t\t}\n\n\t\treturn Announcement{Outage: of,",
		},
		{
			rule: "A server is back when its Node has another boot ID.", name: "boot", file: lifecycle + "outage.go", world: "ServerReturnsLate", steps: 10,
			text: "case has.Begun && !back(s, has):", by: "case has.Begun && !back(s, has) && !(isBroken(\"boot\") && isBack(s.vm)):",
		},
		{
			rule: "An outage leaves a majority.", name: "quorum", file: lifecycle + "quorum.go", world: "ServerLostRestart", steps: 7,
			text: "if c.ExternalDatastore {\n\t\tneeded = 1", by: "if isBroken(\"quorum\") {\n\t\tneeded--\n\t}\n\n\tif c.ExternalDatastore {\n\t\tneeded = 1",
		},
		{
			rule: "An agent is drained before its outage.", name: "drain", file: lifecycle + "outage.go", world: "AgentRestart", steps: 4,
			text: "return drain.Holds && ", by: "return !isBroken(\"drain\") && drain.Holds && ",
		},
		{
			rule: "A wave waits for those before it.", name: "wave", file: lifecycle + "wave.go", world: "ContainerWave", steps: 11,
			text: "case m.Wave == own.Wave:", by: "case m.Wave == own.Wave, isBroken(\"wave\"):",
		},
		{
			rule: "A VM is made when the VM that it replaces is off.", name: "fence", file: lifecycle + "decide.go", world: "ReplacementOfRunning", steps: 7,
			text: "return isOff(&s.Request, s.Roles.Active) && ", by: "return (isBroken(\"fence\") || isOff(&s.Request, s.Roles.Active)) && ",
		},
		{
			rule: "A VM is made when the provider has found none with its VMID.", name: "vm-look", file: lifecycle + "vmidcheck.go", world: "VMAfterVM", steps: 7,
			text: "case q.vm.Absent():\n\t\tout.Outcome = OutcomeFree", by: "case q.vm.Absent(), isBroken(\"vm-look\"):\n\t\tout.Outcome = OutcomeFree",
		},
		{
			rule: "A server that was replaced says so until it has joined.", name: "joined", file: lifecycle + "join.go", world: "TwoServersReplacedUnseen", steps: 1,
			text: "if s.server() && (s.Replacing()", by: "if !isBroken(\"joined\") && s.server() && (s.Replacing()",
		},
		{
			rule: "A node that is upgraded is waited for until it is back.", name: "upgraded", file: lifecycle + "upgrade.go", world: "TwoServersUpgraded", steps: 7,
			text: "if u.back(out.Release) {", by: "if isBroken(\"upgraded\") || u.back(out.Release) {",
		},
		{
			rule: "Of two claims that want one VMID, the first one gets it.", name: "first", file: lifecycle + "vmidcheck.go", world: "TwoClaimsLooked", steps: 13,
			text: "case !isLater:", by: "case !isLater && !isBroken(\"first\"):",
		},
		{
			rule: "What an edit changes while a VM may be starting waits for a power cycle.", name: "starting", file: lifecycle + "power.go", world: "MemoryAtStart", steps: 10,
			text: "!s.vm.Status.AtProvider.Started && !mayStart(s.vm) {", by: "!s.vm.Status.AtProvider.Started && (isBroken(\"starting\") || !mayStart(s.vm)) {",
		},
		{
			rule: "An approval counts once.", name: "approval", file: lifecycle + "approval.go", world: "ApprovedOnce", steps: 14,
			text: "case approve == a.Hash:", by: "case approve == a.Hash, isBroken(\"approval\") && approve != \"\" && approve == a.Memory.Plan:",
		},
		{
			rule: "An address that another claim reserves is no free one.", name: "address", file: lifecycle + "pool.go", world: "TwoTenantsAddress", steps: 11,
			text: "return n.contains(a) && !n.taken[a]", by: "return n.contains(a) && (!n.taken[a] || isBroken(\"address\"))",
		},
		{
			rule: "A machine whose VMID is looked at has its share of a quota.", name: "quota-looked", file: lifecycle + "load.go", world: "TwoClonesQuota", steps: 6,
			text: "case vm.ObserveOnly():\n\t\t\twaiting", by: "case vm.ObserveOnly() && isBroken(\"quota-looked\"):\n\t\tcase vm.ObserveOnly():\n\t\t\twaiting",
		},
		{
			rule: "Of two machines that wait for the last room of a quota, the first one gets it.", name: "quota-first", file: lifecycle + "load.go", world: "TwoClaimsQuota", steps: 4,
			text: "if w.since < first {", by: "if w.since < first || isBroken(\"quota-first\") {",
		},
		{
			rule: "A machine that has a VM has its share of a quota.", name: "quota-has", file: lifecycle + "load.go", world: "TwoClaimsQuota", steps: 1,
			text: "created[d.key()] = true\n\t\t\tout = append(out, d)", by: "created[d.key()] = true\n\t\t\tif !isBroken(\"quota-has\") {\n\t\t\t\tout = append(out, d)\n\t\t\t}",
		},
		{
			rule: "Others have their share of a quota.", name: "quota-others", file: lifecycle + "quota.go", world: "TwoClaimsQuota", steps: 1,
			text: "return counts(m.Labels[proxmox.NamespaceLabel]) }", by: "return !isBroken(\"quota-others\") && counts(m.Labels[proxmox.NamespaceLabel]) }",
		},
		{
			rule: "A VM replaces another one when it is ready.", name: "ready", file: lifecycle + "promotion.go", world: "ReplacementNeverReady", steps: 1,
			text: "agent := HasGuestAgent(s.vm.Spec.ForProvider)", by: "agent := HasGuestAgent(s.vm.Spec.ForProvider) && !isBroken(\"ready\")",
		},
		{
			rule: "Rules of a firewall that the claim does not have are somebody's.", name: "found", file: lifecycle + "foundrules.go", world: "FirewallOfSomebody", steps: 1,
			text: "if !slices.ContainsFunc(wanted.Rule, r.Is) {", by: "if !slices.ContainsFunc(wanted.Rule, r.Is) && !isBroken(\"found\") {",
		},
		{
			rule: "What may be a machine's own VM and cannot be read is waited for.", name: "unread", file: lifecycle + "vmidcheck.go", world: "RestoredUnread", steps: 13,
			text: "return o == OutcomeSilent || o == OutcomeUnreadable", by: "return !isBroken(\"unread\") && o == OutcomeSilent || o == OutcomeUnreadable",
		},
		{
			rule: "A VM that was made for a claim is not joined by another one.", name: "own", file: lifecycle + "vmidcheck.go", world: "VMMadeBefore", steps: 1,
			text: "if out.Outcome == OutcomeTaken && q.replaced == 0", by: "if !isBroken(\"own\") && out.Outcome == OutcomeTaken && q.replaced == 0",
		},
		{
			rule: "A container is made when no VM has its VMID.", name: "container-look", file: container + "vmid.go", world: "ContainerAfterVM", steps: 5,
			text: "case len(unanswered) == 0 && vm.Absent():", by: "case len(unanswered) == 0 && (vm.Absent() || isBroken(\"container-look\")):",
		},
		{
			rule: "A container is made when no container has its VMID.", name: "container-looks", file: container + "vmid.go", world: "ContainerAfterContainer", steps: 5,
			text: "case !present(ct) && !ct.Absent():", by: "case !present(ct) && !ct.Absent() && !isBroken(\"container-looks\"):",
		},
		{
			rule: "An old container stays until its successor was seen to run.", name: "successor", file: container + "successor.go", world: "ContainerReplacementNeverRuns", steps: 1,
			text: "if p.Beside == 0 {", by: "if p.Beside == 0 || isBroken(\"successor\") && p.State == StateLiving {",
		},
	})
}
