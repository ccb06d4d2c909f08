package k3s

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManifestDoubts: the reports stand beside the code.
func TestManifestDoubts(t *testing.T) {
	const (
		anew     = "K3s writes this file anew whenever it starts, and what was in it is gone: take another name"
		both     = " gives Services of type LoadBalancer their addresses, and so does K3s' ServiceLB, which takes the port of each on all nodes: set disable: [servicelb] on all servers"
		config   = "{apiVersion: helm.cattle.io/v1, kind: HelmChartConfig, metadata: {name: traefik, namespace: kube-system}}"
		other    = "{apiVersion: helm.cattle.io/v1, kind: HelmChartConfig, metadata: {name: traefik, namespace: traefik}}"
		metallb  = "{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, spec: {addresses: [10.0.0.8-10.0.0.9]}}"
		cilium   = "{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, spec: {blocks: [{cidr: 10.0.0.0/28}]}}"
		servers  = "{apiVersion: v1, kind: Pod, spec: {containers: [{image: \"ghcr.io/kube-vip/kube-vip:v1\", env: [{name: address, value: 10.0.0.9}]}]}}"
		services = "{apiVersion: apps/v1, kind: DaemonSet, spec: {template: {spec: {containers: [{image: \"ghcr.io/kube-vip/kube-vip:v1\", env: [{name: svc_enable, value: \"true\"}]}]}}}}"
		taken    = "kube-vip announces the addresses of Services (svc_enable), and K3s' ServiceLB gives Services those of the nodes: one node takes the addresses of all others, and they are reached no more. " +
			"Set disable: [servicelb] on all servers, or svc_enable to false"
		redirects = "{kind: HelmChartConfig, metadata: {name: traefik, namespace: kube-system}, spec: {valuesContent: 'ports: {web: {redirectTo: {port: websecure}}}'}}"
		route     = "{apiVersion: traefik.containo.us/v1alpha1, kind: IngressRoute, metadata: {name: web}}"
	)

	cases := map[string]struct {
		reason, file, content, release string
		role                           Role
		disabled                       []string
		want                           []string
	}{
		"Fine":        {reason: "As K3s' documentation has it.", file: ManifestsPath + "traefik-config.yaml", content: config},
		"Own":         {reason: "K3s' own file.", file: ManifestsPath + "traefik.yaml", content: config, want: []string{anew + ", such as traefik-config.yaml with a HelmChartConfig"}},
		"OwnDNS":      {reason: "The same.", file: ManifestsPath + "coredns.yaml", content: "{kind: ConfigMap}", want: []string{anew}},
		"OwnDeeper":   {reason: "In a folder it is another file.", file: ManifestsPath + "mine/coredns.yaml", content: "{kind: ConfigMap}"},
		"Namespace":   {reason: "The chart is in kube-system.", file: ManifestsPath + "t.yaml", content: "{kind: Namespace}\n---\n" + other, want: []string{"HelmChartConfig traefik has no effect in another namespace than that of its chart: set metadata.namespace: kube-system"}},
		"OtherChart":  {reason: "It may be anywhere.", file: ManifestsPath + "t.yaml", content: "{kind: HelmChartConfig, metadata: {name: longhorn, namespace: longhorn-system}}"},
		"Disabled":    {reason: "There is no chart.", file: ManifestsPath + "t.yaml", content: config, disabled: []string{"traefik"}, want: []string{"HelmChartConfig traefik has no effect: traefik is in disable"}},
		"Both":        {reason: "Two answer for a Service.", file: ManifestsPath + "m.yaml", content: metallb, want: []string{"IPAddressPool" + both}},
		"BothCilium":  {reason: "The same.", file: ManifestsPath + "c.yaml", content: cilium, disabled: []string{"traefik"}, want: []string{"CiliumLoadBalancerIPPool" + both}},
		"One":         {reason: "ServiceLB is off.", file: ManifestsPath + "m.yaml", content: metallb, disabled: []string{"servicelb"}},
		"Services":    {reason: "It takes the nodes' addresses, which ServiceLB writes.", file: ManifestsPath + "v.yaml", content: "{kind: Namespace}\n---\n" + services, want: []string{taken}},
		"ServicesOne": {reason: "Nobody writes them.", file: ManifestsPath + "v.yaml", content: services, disabled: []string{"servicelb"}},
		"ServicesOff": {reason: "It is for the servers only.", file: ManifestsPath + "v.yaml", content: strings.Replace(services, "true", "false", 1)},
		"Servers":     {reason: "This address is no Service's.", file: ManifestsPath + "v.yaml", content: servers},
		"Agent":       {reason: "Agents have no such folder.", file: ManifestsPath + "m.yaml", content: metallb, role: RoleAgent, want: []string{"an agent deploys no manifests: write it on a server, or apply it in the cluster"}},
		"Folder":      {reason: "A letter is missing.", file: "/var/lib/rancher/k3s/server/manifest/m.yaml", content: metallb, want: []string{"K3s takes manifests from " + ManifestsPath + " only"}},
		"FolderEtc":   {reason: "Where its config is.", file: "/etc/rancher/k3s/manifests/m.yaml", content: metallb, role: RoleAgent, want: []string{"K3s takes manifests from " + ManifestsPath + " only"}},
		"Elsewhere":   {reason: "Somebody applies it.", file: "/opt/m.yaml", content: metallb},
		"Redirect":    {reason: "The chart has other words for it.", file: ManifestsPath + "t.yaml", content: redirects, want: []string{"ports.web.redirectTo: the chart of Traefik 3, which K3s has since v1.32, ends at it, and there is no Traefik: write redirections: {entryPoint: {to: websecure, scheme: https, permanent: true}}, which later charts have below http"}},
		"RedirectOld": {reason: "It was right then.", file: ManifestsPath + "t.yaml", content: redirects, release: "v1.31.9+k3s1"},
		"RedirectNew": {reason: "As the chart has it.", file: ManifestsPath + "t.yaml", content: "{kind: HelmChartConfig, metadata: {name: traefik}, spec: {valuesContent: 'ports: {web: {http: {redirections: {entryPoint: {to: websecure}}}}}'}}"},
		"Group":       {reason: "Traefik 2 knew both.", file: ManifestsPath + "d.yaml", content: route, want: []string{"IngressRoute of traefik.containo.us: Traefik 3, which K3s has since v1.32, knows the group traefik.io only: write apiVersion: traefik.io/v1alpha1"}},
		"GroupOwn":    {reason: "Somebody has a Traefik of another release.", file: ManifestsPath + "d.yaml", content: route, disabled: []string{"traefik"}},
		"NoManifest":  {reason: "The API server says what is wrong.", file: ManifestsPath + "x.yaml", content: "a: [\n"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.role == "" {
				tc.role = RoleServer
			}

			if tc.release == "" {
				tc.release = "v1.36.5+k3s1"
			}

			if diff := cmp.Diff(tc.want, ManifestDoubts(tc.file, tc.content, tc.role, tc.release, tc.disabled)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
