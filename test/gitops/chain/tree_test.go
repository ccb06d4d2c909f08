package chain

import (
	"os"
	"path/filepath"
	"strings"
)

// The secrets of the fleet, as their owner has them before they are encrypted.
const (
	joinToken   = "K10" + "00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee" + "::server:made-up-for-this-test" //nolint:gosec // Made up.
	credentials = `{"endpoint": "https://pve.example.invalid:8006", "api_token": "root@pam!made-up=for-this-test"}`
)

// secretFiles are the encrypted files of the example, and what they hold.
var secretFiles = map[string]string{
	"provider-config/base/credentials.yaml": `apiVersion: v1
kind: Secret
metadata:
  name: proxmox-credentials
  namespace: crossplane-system
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
stringData:
  credentials: '` + credentials + `'
`,
	"secrets/k3s-join-token.yaml": `apiVersion: v1
kind: Secret
metadata:
  name: k3s-join-token
  namespace: infra-machines
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
stringData:
  token: ` + joinToken + `
`,
}

// localChart is installed in the place of Crossplane, which the control plane has already: its chart is not to be had without
// the internet, and there is no kubelet that would run its Pods.
var localChart = map[string]string{
	"chart/Chart.yaml":               "apiVersion: v2\nname: crossplane\nversion: 2.4.0\n",
	"chart/templates/configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: instead-of-crossplane\ndata: {}\n",
}

// clone example/flux as a person does, with secrets of their own. It differs in one file from what a person has, the chart; the
// registry is that of the plane.
func (r *rig) clone() {
	r.t.Helper()

	dir := filepath.Join(r.dir, "fleet")
	r.fleet = r.git.create(r.t, "fleet", dir)
	must(r.t, os.CopyFS(dir, withoutSecrets{os.DirFS(repository + "/example/flux")}))

	for path, content := range localChart {
		r.fleet.write(path, content)
	}

	const crossplane = "infrastructure/base/crossplane.yaml"

	_, release, _ := strings.Cut(r.fleet.read(crossplane), "---\n") // Without the HelmRepository, which would never be ready.
	r.fleet.write(crossplane, release)
	r.fleet.edit(crossplane,
		"      chart: crossplane\n", "      chart: ./chart\n",
		"sourceRef: {kind: HelmRepository, name: crossplane}", "sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}")

	r.fleet.edit("signatures/registry.yaml", "REGISTRY/", r.Registry.Host+"/homelab-io/")

	r.encrypt()
}

// encrypt the secrets to a key that only the cluster has.
func (r *rig) encrypt() {
	r.t.Helper()

	identity := filepath.Join(r.dir, "age.agekey")
	run(r.t, "", nil, r.tool("age-keygen"), "-o", identity)
	recipient := run(r.t, "", nil, r.tool("age-keygen"), "-y", identity)

	r.fleet.write(".sops.yaml", "creation_rules:\n  - path_regex: .*\\.yaml$\n    encrypted_regex: ^(data|stringData)$\n    age: "+recipient+"\n")

	for path, content := range secretFiles {
		r.fleet.write(path, content)
		run(r.t, r.fleet.dir, nil, r.tool("sops"), "--encrypt", "--in-place", path)

		for _, plain := range []string{joinToken, "api_token"} {
			if strings.Contains(r.fleet.read(path), plain) {
				r.t.Fatalf("%s is not encrypted", path)
			}
		}
	}

	key, err := os.ReadFile(identity)
	must(r.t, err)
	r.create("v1", "Secret", fluxNamespace, "sops-age", map[string]any{"stringData": map[string]any{"age.agekey": string(key)}})
}

// bootstrap is what `flux bootstrap git` leaves behind: a source, and a Kustomization of the cluster's folder.
func (r *rig) bootstrap() {
	r.t.Helper()

	r.create("source.toolkit.fluxcd.io/v1", "GitRepository", fluxNamespace, fluxNamespace, map[string]any{"spec": map[string]any{
		"interval": "1m", "url": r.fleet.url, "ref": map[string]any{"branch": "main"},
	}})
	r.create("kustomize.toolkit.fluxcd.io/v1", "Kustomization", fluxNamespace, fluxNamespace, map[string]any{"spec": map[string]any{
		"interval": "10m", "prune": true, "path": "./clusters/" + r.cluster,
		"sourceRef": map[string]any{"kind": "GitRepository", "name": fluxNamespace},
	}})
}

func (r *rig) tool(name string) string {
	r.t.Helper()

	path, err := filepath.Abs(filepath.Join(toolsBin, name))
	must(r.t, err)

	return path
}
