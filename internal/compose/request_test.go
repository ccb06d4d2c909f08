package compose

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

func TestReadInput(t *testing.T) {
	const head = `"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input"`

	typed := metav1.TypeMeta{APIVersion: "machine.fn.homelab.io/v1beta1", Kind: "Input"}

	cases := map[string]struct {
		reason string
		input  string // Empty: the step has none.
		want   *v1beta1.Input
		err    string
	}{
		"None": {
			reason: "A step needs no Input.",
			want:   &v1beta1.Input{ProviderAPI: v1beta1.ProviderAPICluster, Catalog: v1beta1.Catalog{Name: "machine-catalog"}},
		},
		"Everything": {
			reason: "What is inline is decoded as a catalogue later.",
			input: `{` + head + `, "metadata": {"name": "x", "creationTimestamp": "2026-01-02T00:00:00Z"}, "providerAPI": "legacy", "explain": true,
				"catalog": {"name": "c", "inline": {"classes": {"a": {"cores": 1}}}}}`,
			want: &v1beta1.Input{
				TypeMeta: typed, ObjectMeta: metav1.ObjectMeta{Name: "x", CreationTimestamp: metav1.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
				ProviderAPI: v1beta1.ProviderAPILegacy, Explain: true,
				Catalog: v1beta1.Catalog{Name: "c", Inline: &runtime.RawExtension{Raw: []byte(`{"classes":{"a":{"cores":1}}}`)}},
			},
		},
		"Faults": {
			reason: "All faults come at once, in the words of the claims' faults.",
			input:  `{` + head + `, "catalogue": {}, "explain": "yes", "catalog": {"nam": "c"}, "providerAPI": "newest"}`,
			err: `the Composition's Input is invalid: [catalog.nam: Forbidden: unknown field; did you mean catalog.name?, ` +
				`explain: Invalid value: "yes": must be true or false, without quotes: write true, ` +
				`catalogue: Forbidden: unknown field; did you mean catalog?, ` +
				`providerAPI: Unsupported value: "newest": supported values: "cluster", "legacy"]`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{}

			if tc.input != "" {
				req.Input = &structpb.Struct{}
				if err := protojson.Unmarshal([]byte(tc.input), req.GetInput()); err != nil {
					t.Fatal(err)
				}
			}

			got, err := readInput(req)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreadInput(): -want, +got:\n%s", tc.reason, diff)
			}

			if message := ""; err != nil || tc.err != "" {
				if err != nil {
					message = err.Error()
				}

				if diff := cmp.Diff(tc.err, message); diff != "" {
					t.Errorf("%s\nreadInput(): error: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

// TestAppliedClaim: what was applied is of the same machine, with the namespace of its claim.
func TestAppliedClaim(t *testing.T) {
	ref := map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "namespace": "infra", "name": "agent01"}
	composite := map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode", "metadata": map[string]any{"name": "agent01-x7k2p", "uid": "uid"},
		"spec": map[string]any{"claimRef": ref, "hostname": "edited", "k3s": map[string]any{"role": "agent"}},
	}

	cases := map[string]struct {
		reason  string
		applied v1alpha1.AppliedSpec
		want    string // The host name of the claim that was applied.
	}{
		"Edited":  {reason: "An edit has not arrived.", applied: v1alpha1.AppliedSpec{"hostname": "before", "k3s": map[string]any{"role": "agent"}}, want: "before"},
		"Settled": {reason: "Nothing was edited since.", applied: v1alpha1.AppliedSpec{"hostname": "edited", "k3s": map[string]any{"role": "agent"}}, want: "edited"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := call{
				composite: composite, previous: v1alpha1.Status{AppliedSpec: tc.applied},
				written: claim.Written(composite), claim: claim.Decode(composite),
			}

			got := c.appliedClaim()
			if got == nil || got.Identity != c.claim.Identity || got.Identity.Namespace != "infra" || got.Fields().Hostname != tc.want {
				t.Errorf("%s\nwant the spec that was applied, of the same machine, got: %+v", tc.reason, got)
			}
		})
	}

	if got := (&call{composite: composite, claim: claim.Decode(composite)}).appliedClaim(); got != nil {
		t.Errorf("nothing was applied yet, got: %+v", got)
	}
}
