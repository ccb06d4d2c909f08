package k3s

// otherPlugin: what only K3s' own network plugin does, or only another one. K3s' documentation says of another plugin to switch its policies off, too
// (rancher/docs pull request 3927, k3s-io/k3s issue 5188), and who does without kube-proxy has a plugin that takes its place
// (cilium/cilium pull request 20256).
func otherPlugin(config map[string]any) []Contradiction {
	backend, _ := setting(config, keyBackend)
	noProxy, _ := setting(config, "disable-kube-proxy")
	noPolicies, _ := setting(config, "disable-network-policy")

	switch {
	case backend == BackendNone && noPolicies != yes:
		return []Contradiction{{keyBackend, "none leaves K3s' own controller of network policies running beside that of the plugin, and each drops what the other one allows: " +
			"set disable-network-policy: true, unless the plugin has none"}}
	case backend != BackendNone && noProxy == yes:
		return []Contradiction{{"disable-kube-proxy", "with flannel nothing brings packets to a Service, the API's and CoreDNS' included: remove it, or set flannel-backend: none, " +
			"disable-network-policy: true, and install a plugin in place of kube-proxy, such as Cilium with kubeProxyReplacement"}}
	}

	return nil
}
