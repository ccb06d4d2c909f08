package preview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestSetInput(t *testing.T) {
	cases := map[string]struct {
		reason      string
		composition string
		want        string
		err         string
	}{
		"Input": {
			reason:      "The Input's other settings stay.",
			composition: `{spec: {mode: Pipeline, pipeline: [{step: a, input: {kind: Input, catalog: {name: c}}}]}}`,
			want:        `{spec: {mode: Pipeline, pipeline: [{step: a, input: {kind: Input, catalog: {name: c}, providerAPI: legacy, explain: true}}]}}`,
		},
		"NoInput": {
			reason:      "Without an Input the settings would be lost without a word.",
			composition: `{spec: {pipeline: [{step: a}]}}`,
			err:         "no step has an input",
		},
		"NoPipeline": {
			reason:      "A pipeline that is no list is named.",
			composition: `{spec: {pipeline: a}}`,
			err:         "cannot read the pipeline",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := map[string]any{}, map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.composition), &got); err != nil {
				t.Fatal(err)
			}

			checkError(t, tc.reason, tc.err, setInput(got, map[string]any{"providerAPI": "legacy", "explain": true}))

			if tc.err != "" {
				return
			}

			if err := yaml.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nsetInput(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFunctionManifest(t *testing.T) {
	cases := map[string]struct {
		reason      string
		composition string
		want        string
		err         string
	}{
		"OneStep": {
			reason:      "The function is the one that the Composition names, served at the engine's address.",
			composition: machineComposition,
			want: `
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata:
  name: homelab-io-function-proxmox-machine
  annotations:
    render.crossplane.io/runtime: Development
    render.crossplane.io/runtime-development-target: 127.0.0.1:1
spec:
  package: ghcr.io/homelab-io/function-proxmox-machine:v0.0.0
`,
		},
		"TwoSteps": {
			reason:      "Another function's step cannot be run here, and leaving it out would show something else.",
			composition: "spec:\n  pipeline: [{step: a}, {step: b}]\n",
			err:         "want a pipeline of one step, found 2",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := functionManifest(object(t, tc.composition), "127.0.0.1:1")
			checkError(t, tc.reason, tc.err, err)

			if tc.err != "" {
				return
			}

			if diff := cmp.Diff(object(t, tc.want), got); diff != "" {
				t.Errorf("\n%s\nfunctionManifest(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
