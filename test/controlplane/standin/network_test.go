package standin

import (
	"maps"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// askedBridge is a bridge as it is asked for, with some other fields; nil takes one out.
func askedBridge(other values) values {
	out := values{"nodeName": "pve", "name": "vmbr1", "ports": []any{"eno2", "eno1"}, "mtu": int64(9000), "autostart": true, "vlanAware": false, "comment": "ours"}
	maps.Copy(out, other)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })

	return out
}

func TestChangeNetwork(t *testing.T) {
	cases := map[string]struct {
		reason  string
		hand    func(i *NetworkInterface)
		fields  values
		current bool
		journal string
	}{
		"Same":    {reason: "A bridge as asked for is left alone.", fields: askedBridge(nil), current: true},
		"Order":   {reason: "The order of ports is of no account.", fields: askedBridge(values{"ports": []any{"eno1", "eno2"}}), current: true},
		"Comment": {reason: "A comment is written.", fields: askedBridge(values{"comment": "other"}), journal: "change bridge pve/vmbr1: comment"},
		"Gone":    {reason: "What is not asked for any more is taken away.", fields: askedBridge(values{"mtu": nil}), journal: "change bridge pve/vmbr1: mtu"},
		"Drift": {
			reason: "What somebody changed is undone with it.", fields: askedBridge(values{"comment": "other"}), journal: "change bridge pve/vmbr1: comment, mtu",
			hand: func(i *NetworkInterface) { i.Config["mtu"] = int64(1500) },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWorld("pve")
			made := request{world: w, fields: askedBridge(nil)}
			made.id, _ = bridges.begin(made)
			before := len(w.Journal())

			if tc.hand != nil {
				tc.hand(w.interfaces["pve:vmbr1"])
			}

			r := request{world: w, id: "pve:vmbr1", fields: tc.fields}
			if got := bridges.current(r); got != tc.current {
				t.Errorf("%s\ncurrent(): got %t", tc.reason, got)
			}

			if err := bridges.change(r); err != nil {
				t.Fatal(err)
			}

			if got := strings.Join(w.Journal()[before:], ", "); got != tc.journal {
				t.Errorf("%s\njournal: got %q, want %q", tc.reason, got, tc.journal)
			}

			if !bridges.current(r) {
				t.Errorf("%s\nis not as asked for after the change", tc.reason)
			}
		})
	}

	w := NewWorld("pve")
	w.AddInterface(NetworkInterface{Node: "pve", Name: "vmbr1", Config: values{}})
	w.EditPools(func(pools map[string]string) { pools["infra"] = "" })

	if _, err := bridges.begin(request{world: w, fields: askedBridge(nil)}); err == nil || !strings.Contains(err.Error(), "iface: interface already exists") {
		t.Errorf("an interface that is there: got %v", err)
	}

	if _, err := (pools{}).begin(request{world: w, fields: values{"poolId": "infra"}}); err == nil || !strings.Contains(err.Error(), "pool 'infra' already exists") {
		t.Errorf("a pool that is there: got %v", err)
	}
}

// TestLookAtNetwork has the provider look at what it may not write.
func TestLookAtNetwork(t *testing.T) {
	w := NewWorld("pve")
	w.AddInterface(NetworkInterface{Node: "pve", Name: "eno1"})
	w.EditPools(func(pools map[string]string) { pools["infra/dns"] = "by hand" })

	b := newBench(t, w)

	for name, tc := range map[string]struct {
		reason, external string
		fields           values
		want             []string
	}{
		"free": {
			"An interface that is not there: the plugin says so in its own words.", "pve:vmbr1",
			values{"nodeName": "pve", "name": "vmbr1", "ports": []any{}},
			[]string{"Synced=False ReconcileError: observe failed: cannot run import: ", "Synced=False ReconcileError: Error: Linux Bridge interface not found: import failed"},
		},
		"nic":      {"A NIC is found as well as a bridge.", "pve:eno1", values{"nodeName": "pve", "name": "eno1", "ports": []any{}}, []string{ready, synced}},
		"no-pool":  {"A pool that is not there does not exist.", "infra", values{"poolId": "infra"}, []string{"Synced=False ReconcileError: observe failed: external resource does not exist"}},
		"the-pool": {"A pool's name may have a slash.", "infra/dns", values{"poolId": "infra/dns"}, []string{ready, synced}},
	} {
		mr := b.create(name, tc.external, tc.fields, observed)
		b.settle(mr)
		b.shows(mr, tc.reason, tc.want...)

		if got := meta.GetExternalName(mr); got != tc.external {
			t.Errorf("%s\nthe external name has become %q", tc.reason, got)
		}
	}

	b.told("Nothing is written.")
}

// TestNetworkLife has a bridge created, changed as its policies allow, and deleted.
func TestNetworkLife(t *testing.T) {
	policies := func(more ...xpv2.ManagementAction) []xpv2.ManagementAction {
		return append([]xpv2.ManagementAction{observed, xpv2.ManagementActionCreate}, more...)
	}

	b := newBench(t, NewWorld("pve"))
	br := b.create("bridge", "pve:vmbr1", askedBridge(nil), policies(xpv2.ManagementActionDelete)...)
	b.settle(br)
	b.shows(br, "A bridge is created.", ready, synced)
	b.told("Once.", "create bridge pve/vmbr1")

	if seen := br.(*clusterScoped[bridgeKind]).Status.AtProvider; text(seen["id"]) != "pve:vmbr1" || text(seen["comment"]) != "ours" {
		t.Errorf("status: got %v", seen)
	}

	b.edit(br, func() { br.(*clusterScoped[bridgeKind]).Spec.ForProvider = askedBridge(values{"comment": "other"}) })
	b.settle(br)
	b.told("Without Update nothing is changed.")
	b.edit(br, func() { br.SetManagementPolicies(policies(xpv2.ManagementActionDelete, xpv2.ManagementActionUpdate)) })
	b.settle(br)
	b.told("With it, it is.", "change bridge pve/vmbr1: comment")

	if err := b.client.Delete(t.Context(), br); err != nil {
		t.Fatal(err)
	}

	b.settle(br)
	b.told("It goes with its managed resource.", "delete bridge pve/vmbr1")
}
