package playground

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKept edits a cluster: what a playground answers that has kept nodes of the edits before is what one answers that has kept none.
func TestKept(t *testing.T) {
	claim, catalogue := read(t, "../../example/cluster/home.yaml"), read(t, "../../example/cluster/catalogue.yaml")

	typist, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		reason      string
		field, by   string
		in          *string
		wantRefusal bool
	}{
		{reason: "The first answer keeps nodes, and finds none.", in: &claim},
		{reason: "Nothing was edited.", field: "# address and settings", by: "# settings and address", in: &claim},
		{reason: "The last server has another address.", field: "192.168.4.213", by: "192.168.4.219", in: &claim},
		{reason: "The first server has another address, which those after it find.", field: "192.168.4.211", by: "192.168.4.218", in: &claim},
		{reason: "One pool has another class.", field: "class: agent", by: "class: server", in: &claim},
		{reason: "A pool has another node, and those that exist go where they went.", field: "count: 2", by: "count: 3", in: &claim},
		{reason: "A fault keeps nothing.", field: "count: 3\n    class: server", by: "count: 4\n    class: server", in: &claim, wantRefusal: true},
		{reason: "The fault was taken back.", field: "count: 4", by: "count: 3", in: &claim},
		{reason: "Every node has another release of K3s.", field: "v1.36.5", by: "v1.36.4", in: &claim},
		{reason: "The claim is the same, and the catalogue is not.", field: "gateway: 192.168.4.1", by: "gateway: 192.168.4.2", in: &catalogue},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			before := *tc.in
			if *tc.in = strings.Replace(before, tc.field, tc.by, 1); *tc.in == before && tc.field != "" {
				t.Fatalf("there is no %q", tc.field)
			}

			fresh, err := New()
			if err != nil {
				t.Fatal(err)
			}

			for _, part := range []Part{PartSummary, PartManifests, PartUserData, PartPicture} {
				req := Request{Claim: claim, Catalogue: catalogue, Part: part}
				want, got := fresh.Answer(t.Context(), req), typist.Answer(t.Context(), req)

				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s: -of a new playground, +of one that keeps nodes:\n%s", tc.reason, part, diff)
				}

				if refused := got.Error != ""; refused != tc.wantRefusal {
					t.Errorf("%s, %s: the error is %q", tc.reason, part, got.Error)
				}
			}
		})
	}
}
