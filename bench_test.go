package main

import (
	"context"
	"testing"
)

// BenchmarkRunFunction is the function alone, without gRPC, on a settled K3sNode; for profiles. test/bench has the whole.
func BenchmarkRunFunction(b *testing.B) {
	f := newFunction()

	for _, e := range examples(b) {
		if e.name != "k3s-cluster/server-2" {
			continue
		}

		w := e.world(installations[0])
		w.settle(b)
		req := w.request(b)

		b.ReportAllocs()

		for b.Loop() {
			if _, err := f.RunFunction(context.Background(), req); err != nil {
				b.Fatal(err)
			}
		}
	}
}
