package preview

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestRememberedFlavour(t *testing.T) {
	vm := func(group string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"apiVersion": "virtualenvironmentvm." + group + "/v1alpha1", "kind": "EnvironmentVM"}}
	}

	annotated := func(kind, flavour string) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": kind}}
		o.SetAnnotations(map[string]string{catalog.AnnotationFlavour: flavour})

		return o
	}

	cases := map[string]struct {
		reason  string
		stories []Story
		want    string
	}{
		"Nothing":   {"Who begins installs the namespaced Configuration.", nil, FlavourNamespaced},
		"Silent":    {"A catalogue that does not say it is that of a beginner.", []Story{{Required: []unstructured.Unstructured{annotated("EnvironmentConfig", "")}}}, FlavourNamespaced},
		"Catalogue": {"The catalogue remembers it for all claims beside it.", []Story{{}, {Required: []unstructured.Unstructured{annotated("EnvironmentConfig", FlavourClaims)}}}, FlavourClaims},
		"Secret":    {"Only a catalogue remembers it.", []Story{{Required: []unstructured.Unstructured{annotated("Secret", FlavourClaims)}}}, FlavourNamespaced},
		"Observed": {
			"What there is counts more than what a file says of it.",
			[]Story{{Required: []unstructured.Unstructured{annotated("EnvironmentConfig", FlavourClaims)}, Observed: []unstructured.Unstructured{vm("crossplane.io")}}},
			FlavourLegacy,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RememberedFlavour(tc.stories); got != tc.want {
				t.Errorf("\n%s\nRememberedFlavour(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
