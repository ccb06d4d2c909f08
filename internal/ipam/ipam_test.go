package ipam

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func lab() Pool { return Pool{APIGroup: Group, Kind: "InClusterIPPool", Name: "lab"} }

func manifest(t *testing.T, text string) *structpb.Struct {
	t.Helper()

	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}

	out, err := structpb.NewStruct(content)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

func TestParsePool(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   Pool
	}{
		"Own":       {reason: "What was written is read.", text: lab().Text(), want: lab()},
		"CoreGroup": {reason: "The core group has no name.", text: "/Pool/a", want: Pool{Kind: "Pool", Name: "a"}},
		"Nothing":   {reason: "A VM without the annotation has its address elsewhere."},
		"TwoParts":  {reason: "Somebody else wrote it.", text: "InClusterIPPool/lab"},
		"FourParts": {reason: "Somebody else wrote it.", text: "a/b/c/d"},
		"NoName":    {reason: "Without a name there is no pool.", text: "ipam.cluster.x-k8s.io/InClusterIPPool/"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ParsePool(tc.text)); diff != "" {
				t.Errorf("%s\nParsePool(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNameOf: the name differs by all of a pool, and stays: machines that live have claims under it.
func TestNameOf(t *testing.T) {
	if got, want := NameOf(lab()), "address-fea2bdd60f"; got != want {
		t.Errorf("want %s, got %s: existing machines would lose their claims", want, got)
	}

	seen := map[string]Pool{}

	for _, p := range []Pool{
		lab(),
		{APIGroup: "example.org", Kind: "InClusterIPPool", Name: "lab"},
		{APIGroup: Group, Kind: "GlobalInClusterIPPool", Name: "lab"},
		{APIGroup: Group, Kind: "InClusterIPPool", Name: "home"},
	} {
		if other, there := seen[NameOf(p)]; there {
			t.Errorf("%v and %v have one name", other, p)
		}

		seen[NameOf(p)] = p
	}
}

func TestIs(t *testing.T) {
	cases := map[string]struct {
		reason string
		name   string
		kind   string
		want   bool
	}{
		"Own":         {reason: "A claim of ours.", name: NameOf(lab()), kind: ClaimKind, want: true},
		"AnotherKind": {reason: "Another step of the pipeline may use the name.", name: NameOf(lab()), kind: "ConfigMap"},
		"AnotherName": {reason: "Another step of the pipeline may have claims.", name: "vip", kind: ClaimKind},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Is(tc.name, manifest(t, "{kind: "+tc.kind+"}")); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestClaim: a claim as it is written, read again and kept.
func TestClaim(t *testing.T) {
	wrote, err := NewClaim(lab(), "infra", proxmox.Metadata{Labels: map[string]string{"homelab.io/machine": "web"}}).Manifest()
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]any{
		"apiVersion": "ipam.cluster.x-k8s.io/v1beta1", "kind": "IPAddressClaim",
		"metadata": map[string]any{"namespace": "infra", "labels": map[string]any{"homelab.io/machine": "web"}},
		"spec":     map[string]any{"poolRef": map[string]any{"apiGroup": "ipam.cluster.x-k8s.io", "kind": "InClusterIPPool", "name": "lab"}},
	}
	if diff := cmp.Diff(want, wrote.AsMap()); diff != "" {
		t.Errorf("Manifest(): -want, +got:\n%s", diff)
	}

	o, err := ReadClaim(manifest(t, `
apiVersion: ipam.cluster.x-k8s.io/v1beta1
kind: IPAddressClaim
metadata: {name: web-x7k2p, namespace: infra, uid: u, finalizers: [ipam.cluster.x-k8s.io/ReleaseAddress], labels: {crossplane.io/in-use: "true"}}
spec: {poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: InClusterIPPool, name: lab}}
status: {addressRef: {name: web-x7k2p}, conditions: [{type: Ready, status: "True"}]}
`))
	if err != nil {
		t.Fatal(err)
	}

	if (ObservedClaim{}).Bound() {
		t.Error("a claim that waits for its address is bound")
	}

	if !o.Bound() || o.Metadata.Name != "web-x7k2p" || o.Metadata.Namespace != "infra" {
		t.Errorf("read %+v", o)
	}

	kept, err := o.Retained(proxmox.Metadata{Labels: map[string]string{"homelab.io/machine": "web"}}).Manifest()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, kept.AsMap()); diff != "" {
		t.Errorf("Retained(...): -want, +got:\n%s", diff)
	}
}

func TestReadAddress(t *testing.T) {
	a, err := ReadAddress(manifest(t, `
kind: IPAddress
metadata: {name: web-x7k2p, namespace: infra}
spec: {address: 192.168.4.60, prefix: 24, gateway: 192.168.4.1, claimRef: {name: web-x7k2p}, poolRef: {kind: InClusterIPPool, name: lab}}
`))
	if err != nil {
		t.Fatal(err)
	}

	if s := a.Spec; s.Address != "192.168.4.60" || s.Prefix != 24 || s.Gateway != "192.168.4.1" || s.ClaimRef.Name != "web-x7k2p" {
		t.Errorf("read %+v", a)
	}

	if _, err := ReadAddress(manifest(t, `{kind: IPAddress, spec: {prefix: many}}`)); err == nil {
		t.Error("a prefix that is no number is read")
	}
}
