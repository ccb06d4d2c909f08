package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFileDoubts: files at which a program of Kubernetes ends, or which it passes over.
func TestFileDoubts(t *testing.T) {
	const (
		folder = "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d/"
		begin  = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
		policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
		ends   = ": kube-apiserver does not start, and K3s neither"
	)

	audit := map[string]any{"kube-apiserver-arg": []any{"audit-policy-file=/etc/audit.yaml", "audit-log-path=-"}}
	file := func(name, content string) map[string]string { return map[string]string{name: content} }

	const login = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"

	authn := func(item any) map[string]any {
		return map[string]any{"kube-apiserver-arg": []any{"authentication-config=/etc/authn.yaml", item}}
	}

	cases := map[string]struct {
		reason string
		config map[string]any
		files  map[string]string
		want   []FileDoubt
	}{
		"Nothing":      {reason: "No file."},
		"Other":        {reason: "Nobody reads it.", config: audit, files: file("/etc/other.yaml", "a: b")},
		"Kubelet":      {reason: "As Kubernetes' documentation has it.", files: file(folder+"10-own.conf", begin+"maxPods: 200\n")},
		"KubeletYAML":  {reason: "kubernetes/kubernetes pull request 136089: it is passed over in silence.", files: file(folder+"10-own.yaml", begin), want: []FileDoubt{{folder + "10-own.yaml", "the kubelet passes over it, since its name does not end in .conf"}}},
		"KubeletOther": {reason: "It is for people.", files: file(folder+"README.md", "What is here")},
		"KubeletKind": {
			reason: "kubernetes/kubernetes issue 124796: Object 'Kind' is missing.", files: file(folder+"10-own.conf", "maxPods: 200\n"),
			want: []FileDoubt{{folder + "10-own.conf", "must begin with apiVersion: kubelet.config.k8s.io/v1beta1 and kind: KubeletConfiguration: the kubelet does not start, and K3s neither"}},
		},
		"KubeletElsewhere": {
			reason: "The folder is in the data-dir.", config: map[string]any{"data-dir": "/srv/k3s"}, files: map[string]string{folder + "10.conf": "", "/srv/k3s/agent/etc/kubelet.conf.d/10.conf": "kind: Kubelet"},
			want: []FileDoubt{{"/srv/k3s/agent/etc/kubelet.conf.d/10.conf", "must begin with apiVersion: kubelet.config.k8s.io/v1beta1 and kind: KubeletConfiguration: the kubelet does not start, and K3s neither"}},
		},
		"KubeletFile": {
			reason: "An argument names it.", config: map[string]any{"kubelet-arg": "config=/etc/kubelet.yaml"}, files: file("/etc/kubelet.yaml", "- a"),
			want: []FileDoubt{{"/etc/kubelet.yaml", "is no YAML that a program of Kubernetes reads: the kubelet does not start, and K3s neither"}},
		},
		"Audit":        {reason: "As Kubernetes' documentation has it.", config: audit, files: file("/etc/audit.yaml", policy+"rules: [{level: None, users: [a]}, {level: RequestResponse}]\n")},
		"AuditVersion": {reason: "rancher/rke2 issue 3813.", config: audit, files: file("/etc/audit.yaml", "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]"), want: []FileDoubt{{"/etc/audit.yaml", "must begin with apiVersion: audit.k8s.io/v1 and kind: Policy" + ends}}},
		"AuditRules":   {reason: "kubernetes/kubernetes issue 51565.", config: audit, files: file("/etc/audit.yaml", policy), want: []FileDoubt{{"/etc/audit.yaml", "has no rules: write one, such as - level: Metadata" + ends}}},
		"AuditLevel":   {reason: "Each letter counts.", config: audit, files: file("/etc/audit.yaml", policy+"rules: [{level: metadata}]"), want: []FileDoubt{{"/etc/audit.yaml", "rules[0].level must be None, Metadata, Request or RequestResponse" + ends}}},
		"Login":        {reason: "Its version depends on the release.", config: map[string]any{"kube-apiserver-arg": "authentication-config=/etc/authn.yaml"}, files: file("/etc/authn.yaml", "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\n")},
		"LoginAlone":   {reason: "The file says nothing of it.", config: authn("anonymous-auth=false"), files: file("/etc/authn.yaml", login+"jwt: [{issuer: {url: 'https://id.lab'}}]\n")},
		"LoginAnonymous": {
			reason: "k3s-io/k3s issue 12245.", config: authn("anonymous-auth=true"), files: file("/etc/authn.yaml", login+"anonymous: {enabled: true}\n"),
			want: []FileDoubt{{"/etc/authn.yaml", "has anonymous beside anonymous-auth in kube-apiserver-arg, of which one is to go" + ends}},
		},
		"LoginTwice": {
			reason: "Two ways of the same.", config: authn("oidc-issuer-url=https://id.lab"), files: file("/etc/authn.yaml", login+"jwt: [{issuer: {url: 'https://id.lab'}}]\n"),
			want: []FileDoubt{{"/etc/authn.yaml", "has jwt beside oidc-issuer-url in kube-apiserver-arg, of which one is to go" + ends}},
		},
		"Scheduler": {
			reason: "Another program's.", config: map[string]any{"kube-scheduler-arg": "config=/etc/scheduler.yaml"}, files: file("/etc/scheduler.yaml", "profiles: []"),
			want: []FileDoubt{{"/etc/scheduler.yaml", "must begin with apiVersion: kubescheduler.config.k8s.io/v1 and kind: KubeSchedulerConfiguration: kube-scheduler does not start, and K3s neither"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, FileDoubts(tc.config, tc.files)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
