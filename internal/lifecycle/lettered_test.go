package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestIsLettered: a hash is told from the words that people write in its place.
func TestIsLettered(t *testing.T) {
	for word, want := range map[string]bool{
		Lettered(machine.Identity{UID: "1"}.Hash("a")): true, "b81f9a3c20": true, "yes": false, "always": false, "381f9a3c20": false, "b81f9a3c2": false, "B81F9A3C20": false,
	} {
		if got := IsLettered(word); got != want {
			t.Errorf("IsLettered(%q) is %v, want %v", word, got, want)
		}
	}
}
