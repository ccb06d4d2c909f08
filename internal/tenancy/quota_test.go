package tenancy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestExceeds(t *testing.T) {
	quota := catalogue.TenantQuota{Machines: new(int64(3)), Cores: 8, Memory: "16Gi", Disk: "100Gi"}
	small := Amount{1, 2, 4096, 30}

	cases := map[string]struct {
		reason           string
		quota            catalogue.TenantQuota
		used, has, wants Amount
		want             []string
	}{
		"Room":    {reason: "There is room for one more.", quota: quota, used: small.Plus(small), wants: small},
		"Full":    {reason: "There is none.", quota: quota, used: Amount{3, 8, 16384, 100}, wants: small, want: []string{"kind", "spec.size.cores", "spec.size.memory", "spec.size.disk"}},
		"OneFull": {reason: "One thing is enough.", quota: quota, used: Amount{1, 2, 13000, 30}, wants: small, want: []string{"spec.size.memory"}},
		"Grows":   {reason: "A machine that grows takes what is left, and no more.", quota: quota, used: Amount{1, 2, 4096, 70}, has: small, wants: Amount{1, 6, 4096, 31}, want: []string{"spec.size.disk"}},
		"Shrinks": {reason: "A quota that came later takes nothing away.", quota: quota, used: Amount{9, 90, 99999, 999}, has: small, wants: Amount{1, 1, 4096, 30}},
		"None":    {reason: "What has no number has no limit.", quota: catalogue.TenantQuota{Cores: 8}, used: Amount{9, 2, 99999, 999}, wants: small},
		"Zero":    {reason: "No machine at all.", quota: catalogue.TenantQuota{Machines: new(int64(0))}, wants: small, want: []string{"kind"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := catalog.Catalog{Tenancy: &catalog.Tenancy{
				From: "data.tenancy", Tenancy: catalogue.Tenancy{Tenants: map[string]catalogue.Tenant{"b": {Namespaces: []string{"team-b"}, Quota: tc.quota}}},
			}}

			var got []string
			tenant, ok := c.Tenancy.TenantOf("team-b")
			if !ok || !HasQuota(tenant) {
				t.Fatal("nobody counts the machines of team-b")
			}

			for _, err := range Exceeds(tenant, tc.used, tc.has, tc.wants) {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nExceeds(...): -want, +got:\n%s", tc.reason, diff)
			}

			if nobody, is := c.Tenancy.TenantOf("infra"); is || HasQuota(nobody) || len(Exceeds(nobody, tc.used, tc.has, tc.wants)) > 0 {
				t.Error("a namespace of nobody has a quota")
			}
		})
	}
}

func TestTenantOf(t *testing.T) {
	tenancy := &catalog.Tenancy{From: "data.tenancy", Tenancy: catalogue.Tenancy{Tenants: map[string]catalogue.Tenant{
		"all": {Namespaces: []string{"*"}}, "b": {Namespaces: []string{"team-b", "team-b-*"}}, "prod": {Namespaces: []string{"team-b-prod"}}, "teams": {Namespaces: []string{"team-*"}},
	}}}

	for namespace, want := range map[string]string{
		"team-b": "b", "team-b-dev": "b", "team-b-prod": "prod", "team-c": "teams", "infra": "all", "": "",
	} {
		if got, _ := tenancy.TenantOf(namespace); got.Name != want {
			t.Errorf("TenantOf(%q): want %q, got %q", namespace, want, got.Name)
		}
	}

	if _, ok := (*catalog.Tenancy)(nil).TenantOf("infra"); ok {
		t.Error("without a tenancy, somebody is a tenant")
	}
}

// TestExceedsInWords: what makes room depends on who takes it.
func TestExceedsInWords(t *testing.T) {
	cases := map[string]struct {
		reason      string
		quota       catalogue.TenantQuota
		used, wants Amount
		want        string
	}{
		"Others": {
			"Others have what this one needs.",
			catalogue.TenantQuota{Memory: "6Gi"},
			Amount{1, 2, 4096, 30},
			Amount{1, 2, 4096, 30},
			"tenant b has no room for this: its other machines have 4096Mi, this one has 4096Mi, and all may have 6144Mi (data.tenancy.tenants.b.quota.memory). Delete or shrink one of them, or ask for more",
		},
		"Alone": {
			"Nothing that becomes of the others helps.",
			catalogue.TenantQuota{Memory: "2Gi"},
			Amount{1, 2, 4096, 30},
			Amount{1, 2, 4096, 30},
			"tenant b has no room for this: this one alone has 4096Mi, and all may have 2048Mi (data.tenancy.tenants.b.quota.memory). Make it smaller, or ask for more",
		},
		"None": {
			"A machine cannot be smaller than one.",
			catalogue.TenantQuota{Machines: new(int64(0))},
			Amount{},
			Amount{1, 2, 4096, 30},
			"tenant b has no room for this: this one has 1 machine, and all may have 0 machines (data.tenancy.tenants.b.quota.machines). Delete its claim, or ask for more",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tenant := catalog.Tenant{Name: "b", From: "data.tenancy.tenants.b", Tenant: catalogue.Tenant{Quota: tc.quota}}

			errs := Exceeds(tenant, tc.used, Amount{}, tc.wants)
			if len(errs) != 1 {
				t.Fatalf("%s: want one fault, got %v", tc.reason, errs)
			}

			if diff := cmp.Diff(tc.want, errs[0].Detail); diff != "" {
				t.Errorf("%s\nExceeds(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
