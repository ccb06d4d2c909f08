package k3s

import "strings"

// rke2 are keys of RKE2's config.yaml that K3s does not have, and what does here what they do there: https://docs.rke2.io/reference/server_config.
var rke2 = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"cni":                                "set flannel-backend: none and disable-network-policy: true in the config of the cluster, and install the plugin",
	"profile":                            "set protect-kernel-defaults: true, and in kube-apiserver-arg and kubelet-arg what K3s' hardening guide has",
	"ingress-controller":                 "add traefik to disable, and install another one",
	"audit-policy-file":                  "set audit-policy-file and audit-log-path in kube-apiserver-arg",
	"pod-security-admission-config-file": "set admission-control-config-file in kube-apiserver-arg",
	"cloud-provider-name":                "set disable-cloud-controller: true in the config of the cluster, and install the provider's controller",
	"cloud-provider-config":              "set disable-cloud-controller: true in the config of the cluster, and install the provider's controller",
	"enable-servicelb":                   "K3s has ServiceLB, unless servicelb is in disable",
	"kubelet-path":                       "leave it out, since the kubelet is in K3s itself",
}

// FromRKE2 says what to set in place of a key of RKE2, which K3s passes over; empty for any other key.
func FromRKE2(key string) string {
	const noPods = "leave it out, since K3s runs the control plane in one process, without pods"

	switch {
	case rke2[key] != "":
		return rke2[key]
	case strings.HasPrefix(key, "control-plane-"),
		strings.HasSuffix(key, "-extra-mount"), strings.HasSuffix(key, "-extra-env"),
		strings.HasPrefix(key, "kube-") && strings.HasSuffix(key, "-image"), key == "etcd-image", key == "cloud-controller-manager-image":
		return noPods
	}

	return ""
}
