package boot

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/boot/debian"
	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
	"github.com/homelab-io/function-proxmox-machine/test/boot/sandbox"
)

var (
	update = flag.Bool("update", false, "rewrite golden files")

	// Other claims than ours can be put through the same checks.
	claims = flag.String("claims", "", "folder with claims, and the catalogue.yaml, secrets.yaml and snippets beside them, in place of the examples")
)

// repository as seen from a package's folder.
const repository = "../.."

var (
	machines = []documents.Machine{}
	root     string
)

// TestMain renders all claims and sees to the Debian root once: both take longer than any test.
func TestMain(m *testing.M) {
	flag.Parse()

	err := prepare()
	if missing := (*missingError)(nil); errors.As(err, &missing) && os.Getenv("CI") != "true" {
		println("skipped: " + err.Error())
		os.Exit(0)
	}

	if err != nil {
		println(err.Error())
		os.Exit(1)
	}

	os.Exit(m.Run())
}

// missingError says what this machine lacks.
type missingError struct{ what string }

func (e *missingError) Error() string {
	return "to run cloud-init's stages, this machine lacks " + e.what
}

func prepare() error {
	if os.Geteuid() != 0 {
		return &missingError{"root: file systems are mounted, in namespaces of their own"}
	}

	for _, program := range []string{"unshare", "debootstrap", "chroot", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return &missingError{program}
		}
	}

	work, err := os.MkdirTemp("", "boot-claims-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	folders := []string{filepath.Join(repository, "example"), filepath.Join("testdata", "claims")}
	if *claims != "" {
		folders = []string{*claims}
	}

	for _, folder := range folders {
		rendered, err := documents.Render(repository, folder, filepath.Join(work, filepath.Base(folder)))
		if err != nil {
			return err
		}

		machines = append(machines, rendered...)
	}

	cache, err := debian.Cache()
	if err != nil {
		return err
	}

	root, err = debian.Root(cache, debian.Packages)

	return err
}

// boot a drive in a sandbox on a new disk.
func boot(t *testing.T, drive documents.Drive, macs ...string) *sandbox.Guest {
	t.Helper()

	return bootDisk(t, newDisk(t), drive, macs...)
}

func newDisk(t *testing.T) *sandbox.Disk {
	t.Helper()

	lower, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}

	return sandbox.NewDisk(lower, t.TempDir())
}

func bootDisk(t *testing.T, disk *sandbox.Disk, drive documents.Drive, macs ...string) *sandbox.Guest {
	t.Helper()

	guest, err := disk.Boot(t.Context(), drive, macs...)
	if err != nil {
		t.Fatal(err)
	}

	return guest
}

// macs of all network devices of a machine.
func macs(m documents.Machine) []string {
	out := []string{}
	for i := range documents.List(m.VM, "networkDevice") {
		out = append(out, documents.MAC(m.VM, i))
	}

	return out
}

func find(t *testing.T, name string) documents.Machine {
	t.Helper()

	for _, m := range machines {
		if m.Name == name {
			return m
		}
	}

	t.Skipf("no claim %s among those that are tested", name)

	return documents.Machine{}
}

func golden(t *testing.T, file, got string) {
	t.Helper()

	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run go test -update in test/boot)", err)
	}

	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", file, diff)
	}
}
