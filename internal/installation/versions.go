package installation

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const packages = "pkg.crossplane.io"

// Names of packages, as their last part has them whatever registry they come from.
const (
	providerName      = "provider-proxmox-bpg"
	functionName      = "function-proxmox-machine"
	configurationName = "configuration-proxmox-machine"
	namespacedName    = "configuration-proxmox-machine-namespaced"
)

// calledFunction is the name that the Compositions call: the one that Crossplane gives to the dependency of the Configuration.
const calledFunction = "homelab-io-function-proxmox-machine"

// versions of Kubernetes, Crossplane and the packages.
func (c Cluster) versions() []Finding {
	var out []Finding

	if c.Kubernetes != "" {
		out = append(out, kubernetes(c.Kubernetes))
	}

	namespaced, claims := c.packageOf("Configuration", namespacedName), c.packageOf("Configuration", configurationName)
	out = append(out, c.crossplane(namespaced != nil), c.provider(claims != nil))

	switch {
	case namespaced != nil:
		out = append(out, installed(checkConfiguration, *namespaced))
	case claims != nil:
		out = append(out, installed(checkConfiguration, *claims))
	case len(c.of("apiextensions.crossplane.io", "Composition")) > 0 && c.packageOf("Function", functionName) != nil:
		out = append(out, Finding{checkConfiguration, Warning, "no Configuration of this project: its XRDs and Compositions were applied by hand", ""})
	default:
		out = append(out, Finding{checkConfiguration, Fault, "no Configuration of this project", "apply packages.yaml of docs/start.md, step 6"})
	}

	if namespaced != nil && claims != nil {
		out = append(out, Finding{
			checkConfiguration, Fault, "both Configurations, for claims and namespaced, are installed: they define the same kinds",
			"kubectl delete configuration.pkg.crossplane.io NAME, of the one without machines",
		})
	}

	return append(out, c.function())
}

func kubernetes(version string) Finding {
	r, ok := releaseOf(version)

	switch {
	case !ok:
		return Finding{checkKubernetes, Unknown, "version " + message.Excerpt(version), ""}
	case r.before(1, 31, 0):
		return Finding{checkKubernetes, Warning, message.Excerpt(version) + ": 1.31 or later is what should work", "upgrade Kubernetes"}
	default:
		return Finding{checkKubernetes, OK, message.Excerpt(version), ""}
	}
}

// crossplane is the finding on its version. needsTwo says that the packages have namespaced composites.
func (c Cluster) crossplane(needsTwo bool) Finding {
	var found *unstructured.Unstructured

	for i, o := range c.Objects {
		if o.GetKind() == "Deployment" && o.GetLabels()["app"] == checkCrossplane {
			found = &c.Objects[i]
		}
	}

	if found == nil {
		return Finding{checkCrossplane, Fault, "no Deployment of Crossplane in the cluster", "helm install crossplane crossplane-stable/crossplane, as docs/start.md, step 5, has it"}
	}

	version := found.GetLabels()["app.kubernetes.io/version"]
	if version == "" {
		version = imageTag(*found)
	}

	r, ok := releaseOf(version)
	says := message.Excerpt(version) + " in namespace " + message.Excerpt(found.GetNamespace())

	switch {
	case !ok:
		return Finding{checkCrossplane, Unknown, "the version of Deployment " + message.Excerpt(found.GetName()) + " cannot be told", ""}
	case r.before(1, 20, 0):
		return Finding{checkCrossplane, Fault, says + ": 1.20 or later is needed", "upgrade Crossplane"}
	case needsTwo && r.before(2, 1, 0):
		return Finding{checkCrossplane, Fault, says + ": the namespaced packages need 2.1 or later", "upgrade Crossplane, or install " + configurationName}
	case is(*found, "Available") == "False":
		return Finding{checkCrossplane, Fault, says + " does not run", "kubectl -n " + message.Excerpt(found.GetNamespace()) + " get pods"}
	case r.before(2, 0, 0):
		return Finding{checkCrossplane, Warning, says + ": functions cannot read Secrets, so that a K3s token must be a file", "docs/compatibility.md has the rest"}
	default:
		return Finding{checkCrossplane, OK, says, ""}
	}
}

func imageTag(deployment unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		m, _ := c.(map[string]any)
		image, _ := m["image"].(string)

		if tag := tagOf(image); tag != "" {
			return tag
		}
	}

	return ""
}

// provider is the finding on provider-proxmox-bpg. claims says that its cluster-scoped kinds are used.
func (c Cluster) provider(claims bool) Finding {
	p := c.packageOf("Provider", providerName)
	if p == nil {
		return Finding{checkProvider, Fault, "no Provider " + providerName, "apply packages.yaml of docs/start.md, step 6"}
	}

	found := installed(checkProvider, *p)
	r, ok := releaseOf(tagOf(packageName(*p)))

	switch {
	case found.State != OK || !ok:
		return found
	case r.before(1, 0, 0):
		found.State, found.Says, found.Fix = Warning, found.Says+": its API groups are the former ones, and it has no containers and sites", "install/legacy/README.md says what it takes"
	case claims && r.before(1, 9, 1):
		found.State, found.Says, found.Fix = Fault, found.Says+": the cluster-scoped kinds of v1.0.0 to v1.9.0 do not work", "set spec.package of the Provider to v1.9.1 or later"
	case r.before(1, 14, 0):
		found.State, found.Says, found.Fix = Warning, found.Says+": no kinds Container and ProxmoxSite before v1.14.0 and v1.18.0", "set spec.package of the Provider to v1.18.0"
	case r.before(1, 18, 0):
		found.State, found.Says, found.Fix = Warning, found.Says+": no kind ProxmoxSite before v1.18.0", "set spec.package of the Provider to v1.18.0"
	}

	return found
}

// function is the finding on the function of this project, and on whether this program is of its release.
func (c Cluster) function() Finding {
	f := c.packageOf("Function", functionName)
	if f == nil {
		return Finding{checkFunction, Fault, "no Function " + functionName + ", which the Configuration brings", "kubectl describe configurationrevisions.pkg.crossplane.io"}
	}

	found := installed(checkFunction, *f)
	theirs, known := releaseOf(tagOf(packageName(*f)))

	// A second one makes both packages unhealthy, and none of the two says why.
	for _, o := range c.packagesOf("Function", functionName) {
		if name := o.GetName(); name != calledFunction {
			return Finding{
				checkFunction, Fault, "Function " + message.Excerpt(name) + ": the Compositions call " + calledFunction,
				"give it that name in Git or in the file that you apply, and delete this one: docs/flux.md, Names, order and time",
			}
		}
	}

	// Crossplane does not upgrade a dependency, so the one that somebody has forgotten stays behind.
	if theirs, its := c.configurationTag(), tagOf(packageName(*f)); found.State == OK && theirs != "" && its != "" && theirs != its {
		found.State, found.Says = Warning, found.Says+": the Configuration is "+theirs+", and both are of one release"
		found.Fix = "set spec.package of both to one version where you keep them: docs/start.md, step 6"
	}

	if ours, released := releaseOf(c.Program); found.State == OK && known && released && ours != theirs {
		found.State, found.Says = Warning, found.Says+": this program is "+c.Program+", and shows what that release would do"
	}

	return found
}

// configurationTag is the version of the Configuration; empty where there is none, or one with a digest alone.
func (c Cluster) configurationTag() string {
	for _, name := range []string{namespacedName, configurationName} {
		if p := c.packageOf("Configuration", name); p != nil {
			return message.Excerpt(tagOf(packageName(*p)))
		}
	}

	return ""
}

// packageOf a kind whose name ends with a word, whatever registry it is from: the first, or nil.
func (c Cluster) packageOf(kind, name string) *unstructured.Unstructured {
	if found := c.packagesOf(kind, name); len(found) > 0 {
		return &found[0]
	}

	return nil
}

// packagesOf a kind whose name ends with a word, whatever registry they are from.
func (c Cluster) packagesOf(kind, name string) []unstructured.Unstructured {
	var out []unstructured.Unstructured

	for _, o := range c.of(packages, kind) {
		path, _, _ := strings.Cut(packageName(o), "@")
		last := path[strings.LastIndex(path, "/")+1:]

		if last, _, _ = strings.Cut(last, ":"); last == name {
			out = append(out, o)
		}
	}

	return out
}

func packageName(o unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(o.Object, "spec", "package")

	return name
}

// definitions of our kinds that the API server does not serve.
func (c Cluster) definitions() []Finding {
	var out []Finding

	n := 0

	for _, o := range c.of("apiextensions.crossplane.io", "CompositeResourceDefinition") {
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		if group != "homelab.io" {
			continue
		}

		n++

		_, claimed, _ := unstructured.NestedMap(o.Object, "spec", "claimNames")
		if is(o, "Established") != "True" || claimed && is(o, "Offered") != "True" {
			out = append(out, Finding{
				checkKinds, Fault, "XRD " + message.Excerpt(o.GetName()) + " is not established", "kubectl describe xrd " + message.Excerpt(o.GetName()),
			})
		}
	}

	switch {
	case n == 0:
		return []Finding{{checkKinds, Fault, "no XRD of homelab.io: the API server knows none of this project's kinds", "apply packages.yaml of docs/start.md, step 6"}}
	case len(out) == 0:
		return []Finding{{checkKinds, OK, "established XRDs of homelab.io: " + strconv.Itoa(n), ""}}
	default:
		return out
	}
}

// everyMachine is what no VM is made without, by the beginning of its definition's name.
var everyMachine = []string{"environmentvms.", "environmentfiles.", "environmentdownloadfiles."} //nolint:gochecknoglobals // A constant list.

// Definitions are the names of the ManagedResourceDefinitions whose state is judged: those of both flavours.
func Definitions() []string {
	return slices.Concat(proxmox.Cluster.Definitions(), proxmox.Namespaced.Definitions())
}

// activation of the provider's kinds that the function renders: Crossplane serves those alone that a ManagedResourceActivationPolicy names, and the default
// one, which names all, may not be there. A provider before safe-start has no definitions, and all its kinds are served.
func (c Cluster) activation() []Finding {
	flavour, fix := proxmox.Namespaced, "kubectl apply -f "+document.FilesURL+"package-v2/activation.yaml"
	if c.ofClaims() {
		flavour, fix = proxmox.Cluster, "apply a ManagedResourceActivationPolicy that names them: docs/performance.md, Only the kinds that are used"
	}

	var (
		inactive []string
		state    = Warning
	)

	for _, o := range c.of("apiextensions.crossplane.io", "ManagedResourceDefinition") {
		name := o.GetName()
		if now, _, _ := unstructured.NestedString(o.Object, "spec", "state"); now == "Active" || !slices.Contains(flavour.Definitions(), name) {
			continue
		}

		inactive = append(inactive, name)
		if slices.ContainsFunc(everyMachine, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			state = Fault
		}
	}

	if len(inactive) == 0 {
		return nil
	}

	slices.Sort(inactive)

	return []Finding{{checkKinds, state, "the API server does not serve kinds of the provider, which no ManagedResourceActivationPolicy activates: " + strings.Join(inactive, ", "), fix}}
}

// ofClaims says whether the packages are those for claims, and not the namespaced ones.
func (c Cluster) ofClaims() bool {
	return c.packageOf("Configuration", configurationName) != nil && c.packageOf("Configuration", namespacedName) == nil
}
