package nix

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A remote is a Git repository that a real Nix reads under target's address.
type remote struct {
	t   *testing.T
	dir string
}

// newRemote lets the machine use the real nix, and a repository of its own in place of the one at git.example.org.
func newRemote(t *testing.T, m *machine) *remote {
	t.Helper()
	needTools(t, "git", "nix")

	r := &remote{t: t, dir: m.path("remote.git")}
	m.write("home/.gitconfig", "[url \""+r.dir+"\"]\n\tinsteadOf = https://git.example.org/infra\n")
	// The machine's other programs stay what they are; only `nix` comes from the system.
	m.env = append(m.env, "PATH="+m.path("bin")+":"+os.Getenv("PATH"))
	for _, name := range []string{"nixos-rebuild", "systemctl", "nix-env"} {
		writeFile(t, m.path("bin/"+name), readFile(t, "testdata/bin/"+name), 0o755)
	}

	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "ops")
	r.git("config", "user.email", "ops@example.org")
	r.commit("flake.nix", "{ outputs = _: { }; }\n")

	return r
}

func (r *remote) git(args ...string) string {
	r.t.Helper()

	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		r.t.Fatal(err)
	}

	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir

	printed, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, printed)
	}

	return strings.TrimSpace(string(printed))
}

// commit commits a file and returns the revision.
func (r *remote) commit(name, content string) string {
	r.t.Helper()
	writeFile(r.t, filepath.Join(r.dir, name), content, 0o644)
	r.git("add", name)
	r.git("commit", "-q", "-m", "change")

	return r.git("rev-parse", "HEAD")
}

func TestRealGit(t *testing.T) {
	m := newMachine(t)
	r := newRemote(t, m)

	// The stub finds systems by the last letter of a revision: every letter gets one.
	for letter := range strings.SplitSeq("0123456789abcdef", "") {
		m.addSystem(letter, "kernel-1")
	}

	first := r.git("rev-parse", "HEAD")
	apply(t, m, r, first)

	second := r.commit("host.nix", "{ }\n")
	apply(t, m, r, second)

	if err := os.Rename(r.dir, r.dir+".away"); err != nil {
		t.Fatal(err)
	}

	got, printed := m.run(continuous...)
	if got.Exit != 1 || !strings.Contains(printed, "nothing was changed") {
		t.Errorf("a remote that is away must be a failure, even where Nix has its last answer in its cache; exit %d:\n%s", got.Exit, printed)
	}

	if err := os.Rename(r.dir+".away", r.dir); err != nil {
		t.Fatal(err)
	}

	r.commit("flake.nix", `{ inputs.before = { url = "git+https://git.example.org/infra?rev=`+first+`"; flake = false; }; outputs = _: { }; }`)

	got, printed = m.run(continuous...)
	if got.Exit != 1 || !strings.Contains(printed, "lock file") || !strings.Contains(m.applied()["revision"], second) {
		t.Errorf("a lock file that does not fit the flake must be a failure, and nothing may be locked here; exit %d:\n%s", got.Exit, printed)
	}
}

func apply(t *testing.T, m *machine, r *remote, revision string) {
	t.Helper()

	got, printed := m.run(continuous...)
	if got.Exit != 0 {
		t.Fatalf("%s was not applied:\n%s", revision, printed)
	}

	applied := m.applied()
	if !strings.Contains(applied["revision"], "rev="+revision) {
		t.Errorf("revision on record: %q, want that of %s", applied["revision"], revision)
	}

	if diff := cmp.Diff(r.git("log", "-1", "--format=%ct"), applied["committed"]); diff != "" {
		t.Errorf("commit time on record: -want, +got:\n%s", diff)
	}
}

// withoutGit gives the machine an image without git: every other program the script needs, and nothing else. It returns what
// a borrowed git comes with, which is in vain or not.
func withoutGit(t *testing.T, m *machine) (withGit, inVain string) {
	t.Helper()

	bare := m.path("bare")
	if err := os.MkdirAll(bare, 0o755); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{
		"bash", "env", "cat", "cp", "date", "dirname", "flock", "grep", "ln", "mkdir", "mktemp", "mv", "readlink", "rm", "sed", "sync", "timeout",
	} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}

		if err := os.Symlink(path, filepath.Join(bare, name)); err != nil {
			t.Fatal(err)
		}
	}

	programs := absolute(t, "testdata/bin") + ":"
	m.env = append(m.env, "PATH="+programs+bare)

	return "BORROWED_PATH=" + programs + os.Getenv("PATH"), "BORROWED_PATH=" + programs + bare
}

func TestBorrowedGit(t *testing.T) {
	m := newMachine(t)
	withGit, _ := withoutGit(t, m)
	want := firstApply.want
	want.Calls = append([]string{"nix shell nixpkgs#gitMinimal --command bash " + absolute(t, filepath.Join(scriptsDir, "nix-gitops-apply"))}, want.Calls...)

	got, printed := m.run(withGit)
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(printed, "<4>nix-gitops: git is not on PATH") {
		t.Errorf("an image without git must borrow it, and say so: -want, +got:\n%s\nprinted:\n%s", diff, printed)
	}

	m = newMachine(t)
	_, inVain := withoutGit(t, m)

	got, printed = m.run(inVain)
	if got.Exit != 1 || !strings.Contains(printed, "git is not on PATH") {
		t.Errorf("borrowing in vain must end; exit %d:\n%s", got.Exit, printed)
	}
}
