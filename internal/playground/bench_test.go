package playground

import (
	"os"
	"testing"
)

func BenchmarkAnswer(b *testing.B) {
	p, err := New()
	if err != nil {
		b.Fatal(err)
	}

	for name, files := range map[string][2]string{
		"K3sNode":    {"../../example/k3s-cluster/server-2.yaml", "../../example/k3s-cluster/catalogue.yaml"},
		"K3sCluster": {"../../example/cluster/home.yaml", "../../example/cluster/catalogue.yaml"},
	} {
		claim, err := os.ReadFile(files[0])
		if err != nil {
			b.Fatal(err)
		}

		catalogue, err := os.ReadFile(files[1])
		if err != nil {
			b.Fatal(err)
		}

		for _, part := range []Part{PartFaults, PartSummary} {
			b.Run(name+"/"+string(part), func(b *testing.B) {
				for b.Loop() {
					claim = append(claim, '\n') // As somebody types.
					if a := p.Answer(b.Context(), Request{Claim: string(claim), Catalogue: string(catalogue), Part: part}); a.Error != "" {
						b.Fatal(a.Error)
					}
				}
			})
		}
	}
}
