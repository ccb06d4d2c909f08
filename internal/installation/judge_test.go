package installation

import (
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// rightCredentials are what the provider needs. The values are looked for in what is said.
const rightCredentials = `{"endpoint": "https://hunter2.home.arpa:8006", "insecure": "true", "ssh_username": "hunter2", "ssh_private_key": "-----BEGIN PRIVATE KEY-----\nMHVudGVyMg==\n-----END PRIVATE KEY-----\n",
	"api_token": "hunter2@pve!hunter2=8f5a3c1e-0d7b-4f7e-9a54-2f0d5d1a6b11"}`

// A world is a healthy installation that a case breaks.
type world struct {
	Cluster

	credentials string
	unreadable  bool
}

func healthy(t *testing.T) *world {
	t.Helper()

	b, err := os.ReadFile("testdata/healthy.yaml")
	if err != nil {
		t.Fatal(err)
	}

	objects, err := manifest.ObjectsOf(b)
	if err != nil {
		t.Fatal(err)
	}

	w := &world{Cluster: Cluster{Kubernetes: "v1.35.3+k3s1", Program: "v0.2.0", Objects: objects, Unread: map[string]bool{}}, credentials: rightCredentials}
	w.Secret = func(namespace, name string) (*unstructured.Unstructured, error) {
		if w.unreadable {
			return nil, errors.New("forbidden")
		}

		for i, o := range w.Objects {
			if o.GetKind() == "Secret" && o.GetNamespace() == namespace && o.GetName() == name {
				w.set("Secret", base64.StdEncoding.EncodeToString([]byte(w.credentials)), "data", "credentials")

				return &w.Objects[i], nil
			}
		}

		return nil, nil //nolint:nilnil // There is none.
	}

	return w
}

// set a field of the first object of a kind.
func (w *world) set(kind string, value any, path ...string) {
	for _, o := range w.Objects {
		if o.GetKind() == kind {
			_ = unstructured.SetNestedField(o.Object, value, path...)
			return
		}
	}
}

// remove the objects of a kind.
func (w *world) remove(kind string) {
	var out []unstructured.Unstructured

	for _, o := range w.Objects {
		if o.GetKind() != kind {
			out = append(out, o)
		}
	}

	w.Objects = out
}

// pause the first object of a kind.
func (w *world) pause(kind string) {
	w.set(kind, map[string]any{"crossplane.io/paused": "true"}, "metadata", "annotations")
}

// claims installs the packages for claims, with the provider's configuration that they use.
func (w *world) claims() {
	w.set("Configuration", "ghcr.io/x/configuration-proxmox-machine:v0.2.0", "spec", "package")
	w.set("ClusterProviderConfig", "proxmoxbpg.crossplane.io/v1beta1", "apiVersion")
	w.set("ClusterProviderConfig", "ProviderConfig", "kind")
}

// definitions of the provider's kinds: those whose names begin with one of these are in a state, and the others active.
func (w *world) definitions(f proxmox.Flavour, state string, names ...string) {
	for _, name := range f.Definitions() {
		now := "Active"
		if slices.ContainsFunc(names, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			now = state
		}

		w.Objects = append(w.Objects, unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1alpha1", "kind": "ManagedResourceDefinition", "metadata": map[string]any{"name": name}, "spec": map[string]any{"state": now},
		}})
	}
}

func condition(kind, status, reason string) []any {
	return []any{map[string]any{"type": kind, "status": status, "reason": reason, "message": "must not be shown"}}
}

func TestJudge(t *testing.T) {
	const (
		apply  = "apply packages.yaml of docs/start.md, step 6"
		create = "kubectl -n crossplane-system create secret generic proxmox-credentials --from-file=credentials=credentials.json --dry-run=client -o yaml | kubectl apply -f -: docs/start.md, step 7, says what is in the file"
		secret = "ClusterProviderConfig default: key credentials of Secret crossplane-system/proxmox-credentials "
	)

	otherName := Finding{
		checkFunction, Fault, "Function function-proxmox-machine: the Compositions call homelab-io-function-proxmox-machine",
		"give it that name in Git or in the file that you apply, and delete this one: docs/flux.md, Names, order and time",
	}

	cases := map[string]struct {
		reason string
		change func(w *world)
		want   []Finding // But for those that are OK.
	}{
		"Healthy":       {reason: "nothing is wrong", change: func(*world) {}},
		"OldKubernetes": {"nobody has tried it", func(w *world) { w.Kubernetes = "v1.30.9" }, []Finding{{checkKubernetes, Warning, "v1.30.9: 1.31 or later is what should work", "upgrade Kubernetes"}}},
		"NoCrossplane": {"a cluster without Crossplane", func(w *world) { w.remove("Deployment") }, []Finding{
			{checkCrossplane, Fault, "no Deployment of Crossplane in the cluster", "helm install crossplane crossplane-stable/crossplane, as docs/start.md, step 5, has it"},
		}},
		"OldCrossplane": {"no namespaced composites", func(w *world) { w.set("Deployment", "1.20.5", "metadata", "labels", "app.kubernetes.io/version") }, []Finding{
			{checkCrossplane, Fault, "1.20.5 in namespace crossplane-system: the namespaced packages need 2.1 or later", "upgrade Crossplane, or install configuration-proxmox-machine"},
		}},
		"CrossplaneWithoutPolicies": {"its packages have no ManagedResourceActivationPolicy", func(w *world) { w.set("Deployment", "2.0.7", "metadata", "labels", "app.kubernetes.io/version") }, []Finding{
			{checkCrossplane, Fault, "2.0.7 in namespace crossplane-system: the namespaced packages need 2.1 or later", "upgrade Crossplane, or install configuration-proxmox-machine"},
		}},
		"NoRights": {"what nobody may list may be there", func(w *world) { w.remove("Deployment"); w.Unread["deployments.apps"] = true }, []Finding{
			{checkCrossplane, Unknown, "you may not list deployments.apps", "check again as somebody who may"},
		}},
		"NoProvider": {"nobody makes VMs", func(w *world) { w.remove("Provider") }, []Finding{{checkProvider, Fault, "no Provider provider-proxmox-bpg", apply}}},
		"OldProvider": {"no containers yet", func(w *world) { w.set("Provider", "xpkg.upbound.io/x/provider-proxmox-bpg:v1.9.1", "spec", "package") }, []Finding{
			{checkProvider, Warning, "provider-proxmox-bpg v1.9.1: no kinds Container and ProxmoxSite before v1.14.0 and v1.18.0", "set spec.package of the Provider to v1.18.0"},
		}},
		"BrokenProvider": {"cluster-scoped kinds that do not work", func(w *world) {
			w.claims()
			w.set("Provider", "xpkg.upbound.io/x/provider-proxmox-bpg:v1.8.0", "spec", "package")
		}, []Finding{
			{checkProvider, Fault, "provider-proxmox-bpg v1.8.0: the cluster-scoped kinds of v1.0.0 to v1.9.0 do not work", "set spec.package of the Provider to v1.9.1 or later"},
		}},
		"Unhealthy": {"a revision that does not run", func(w *world) { w.set("Function", condition("Installed", "True", "Active"), "status", "conditions") }, []Finding{
			{
				checkFunction, Fault, "homelab-io-function-proxmox-machine v0.2.0 is not healthy",
				"kubectl describe functions.pkg.crossplane.io/homelab-io-function-proxmox-machine; often the cluster cannot reach the registry, or it has no such package",
			},
		}},
		"FunctionOfAnotherName": {"no Composition finds it", func(w *world) { w.set("Function", "function-proxmox-machine", "metadata", "name") }, []Finding{otherName}},
		"TwoFunctions": {"Crossplane has installed the right one beside it", func(w *world) {
			second := w.of(packages, "Function")[0].DeepCopy()
			second.SetName("function-proxmox-machine")
			w.Objects = append(w.Objects, *second)
		}, []Finding{otherName}},
		"OtherRelease": {"the program would show something else", func(w *world) { w.Program = "v0.3.0" }, []Finding{
			{checkFunction, Warning, "homelab-io-function-proxmox-machine v0.2.0: this program is v0.3.0, and shows what that release would do", ""},
		}},
		"FunctionBehind": {"Crossplane upgrades no dependency", func(w *world) {
			w.set("Configuration", "ghcr.io/homelab-io/configuration-proxmox-machine-namespaced:v0.3.0", "spec", "package")
		}, []Finding{
			{
				checkFunction, Warning, "homelab-io-function-proxmox-machine v0.2.0: the Configuration is v0.3.0, and both are of one release",
				"set spec.package of both to one version where you keep them: docs/start.md, step 6",
			},
		}},
		"PinnedConfiguration": {"a digest says no version", func(w *world) {
			w.set("Configuration", "ghcr.io/homelab-io/configuration-proxmox-machine-namespaced@sha256:"+strings.Repeat("a", 64), "spec", "package")
		}, nil},
		"NoPackages": {"only Crossplane and the provider", func(w *world) {
			w.remove("Configuration")
			w.remove("Function")
			w.remove("CompositeResourceDefinition")
		}, []Finding{
			{checkConfiguration, Fault, "no Configuration of this project", apply},
			{checkFunction, Fault, "no Function function-proxmox-machine, which the Configuration brings", "kubectl describe configurationrevisions.pkg.crossplane.io"},
			{checkKinds, Fault, "no XRD of homelab.io: the API server knows none of this project's kinds", apply},
		}},
		"XRD": {"a kind that is not served", func(w *world) {
			w.set("CompositeResourceDefinition", condition("Established", "False", "Wrong"), "status", "conditions")
		}, []Finding{
			{checkKinds, Fault, "XRD machines.homelab.io is not established", "kubectl describe xrd machines.homelab.io"},
		}},
		"Inactive": {"a provider with safe-start, and no policy for its kinds", func(w *world) { w.definitions(proxmox.Namespaced, "Inactive", "environmentvms.", "environmentpools.") }, []Finding{
			{
				checkKinds, Fault, "the API server does not serve kinds of the provider, which no ManagedResourceActivationPolicy activates: " +
					"environmentpools.virtualenvironmentpool.proxmoxbpg.m.crossplane.io, environmentvms.virtualenvironmentvm.proxmoxbpg.m.crossplane.io",
				"kubectl apply -f https://raw.githubusercontent.com/homelab-io/function-proxmox-machine/main/package-v2/activation.yaml",
			},
		}},
		"InactivePools": {"machines are made without them", func(w *world) { w.definitions(proxmox.Namespaced, "Inactive", "environmentpools.") }, []Finding{
			{
				checkKinds, Warning, "the API server does not serve kinds of the provider, which no ManagedResourceActivationPolicy activates: " +
					"environmentpools.virtualenvironmentpool.proxmoxbpg.m.crossplane.io",
				"kubectl apply -f https://raw.githubusercontent.com/homelab-io/function-proxmox-machine/main/package-v2/activation.yaml",
			},
		}},
		"Active":        {"all are served", func(w *world) { w.definitions(proxmox.Namespaced, "Active", "") }, nil},
		"InactiveOther": {"the packages do not use the cluster-scoped ones", func(w *world) { w.definitions(proxmox.Cluster, "Inactive", "") }, nil},
		"ClaimsInactive": {"the packages for claims bring no policy", func(w *world) {
			w.claims()
			w.definitions(proxmox.Cluster, "Inactive", "environmentfiles.")
		}, []Finding{
			{
				checkKinds, Fault, "the API server does not serve kinds of the provider, which no ManagedResourceActivationPolicy activates: environmentfiles.virtualenvironmentfile.proxmoxbpg.crossplane.io",
				"apply a ManagedResourceActivationPolicy that names them: docs/performance.md, Only the kinds that are used",
			},
		}},
		"Claims": {"the packages for claims, and what belongs to them", func(w *world) { w.claims() }, nil},
		"ConfigOfTheOther": {"the packages for claims with the configuration of the namespaced kinds", func(w *world) {
			w.set("Configuration", "ghcr.io/x/configuration-proxmox-machine:v0.2.0", "spec", "package")
		}, []Finding{
			{
				checkCredentials, Fault, "no ProviderConfig default, which site home of the catalogue names; ClusterProviderConfig default is for the other installation, without claims",
				"apply provider-config.yaml of docs/start.md, step 7",
			},
		}},
		"NamespacedWithConfigOfClaims": {"the namespaced packages with the configuration for claims", func(w *world) {
			w.set("ClusterProviderConfig", "proxmoxbpg.crossplane.io/v1beta1", "apiVersion")
			w.set("ClusterProviderConfig", "ProviderConfig", "kind")
		}, []Finding{
			{
				checkCredentials, Fault, "no ClusterProviderConfig default, which site home of the catalogue names; ProviderConfig default is for the other installation, for claims",
				"apply provider-config.yaml of docs/start.md, step 7",
			},
		}},
		"PausedProvider": {"somebody who looked for a fault", func(w *world) { w.pause("Provider") }, []Finding{
			{
				checkProvider, Warning, "provider-proxmox-bpg v1.18.0 is paused: a new version in its spec.package has no effect",
				"kubectl annotate provider.pkg.crossplane.io/provider-proxmox-bpg crossplane.io/paused-",
			},
		}},
		"PausedMachine": {"all is well with it, and no edit takes effect", func(w *world) { w.pause("Machine") }, []Finding{
			{
				checkMachines, Warning, "Machine infra-machines/dns01 is paused: Crossplane does nothing for it",
				"kubectl annotate machine.homelab.io/dns01 -n infra-machines crossplane.io/paused-",
			},
		}},
		"NoCatalogue": {"no site", func(w *world) { w.remove("EnvironmentConfig") }, []Finding{
			{checkCatalogue, Warning, "no EnvironmentConfig machine-catalog: claims have the built-in classes and images, and no site", "kubectl machine init writes one: docs/catalogue.md"},
		}},
		"OtherCatalogue": {"a catalogue that nobody reads", func(w *world) { w.set("EnvironmentConfig", "homelab", "metadata", "name") }, []Finding{
			{
				checkCatalogue, Warning, "no EnvironmentConfig machine-catalog, which claims read: there is homelab",
				"if that is the catalogue, apply it with metadata.name: machine-catalog; otherwise kubectl machine init writes one: docs/catalogue.md",
			},
		}},
		"Catalogue": {"a fault that would hold every claim", func(w *world) { w.set("EnvironmentConfig", "hom", "data", "defaults", "site") }, []Finding{
			{
				checkCatalogue, Fault, `data.defaults.site: "hom": there is no site of that name; did you mean home?`,
				"edit the catalogue where you keep it; kubectl machine lint -f catalogue.yaml shows the line",
			},
		}},
		"CatalogueNode": {"a node with a name and no value", func(w *world) {
			w.set("EnvironmentConfig", map[string]any{"pve": nil}, "data", "sites", "home", "nodes")
		}, []Finding{
			{
				checkCatalogue, Warning, "data.sites.home.nodes.pve: has no value, and counts as left out: write its fields or {} behind the name, or remove it",
				"edit the catalogue where you keep it; kubectl machine lint -f catalogue.yaml shows the line",
			},
		}},
		"NoConfig": {"a name that the catalogue has and the cluster has not", func(w *world) { w.remove("ClusterProviderConfig") }, []Finding{
			{checkCredentials, Fault, "no ClusterProviderConfig default, which site home of the catalogue names", "apply provider-config.yaml of docs/start.md, step 7"},
		}},
		"OtherConfig": {"a configuration of another name", func(w *world) { w.set("ClusterProviderConfig", "proxmox", "metadata", "name") }, []Finding{
			{
				checkCredentials, Fault, "no ClusterProviderConfig default, which site home of the catalogue names; there is proxmox",
				"name the right one in the catalogue (providerConfig of the site), or apply one of the name that it has: docs/start.md, step 7",
			},
		}},
		"NoSecret": {"a Secret that is not there", func(w *world) { w.remove("Secret") }, []Finding{
			{checkCredentials, Fault, "ClusterProviderConfig default: Secret crossplane-system/proxmox-credentials does not exist", create},
		}},
		"SecretUnread": {"a person who may not read Secrets", func(w *world) { w.unreadable = true }, []Finding{
			{checkCredentials, Unknown, "ClusterProviderConfig default: Secret crossplane-system/proxmox-credentials cannot be read", "check again as somebody who may read it"},
		}},
		"SecretKey": {"a key of another name", func(w *world) { w.set("ClusterProviderConfig", "creds", "spec", "credentials", "secretRef", "key") }, []Finding{
			{
				checkCredentials, Fault, "ClusterProviderConfig default: Secret crossplane-system/proxmox-credentials has no key creds",
				strings.Replace(create, "credentials=credentials.json", "creds=credentials.json", 1),
			},
		}},
		"SecretForm": {"no JSON", func(w *world) { w.credentials = "hunter2" }, []Finding{{checkCredentials, Fault, secret + "is not one JSON object", create}}},
		"SecretEmpty": {"nothing in it", func(w *world) { w.credentials = "{}" }, []Finding{
			{checkCredentials, Fault, secret + "has no endpoint, such as https://192.168.4.2:8006", create},
			{checkCredentials, Fault, secret + "has no api_token", create},
			{checkCredentials, Warning, secret + "has no ssh_username: snippets are written over SSH", create},
		}},
		"SecretValues": {"values of another type and form", func(w *world) {
			w.credentials = `{"endpoint": "hunter2", "insecure": true, "api_token": "hunter2", "ssh_username": "hunter2"}`
		}, []Finding{
			{checkCredentials, Fault, secret + `has field insecure, which is no text: every value is a string, "true" too`, create},
			{checkCredentials, Fault, secret + "has an endpoint that does not begin with https://", create},
			{checkCredentials, Fault, secret + "has an api_token of another form than user@realm!name=uuid, on one line", create},
		}},
		"Machine": {"a machine that a person has to help", func(w *world) {
			w.set("Machine", condition("ProviderHealthy", "False", "AuthenticationError"), "status", "conditions")
		}, []Finding{
			{checkMachines, Fault, "Machine infra-machines/dns01: ProviderHealthy is False (AuthenticationError)", "kubectl machine why machine/dns01 -n infra-machines"},
		}},
		"Waiting": {"a machine that waits for itself", func(w *world) {
			w.set("Machine", condition("MachineReady", "False", "WaitingForImage"), "status", "conditions")
		}, []Finding{
			{
				checkMachines, Warning, "Machine infra-machines/dns01: MachineReady is False (WaitingForImage)",
				"nothing, unless that lasts: then `kubectl machine trace` shows which managed resource is not ready (kubectl machine why machine/dns01 -n infra-machines)",
			},
		}},
		"OtherNamespace": {"other people's machines", func(w *world) {
			w.set("Machine", condition("MachineReady", "False", "WaitingForImage"), "status", "conditions")
			w.Namespace = "media"
		}, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := healthy(t)
			tc.change(w)

			var got []Finding

			for _, f := range Judge(w.Cluster) {
				if said := f.Says + f.Fix; strings.Contains(said, "hunter2") || strings.Contains(said, "must not be shown") {
					t.Errorf("a finding has a value of a Secret, or a message: %s", said)
				}

				if f.State != OK {
					got = append(got, f)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTagOf(t *testing.T) {
	for image, want := range map[string]string{
		"xpkg.upbound.io/a/b:v1.2.3": "v1.2.3", "registry:5000/a/b": "", "registry:5000/a/b:v1@sha256:00": "v1", "a@sha256:00": "",
	} {
		if got := tagOf(image); got != want {
			t.Errorf("tagOf(%q): want %q, got %q", image, want, got)
		}
	}
}
