package bench

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// BenchmarkAnswer is the function alone, without gRPC, on a settled K3sNode; for profiles.
func BenchmarkAnswer(b *testing.B) {
	m := fake.NewCluster(b, compose.Answer).Add(fake.ExampleNamed(b, "k3s-cluster/server-2").Machine(fake.Installations[0]))
	m.Settle()
	req := m.Request()

	b.ReportAllocs()

	for b.Loop() {
		compose.Answer(req)
	}
}
