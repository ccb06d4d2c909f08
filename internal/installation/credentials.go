package installation

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A configName names a configuration of the provider.
type configName struct{ kind, name string }

// credentials of each configuration that a site of the catalogue names.
func (c Cluster) credentials() []Finding {
	sites := map[configName][]string{}

	entries := c.entries().Sites
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		config, kind := entries[name].Provider()
		if c.ofClaims() || len(c.claimConfigs()) > 0 && c.packageOf("Configuration", namespacedName) == nil {
			kind = providerConfig
		}

		sites[configName{kind, config}] = append(sites[configName{kind, config}], name)
	}

	var out []Finding

	for _, n := range slices.SortedFunc(maps.Keys(sites), func(a, b configName) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) }) {
		for _, f := range c.credentialsOf(n, sites[n]) {
			f.Check = cmp.Or(f.Check, checkCredentials)
			out = append(out, f)
		}
	}

	if c.Proxmox != nil && len(sites) == 0 {
		out = append(out, Finding{checkProxmox, Unknown, "no site of a catalogue names credentials to try", "kubectl machine init writes a catalogue: docs/catalogue.md"})
	}

	return out
}

const providerConfig = "ProviderConfig"

// claimConfigs are the configurations of the provider's cluster-scoped kinds.
func (c Cluster) claimConfigs() []unstructured.Unstructured {
	return c.of("proxmoxbpg.crossplane.io", providerConfig)
}

// credentialsOf a configuration.
func (c Cluster) credentialsOf(n configName, sites []string) []Finding {
	named := n.kind + " " + message.Excerpt(n.name)

	var (
		found          []unstructured.Unstructured
		other, foreign []string
	)

	for _, o := range c.Objects {
		group := o.GroupVersionKind().Group

		switch {
		case !strings.HasPrefix(group, "proxmoxbpg."):
		case c.isForeign(group):
			foreign = append(foreign, o.GetKind()+" "+message.Excerpt(o.GetName()))
		case o.GetKind() != n.kind:
		case o.GetName() == n.name:
			found = append(found, o)
		default:
			other = append(other, message.Excerpt(o.GetName()))
		}
	}

	if len(found) == 0 {
		none := Finding{State: Fault, Says: "no " + named + ", which site " + strings.Join(sites, ", ") + " of the catalogue names", Fix: "apply provider-config.yaml of docs/start.md, step 7"}

		if slices.Sort(other); len(other) > 0 {
			none.Says += "; there is " + strings.Join(slices.Compact(other), ", ")
			none.Fix = "name the right one in the catalogue (providerConfig of the site), or apply one of the name that it has: docs/start.md, step 7"
		}

		if len(other) == 0 && len(foreign) > 0 {
			slices.Sort(foreign)
			installed := "for claims"
			if c.ofClaims() {
				installed = "without claims"
			}

			none.Says += "; " + strings.Join(slices.Compact(foreign), ", ") + " is for the other installation, " + installed
		}

		return []Finding{none}
	}

	var out []Finding
	for _, o := range found {
		out = append(out, c.secretOf(o, named, sites)...)
	}

	return out
}

// isForeign says whether configurations of an API group are for kinds of the provider that the installed packages do not use. Where those were applied by
// hand, nobody knows.
func (c Cluster) isForeign(group string) bool {
	if c.ofClaims() {
		return group != "proxmoxbpg.crossplane.io"
	}

	return c.packageOf("Configuration", namespacedName) != nil && group == "proxmoxbpg.crossplane.io"
}

// secretOf a configuration: it is there, has what the provider needs, and Proxmox takes it, where that is to be tried.
func (c Cluster) secretOf(config unstructured.Unstructured, named string, sites []string) []Finding {
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(config.Object, append([]string{"spec", "credentials"}, path...)...)

		return s
	}

	if source := text("source"); source != "Secret" {
		return []Finding{{State: Unknown, Says: named + " takes its credentials from " + message.Excerpt(cmp.Or(source, "nowhere")) + ", which is not read"}}
	}

	namespace, name, key := cmp.Or(text("secretRef", "namespace"), config.GetNamespace()), text("secretRef", "name"), text("secretRef", "key")
	secret := "Secret " + message.Excerpt(namespace) + "/" + message.Excerpt(name)
	create := fmt.Sprintf("kubectl -n %s create secret generic %s --from-file=%s=credentials.json --dry-run=client -o yaml | kubectl apply -f -: docs/start.md, step 7, says what is in the file",
		message.Excerpt(namespace), message.Excerpt(name), message.Excerpt(key))

	o, err := c.Secret(namespace, name)

	switch {
	case err != nil:
		return []Finding{{State: Unknown, Says: named + ": " + secret + " cannot be read", Fix: "check again as somebody who may read it"}}
	case o == nil:
		return []Finding{{State: Fault, Says: named + ": " + secret + " does not exist", Fix: create}}
	}

	encoded, there, _ := unstructured.NestedString(o.Object, "data", key)
	if !there {
		return []Finding{{State: Fault, Says: fmt.Sprintf("%s: %s has no key %s", named, secret, message.Excerpt(key)), Fix: create}}
	}

	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return []Finding{{State: Unknown, Says: named + ": " + secret + " is not in base64"}}
	}

	var out []Finding

	for _, f := range proxmox.CheckCredentials(content) {
		state := Fault
		if f.Works {
			state = Warning
		}

		out = append(out, Finding{State: state, Says: fmt.Sprintf("%s: key %s of %s %s", named, message.Excerpt(key), secret, f.Says), Fix: create})
	}

	switch {
	case c.Proxmox == nil && len(out) == 0:
		out = append(out, Finding{State: OK, Says: named + ": " + secret + " has what the provider needs. --proxmox tries it"})
	case len(out) == 0:
		out = append(out, Finding{State: OK, Says: named + ": " + secret + " has what the provider needs"})
	}

	if c.Proxmox != nil && !slices.ContainsFunc(out, func(f Finding) bool { return f.State == Fault }) {
		out = append(out, c.try(content, named, sites)...)
	}

	return out
}
