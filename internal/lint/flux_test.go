package lint

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// aLayer is a Kustomization of Flux with these further lines of spec, which begin in line 6.
func aLayer(name, path, spec string) string {
	return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: " + name + ", namespace: flux-system}\nspec:\n  path: " + path + "\n" + indented(spec)
}

// aSource of layers, with a spec in line 4.
func aSource(kind, name, spec string) string {
	return "apiVersion: source.toolkit.fluxcd.io/v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: flux-system}\nspec: " + spec + "\n"
}

// aRepository is one for Flux of which nothing is to be said.
func aRepository() map[string]string {
	const (
		safe = "prune: true\ndeletionPolicy: Orphan\nwait: true\ninterval: 1h"
		keep = ", annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}"
	)

	return map[string]string{
		"layers/infrastructure.yaml": aLayer("infrastructure", "./infrastructure", safe),
		"layers/provider.yaml":       aLayer("provider", "./provider", "dependsOn: [{name: infrastructure}]\n"+safe),
		"layers/config.yaml":         aLayer("config", "./config", "dependsOn: [{name: provider}]\n"+safe),
		"layers/packages.yaml": aLayer("packages", "./packages", "dependsOn: [{name: infrastructure}]\nprune: true\ndeletionPolicy: Orphan\n"+
			"healthChecks: [{apiVersion: apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition, name: machines.homelab.io}]"),
		"layers/catalogue.yaml": aLayer("catalogue", "./catalogue", "dependsOn: [{name: infrastructure}]\n"+safe),
		"layers/machines.yaml":  aLayer("machines", "./machines", "dependsOn: [{name: config}, {name: packages}, {name: catalogue}]\ntargetNamespace: infra\n"+safe),
		"infrastructure/crossplane.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: crossplane" + keep + "}\nspec:\n" +
			"  chart: {spec: {chart: crossplane}}\n  driftDetection: {mode: warn}\n  interval: 1h\n",
		"provider/provider.yaml": "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: provider-proxmox-bpg" + keep + "}\nspec: {package: \"x/provider-proxmox-bpg:v1.18.0\"}\n",
		"config/config.yaml":     "apiVersion: proxmoxbpg.m.crossplane.io/v1beta1\nkind: ClusterProviderConfig\nmetadata: {name: default}\nspec: {}\n",
		"packages/configuration.yaml": "apiVersion: pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: homelab-io-configuration-proxmox-machine" + keep + "}\n" +
			"spec: {package: \"ghcr.io/you/configuration-proxmox-machine:v0.2.0\"}\n",
		"catalogue/catalogue.yaml": environment("sites: {home: {nodes: {pve1: {}}}}"),
		"machines/files01.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata:\n  name: files01\n  annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\nspec:\n" +
			"  proxmox: {node: pve1}\n",
	}
}

// A fluxEdit is a line of a file that somebody writes otherwise. An empty one takes the file away, or makes it where there is none.
type fluxEdit struct{ file, from, to string }

// aRepositoryWith edits, as its files are read.
func aRepositoryWith(t *testing.T, edits []fluxEdit) (raw []manifest.Raw) {
	t.Helper()

	files := aRepository()
	for _, e := range edits {
		files = edited(t, files, e)
	}

	for _, file := range slices.Sorted(maps.Keys(files)) {
		raw = append(raw, manifest.Raw{File: file, Documents: manifest.RawDocuments([]byte(files[file]))})
	}

	return raw
}

func TestFlux(t *testing.T) {
	const (
		prune    = ", annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}"
		machine  = "machines/files01.yaml"
		machines = "layers/machines.yaml"
		safe     = "  prune: true\n  deletionPolicy: Orphan\n  wait: true\n"
		waits    = "dependsOn: [{name: config}, {name: packages}, {name: catalogue}]"
		second   = "layers/second.yaml"
		top      = "layers/kustomization.yaml"
		userData = "  bootstrap:\n    userData: |\n      #cloud-config\n      runcmd:\n        - echo ${HOST}\n"
		runtime  = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: p}\nspec: {deploymentTemplate: {spec: {selector: {}}}}\n"
		ofAll    = "  healthCheckExprs: [{apiVersion: pkg.crossplane.io/v1, current: \"status.x == spec.package\"}]"
		annotate = "  annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\n"
	)

	const aWeb = `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "web", "annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"}}, "spec": {"proxmox": {"node": "pve1"}}}`

	more := aLayer("second", "./second", "dependsOn: [{name: machines}]\nprune: false")
	patched := "resources: [machines.yaml]\npatches:\n  - target: {kind: Kustomization, name: MACHINES}\n    patch: |-\n      - {op: add, path: /spec/prune, value: true}\n      - {op: add, path: /spec/force, value: true}\n"

	cases := map[string]struct {
		reason string
		edits  []fluxEdit
		want   []string // File, line and path of each warning, and the first words of it.
	}{
		"Right":             {reason: "Nothing is said of a repository as the example is."},
		"Force":             {"A claim that is refused is made anew.", []fluxEdit{{machines, "  prune: true", "  force: true\n  prune: true"}}, []string{"layers/machines.yaml:8 spec.force: Flux deletes a claim that the API server refuses"}},
		"ForceFalse":        {"Nobody is told of what is off.", []fluxEdit{{machines, "  prune: true", "  force: false\n  suspend: false\n  prune: true"}}, nil},
		"ForcePackages":     {"With the kinds go the claims.", []fluxEdit{{"layers/packages.yaml", "  prune: true", "  force: true\n  prune: true"}}, []string{"layers/packages.yaml:7 spec.force: Flux deletes what the API server refuses of this layer"}},
		"ForceOther":        {"Of other people's layers nothing is said.", []fluxEdit{{"layers/apps.yaml", "", aLayer("apps", "./apps", "force: true\nsuspend: true\nprune: true")}, {"apps/a.yaml", "", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}}, nil},
		"ForcePatched":      {"A kustomization.yaml sets it.", []fluxEdit{{top, "", strings.Replace(patched, "MACHINES", "machines", 1)}}, []string{"layers/kustomization.yaml:6 patches[0].patch: Flux deletes a claim"}},
		"ForcePatchedOther": {"A patch of another layer is not the machines'.", []fluxEdit{{top, "", strings.Replace(patched, "MACHINES", "apps", 1)}}, nil},
		"ForceOfClaim":      {"The same for one claim.", []fluxEdit{{machine, "prune: disabled}", "prune: disabled, kustomize.toolkit.fluxcd.io/force: enabled}"}}, []string{`machines/files01.yaml:5 metadata.annotations[kustomize.toolkit.fluxcd.io/force]: Flux deletes the claim`}},
		"Suspend":           {"Nothing is applied.", []fluxEdit{{machines, "  prune: true", "  suspend: true\n  prune: true"}}, []string{"layers/machines.yaml:8 spec.suspend: Flux applies nothing of this layer"}},
		"Twice":             {"Each takes it from the other one.", []fluxEdit{{second, "", aLayer("second", "./machines", "targetNamespace: infra\n"+waits+"\nprune: true\ndeletionPolicy: Orphan\nwait: true")}}, []string{"layers/second.yaml:3 metadata.name: applies Machine files01, and so does layer machines"}},
		"TwiceElsewhere":    {"Another cluster applies the same folder.", []fluxEdit{{"other/second.yaml", "", aLayer("second", "./machines", "targetNamespace: infra\n"+waits+"\nprune: true\ndeletionPolicy: Orphan\nwait: true")}}, nil},
		"Prune":             {"A machine whose file is gone is destroyed.", []fluxEdit{{machine, annotate, ""}}, []string{"machines/files01.yaml:4 metadata.name: a commit without this file destroys the VM with all disks"}},
		"PruneOff":          {"Without prune nothing goes.", []fluxEdit{{machine, annotate, ""}, {machines, "prune: true", "prune: false"}}, nil},
		"PruneProtected":    {"Crossplane refuses the deletion.", []fluxEdit{{machine, annotate, ""}, {machine, "spec:\n", "spec:\n  deletionProtection: true\n"}}, nil},
		"PruneDisks":        {"With disks it does so by default.", []fluxEdit{{machine, annotate, ""}, {machine, "spec:\n", "spec:\n  disks: [{name: data, size: 8Gi}]\n"}}, nil},
		"PruneUnprotected":  {"Unless somebody says otherwise.", []fluxEdit{{machine, annotate, ""}, {machine, "spec:\n", "spec:\n  deletionProtection: false\n  disks: [{name: data, size: 8Gi}]\n"}}, []string{"machines/files01.yaml:4 metadata.name: a commit without this file destroys"}},
		"PruneOrphan":       {"The VM stays.", []fluxEdit{{machine, annotate, ""}, {machine, "spec:\n", "spec:\n  deletionPolicy: Orphan\n"}}, nil},
		"PruneByDefault":    {"The catalogue protects all.", []fluxEdit{{machine, annotate, ""}, {"catalogue/catalogue.yaml", "data:\n", "data:\n  defaults: {deletionProtection: true}\n"}}, nil},
		"PruneByKustomize":  {"A kustomization annotates all.", []fluxEdit{{machine, annotate, ""}, {"machines/kustomization.yaml", "", "resources: [files01.yaml]\ncommonAnnotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\n"}}, nil},
		"PruneByLayer":      {"The layer annotates all.", []fluxEdit{{machine, annotate, ""}, {machines, "  prune: true", "  commonMetadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}\n  prune: true"}}, nil},
		"PruneNotBuilt":     {"What the kustomization does not name is not applied.", []fluxEdit{{machine, annotate, ""}, {"machines/kustomization.yaml", "", "resources: [other.yaml]\n"}, {"machines/other.yaml", "", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}}, []string{"machines/files01.yaml:4 metadata.name: Flux does not apply it: kustomization.yaml beside it does not name this file"}},
		"FileAbsent":        {"Kustomize builds nothing of the folder.", []fluxEdit{{"machines/kustomization.yaml", "", "resources: [files01.yaml, files1.yaml]\n"}}, []string{`machines/kustomization.yaml:1 resources[1]: "files1.yaml": there is no such file`}},
		"FileElsewhere":     {"What is elsewhere was perhaps not read.", []fluxEdit{{"machines/kustomization.yaml", "", "resources: [files01.yaml, ../base/a.yaml, \"https://x.org/a.yaml\", ./.hidden/a.yaml, base]\n"}}, nil},
		"FileOfJSON":        {"Of a folder, Flux reads YAML alone.", []fluxEdit{{"machines/web.json", "", aWeb}}, []string{"machines/web.json:1 metadata.name: Flux does not apply it: of a folder without a kustomization.yaml it reads *.yaml and *.yml. Rename the file to web.yaml, JSON is YAML, too"}},
		"FileOfJSONNamed":   {"What a kustomization names is built.", []fluxEdit{{"machines/kustomization.yaml", "", "resources: [files01.yaml, web.json]\n"}, {"machines/web.json", "", aWeb}}, nil},
		"FileForgotten":     {"A new claim, and its folder's kustomization as it was.", []fluxEdit{{"machines/kustomization.yaml", "", "resources: [./files01.yaml]\n"}, {"machines/files02.yaml", "", strings.Replace(aRepository()[machine], "files01", "files02", 1)}}, []string{"machines/files02.yaml:4 metadata.name: Flux does not apply it"}},
		"FileOfPatch":       {"A patch is named, too.", []fluxEdit{{"machines/kustomization.yaml", "", "resources: [files01.yaml]\npatches: [{path: size.yaml}]\n"}, {"machines/size.yaml", "", aRepository()[machine]}}, nil},
		"PathAbsent":        {"No file is below the path of a layer.", []fluxEdit{{machines, "  path: ./machines", "  sourceRef: {kind: GitRepository, name: a}\n  path: ./machine"}, {"layers/catalogue.yaml", "  path:", "  sourceRef: {kind: GitRepository, name: a}\n  path:"}}, []string{`layers/machines.yaml:6 spec.path: "./machine": no file is there`}},
		"PathDeleted":       {"A cluster does not have the layer.", []fluxEdit{{machines, "  path: ./machines", "  sourceRef: {kind: GitRepository, name: a}\n  path: ./machine"}, {"layers/catalogue.yaml", "  path:", "  sourceRef: {kind: GitRepository, name: a}\n  path:"}, {top, "", "patches:\n  - target: {kind: Kustomization, name: machines}\n    patch: |-\n      $patch: delete\n      kind: Kustomization\n"}}, nil},
		"LayerAbsent":       {"The layers have a kustomization, too.", []fluxEdit{{top, "", "resources: [machines.yaml, machine.yaml]\n"}}, []string{`layers/kustomization.yaml:1 resources[1]: "machine.yaml": there is no such file`}},
		"PathElsewhere":     {"It is of another repository.", []fluxEdit{{machines, "  path: ./machines", "  sourceRef: {kind: GitRepository, name: b}\n  path: ./machine"}, {"layers/catalogue.yaml", "  path:", "  sourceRef: {kind: GitRepository, name: a}\n  path:"}}, nil},
		"PrunePackages":     {"With the Configuration every claim goes.", []fluxEdit{{"packages/configuration.yaml", prune, ""}}, []string{"packages/configuration.yaml:3 metadata.name: a commit without this file deletes the kinds of claims"}},
		"Mirror":            {"The layer's own file is worth all machines.", []fluxEdit{{machine, annotate, ""}, {machines, "  deletionPolicy: Orphan\n", ""}}, []string{"layers/machines.yaml:3 metadata.name: who removes or renames the file of this layer", "machines/files01.yaml:4 metadata.name: a commit without this file"}},
		"MirrorSaid":        {"Delete does so even without prune.", []fluxEdit{{machine, annotate, ""}, {machines, "deletionPolicy: Orphan", "deletionPolicy: Delete"}}, []string{`layers/machines.yaml:9 spec.deletionPolicy: "Delete": who removes or renames`, "machines/files01.yaml:4 metadata.name: a commit without this file"}},
		"MirrorAnnotated":   {"What is annotated stays all the same.", []fluxEdit{{machines, "  deletionPolicy: Orphan\n", ""}}, nil},
		"Wait":              {"Others come too early.", []fluxEdit{{"layers/catalogue.yaml", "  wait: true\n", ""}}, []string{"layers/catalogue.yaml:3 metadata.name: is ready as soon as Flux has applied it, and layer machines"}},
		"WaitLast":          {"Nobody depends on the last one.", []fluxEdit{{machines, "  wait: true\n", ""}}, nil},
		"WaitPatched":       {"A kustomization.yaml adds it to all.", []fluxEdit{{"layers/catalogue.yaml", "  wait: true\n", ""}, {top, "", "resources: [catalogue.yaml]\npatches:\n  - target: {kind: Kustomization}\n    patch: |-\n      apiVersion: kustomize.toolkit.fluxcd.io/v1\n      kind: Kustomization\n      metadata: {name: any}\n      spec: {wait: true}\n"}}, nil},
		"WaitKinds":         {"The kinds are not in Git.", []fluxEdit{{"layers/packages.yaml", "healthChecks: [{apiVersion: apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition, name: machines.homelab.io}]", "wait: true"}}, []string{"layers/packages.yaml:3 metadata.name: is ready before the kinds of the Configuration are there"}},
		"WaitClaims":        {"A claim without an expression is ready at once.", []fluxEdit{{second, "", more}}, []string{"layers/machines.yaml:3 metadata.name: counts a claim as ready although its edit was refused"}},
		"WaitExpressions":   {"With one it is ready when it is.", []fluxEdit{{second, "", more}, {machines, "  wait: true", "  wait: true\n  healthCheckExprs: [{apiVersion: homelab.io/v1alpha1, current: \"true\"}]"}}, nil},
		"HealthOfAll":       {"It has no status.", []fluxEdit{{"provider/runtime.yaml", "", runtime}, {"layers/provider.yaml", "  wait: true", "  wait: true\n" + ofAll}}, []string{"layers/provider.yaml:10 spec.healthCheckExprs: without a kind, the expression is for all kinds of pkg.crossplane.io, also for DeploymentRuntimeConfig p, which has no status"}},
		"HealthOfPackages":  {"There is nothing without a status.", []fluxEdit{{"layers/provider.yaml", "  wait: true", "  wait: true\n" + ofAll}}, nil},
		"HealthGuarded":     {"Of what has no package nothing is asked.", []fluxEdit{{"provider/runtime.yaml", "", runtime}, {"layers/provider.yaml", "  wait: true", "  wait: true\n" + strings.Replace(ofAll, "status.x", "!has(spec.package) || status.x", 1)}}, nil},
		"HealthOfKind":      {"With a kind it is asked of that alone.", []fluxEdit{{"provider/runtime.yaml", "", runtime}, {"layers/provider.yaml", "  wait: true", "  wait: true\n" + strings.Replace(ofAll, "{api", "{kind: Provider, api", 1)}}, nil},
		"OrderNone": {"A layer waits for nothing.", []fluxEdit{{machines, "  " + waits + "\n", ""}}, []string{
			"layers/machines.yaml:3 metadata.name: does not wait for layer packages with the kinds of claims",
			"layers/machines.yaml:3 metadata.name: does not wait for layer catalogue with the catalogue",
			"layers/machines.yaml:3 metadata.name: does not wait for layer config with the provider's configuration",
		}},
		"OrderOne":       {"Or for one too few.", []fluxEdit{{machines, ", {name: packages}", ""}}, []string{"layers/machines.yaml:6 spec.dependsOn: does not wait for layer packages with the kinds of claims: no matches for kind. Write dependsOn: [{name: config}, {name: catalogue}, {name: packages}]"}},
		"OrderByWay":     {"It may wait by way of another.", []fluxEdit{{machines, waits, "dependsOn: [{name: catalogue}]"}, {"layers/catalogue.yaml", "{name: infrastructure}", "{name: config}, {name: packages}"}}, nil},
		"OrderElsewhere": {"What is in another repository is not missing.", []fluxEdit{{"layers/packages.yaml", "", ""}, {machines, "{name: packages}, ", ""}}, nil},
		"OrderMisspelt": {"A layer of nobody.", []fluxEdit{{machines, "{name: catalogue}", "{name: catalog}"}}, []string{
			"layers/machines.yaml:6 spec.dependsOn: does not wait for layer catalogue",
			`layers/machines.yaml:6 spec.dependsOn[2].name: "catalog": there is no layer of that name, and Flux never applies this one; did you mean catalogue?`,
		}},
		"OrderTogether":   {"Kinds and claims in one layer.", []fluxEdit{{machines, "./machines", "./all"}, {machine, "", ""}, {"all/a.yaml", "", aRepository()["packages/configuration.yaml"] + "---\n" + aRepository()[machine]}}, []string{"layers/machines.yaml:3 metadata.name: has the kinds of claims and claims in one layer"}},
		"OrderPatched":    {"A patch that nobody follows may add it.", []fluxEdit{{machines, ", {name: packages}", ""}, {top, "", "resources: [machines.yaml]\npatches:\n  - target: {kind: Kustomization, name: machines}\n    patch: '[{op: add, path: /spec/dependsOn/-, value: {name: packages}}]'\n"}}, nil},
		"Namespace":       {"The claim's own namespace does not count.", []fluxEdit{{machine, "  name: files01", "  name: files01\n  namespace: apps"}}, []string{`machines/files01.yaml:5 metadata.namespace: "apps": has no effect: targetNamespace of layer machines puts the claim into infra`}},
		"NamespaceSame":   {"The same one is no mistake.", []fluxEdit{{machine, "  name: files01", "  name: files01\n  namespace: infra"}}, nil},
		"Secret":          {"The Secret stays where the claim was.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {userDataSecretRef: {name: x}, files: [{secretRef: {name: token}}]}\n"}, {"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: apps}\n"}}, []string{`layers/machines.yaml:7 spec.targetNamespace: "infra": Machine files01 is put there, and the Secret token that it names is in apps`}},
		"SecretThere":     {"Or is where the claim is.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {files: [{secretRef: {name: token}}]}\n"}, {"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: infra}\n"}}, nil},
		"SecretNowhere":   {"Others are in Git.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {files: [{secretRef: {name: tokn}}]}\n"}, {"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: infra}\n"}}, []string{`machines/files01.yaml:7 spec.bootstrap.files[0].secretRef.name: "tokn": no file has this Secret`}},
		"SecretsNotInGit": {"Who has none in Git keeps them elsewhere.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {files: [{secretRef: {name: tokn}}]}\n"}}, nil},
		"SecretOfK3s":     {"That of snapshots in S3 is in the cluster itself.", []fluxEdit{{machine, "spec:\n", "spec:\n  k3s: {snapshots: {s3: {secretRef: {name: etcd-s3}}}}\n"}, {"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: infra}\n"}}, nil},
		"SecretMade":      {"Something makes it.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {files: [{secretRef: {name: tokn}}]}\n"}, {"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: infra}\n---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: x}\nspec: {target: {name: tokn}}\n"}}, nil},
		"SecretEncrypted": {"It is there, encrypted.", []fluxEdit{{machine, "spec:\n", "spec:\n  bootstrap: {files: [{secretRef: {name: token}}]}\n"}, {"machines/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}\nsops: {mac: x}\n"}, {machines, "  prune: true", "  decryption: {provider: sops}\n  prune: true"}}, nil},
		"SourceKind":      {"The API server refuses the layer.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepositry, name: flux-system}\n  prune: true"}}, []string{`layers/machines.yaml:8 spec.sourceRef: "GitRepositry" is no kind of source for this layer, and the API server refuses the layer: did you mean GitRepository?`}},
		"SourceOfHelm":    {"A chart's source is none.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: HelmRepository, name: x}\n  prune: true"}}, []string{`layers/machines.yaml:8 spec.sourceRef: "HelmRepository" is no kind of source for this layer`}},
		"NoInterval":      {"The CRD of a layer requires it.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepository, name: a}\n  prune: true"}, {machines, "  interval: 1h\n", ""}}, []string{"layers/machines.yaml:4 spec.interval: is missing, and the API server refuses the Kustomization: write interval: 10m"}},
		"NoPrune":         {"And this.", []fluxEdit{{machines, safe, "  sourceRef: {kind: GitRepository, name: a}\n  interval: 10m\n  wait: true\n"}}, []string{"layers/machines.yaml:4 spec.prune: is missing, and the API server refuses the Kustomization: write prune: false"}},
		"IntervalPatched": {"A kustomization.yaml adds it.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepository, name: a}\n  prune: true"}, {machines, "  interval: 1h\n", ""}, {top, "", "resources: [machines.yaml]\npatches: [{target: {kind: Kustomization}, patch: '[{op: add, path: /spec/interval, value: 10m}]'}]\n"}}, nil},
		"SourceLacks": {"The source of a layer with claims.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepository, name: a}\n  prune: true"}, {"layers/source.yaml", "", aSource("GitRepository", "a", "{}") + "---\n" + aSource("GitRepository", "b", "{}")}}, []string{
			"layers/source.yaml:4 spec.interval: is missing, and the API server refuses the GitRepository: write interval: 10m",
			"layers/source.yaml:4 spec.url: is missing, and the API server refuses the GitRepository: write url: https://git.home.arpa/you/fleet",
		}},
		"SourceOfOCI":        {"Another kind of source.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: OCIRepository, name: a}\n  prune: true"}, {"layers/source.yaml", "", aSource("OCIRepository", "a", "{interval: 10m}")}}, []string{"layers/source.yaml:4 spec.url: is missing, and the API server refuses the OCIRepository"}},
		"SourcePatched":      {"Somebody gives it its address.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepository, name: a}\n  prune: true"}, {"layers/source.yaml", "", aSource("GitRepository", "a", "{}")}, {top, "", "resources: [machines.yaml]\npatches: [{target: {kind: GitRepository}, patch: '[{op: add, path: /spec/url, value: x}]'}]\n"}}, nil},
		"SourcePatchOfOther": {"A patch of another kind does not.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: GitRepository, name: a}\n  prune: true"}, {"layers/source.yaml", "", aSource("GitRepository", "a", "{interval: 10m}")}, {top, "", "resources: [machines.yaml]\npatches: [{target: {kind: HelmRelease}, patch: '[{op: add, path: /spec/url, value: x}]'}]\n"}}, []string{"layers/source.yaml:4 spec.url: is missing"}},
		"ReleaseLacks":       {"Crossplane itself.", []fluxEdit{{"infrastructure/crossplane.yaml", "  interval: 1h\n", ""}}, []string{"infrastructure/crossplane.yaml:4 spec.interval: is missing, and the API server refuses the HelmRelease: write interval: 1h"}},
		"SourceRight":        {"Any of the four.", []fluxEdit{{machines, "  prune: true", "  sourceRef: {kind: OCIRepository, name: x}\n  prune: true"}}, nil},
		"Interval":           {"A number has no unit.", []fluxEdit{{machines, "  prune: true", "  interval: 10\n  prune: true"}, {machines, "  interval: 1h\n", ""}}, []string{`layers/machines.yaml:8 spec.interval: "10" is no time, and the API server refuses the layer: write hours`}},
		"IntervalOfDays":     {"There are no days.", []fluxEdit{{machines, "  prune: true", "  timeout: 1d\n  prune: true"}}, []string{`layers/machines.yaml:8 spec.timeout: "1d" is no time`}},
		"IntervalRight":      {"More than one unit is right, and a variable is nobody's business.", []fluxEdit{{machines, "  prune: true", "  interval: 1m30s\n  retryInterval: ${often}\n  prune: true"}}, nil},
		"Encrypted":          {"Nobody decrypts it.", []fluxEdit{{"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token}\nsops: {mac: x}\n"}}, []string{"layers/catalogue.yaml:3 metadata.name: applies Secret token, which is encrypted with SOPS, and does not decrypt it"}},
		"Decrypted":          {"Flux does.", []fluxEdit{{"catalogue/secret.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: token}\nsops: {mac: x}\n"}, {"layers/catalogue.yaml", "  prune: true", "  decryption: {provider: sops}\n  prune: true"}}, nil},
		"PrefixOfClaims":     {"Another name is another machine.", []fluxEdit{{machines, "  prune: true", "  namePrefix: lab-\n  prune: true"}}, []string{`layers/machines.yaml:8 spec.namePrefix: "lab-": renames the claims`}},
		"PrefixOfCatalogue":  {"Nobody finds the catalogue.", []fluxEdit{{"catalogue/kustomization.yaml", "", "resources: [catalogue.yaml]\nnameSuffix: -b\n"}}, []string{`catalogue/kustomization.yaml:2 nameSuffix: "-b": renames the catalogue`}},
		"PrefixOfPackages":   {"There are two Functions.", []fluxEdit{{"layers/packages.yaml", "  prune: true", "  nameSuffix: -x\n  prune: true"}}, []string{`layers/packages.yaml:7 spec.nameSuffix: "-x": renames the packages`}},
		"PrefixOfConfig":     {"Nobody finds the credentials.", []fluxEdit{{"layers/config.yaml", "  prune: true", "  namePrefix: my-\n  prune: true"}}, []string{`layers/config.yaml:7 spec.namePrefix: "my-": renames the provider's configuration`}},
		"PrefixMakesName":    {"The catalogue gets its name by one.", []fluxEdit{{"catalogue/kustomization.yaml", "", "resources: [catalogue.yaml]\nnamePrefix: machine-\n"}, {"catalogue/catalogue.yaml", "machine-catalog", "catalog"}}, nil},
		"Variables":          {"Flux eats variables of the guest.", []fluxEdit{{machine, "spec:\n", "spec:\n" + userData}, {machines, "  prune: true", "  postBuild: {substitute: {zone: a}}\n  prune: true"}}, []string{"machines/files01.yaml:11 spec.bootstrap.userData: Flux puts nothing in place of ${HOST}, because layer machines has postBuild: write $${HOST}"}},
		"VariablesFrom":      {"Or those of an object.", []fluxEdit{{machine, "spec:\n", "spec:\n" + userData}, {machines, "  prune: true", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: x}]}\n  prune: true"}}, []string{"machines/files01.yaml:11 spec.bootstrap.userData: Flux puts nothing in place of ${HOST}, because layer machines has postBuild, unless an object"}},
		"VariablesNone":      {"Without postBuild it touches none.", []fluxEdit{{machine, "spec:\n", "spec:\n" + userData}}, nil},
		"VariablesGiven":     {"One that has a value is meant.", []fluxEdit{{machine, "spec:\n", "spec:\n" + userData}, {machines, "  prune: true", "  postBuild: {substitute: {HOST: a}}\n  prune: true"}}, nil},
		"VariablesTwice":     {"Two dollars stay one.", []fluxEdit{{machine, "spec:\n", "spec:\n" + strings.Replace(userData, "${", "$${", 1)}, {machines, "  prune: true", "  postBuild: {substitute: {zone: a}}\n  prune: true"}}, nil},
		"VariablesOff":       {"The claim says so.", []fluxEdit{{machine, "spec:\n", "spec:\n" + userData}, {machine, "prune: disabled}", "prune: disabled, kustomize.toolkit.fluxcd.io/substitute: disabled}"}, {machines, "  prune: true", "  postBuild: {substitute: {zone: a}}\n  prune: true"}}, nil},
		"Drift":              {"Helm against Crossplane.", []fluxEdit{{"infrastructure/crossplane.yaml", "mode: warn", "mode: enabled"}}, []string{`infrastructure/crossplane.yaml:6 spec.driftDetection.mode: "enabled": Helm would revert what Crossplane itself writes`}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			raw := aRepositoryWith(t, tc.edits)

			var got []string

			o := Options{Catalogue: DefaultCatalogue}
			for _, f := range slices.Concat(readFlux(raw, o).check(defaultsOf(raw)), readKustomizations(raw, o).check()) {
				if f.Severity != Warning {
					t.Errorf("Flux accepts it: %s", f)
				}

				got = append(got, f.String())
			}

			slices.Sort(got)

			for i := range got {
				got[i] = shortened(got[i], tc.want, i)
			}

			want := slices.Clone(tc.want)
			slices.Sort(want)

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// defaultsOf the catalogue among some files.
func defaultsOf(files []manifest.Raw) func(object) *bool {
	l := &linter{options: Options{Catalogue: DefaultCatalogue}}
	for _, f := range files {
		for _, o := range parse(f, false).objects {
			l.sort(o)
		}
	}

	return protectedByDefault(l)
}

// shortened is a fault without its column and its end, as a case has the one that it expects.
func shortened(fault string, want []string, i int) string {
	place, said, _ := strings.Cut(fault, " warning: ")
	parts := strings.Split(place, ":")
	fault = parts[0] + ":" + parts[1] + " " + said

	if sorted := slices.Sorted(slices.Values(want)); i < len(sorted) && strings.HasPrefix(fault, sorted[i]) {
		return sorted[i]
	}

	return fault
}

func edited(t *testing.T, files map[string]string, e fluxEdit) map[string]string {
	t.Helper()

	switch text, there := files[e.file]; {
	case e.from == "" && e.to == "":
		delete(files, e.file)
	case e.from == "" && !there:
		files[e.file] = e.to
	case !strings.Contains(text, e.from):
		t.Fatalf("%s has no %q:\n%s", e.file, e.from, text)
	default:
		files[e.file] = strings.Replace(text, e.from, e.to, 1)
	}

	return files
}
