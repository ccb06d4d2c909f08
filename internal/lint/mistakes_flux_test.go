package lint

// mistakesOfFlux are those of the Kustomizations of Flux that apply claims. TestFlux has those of several files, and where nothing is to be said.
func mistakesOfFlux() map[string]mistake {
	const (
		safe = "prune: true\ndeletionPolicy: Orphan\n"
		kept = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata:\n  name: files01\n  annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\nspec:\n  proxmox: {node: pve1}\n"
		data = "  bootstrap:\n    userData: |\n      #cloud-config\n      write_files: [{path: /etc/x, content: \"${HOST}\"}]\n"
	)

	layer := func(spec, more string) string { return aLayer("machines", "./", spec) + "---\n" + more }

	return map[string]mistake{
		"FluxForce":          {"Flux makes anew what is refused", layer(safe+"force: true", kept)},
		"FluxSuspend":        {"a layer that was suspended and forgotten", layer(safe+"suspend: true", kept)},
		"FluxPrune":          {"a machine that goes with its file, and with its layer's", layer("prune: true", aMachine(where))},
		"FluxPruneMirrored":  {"the same, said", layer("prune: true\ndeletionPolicy: MirrorPrune", aMachine(where))},
		"FluxPruneServer":    {"a server that nothing protects any more", layer(safe, aNode(where+"deletionPolicy: Delete\ndeletionProtection: false\nk3s: {cluster: home, role: server, init: true}"))},
		"FluxTwice":          {"one claim in two layers", layer(safe, kept) + "---\n" + aLayer("again", "./", safe)},
		"FluxNamespace":      {"another namespace than the claim's", layer(safe+"targetNamespace: apps", aMachine(where+"deletionProtection: true"))},
		"FluxNamePrefix":     {"another name for all", layer(safe+"namePrefix: lab-", kept)},
		"FluxVariables":      {"the guest's variables", layer(safe+"postBuild: {substitute: {ZONE: a}}", kept+data)},
		"FluxForceOfClaim":   {"one claim made anew", layer(safe, aMachine(where+"deletionProtection: true")+"---\napiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata:\n  name: files02\n  annotations:\n    kustomize.toolkit.fluxcd.io/prune: disabled\n    kustomize.toolkit.fluxcd.io/force: enabled\nspec:\n  proxmox: {node: pve1}\n")},
		"FluxTogether":       {"kinds and claims in one layer", layer(safe, kept+"---\n"+aRepository()["packages/configuration.yaml"])},
		"FluxEarly":          {"a layer that others wait for in vain", layer(safe, kept) + "---\n" + aLayer("after", "./after", "dependsOn: [{name: machines}]")},
		"FluxNoExpressions":  {"a claim that was refused is ready", layer(safe+"wait: true", kept) + "---\n" + aLayer("after", "./after", "dependsOn: [{name: machines}]")},
		"FluxMisspeltLayer":  {"a layer of nobody", layer(safe+"dependsOn: [{name: catalog}]", kept) + "---\n" + aLayer("catalogue", "./other", "wait: true")},
		"FluxSourceKind":     {"a kind of source that there is not", layer(safe+"interval: 10m\nsourceRef: {kind: Git, name: flux-system}", kept)},
		"FluxNoInterval":     {"a layer without a time", layer(safe+"sourceRef: {kind: GitRepository, name: flux-system}", kept)},
		"FluxNoURL":          {"a source without its address", layer(safe+"interval: 10m\nsourceRef: {kind: GitRepository, name: fleet}", kept) + "---\n" + aSource("GitRepository", "fleet", "{interval: 10m}")},
		"FluxInterval":       {"a time without a unit", layer(safe+"interval: 10", kept)},
		"FluxSecret":         {"a Secret that is in no file", layer(safe+"interval: 10m\nsourceRef: {kind: GitRepository, name: flux-system}", kept+"  bootstrap: {secrets: [{path: /etc/t, secretRef: {name: tokn, key: t}, allowPlaintext: true}]}\n---\n"+"apiVersion: v1\nkind: Secret\nmetadata: {name: token, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}\n")},
		"FluxDriftDetection": {"Helm against Crossplane", aLayer("infra", "./", safe) + "---\n" + kept + "---\n" + "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: crossplane}\nspec: {interval: 1h, chart: {spec: {chart: crossplane}}, driftDetection: {mode: enabled}}\n"},
	}
}
