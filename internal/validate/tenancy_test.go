package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestQuotaOfNothing(t *testing.T) {
	const (
		nothing = "must not be 0: leave it out for no limit; a tenant that may have no machine has machines: 0"
		at      = "data.tenancy.tenants.b.quota.memory"
	)

	cases := map[string]struct {
		reason string
		memory v1alpha1.Quantity
		want   []string
	}{
		"Zero":     {"Nobody knows whether none or all is meant.", "0", []string{at + `: Invalid value: "0": ` + nothing}},
		"ZeroUnit": {"The same with a unit.", "0Gi", []string{at + `: Invalid value: "0Gi": ` + nothing}},
		"Small":    {"Less than a machine can have is told as that.", "0.5Mi", []string{at + `: Invalid value: "0.5Mi": memory must be a whole number with a unit from Ki to Ti or K to T, such as 4Gi, or without one in MiB, such as 4096: write 512Ki`}},
		"None":     {"No limit.", "", nil},
		"Some":     {"A limit.", "80Gi", nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tenant := catalog.Tenant{Name: "b", From: "data.tenancy.tenants.b", Tenant: catalogue.Tenant{Namespaces: []string{"b"}, Quota: catalogue.TenantQuota{Memory: tc.memory, Machines: new(int64(0))}}}

			var got []string
			for _, err := range Tenant(catalog.Catalog{}, tenant) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nTenant(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
