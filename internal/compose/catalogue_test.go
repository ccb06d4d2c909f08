package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

func catalogueData(t *testing.T, cores float64) *structpb.Value {
	t.Helper()

	v, err := structpb.NewValue(map[string]any{
		"classes":  map[string]any{"own": map[string]any{"cores": cores, "memory": "2Gi", "disk": "10Gi"}},
		"clusters": map[string]any{"home": map[string]any{"config": map[string]any{"kubelet-arg": []any{"a=1"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}

	return v
}

// TestCatalogueIsThatOfTheCall: what is remembered of the call before never answers for another catalogue.
func TestCatalogueIsThatOfTheCall(t *testing.T) {
	inline := []byte(`{"defaults": {"class": "own"}}`)
	base := catalogueSource{name: "a", found: true, data: catalogueData(t, 1)}
	broken := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"classes": structpb.NewStringValue("none")}})

	var k catalogueCache

	for _, step := range []struct {
		reason string
		source catalogueSource
	}{
		{"The first.", base},
		{"The same once more.", base},
		{"The same, as another call has it.", catalogueSource{name: "a", found: true, data: catalogueData(t, 1)}},
		{"One figure in it is another.", catalogueSource{name: "a", found: true, data: catalogueData(t, 2)}},
		{"Its name is in every fault and origin.", catalogueSource{name: "b", found: true, data: catalogueData(t, 2)}},
		{"The Input says something, too.", catalogueSource{name: "b", found: true, data: catalogueData(t, 2), inline: inline}},
		{"The Input says it alone.", catalogueSource{name: "b", inline: inline}},
		{"Nobody says anything.", catalogueSource{name: "b", found: true}},
		{"It is not there.", catalogueSource{name: "b"}},
		{"A fault is reported.", catalogueSource{name: "b", found: true, data: broken}},
		{"A fault is reported at every call.", catalogueSource{name: "b", found: true, data: broken}},
		{"The first again.", base},
	} {
		if diff := cmp.Diff(step.source.decode(), k.of(step.source)); diff != "" {
			t.Errorf("%s\n-decoded, +remembered:\n%s", step.reason, diff)
		}
	}
}

// TestNobodyChangesTheCatalogue: all calls share it.
func TestNobodyChangesTheCatalogue(t *testing.T) {
	for _, example := range fake.Examples(t) {
		for _, installation := range world.Installations {
			m := fake.NewCluster(t, Answer).Add(example.Machine(installation))
			m.Settle()

			// As it was when it was decoded, before all the calls since.
			for _, l := range latestCatalogues.known() {
				source := l.source
				source.data = proto.CloneOf(source.data)

				if diff := cmp.Diff(source.decode(), l.catalog); diff != "" {
					t.Errorf("%s %s: a call changed the catalogue: -decoded, +remembered:\n%s", example.Name, installation.Name, diff)
				}
			}
		}
	}
}
