package bootstrap

import (
	"os"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// TestDocsNameEveryOwnedKey keeps docs/bootstrap.md true: a key that is refused is in its table.
func TestDocsNameEveryOwnedKey(t *testing.T) {
	b, err := os.ReadFile("../../docs/bootstrap.md")
	if err != nil {
		t.Fatal(err)
	}

	owned := cloudinit.MachineRules().Owned
	if len(owned) == 0 {
		t.Fatal("no key is owned")
	}

	for key := range owned {
		name := "`" + key + "`"
		if strings.HasPrefix(key, "cloud_") {
			name = "`cloud_*_modules`"
		}

		if !strings.Contains(string(b), name) {
			t.Errorf("docs/bootstrap.md does not name %s", key)
		}
	}
}
