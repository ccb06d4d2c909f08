package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInvented: every kind of a flavour with other names is written as its provider calls it, and read as it is called here.
func TestInvented(t *testing.T) {
	f := Invented(t)

	for _, kind := range []string{
		VMKind, ContainerKind, FileKind, DownloadFileKind, HAResourceKind, FirewallOptionsKind, FirewallRulesKind, BridgeKind, VLANKind, PoolKind,
	} {
		r := Resource[SiteParameters]{APIVersion: f.apiVersion(kind), Kind: kind}

		m, err := ManifestOf(r)
		if err != nil {
			t.Fatal(err)
		}

		o, err := observe[SiteParameters, struct{}](m)
		if err != nil {
			t.Fatal(err)
		}

		written := m.GetFields()["kind"].GetStringValue()
		if diff := cmp.Diff([]string{kind, kind, WrittenKind(r.APIVersion, kind)}, []string{o.Kind, KindOf(m), written}); diff != "" || written == kind {
			t.Errorf("%s is written as %s: -want, +got:\n%s", kind, written, diff)
		}

		if got := ResourceOf(r.APIVersion, kind); got != f.definition(kind) || !InNamespaces(r.APIVersion, kind) {
			t.Errorf("kubectl takes %s as %s", kind, got)
		}
	}

	if got := FlavourOf(true, f.Name); got != f {
		t.Errorf("an Input that names it gets %s", got.Name)
	}

	if got := FlavourOf(false, f.Name); got != Cluster {
		t.Errorf("composites without a namespace get %s", got.Name)
	}
}
