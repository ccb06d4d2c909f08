package boot

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

// want is what a claim says of its machine. It is taken from the claim and its catalogue, not from what was rendered.
type want struct {
	name, domain string
	admin        string
	keys         []string
	files        []writtenFile
	secrets      []string
	userData     map[string]any
	nixos        bool // /etc/hosts and sshd are the template's business.
	native       bool // Proxmox makes the user-data.
	preplaced    bool // The user-data is a file of the node.
	offline      bool // The last command of runcmd needs the network, which a sandbox has not: cloud-init must say so.
}

// writtenFile is an entry of write_files.
type writtenFile struct {
	Path        string `json:"path"`
	Content     string `json:"content"`
	Permissions string `json:"permissions"`
	Owner       string `json:"owner"`
	Append      bool   `json:"append"`
	Encoding    string `json:"encoding"`
}

func wantOf(t *testing.T, m documents.Machine, drive documents.Drive) want {
	t.Helper()

	catalogue := catalogueOf(t, m)
	defaults := documents.At(catalogue, "data", "defaults")
	site := cmp.Or(documents.Text(m.Claim, "spec", "proxmox", "site"), documents.Text(defaults, "site"))

	w := want{
		name:    cmp.Or(documents.Text(m.Claim, "spec", "hostname"), documents.Text(m.Claim, "metadata", "name")),
		domain:  cmp.Or(documents.Text(m.Claim, "spec", "network", "domain"), documents.Text(catalogue, "data", "sites", site, "network", "domain")),
		admin:   cmp.Or(documents.Text(m.Claim, "spec", "bootstrap", "adminUser"), documents.Text(defaults, "adminUser")),
		secrets: drive.Secrets,
		native:  documents.Text(m.VM, "initialization", "0", "userDataFileId") == "",
	}

	w.nixos = documents.At(m.Claim, "spec", "nix") != nil
	w.preplaced = documents.Text(m.Claim, "spec", "bootstrap", "snippets", "userData") != ""

	// A claim's keys take the place of the catalogue's.
	if w.keys = documents.Texts(m.Claim, "spec", "bootstrap", "sshAuthorizedKeys"); len(w.keys) == 0 {
		w.keys = documents.Texts(defaults, "sshAuthorizedKeys")
	}

	if w.preplaced {
		w.keys = []string{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam you@home"}
		w.domain = "home.arpa" // As the snippet says.
		w.offline = true
	}

	slices.Sort(w.keys)
	w.keys = slices.Compact(w.keys)

	w.readUserData(t, drive.UserData)

	return w
}

func (w *want) readUserData(t *testing.T, text string) {
	t.Helper()

	files := struct {
		WriteFiles []writtenFile `json:"write_files"`
	}{}

	for _, into := range []any{&w.userData, &files} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("user-data is no YAML: %v", err)
		}
	}

	w.files = files.WriteFiles
}

func catalogueOf(t *testing.T, m documents.Machine) map[string]any {
	t.Helper()

	// The preview finds one in the folder above, too.
	b, err := os.ReadFile(filepath.Join(m.Folder, "catalogue.yaml"))
	if os.IsNotExist(err) {
		b, err = os.ReadFile(filepath.Join(filepath.Dir(m.Folder), "catalogue.yaml"))
	}

	if os.IsNotExist(err) {
		return nil
	}

	out := map[string]any{}

	for doc := range strings.SplitSeq(string(b), "\n---") {
		o := map[string]any{}
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}

		if documents.Text(o, "kind") == "EnvironmentConfig" {
			out = o
		}
	}

	return out
}
