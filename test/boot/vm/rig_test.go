package vm

import (
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/boot/debian"
	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

var facts = flag.Bool("facts", false, "log what each guest said, and its console, also of a test that passes")

// repository as seen from a package's folder.
const repository = "../../.."

var (
	machines []documents.Machine
	image    *Image
)

// TestMain renders the claims and sees to the image once.
func TestMain(m *testing.M) {
	flag.Parse()

	if missing := missingTools(); len(missing) > 0 {
		println("skipped: to boot machines, this one lacks " + strings.Join(missing, ", "))

		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}

		os.Exit(0)
	}

	if err := prepare(); err != nil {
		println(err.Error())
		os.Exit(1)
	}

	os.Exit(m.Run())
}

func missingTools() []string {
	missing := []string{}
	if os.Geteuid() != 0 {
		missing = append(missing, "root")
	}

	for _, program := range []string{"qemu-system-x86_64", "qemu-img", "genisoimage", "debootstrap", "unshare", "mke2fs", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}

	return missing
}

func prepare() error {
	work, err := os.MkdirTemp("", "boot-claims-")
	if err != nil {
		return err
	}

	machines, err = documents.Render(repository, filepath.Join(repository, "test", "boot", "testdata", "claims"), work)
	if err = errors.Join(err, os.RemoveAll(work)); err != nil {
		return err
	}

	cache, err := debian.Cache()
	if err != nil {
		return err
	}

	image, err = NewImage(cache, Networkd)

	return err
}

// subject is a claim's machine and drive.
type subject struct {
	documents.Machine

	drive documents.Drive
	guest *Machine
}

func newSubject(t *testing.T, claim string) *subject {
	t.Helper()

	return newSubjectOn(t, image, claim)
}

func newSubjectOn(t *testing.T, from *Image, claim string) *subject {
	t.Helper()

	i := slices.IndexFunc(machines, func(m documents.Machine) bool { return m.Name == "claims/"+claim })
	if i < 0 {
		t.Fatalf("no claim %s", claim)
	}

	s := &subject{Machine: machines[i]}

	var err error
	if s.drive, err = s.Drive(); err != nil {
		t.Fatal(err)
	}

	if s.guest, err = from.New(s.VM, t.TempDir()); err != nil {
		t.Fatal(err)
	}

	return s
}

// quick are the waits of k3s-bootstrap in a guest where nothing sets the clock.
func quick(more map[string]int) map[string]int {
	all := map[string]int{"CLOCK_TIMEOUT": 2, "GUARD_TIMEOUT": 10, "READY_TIMEOUT": 300}
	maps.Copy(all, more)

	return all
}

func (s *subject) boot(t *testing.T, o Options) *guest {
	t.Helper()

	o.Drive = s.drive
	if o.Bootstrap == nil {
		o.Bootstrap = quick(nil)
	}

	start := time.Now()
	r, err := s.guest.Boot(t.Context(), o)
	t.Logf("booted in %s; requests: %q", time.Since(start).Round(time.Second), o.Site.Requests())

	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if t.Failed() || *facts {
			t.Logf("what the guest said:\n%s\n=== console\n%s", r.Facts(), r.Console)
		}
	})

	return &guest{T: t, Report: r, uuid: s.guest.uuid()}
}

// guest has facts that are expected.
type guest struct {
	*testing.T
	*Report

	uuid string // Of the rendered VM.
}

func (g *guest) is(fact, want string) {
	g.Helper()

	if got := g.Fact(fact); got != want {
		g.Errorf("%s is %q; want %q", fact, got, want)
	}
}

func (g *guest) has(fact string, wants ...string) {
	g.Helper()

	for _, want := range wants {
		if !strings.Contains(g.Fact(fact), want) {
			g.Errorf("%s has no %q:\n%s", fact, want, g.Fact(fact))
		}
	}
}

func (g *guest) hasNot(fact string, wants ...string) {
	g.Helper()

	for _, want := range wants {
		if strings.Contains(g.Fact(fact), want) {
			g.Errorf("%s has %q:\n%s", fact, want, g.Fact(fact))
		}
	}
}

// content says that cloud-init came to an end without an error.
func (g *guest) content() {
	g.Helper()

	if errs, ok := g.Errors(); !ok || len(errs) > 0 {
		g.Errorf("cloud-init ended: %t, with the errors %q", ok, errs)
	}

	g.has("status", "status: done")
	g.is("failed", "")

	// What the kubelet reports as the Node's system UUID.
	if g.uuid == "" {
		g.Error("the rendered VM has no UUID")
	}

	g.is("uuid", g.uuid)
}

// reports says that the guest reported a word last, to the guest agent and as it sees itself: one link, which is down and has no address.
func (g *guest) reports(word string, before ...string) {
	g.Helper()

	// The agent comes up, the machine goes down: at both ends nothing is to be seen.
	var words []string

	for _, w := range g.Reported {
		if w != "" {
			words = append(words, w)
		}
	}

	if len(words) == 0 || words[len(words)-1] != word {
		g.Errorf("the guest agent listed %q; want %s at the end", g.Reported, word)
	}

	for _, w := range words {
		if w != word && !slices.Contains(before, w) {
			g.Errorf("the guest agent listed %q; want %s, and before it none but %q", g.Reported, word, before)
		}
	}

	if len(g.Addressed) > 0 {
		g.Errorf("links with addresses: %q", g.Addressed)
	}

	var links []string

	for line := range strings.Lines(g.Fact("links")) {
		if fields := strings.Fields(line); len(fields) > 1 && reportName.MatchString(fields[0]) {
			links = append(links, fields[0]+" "+fields[1])
		}
	}

	if !slices.Equal(links, []string{word + " DOWN"}) {
		g.Errorf("links of the guest: %q; want %s, down\n%s", links, word, g.Fact("links"))
	}

	for line := range strings.Lines(g.Fact("networkd")) {
		if fields := strings.Fields(line); len(fields) > 4 && fields[1] == word && fields[4] != "unmanaged" {
			g.Errorf("systemd-networkd manages the link: %s", line)
		}
	}

	g.hasNot("links", "dummy0")
}
