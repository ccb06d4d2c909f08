package nix

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	target     = "git+https://git.example.org/infra?ref=main#dns01"
	revisionA  = "000000000000000000000000000000000000000a"
	revisionB  = "000000000000000000000000000000000000000b"
	revisionC  = "000000000000000000000000000000000000000c"
	commitTime = " 1700000000\n"
)

// A machine is a directory with what the script sees of a NixOS machine: a root, systems in a store, and a remote.
// The template's system is named t; revision ...a builds system a, ...b builds b. A revision without a system does not evaluate.
type machine struct {
	t   *testing.T
	dir string
	env []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	needTools(t, "bash", "flock", "timeout", "nix", "systemd-analyze")

	m := &machine{t: t, dir: t.TempDir(), env: nixEnv(t)}
	for _, system := range []string{"t", "a", "b"} {
		m.addSystem(system, "kernel-1")
	}

	for _, dir := range []string{"root/run", "root/nix/var/nix/profiles", "home"} {
		if err := os.MkdirAll(m.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}

	for _, link := range []string{"root/run/current-system", "root/run/booted-system", "root/nix/var/nix/profiles/system"} {
		m.symlink("store/t", link)
	}

	m.boot("boot-1")
	m.write("guest-report", reporter)
	m.write("root/etc/nix-flake-target", target+"\n")
	m.write("remote", revisionA+commitTime)

	return m
}

// reporter stands for guest-report, which is tested in its package: the folder "told" has the only link. cannot-tell: without success.
const reporter = `[[ ! -e $MACHINE/cannot-tell ]] || exit 1
rm -rf "$MACHINE/told" && mkdir "$MACHINE/told" && touch "$MACHINE/told/$1"
`

// link is the name of the link by which the machine reports the last run; empty without one.
func (m *machine) link() string {
	m.t.Helper()

	entries, err := os.ReadDir(m.path("told"))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}

	if err != nil || len(entries) != 1 {
		m.t.Fatalf("%d links, want 1 (%v)", len(entries), err)
	}

	return entries[0].Name()
}

// addSystem puts a system into the store.
func (m *machine) addSystem(name, kernel string) {
	m.t.Helper()

	for _, file := range []string{"kernel", "initrd", "kernel-modules"} {
		m.write("kernels/"+kernel+"/"+file, "")
		m.write("store/"+name+"/init", "")
		m.symlink("kernels/"+kernel+"/"+file, "store/"+name+"/"+file)
	}

	writeFile(m.t, m.path("store/"+name+"/bin/switch-to-configuration"),
		readFile(m.t, "testdata/bin/switch-to-configuration"), 0o755)
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) write(name, content string) {
	m.t.Helper()
	writeFile(m.t, m.path(name), content, 0o644)
}

func (m *machine) remove(name string) {
	m.t.Helper()

	if err := os.Remove(m.path(name)); err != nil {
		m.t.Fatalf("cannot remove %s: %v", name, err)
	}
}

func (m *machine) symlink(to, name string) {
	m.t.Helper()

	if err := os.Remove(m.path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatalf("cannot replace %s: %v", name, err)
	}

	if err := os.Symlink(m.path(to), m.path(name)); err != nil {
		m.t.Fatalf("cannot link %s: %v", name, err)
	}
}

// boot gives the machine a new boot id.
func (m *machine) boot(id string) { m.write("root/proc/sys/kernel/random/boot_id", id+"\n") }

// reboot starts the system of the boot entry.
func (m *machine) reboot(id string) {
	m.t.Helper()
	m.boot(id)

	for _, link := range []string{"root/run/current-system", "root/run/booted-system"} {
		m.symlink("store/"+m.system("root/nix/var/nix/profiles/system"), link)
	}
}

// system returns the name of the system that a link of the machine points at.
func (m *machine) system(link string) string {
	m.t.Helper()

	to, err := os.Readlink(m.path(link))
	if err != nil {
		m.t.Fatalf("cannot read %s: %v", link, err)
	}

	return filepath.Base(to)
}

// An outcome is what a run of the script did to the machine.
type outcome struct {
	Exit    int
	Calls   []string // programs called, in order
	Running string   // system that is active
	Boots   string   // system of the boot entry
}

// run runs the script with parameters of the form KEY=value. The second result is what it printed.
func (m *machine) run(parameters ...string) (outcome, string) {
	m.t.Helper()
	m.write("calls", "")

	nix, err := exec.LookPath("nix")
	if err != nil {
		m.t.Fatal(err)
	}

	cmd := exec.Command("bash", absolute(m.t, filepath.Join(scriptsDir, "nix-gitops-apply")))
	cmd.Env = append([]string{
		"PATH=" + absolute(m.t, "testdata/bin") + ":" + os.Getenv("PATH"),
		"HOME=" + m.path("home"),
		"MACHINE=" + m.dir,
		"REAL_NIX=" + nix,
		"NIX_GITOPS_ROOT=" + m.path("root"),
		"NIX_GITOPS_PAUSE_SECONDS=0",
		"NIX_GITOPS_REPORTER=" + m.path("guest-report"),
	}, append(m.env, parameters...)...)
	// A group of its own, so that a test can kill all of it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	printed, err := cmd.CombinedOutput()

	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("cannot run the script: %v", err)
	}

	return outcome{
		Exit:    cmd.ProcessState.ExitCode(),
		Calls:   m.calls(),
		Running: m.system("root/run/current-system"),
		Boots:   m.system("root/nix/var/nix/profiles/system"),
	}, string(printed)
}

// calls returns the recorded calls without their constant parts.
func (m *machine) calls() []string {
	m.t.Helper()

	short := strings.NewReplacer(
		"nix flake metadata git+https://git.example.org/infra?ref=main", "ask remote",
		"nixos-rebuild", "rebuild",
		" --flake git+https://git.example.org/infra?ref=main&rev=00000000000000000000000000000000000000", " ",
		"#dns01 --no-update-lock-file", "",
		"switch-to-configuration", "switch",
	)
	recorded := strings.TrimSpace(short.Replace(readFile(m.t, m.path("calls"))))

	if recorded == "" {
		return nil
	}

	return strings.Split(recorded, "\n")
}

// applied returns the record of the last success, without the time.
func (m *machine) applied() map[string]string {
	m.t.Helper()

	record := map[string]string{}

	content, err := os.ReadFile(m.path("root/var/lib/nix-gitops/applied"))
	if errors.Is(err, os.ErrNotExist) {
		return record
	}

	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		record[name] = strings.TrimPrefix(value, m.dir+"/")
	}

	delete(record, "applied")

	return record
}

// stateFiles returns the names in the script's state directory.
func (m *machine) stateFiles() ([]string, error) {
	entries, err := os.ReadDir(m.path("root/var/lib/nix-gitops"))

	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}

	return names, err
}

// holdLock holds the lock of a run until the test ends.
func (m *machine) holdLock() {
	m.t.Helper()
	m.write("root/var/lib/nix-gitops/lock", "")

	lock, err := os.Open(m.path("root/var/lib/nix-gitops/lock"))
	if err != nil {
		m.t.Fatal(err)
	}

	m.t.Cleanup(func() { _ = lock.Close() })

	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		m.t.Fatalf("cannot lock: %v", err)
	}
}
