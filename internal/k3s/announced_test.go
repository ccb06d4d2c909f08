package k3s

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func TestAnnouncedBy(t *testing.T) {
	const metallb = "apiVersion: metallb.io/v1beta1\nkind: IPAddressPool\nspec: {addresses: "

	cases := map[string]struct {
		reason, manifests string
		want              []string
	}{
		"Range":  {"As MetalLB's docs have it.", metallb + "[192.168.4.200-192.168.4.220]}\n", []string{"IPAddressPool 192.168.4.200 192.168.4.220"}},
		"Blanks": {"MetalLB takes blanks.", metallb + "[192.168.4.200 - 192.168.4.220]}\n", []string{"IPAddressPool 192.168.4.200 192.168.4.220"}},
		"Prefix": {"A prefix is a range, from its first address on.", metallb + "[192.168.4.9/29]}\n", []string{"IPAddressPool 192.168.4.8 192.168.4.15"}},
		"IPv6":   {"Of any family.", metallb + "['fd00::10/126', 10.0.0.1/32]}\n", []string{"IPAddressPool fd00::10 fd00::13", "IPAddressPool 10.0.0.1 10.0.0.1"}},
		"Cilium": {"Cilium has blocks.", "kind: CiliumLoadBalancerIPPool\nspec: {blocks: [{cidr: 10.0.0.0/31}, {start: 10.0.0.8, stop: 10.0.0.9}]}\n", []string{"CiliumLoadBalancerIPPool 10.0.0.0 10.0.0.1", "CiliumLoadBalancerIPPool 10.0.0.8 10.0.0.9"}},
		"VIP": {
			"What `kube-vip manifest daemonset` writes.", "kind: DaemonSet\nspec: {template: {spec: {containers: [{image: 'ghcr.io/kube-vip/kube-vip:v0.9.2', env: [{name: port, value: '6443'}, {name: address, value: 10.0.0.5}]}]}}}\n",
			[]string{"DaemonSet of kube-vip 10.0.0.5 10.0.0.5 Servers"},
		},
		"VIPOfPod": {
			"And the older word of a static Pod.", "kind: Pod\nspec: {containers: [{image: ghcr.io/kube-vip/kube-vip, env: [{name: vip_address, value: 10.0.0.5}]}]}\n",
			[]string{"Pod of kube-vip 10.0.0.5 10.0.0.5 Servers"},
		},
		"VIPByName": {"A name is no address.", "kind: Pod\nspec: {containers: [{image: ghcr.io/kube-vip/kube-vip, env: [{name: address, value: k3s.lab}]}]}\n", nil},
		"OtherPods": {"Other programs have addresses, too.", "kind: Pod\nspec: {containers: [{image: 'example/web:1', env: [{name: address, value: 10.0.0.5}]}]}\n", nil},
		"CloudPools": {"kube-vip's cloud provider.", "kind: ConfigMap\nmetadata: {name: kubevip}\ndata: {range-global: '10.0.0.8-10.0.0.9,10.0.0.20-10.0.0.21', cidr-a: 10.1.0.0/31, other: 10.2.0.1}\n", []string{
			"ConfigMap kubevip 10.1.0.0 10.1.0.1", "ConfigMap kubevip 10.0.0.8 10.0.0.9", "ConfigMap kubevip 10.0.0.20 10.0.0.21",
		}},
		"OtherConfigMaps": {"Other ConfigMaps have ranges, too.", "kind: ConfigMap\nmetadata: {name: web}\ndata: {range-global: 10.0.0.8-10.0.0.9}\n", nil},
		"Layer2":          {"MetalLB answers for it by itself.", metallb + "[10.0.0.8/32]}\n---\nkind: L2Advertisement\n", []string{"IPAddressPool 10.0.0.8 10.0.0.8 Neighbours"}},
		"Layer2AndBGP":    {"Routers know it, too.", "kind: BGPAdvertisement\n---\n" + metallb + "[10.0.0.8/32]}\n---\nkind: L2Advertisement\n", []string{"IPAddressPool 10.0.0.8 10.0.0.8"}},
		"CiliumLayer2": {
			"So does Cilium.", "kind: CiliumL2AnnouncementPolicy\n---\nkind: CiliumLoadBalancerIPPool\nspec: {blocks: [{cidr: 10.0.0.0/31}]}\n",
			[]string{"CiliumLoadBalancerIPPool 10.0.0.0 10.0.0.1 Neighbours"},
		},
		"Second":   {"Any document of the file.", "kind: Namespace\n---\n" + metallb + "[10.0.0.1/32]}\n", []string{"IPAddressPool 10.0.0.1 10.0.0.1"}},
		"Others":   {"Other kinds have addresses, too.", "kind: Endpoints\nspec: {addresses: [10.0.0.1-10.0.0.9]}\n", nil},
		"Nonsense": {"What MetalLB refuses is no range.", metallb + "[10.0.0.1-fd00::1, x, 10.0.0.0/99, '']}\n", nil},
		"NoYAML":   {"What is no manifest has none.", "{{ .Values }}\n", nil},
		"Nothing":  {"Nor has nothing.", "", nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range AnnouncedBy(tc.manifests) {
				text := a.Kind + " " + a.Range.From.String() + " " + a.Range.To.String()
				if a.For != ForServices {
					text += " " + string(a.For)
				}

				if a.By != "" {
					text += " " + string(a.By)
				}

				got = append(got, text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAnnouncedContains(t *testing.T) {
	a := Announced{Range: machine.AddressRange{From: netip.MustParseAddr("10.0.0.8"), To: netip.MustParseAddr("10.0.0.9")}}

	for address, want := range map[string]bool{"10.0.0.7": false, "10.0.0.8": true, "10.0.0.9": true, "10.0.0.10": false, "fd00::8": false, "::ffff:10.0.0.8": false} {
		if got := a.Range.Contains(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: want %t, got %t", address, want, got)
		}
	}
}

func TestAnnouncedString(t *testing.T) {
	a, b := netip.MustParseAddr("10.0.0.8"), netip.MustParseAddr("10.0.0.9")

	if got := (Announced{Range: machine.AddressRange{From: a, To: b}}).Range.String(); got != "10.0.0.8-10.0.0.9" {
		t.Errorf("A range has both ends: %s", got)
	}

	if got := (Announced{Range: machine.AddressRange{From: a, To: a}}).Range.String(); got != "10.0.0.8" {
		t.Errorf("One address is no range: %s", got)
	}
}
