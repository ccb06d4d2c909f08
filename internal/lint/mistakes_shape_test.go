package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// mistakesOfShape are files that have the right content in a form that nobody reads, and words of other tools.
func mistakesOfShape() map[string]mistake {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, namespace: infra-machines}\n"
		token = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"
		sites = "sites: {home: {nodes: {pve1: {}}, network: {bridge: vmbr0, cidr: 24}}}"
	)

	uses := "---\n" + aMachine("network: {ip: 192.168.4.53}")

	return map[string]mistake{
		"ShapeSpec":         {"a catalogue with spec for data", strings.Replace(environment(sites), "\ndata:", "\nspec:", 1) + uses},
		"ShapeSpecMetadata": {"the same, and no metadata", strings.NewReplacer("metadata:", "metaspec:", "\ndata:", "\nspec:").Replace(environment(sites)) + uses},
		"ShapeConfigMap":    {"a ConfigMap", strings.NewReplacer("apiextensions.crossplane.io/v1beta1", "v1", "EnvironmentConfig", "ConfigMap").Replace(environment(sites)) + uses},
		"ShapeKind":         {"a kind that there is none of", strings.NewReplacer("apiextensions.crossplane.io/v1beta1", apiVersion, "EnvironmentConfig", "Catalogue").Replace(environment(sites)) + uses},
		"ShapeGroup":        {"another group", strings.Replace(environment(sites), "apiextensions.crossplane.io", "crossplane.io", 1) + uses},
		"ShapeVersion":      {"another version", strings.Replace(environment(sites), "v1beta1", "v1", 1) + uses},
		"ShapeName":         {"another name, of a catalogue that a claim uses", strings.Replace(environment(sites), "machine-catalog", "catalogue", 1) + uses},
		"ShapeNameless":     {"no name", strings.Replace(environment(sites), "{name: machine-catalog}", "{labels: {a: b}}", 1) + uses},
		"ShapeNoSpec":       {"no spec", claim},
		"ShapeNoSpecFlat":   {"the fields of the spec beside it", claim + "class: small\nproxmox: {node: pve1}\n"},
		"ShapeGlued":        {"two claims in one document", claim + "spec: {class: small, proxmox: {node: pve1}}\n" + strings.Replace(claim, "files01", "files02", 1) + "spec: {klass: small, proxmox: {node: pve1}}\n"},
		"ShapeSpecTwice":    {"half of a spec in each of two", claim + "spec: {proxmox: {node: pve1}}\nspec: {cores: 3}\n"},
		"ShapeFieldTwice":   {"half of a field", aMachine(where + "size: {cores: 2}\nsize: {ram: 4Gi}\nklass: small")},

		"WordRestart":        {"Compose's restart", aMachine(where + "restart: unless-stopped")},
		"WordRunning":        {"KubeVirt's running", aMachine(where + "running: true")},
		"WordHosts":          {"Ansible's hosts", aMachine(where + "hosts: all")},
		"WordDomain":         {"KubeVirt's domain", aMachine(where + "domain: {devices: {}}")},
		"WordTemplate":       {"a Deployment's template", aMachine(where + "template: {spec: {}}")},
		"WordClone":          {"Terraform's clone", aMachine(where + "clone: debian-template")},
		"WordPorts":          {"Compose's ports", aMachine(where + "ports: [\"80:80\"]")},
		"WordEnvironment":    {"Compose's environment", aMachine(where + "environment: {A: b}")},
		"WordEnvironmentLXC": {"the same of a container", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\nenv: {A: b}")},
		"WordArgs":           {"options of K3s", aNode(where + "k3s: {cluster: home, role: agent, " + strings.TrimSpace(token) + "}\nargs: [--disable=traefik]")},
		"WordDisable":        {"what K3s leaves out", aCluster(token + "cluster: home\nservers: {count: 1}\ndisable: [traefik]")},
		"WordClusterNetwork": {"Cluster API's networks", aCluster(token + "cluster: home\nservers: {count: 1}\nclusterNetwork: {pods: {cidrBlocks: [10.42.0.0/16]}}")},
		"WordTokenSecretRef": {"a reference by another name", aCluster("tokenSecretRef: {name: k3s-token}\ncluster: home\nservers: {count: 1}")},
		"WordControlPlane":   {"a field by another name, which is not missing, too", aCluster(token + "cluster: home\ncontrolPlane: {replicas: 3}")},
		"WordPoolOfCluster":  {"a field of a pool beside the pools", aCluster(token + "cluster: home\nservers: {count: 1}\nimage: debian-13")},
		"WordAddons":         {"what runs in a cluster", aCluster(token + "cluster: home\nservers: {count: 1}\nhelm: [{chart: traefik}]")},
		"NumberOfServers":    {"a number in place of a pool", aCluster(token + "cluster: home\nservers: 3")},
		"NumberOfAgents":     {"the same of agents", aCluster(token + "cluster: home\nservers: {count: 1}\nagents: 2")},
		"NumberOfVLAN":       {"a tag in place of a VLAN interface", "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: a}\nspec: {nodes: {pve: {vlans: [100]}}}\n"},
		"SizeOfMountPoint":   {"a size in place of a mount point", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\ndisks: 8Gi")},
		"FeaturesOfProxmox":  {"Proxmox's own spelling, with one for root@pam", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\nfeatures: \"nesting=1,keyctl=1\"")},
		"NetworkOfProxmox":   {"the same of an interface", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\nnetwork: name=eth0,bridge=vmbr0,ip=dhcp")},
		"CPUOfContainer":     {"the type of a VM's CPU", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 150}\ncpu: {type: host}")},
		"WindowsInContainer": {"another system in a container", aContainerClaim("image: windows-11\nproxmox: {node: pve1, vmId: 150}")},
		"WindowsByName":      {"another system", aMachine(where + "image: Win11")},
		"OPNsenseByName":     {"another one", aMachine(where + "image: opnsense")},
		"DarwinNoSystem":     {"a name that only begins as one", aMachine(where + "image: winter")},
		"PrefixNetwork":      {"a network in place of its length", environment("sites: {home: {nodes: {pve1: {}}, network: {cidr: 192.168.4.0/24}}}")},
	}
}

// TestOtherPeoplesShapes: of other people's objects lint says nothing, though they have sections of the same names.
func TestOtherPeoplesShapes(t *testing.T) {
	t.Parallel()

	cases := map[string]struct{ reason, document string }{
		"ConfigMap":   {"Text in a ConfigMap is its own.", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {defaults: a, images: b}\n"},
		"OtherKind":   {"So are the fields of another group's kind.", "apiVersion: example.org/v1\nkind: Fleet\nmetadata: {name: other}\nspec: {defaults: {a: b}, clusters: {c: {}}}\n"},
		"Composition": {"And those of a Composition.", "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: other}\nspec: {mode: Pipeline}\n"},
		"Environment": {"An EnvironmentConfig is for everybody.", "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: other}\ndata: {zones: {}}\n"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			files := []manifest.Raw{{File: "other.yaml", Documents: manifest.RawDocuments([]byte(tc.document))}}
			if got := Check(files, nil, Options{}).Faults; len(got) > 0 {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}

// TestForm: what keeps a claim from being one is the same for who lints it and for who renders it.
func TestForm(t *testing.T) {
	t.Parallel()

	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: %s\n%s"

	claimOf := func(metadata, spec string) string { return fmt.Sprintf(claim, metadata, spec) }
	right := claimOf("{name: web, namespace: infra}", "spec: {proxmox: {node: pve1}}\n")
	catalogue := environment("sites: {home: {nodes: {pve1: {}}}}")

	cases := map[string]struct {
		reason, document string
		want             []string
	}{
		"Right":     {"Nothing is wrong.", catalogue + "---\n" + right, nil},
		"NoSpec":    {"The API server takes no claim without a spec.", claimOf("{name: web, namespace: infra}", ""), []string{"spec"}},
		"NullSpec":  {"Nor one that is null.", claimOf("{name: web, namespace: infra}", "spec:\n"), []string{"spec"}},
		"EmptySpec": {"An empty one takes the defaults of the catalogue.", claimOf("{name: web, namespace: infra}", "spec: {}\n"), nil},
		"NoName":    {"Nobody can render a machine without a name.", claimOf("{namespace: infra}", "spec: {}\n"), []string{"metadata.name"}},
		"Number":    {"YAML makes a number of the name.", claimOf("{name: 123, namespace: infra}", "spec: {}\n"), []string{"metadata.name"}},
		"Encrypted": {"Nothing of it can be read.", claimOf("{name: web, namespace: infra}", "spec: {class: \"ENC[a]\"}\nsops: {mac: \"ENC[a]\"}\n"), []string{"sops"}},
		"Version":   {"Crossplane does not read the catalogue.", strings.Replace(catalogue, "v1beta1", "v1", 1) + "---\n" + right, []string{"apiVersion"}},
		"Name":      {"The function does not ask for it.", strings.Replace(catalogue, "machine-catalog", "mine", 1) + "---\n" + right, []string{"metadata.name"}},
		"NameAlone": {"Nobody knows whether a claim uses it.", strings.Replace(catalogue, "machine-catalog", "mine", 1), nil},
		"OthersName": {
			"Other people's has other fields.", strings.NewReplacer("machine-catalog", "mine", "nodes:", "zones:").Replace(catalogue) + "---\n" + right, nil,
		},
		"ConfigMap": {
			"Nobody reads it.", strings.NewReplacer("apiextensions.crossplane.io/v1beta1", "v1", "EnvironmentConfig", "ConfigMap").Replace(catalogue) + "---\n" + right, []string{"kind"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var got []string
			for _, f := range Form([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(tc.document))}}, Options{}) {
				got = append(got, f.Path)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
