package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStartSaysWhatIsMissing: what docs/start.md shows of a fresh Proxmox, without content types for images and snippets, is what init says.
func TestStartSaysWhatIsMissing(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "start.md"))
	if err != nil {
		t.Fatal(err)
	}

	answers, err := os.ReadFile(filepath.Join("testdata", "start.json"))
	if err != nil {
		t.Fatal(err)
	}

	shown := regexp.MustCompile("(?s)```text\n(# missing.*?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("docs/start.md does not show what init says")
	}

	lintFiles(t, map[string]string{"id.pub": publicKey, "inventory.json": strings.ReplaceAll(string(answers), ",import,snippets", "")})

	code, _, said := runAt(t, "", "init", "--from", "inventory.json", "--ssh-key", "id.pub")
	if diff := cmp.Diff(shown[1], said); diff != "" || code != ExitFound {
		t.Errorf("exit code %d; init says something else than docs/start.md: -page, +init:\n%s", code, diff)
	}
}
