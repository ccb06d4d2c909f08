package playground

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// BenchmarkAnswer answers as somebody types: each request differs from the last one in a comment, or in a field of the claim.
func BenchmarkAnswer(b *testing.B) {
	p, err := New()
	if err != nil {
		b.Fatal(err)
	}

	const (
		node    = "../../example/k3s-cluster/"
		cluster = "../../example/cluster/"
	)

	for name, edit := range map[string]struct {
		folder, file, field string
		part                Part
	}{
		"K3sNode/Faults":       {node, "server-2.yaml", "", PartFaults},
		"K3sNode/Comment":      {node, "server-2.yaml", "", PartSummary},
		"K3sNode/Address":      {node, "server-2.yaml", "ip: 192.168.4.212", PartSummary},
		"K3sCluster/Faults":    {cluster, "home.yaml", "", PartFaults},
		"K3sCluster/Comment":   {cluster, "home.yaml", "", PartSummary},
		"K3sCluster/LastNode":  {cluster, "home.yaml", "ip: 192.168.4.213", PartSummary},
		"K3sCluster/FirstNode": {cluster, "home.yaml", "ip: 192.168.4.211", PartSummary},
		"K3sCluster/EveryNode": {cluster, "home.yaml", "version: v1.36.5+k3s1", PartSummary},
	} {
		b.Run(name, func(b *testing.B) {
			claim, catalogue := read(b, edit.folder+edit.file), read(b, edit.folder+"catalogue.yaml")
			typed := 0

			for b.Loop() {
				typed++
				text := claim + fmt.Sprintf("\n# %d\n", typed)

				if edit.field != "" {
					text = strings.Replace(text, edit.field, edit.field[:len(edit.field)-1]+fmt.Sprint(4+typed%6), 1)
				}

				if a := p.Answer(b.Context(), Request{Claim: text, Catalogue: catalogue, Part: edit.part}); a.Error != "" {
					b.Fatal(a.Error)
				}
			}
		})
	}
}

func read(tb testing.TB, file string) string {
	tb.Helper()

	text, err := os.ReadFile(file) //nolint:gosec // An example.
	if err != nil {
		tb.Fatal(err)
	}

	return string(text)
}
