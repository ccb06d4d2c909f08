package preview

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLayouts reads claims as they lie in repositories of several forms.
func TestLayouts(t *testing.T) {
	const (
		kustomization = "resources: [%s]\n"
		catalogue     = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {origin: %s}\n"
		secret        = "apiVersion: v1\nkind: Secret\nmetadata: {name: join}\nstringData: {token: x}\n"
		layer         = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s}\nspec: {path: %s, targetNamespace: %s}\n"
	)

	repo := map[string]string{
		"fleet/layers/machines.yaml":            fmt.Sprintf(layer, "machines", "./machines/one", "infra"),
		"fleet/layers/catalogue.yaml":           fmt.Sprintf(layer, "catalogue", "./site", "\"\""),
		"fleet/layers/secrets.yaml":             fmt.Sprintf(layer, "secrets", "./secrets", "infra"),
		"fleet/layers/elsewhere.yaml":           fmt.Sprintf(layer, "elsewhere", "./not/here", "infra"),
		"fleet/layers/kustomization.yaml":       fmt.Sprintf(kustomization, "machines.yaml, catalogue.yaml, secrets.yaml, elsewhere.yaml"),
		"fleet/machines/one/a.yaml":             claimText("Machine", "a"),
		"fleet/machines/one/kustomization.yaml": fmt.Sprintf(kustomization, "a.yaml"),
		"fleet/site/catalog.yaml":               fmt.Sprintf(catalogue, "site"),
		"fleet/secrets/join.yaml":               secret,
		"fleet/secrets/kustomization.yaml":      fmt.Sprintf(kustomization, "join.yaml"),
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		path   string
		want   []string // Namespace, name, file and line of each claim, and what goes with it.
		err    string
	}{
		"Built": {
			reason: "A folder with a kustomization is what Kustomize makes of it, and a claim is found in its file.",
			files: map[string]string{
				"over/kustomization.yaml": "namespace: lab\nnamePrefix: x-\nresources: [../base]\npatches: [{target: {kind: Machine}, patch: \"- {op: add, path: /spec, value: {class: large}}\"}]\n",
				"base/kustomization.yaml": fmt.Sprintf(kustomization, "a.yaml, site.yaml"),
				"base/a.yaml":             "# A comment.\n" + claimText("Machine", "a"),
				"base/site.yaml":          fmt.Sprintf(catalogue, "base"),
			},
			path: "over",
			want: []string{"lab/x-a in over:0 large [x-machine-catalog]"},
		},
		"Below": {
			reason: "So is one below a plain folder, beside the plain files.",
			files: map[string]string{
				"k/kustomization.yml": fmt.Sprintf(kustomization, "a.yaml"),
				"k/a.yaml":            "---\n" + claimText("Machine", "a"),
				"b.yaml":              claimText("Machine", "b"),
			},
			path: ".",
			want: []string{"/b in b.yaml:1  []", "/a in k/a.yaml:2  []"},
		},
		"Beside": {
			reason: "The catalogue in a claim's file, or in a folder above it, goes with it; that of another folder does not.",
			files: map[string]string{
				"a/a.yaml":   claimText("Machine", "a") + "---\n" + fmt.Sprintf(catalogue, "a"),
				"b/b.yaml":   claimText("Machine", "b"),
				"top.yaml":   fmt.Sprintf(catalogue, "top"),
				"b/not.yaml": secret,
			},
			path: ".",
			want: []string{"/a in a/a.yaml:1  [top a]", "/b in b/b.yaml:1  [top join]"},
		},
		"FluxFile": {
			reason: "A file of a repository for Flux is in the namespace of its layer, with the catalogue and the Secrets of the others.",
			files:  repo,
			path:   "fleet/machines/one/a.yaml",
			want:   []string{"infra/a in fleet/machines/one/a.yaml:1  [site join]"},
		},
		"FluxFolder": {
			reason: "So is a folder.",
			files:  repo,
			path:   "fleet/machines",
			want:   []string{"infra/a in fleet/machines/one/a.yaml:1  [site join]"},
		},
		"FluxLayers": {
			reason: "The Kustomizations of Flux in a folder are followed.",
			files:  repo,
			path:   "fleet/layers",
			want:   []string{"infra/a in fleet/machines/one/a.yaml:1  [site join]"},
		},
		"FluxRepository": {
			reason: "Of a whole repository each claim is there once.",
			files:  repo,
			path:   "fleet",
			want:   []string{"infra/a in fleet/machines/one/a.yaml:1  [join site]"},
		},
		"Remote": {
			reason: "What is on another host is not fetched.",
			files: map[string]string{
				"k/kustomization.yaml": fmt.Sprintf(kustomization, "\"https://example.org/x.yaml\""),
				"b.yaml":               claimText("Machine", "b"),
			},
			path: ".",
			want: []string{"/b in b.yaml:1  []"},
		},
		"Component": {
			reason: "A Component is built into something else only.",
			files: map[string]string{
				"k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n",
				"k/a.yaml":             claimText("Machine", "a"),
				"b.yaml":               claimText("Machine", "b"),
			},
			path: ".",
			want: []string{"/b in b.yaml:1  []"},
		},
		"Others": {
			reason: "Files that are no manifests, and kustomizations without claims, are for others.",
			files: map[string]string{
				"chart/values.yaml":    "- a\n- b\n",
				"chart/template.yaml":  "kind: {{ .Kind }}\n",
				"k/kustomization.yaml": fmt.Sprintf(kustomization, "gone.yaml"),
				"b.yaml":               claimText("Machine", "b"),
			},
			path: ".",
			want: []string{"/b in b.yaml:1  []"},
		},
		"BrokenBelow": {
			reason: "A claim that cannot be read is not passed over.",
			files:  map[string]string{"k/a.yaml": claimText("Machine", "a") + "spec: {\n", "b.yaml": claimText("Machine", "b")},
			path:   ".",
			err:    "cannot parse manifests: k/a.yaml:",
		},
		"Broken": {
			reason: "A kustomization that cannot be built is named.",
			files:  map[string]string{"k/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: gone.yaml}]\n", "k/a.yaml": claimText("Machine", "a")},
			path:   "k",
			err:    "cannot build the kustomization of k",
		},
		"Gone": {
			reason: "So is one that names what is not there.",
			files:  map[string]string{"k/kustomization.yaml": fmt.Sprintf(kustomization, "a.yaml, gone.yaml"), "k/a.yaml": claimText("Machine", "a")},
			path:   "k",
			err:    `k/kustomization.yaml names "gone.yaml", and there is no such file or folder: commit it, or remove the line`,
		},
		"GoneBelow": {
			reason: "Of several, the one that names it.",
			files: map[string]string{
				"over/kustomization.yaml": fmt.Sprintf(kustomization, "../base"), "base/kustomization.yaml": fmt.Sprintf(kustomization, "mashine"), "base/machine/a.yaml": claimText("Machine", "a"),
			},
			path: "over",
			err:  `base/kustomization.yaml names "mashine", and there is no such file or folder: did you mean machine?`,
		},
		"GoneByItsEnd": {
			reason: "Another end of the name is the likeliest mistake.",
			files:  map[string]string{"k/kustomization.yaml": fmt.Sprintf(kustomization, "a.yaml"), "k/a.yml": claimText("Machine", "a")},
			path:   "k",
			err:    `k/kustomization.yaml names "a.yaml", and there is no such file or folder: did you mean a.yml?`,
		},
		"Circle": {
			reason: "Kustomize itself says that two name each other.",
			files:  map[string]string{"k/kustomization.yaml": fmt.Sprintf(kustomization, "../l"), "l/kustomization.yaml": fmt.Sprintf(kustomization, "../k")},
			path:   "k",
			err:    "cannot build the kustomization of k",
		},
	}

	pkg := claimsPackage(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(writeTree(t, tc.files))

			claims, err := pkg.ReadClaims([]string{tc.path}, strings.NewReader(""))
			checkError(t, tc.reason, tc.err, err)

			var got []string

			for _, c := range claims {
				with := []string{}

				for _, o := range c.Layout {
					name := o.GetName()
					if data, ok := o.Object["data"].(map[string]any); ok && name == "machine-catalog" {
						name = fmt.Sprint(data["origin"])
					}

					with = append(with, name)
				}

				class := ""
				if spec, ok := c.Object.Object["spec"].(map[string]any); ok {
					class = fmt.Sprint(spec["class"])
				}

				got = append(got, fmt.Sprintf("%s/%s in %s:%d %s %v", c.Object.GetNamespace(), c.Object.GetName(), c.File, c.Line, class, with))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNumbersOfAKustomization: Kustomize has numbers of other types than an object that kubectl reads, and a claim with one can be copied and rendered.
func TestNumbersOfAKustomization(t *testing.T) {
	folder := writeTree(t, map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\n",
		"a.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: lab}\n" +
			"spec: {size: {cores: 3}, proxmox: {node: pve, vmId: 4711}, bootstrap: {userData: {swap: {size: 1.5}}}}\n",
	})

	claims, err := claimsPackage(t).ReadClaims([]string{folder}, strings.NewReader(""))
	if err != nil || len(claims) != 1 {
		t.Fatalf("want one claim, got %v, %v", claims, err)
	}

	spec := claims[0].Object.DeepCopy().Object["spec"]
	want := map[string]any{
		"size": map[string]any{"cores": int64(3)}, "proxmox": map[string]any{"node": "pve", "vmId": int64(4711)},
		"bootstrap": map[string]any{"userData": map[string]any{"swap": map[string]any{"size": 1.5}}},
	}

	if diff := cmp.Diff(want, spec); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestFluxExample: example/flux works as it lies, whichever part of it is named.
func TestFluxExample(t *testing.T) {
	// One cluster of the repository has a K3sCluster in place of the machines.
	machines := []string{"agent-1", "server-1", "server-2", "server-3"}
	all := append([]string{"lab"}, machines...)

	for path, want := range map[string][]string{
		"": all, "clusters/claims": machines, "clusters/namespaced/layers": machines, "clusters/k3s-cluster": {"lab"}, "machines": all, "layers": machines,
		"machines/second-server": {"server-2"}, "machines/agents/agent-1.yaml": {"agent-1"},
	} {
		t.Run(path, func(t *testing.T) {
			texts := rendering{standIns: true}.texts(t, InProcess{}, filepath.Join(repository, "example", "flux", filepath.FromSlash(path)))

			for _, name := range want {
				found := false

				for claim, text := range texts {
					machine := strings.Contains(text, "crossplane.io/claim-namespace: infra-machines\n") && strings.Contains(text, "kind: EnvironmentVM\n")
					found = found || strings.Contains(claim, " "+name+" in ") && (machine || strings.Contains(text, "name: lab-") && strings.Contains(text, "kind: XK3sNode\n"))
				}

				if !found {
					t.Errorf("%s is not rendered", name)
				}
			}

			if len(texts) != len(want) {
				t.Errorf("want %d claims, got %d", len(want), len(texts))
			}
		})
	}
}
