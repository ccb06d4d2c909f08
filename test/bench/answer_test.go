package bench

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// BenchmarkAnswer is the function alone, without gRPC; for profiles.
func BenchmarkAnswer(b *testing.B) {
	req := request(b)

	b.ReportAllocs()

	for b.Loop() {
		compose.Answer(req)
	}
}
