package manifest

import "testing"

func TestIsFluxKustomization(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, apiVersion, kind string
		want                     bool
	}{
		"Flux":      {"A layer.", FluxGroup + "/v1", "Kustomization", true},
		"Former":    {"Of a former version.", FluxGroup + "/v1beta2", "Kustomization", true},
		"Kustomize": {"What Kustomize reads.", "kustomize.config.k8s.io/v1beta1", "Kustomization", false},
		"Other":     {"Another kind.", FluxGroup + "/v1", "Kustomizations", false},
		"Nothing":   {"No manifest.", "", "", false},
	} {
		if got := IsFluxKustomization(tc.apiVersion, tc.kind); got != tc.want {
			t.Errorf("%s: %s\nIsFluxKustomization(): want %t, got %t", name, tc.reason, tc.want, got)
		}
	}
}

func TestIsKustomization(t *testing.T) {
	for path, want := range map[string]bool{
		"kustomization.yaml": true, "a/b/kustomization.yml": true, "a/kustomization.yaml/x.yaml": false, "my-kustomization.yaml": false, "": false,
	} {
		if got := IsKustomization(path); got != want {
			t.Errorf("IsKustomization(%s): want %t, got %t", path, want, got)
		}
	}
}

func TestIsBelow(t *testing.T) {
	for _, tc := range []struct {
		reason, path, folder string
		want                 bool
	}{
		{"In it.", "a/b.yaml", "a", true},
		{"Below it.", "a/b/c.yaml", "a", true},
		{"Itself.", "a", "a", true},
		{"In the folder where one stands.", "b.yaml", ".", true},
		{"A name that begins with two dots.", "..b.yaml", ".", true},
		{"Beside it.", "ab/c.yaml", "a", false},
		{"Above it.", "../b.yaml", ".", false},
		{"Nobody can tell.", "/a/b.yaml", ".", false},
	} {
		if got := IsBelow(tc.path, tc.folder); got != tc.want {
			t.Errorf("%s\nIsBelow(%s, %s): want %t, got %t", tc.reason, tc.path, tc.folder, tc.want, got)
		}
	}
}
