package bench

import (
	"flag"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

var settledCalls = flag.Int("settled", 0, "answer the settled request so often, and do nothing else: see TestComputed of package structure")

// TestSettledCalls is what TestComputed counts: calls for a machine of which nothing changes.
func TestSettledCalls(t *testing.T) {
	if *settledCalls == 0 {
		t.Skip("counted by go test ./test/structure")
	}

	for range *settledCalls {
		compose.Answer(request(t))
	}
}
