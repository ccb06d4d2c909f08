package definition

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

// TestIsServed: a definition of a kind, and what is none.
func TestIsServed(t *testing.T) {
	const (
		name        = "metadata: {name: objects.kubernetes.m.crossplane.io}\n"
		versions    = "spec: {versions: [{name: v1alpha0, served: true}, {name: v1alpha1, served: true}]}\n"
		established = "status: {conditions: [{type: NamesAccepted, status: 'True'}, {type: Established, status: 'True'}]}\n"
	)

	cases := map[string]struct {
		reason     string
		definition string
		want       bool
	}{
		"None":           {reason: "Provider-kubernetes is not installed."},
		"Established":    {reason: "The API server takes Objects.", definition: name + versions + established, want: true},
		"NotEstablished": {reason: "The API server does not serve the kind yet.", definition: name + versions},
		"NoLonger": {
			reason:     "The definition is being removed.",
			definition: name + versions + "status: {conditions: [{type: Established, status: 'False'}]}",
		},
		"OtherVersion": {
			reason:     "The provider is too old, or too new.",
			definition: name + "spec: {versions: [{name: v1alpha2, served: true}, {name: v1alpha1, served: false}]}\n" + established,
		},
		"OtherName": {
			reason:     "Crossplane answers with another definition.",
			definition: "metadata: {name: objects.kubernetes.crossplane.io}\n" + versions + established,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var crd *structpb.Struct

			if tc.definition != "" {
				content := map[string]any{}
				if err := yaml.Unmarshal([]byte(tc.definition), &content); err != nil {
					t.Fatal(err)
				}

				var err error
				if crd, err = structpb.NewStruct(content); err != nil {
					t.Fatal(err)
				}
			}

			if got := IsServed(crd, "objects.kubernetes.m.crossplane.io", "v1alpha1"); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
