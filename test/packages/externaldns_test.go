package packages

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// TestExternalDNSAcceptsEndpoints that the function writes, and notices a wrong one. The definition is that of external-dns v0.18.0.
func TestExternalDNSAcceptsEndpoints(t *testing.T) {
	set, err := crds.Load(filepath.Join(root, "test/crds/testdata/external-dns-v0.18.0"))
	if err != nil {
		t.Fatal(err)
	}

	m, err := render.DNSEndpoint(machine.Identity{Name: "web", Namespace: "infra"}, []externaldns.Record{
		{DNSName: "web.home.arpa", RecordType: externaldns.TypeA, Targets: []string{"192.168.4.60"}},
		{DNSName: "web.home.arpa", RecordType: externaldns.TypeAAAA, Targets: []string{"2001:db8::60"}},
	}).Manifest()
	if err != nil {
		t.Fatal(err)
	}

	if errs := set.Check(m.AsMap()); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}

	wrong := m.AsMap()
	if err := unstructured.SetNestedField(wrong, "192.168.4.60", "spec", "endpoints"); err != nil {
		t.Fatal(err)
	}

	if errs := set.Check(wrong); len(errs) == 0 {
		t.Error("text in the place of records is accepted: the check checks nothing")
	}
}
