package k3s

import "testing"

func TestProxyEnds(t *testing.T) {
	const (
		gate  = "kube-proxy-arg: kube-proxy before v1.31 takes proxy-mode=nftables with a feature gate only"
		modes = "kube-proxy-arg: kube-proxy has no proxy-mode of this name, and K3s does not start: write iptables, ipvs, nftables, or leave it out"
	)

	of := func(items ...any) map[string]any { return map[string]any{keyProxy: items} }

	cases := map[string]struct {
		reason  string
		config  map[string]any
		release string
		want    []string
	}{
		"None":    {reason: "The default.", release: "v1.36.5+k3s1"},
		"New":     {reason: "It needs no gate.", config: of("proxy-mode=nftables"), release: "v1.31.3+k3s1"},
		"Old":     {reason: "It is an experiment there.", config: of("proxy-mode=nftables"), release: "v1.30.7+k3s1", want: []string{gate}},
		"Gate":    {reason: "It is told so.", config: of("--proxy-mode=nftables", "feature-gates=X=true,NFTablesProxyMode=true"), release: "v1.30.7+k3s1"},
		"IPVS":    {reason: "The other one.", config: of("proxy-mode=ipvs"), release: "v1.30.7+k3s1"},
		"Letter":  {reason: "A letter is missing.", config: of("proxy-mode=nftable"), release: "v1.36.5+k3s1", want: []string{modes}},
		"Other":   {reason: "Another argument.", config: of("metrics-bind-address=0.0.0.0:10249"), release: "v1.36.5+k3s1"},
		"Last":    {reason: "The last one counts.", config: of("proxy-mode=userspace", "proxy-mode=iptables"), release: "v1.36.5+k3s1"},
		"Unknown": {reason: "Nobody knows the release.", config: of("proxy-mode=nftables"), release: "stable"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { contradictionsAre(t, tc.reason, ProxyEnds(tc.config, tc.release), tc.want) })
	}
}
