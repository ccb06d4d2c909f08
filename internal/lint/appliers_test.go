package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestAppliers: what an Application of Argo CD and a HelmRelease do to the claims that they apply.
func TestAppliers(t *testing.T) {
	t.Parallel()

	const (
		machine = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve}}\n"
		chart   = "{{- range .Values.machines }}\napiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: {{ .name }}}\n{{- end }}\n"
		other   = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
		forced  = "with Force=true, Argo CD deletes the claim to apply it anew: its VM is destroyed unless deletionPolicy is Orphan. Remove Force=true and Replace=true (docs/argocd.md, What protects machines)"
		doubled = "removes from the claim what Crossplane wrote into it, such as spec.crossplane and spec.resourceRef. Crossplane then forgets what it made, and makes it a second time. "
	)

	application := func(spec string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: machines}\nspec:\n  " + spec + "\n"
	}
	release := func(spec string) string {
		return "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: machines}\nspec: " + spec + "\n"
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		want   []string // Path and message.
	}{
		"Replace": {
			"crossplane/crossplane issue 3049.",
			map[string]string{"apps/m.yaml": application("source: {path: machines}\n  syncPolicy: {syncOptions: [CreateNamespace=true, Replace=true]}"), "machines/files01.yaml": machine},
			[]string{"spec.syncPolicy.syncOptions[1]: with Replace=true, Argo CD " + doubled + "Remove Replace=true (docs/argocd.md, What protects machines)"},
		},
		"Force": {
			"argoproj/argo-cd issue 5882; one of several sources, and a folder below.",
			map[string]string{"apps/m.yaml": application("sources: [{path: other}, {path: machines}]\n  syncPolicy: {syncOptions: [Force=true]}"), "machines/first/files01.yaml": machine, "other/x.yaml": other},
			[]string{"spec.syncPolicy.syncOptions[0]: " + forced},
		},
		"Set": {
			"An Application of each element.",
			map[string]string{"m.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: machines}\nspec: {template: {spec: {source: {path: machines}, syncPolicy: {syncOptions: [Force=true]}}}}\n", "machines/files01.yaml": machine},
			[]string{"spec.template.spec.syncPolicy.syncOptions[0]: " + forced},
		},
		"ServerSide": {
			"As in example/argocd.",
			map[string]string{"m.yaml": application("source: {path: machines}\n  syncPolicy: {syncOptions: [CreateNamespace=true, ServerSideApply=true]}"), "machines/files01.yaml": machine},
			nil,
		},
		"Others": {
			"It applies no claim.",
			map[string]string{"m.yaml": application("source: {path: other}\n  syncPolicy: {syncOptions: [Replace=true]}"), "machines/files01.yaml": machine, "other/x.yaml": other},
			nil,
		},
		"Elsewhere": {
			"Nobody sees another repository.",
			map[string]string{"m.yaml": application("source: {path: elsewhere}\n  syncPolicy: {syncOptions: [Replace=true]}"), "machines/files01.yaml": machine},
			nil,
		},
		"Helm": {
			"crossplane/crossplane issue 4803.",
			map[string]string{"m.yaml": release("{chart: {spec: {chart: ./charts/machines}}, upgrade: {force: true}}"), "charts/machines/templates/m.yaml": chart},
			[]string{"spec.upgrade.force: with force, Helm " + doubled + "Remove it (docs/flux.md, What Flux says, and what is wrong)"},
		},
		"HelmGentle": {
			"It applies.",
			map[string]string{"m.yaml": release("{chart: {spec: {chart: ./charts/machines}}, upgrade: {force: false}}"), "charts/machines/templates/m.yaml": chart},
			nil,
		},
		"HelmOther": {
			"A chart of a registry.",
			map[string]string{"m.yaml": release("{chart: {spec: {chart: crossplane}}, upgrade: {force: true}}"), "machines/m.yaml": machine},
			nil,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var files []manifest.Raw
			for path, content := range tc.files {
				files = append(files, manifest.Raw{File: path, Documents: []manifest.Document{{Line: 1, Text: []byte(content)}}})
			}

			var got []string
			for _, f := range appliers(files) {
				got = append(got, f.Path+": "+f.Message)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
