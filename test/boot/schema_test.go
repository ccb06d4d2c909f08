package boot

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

// TestSchema has cloud-init itself judge every document of every claim, without a boot: its schema command, in the Debian root. The boots of TestFirstBoot ask it, too.
func TestSchema(t *testing.T) {
	lines := judged(t, map[string]string{"control": "#cloud-config\nwrite_files: a word\n"})
	if len(lines) != 1 || strings.HasPrefix(lines["control"], valid) {
		t.Fatalf("cloud-init is content with a list that is a word, so it judges nothing: %q", lines)
	}

	texts := map[string]string{}

	for _, m := range machines {
		drive, err := m.Drive()
		if errors.Is(err, documents.ErrNoDrive) {
			continue
		}

		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}

		for part, text := range map[string]string{"user-data": drive.UserData, "vendor-data": drive.VendorData} {
			if text != "" {
				texts[strings.ReplaceAll(m.Name, "/", "-")+"."+part] = text
			}
		}
	}

	if len(texts) == 0 {
		t.Fatal("no claim has a cloud-init document")
	}

	for name, says := range judged(t, texts) {
		if !strings.HasPrefix(says, valid) {
			t.Errorf("%s: %s", name, says)
		}
	}
}

// valid is how cloud-init begins what it says of a document that it likes.
const valid = "Valid cloud-config"

// judged is what cloud-init's schema command says of each document.
func judged(t *testing.T, texts map[string]string) map[string]string {
	t.Helper()

	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	lower, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}

	// The root stays untouched: what is written lies in an overlay that ends with the namespace.
	const script = `set -eu
mount --make-rprivate /
mount -t tmpfs none "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay none -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount -t proc none "$2/root/proc"
mkdir "$2/root/judged"
mount --bind "$3" "$2/root/judged"
mount --bind /dev/null "$2/root/dev/null"
chroot "$2/root" sh -c 'for f in /judged/*; do cloud-init schema --config-file "$f" >"$f.says" 2>&1 || true; done'
`

	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--uts", "--ipc", "--pid", "--net", "--fork", "--kill-child",
		"sh", "-c", script, "sh", lower, t.TempDir(), dir)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot run cloud-init: %v\n%s", err, out)
	}

	said := map[string]string{}

	for name := range texts {
		says, err := os.ReadFile(filepath.Join(dir, name+".says"))
		if err != nil {
			t.Fatal(err)
		}

		said[name] = strings.TrimSpace(string(says))
	}

	return said
}
