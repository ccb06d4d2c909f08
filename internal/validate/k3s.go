package validate

import (
	"maps"
	"reflect"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Maximum sizes of a node's fields.
const (
	maxServerURL  = 255
	maxVersion    = 64
	maxDisable    = 16
	maxTLSSANs    = 32
	maxLabels     = 32
	maxTaints     = 32
	maxTokenFile  = 255
	maxLabelValue = 63
	maxLabelName  = 317 // A prefix of 253, a slash, and a name of 63.
)

// k3sFields checks a node. setUp is true if the function does not install K3s; then the installation's fields are optional.
func k3sFields(at *field.Path, k *v1alpha1.K3s, setUp bool) field.ErrorList {
	if reflect.ValueOf(*k).IsZero() {
		return field.ErrorList{field.Required(at.Child("role"), "k3s must have the node's cluster and role, such as {cluster: home, role: agent}")}
	}

	errs := catalogueName(at.Child("cluster"), k.Cluster, 63)

	errs = append(errs, clusterName(at, k)...)

	if k.Role == "" {
		errs = append(errs, field.Required(at.Child("role"), "must be server or agent"))
	}

	errs = append(errs, OneOf(at.Child("role"), k.Role, v1alpha1.K3sServer, v1alpha1.K3sAgent)...)

	if k.Init && k.Role != v1alpha1.K3sServer {
		errs = append(errs, field.Invalid(at.Child("init"), true, "init: true creates the first server of a cluster, so role must be server"))
	}

	errs = append(errs, restore(at, k)...)

	if !setUp && !k.Init && k.Server == "" && k.Cluster == "" {
		errs = append(errs, field.Required(at.Child("server"),
			"k3s.server (https://address:6443 of a running server) or k3s.cluster is required, except for the first server, which has k3s.init: true"))
	}

	errs = append(errs, OneOf(at.Child("readyWhen"), k.ReadyWhen, v1alpha1.ReadyWhenVM, v1alpha1.ReadyWhenJoined, v1alpha1.ReadyWhenReady)...)
	errs = append(errs, given(at, "server", k.Server, K3sAddress)...)
	errs = append(errs, given(at, "version", k.Version, K3sVersion)...)
	errs = append(errs, given(at, "token", k.Token, K3sToken)...)
	errs = append(errs, givenAll(at, "disable", k.Disable, K3sDisable)...)
	errs = append(errs, givenAll(at, "tlsSANs", k.TLSSANs, K3sTLSSANs)...)
	errs = append(errs, serverOnly(at, k)...)
	errs = append(errs, labels(at.Child("labels"), k.Labels)...)
	errs = append(errs, givenAll(at, "taints", k.Taints, taints)...)

	return append(errs, k3s.ValidateConfig(k3s.RoleOf(k.Role, k.Init), k.Config, at.Child("config"))...)
}

// restore checks the snapshot with which a first server begins.
func restore(at *field.Path, k *v1alpha1.K3s) field.ErrorList {
	if k.Restore == "" {
		return nil
	}

	errs := k3s.ValidateSnapshotName(k.Restore, at.Child("restore"))

	if !k.Init || k.Token == nil {
		errs = append(errs, field.Forbidden(at.Child("restore"),
			"restore is for the first server of a cluster: it needs init: true, and token with the token of the time when the snapshot was taken"))
	}

	return errs
}

var clusterNamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// clusterName checks the name of a cluster that is no entry of the catalogue. Which of two names counts nobody should have to know: a server that
// is counted in the wrong cluster takes part in the wrong quorum.
func clusterName(at *field.Path, k *v1alpha1.K3s) field.ErrorList {
	rule := textRule{maxRunes: 63, pattern: clusterNamePattern, message: "must be lower case letters, digits and hyphens, such as home"}
	errs := rule.check(at.Child("clusterName"), k.ClusterName)

	if k.ClusterName != "" && k.Cluster != "" {
		errs = append(errs, field.Forbidden(at.Child("clusterName"),
			"set k3s.cluster, an entry of the catalogue, or k3s.clusterName, for a cluster without one, and not both"))
	}

	return errs
}

// serverOnly refuses fields for servers on an agent.
func serverOnly(at *field.Path, k *v1alpha1.K3s) field.ErrorList {
	if k.Role != v1alpha1.K3sAgent {
		return nil
	}

	var errs field.ErrorList

	if len(k.Disable) > 0 {
		errs = append(errs, field.Forbidden(at.Child("disable"), "only servers deploy packaged components: remove disable from this agent"))
	}

	if len(k.TLSSANs) > 0 {
		errs = append(errs, field.Forbidden(at.Child("tlsSANs"), "only servers have the API server's certificate: remove tlsSANs from this agent"))
	}

	return errs
}

// K3sAddress checks the optional address of a cluster.
func K3sAddress(at *field.Path, address string) field.ErrorList {
	if errs := (textRule{maxRunes: maxServerURL}).check(at, address); address == "" || len(errs) > 0 {
		return errs
	}

	return k3s.ValidateServerURL(address, at)
}

// K3sVersion checks an optional K3s release.
func K3sVersion(at *field.Path, version string) field.ErrorList {
	if errs := (textRule{maxRunes: maxVersion}).check(at, version); version == "" || len(errs) > 0 {
		return errs
	}

	return k3s.ValidateVersion(version, at)
}

// K3sDisable checks names of packaged components.
func K3sDisable(at *field.Path, names []string) field.ErrorList {
	rule := textRule{maxRunes: 63, message: "must be the name of a packaged component of K3s, such as servicelb"}
	if errs := rule.items(at, names, maxDisable); len(errs) > 0 {
		return errs
	}

	return k3s.ValidateDisable(names, at)
}

// K3sTLSSANs checks names and addresses for the API server's certificate.
func K3sTLSSANs(at *field.Path, names []string) field.ErrorList {
	rule := textRule{maxRunes: 253, message: "must be a DNS name or an IP address"}
	if errs := rule.items(at, names, maxTLSSANs); len(errs) > 0 {
		return errs
	}

	return k3s.ValidateTLSSANs(names, at)
}

func labels(at *field.Path, ls map[string]string) field.ErrorList {
	errs := count(at, len(ls), maxLabels)

	for _, name := range slices.Sorted(maps.Keys(ls)) {
		if len(name) > maxLabelName || len(ls[name]) > maxLabelValue {
			errs = append(errs, field.Invalid(at.Key(message.Key(name)), message.Excerpt(ls[name]), "the label's name must have at most 317 characters, and its value at most 63"))
		}
	}

	if len(errs) > 0 {
		return errs
	}

	return k3s.ValidateLabels(ls, at)
}

func taints(at *field.Path, ts []string) field.ErrorList {
	rule := textRule{maxRunes: 512, message: "must be a taint as key=value:Effect, such as gpu=true:NoSchedule"}
	if errs := rule.items(at, ts, maxTaints); len(errs) > 0 {
		return errs
	}

	return k3s.ValidateTaints(ts, at)
}

// NewToken is what to do where a cluster has no token yet: the field, and the command that creates its Secret in a namespace.
func NewToken(namespace string) string {
	return "write token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}, and create the Secret: kubectl " + inNamespace(namespace) +
		`create secret generic k3s-token --from-literal=token="$(openssl rand -hex 32)"`
}

// TokenOfCluster is what to do where a node has no token of the cluster that it joins: the field, and the command that creates its Secret in a namespace.
func TokenOfCluster(namespace string) string {
	return "write token: {secretRef: {name: k3s-token}, allowPlaintext: true}, and create the Secret with the token of the cluster, which its servers have in " +
		"/var/lib/rancher/k3s/server/token: kubectl " + inNamespace(namespace) + "create secret generic k3s-token --from-literal=token=TOKEN"
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}

	return "-n " + message.Excerpt(namespace) + " "
}

// K3sToken checks the source of a token. It never shows a value, because the user may have written the token itself there.
func K3sToken(at *field.Path, t *v1alpha1.K3sToken) field.ErrorList {
	if t == nil {
		return nil
	}

	var errs field.ErrorList

	ways := 0

	for _, set := range []bool{t.SecretRef != nil, t.File != "", t.SecretStore != nil} {
		if set {
			ways++
		}
	}

	switch {
	case ways == 0:
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of secretRef, file and secretStore: nothing says where the token is; write "+
			"secretRef: {name: k3s-token} and allowPlaintext: true"))
	case ways > 1:
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of secretRef, file and secretStore"))
	}

	if t.SecretRef != nil && !t.AllowPlaintext {
		errs = append(errs, field.Required(at.Child("allowPlaintext"),
			"a token from a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, or use file with a pre-placed snippet"))
	}

	if t.File != "" {
		errs = append(errs, tokenFile(at.Child("file"), t.File)...)
	}

	if t.SecretStore != nil {
		errs = append(errs, storedSecret(at.Child("secretStore"), *t.SecretStore)...)
	}

	if t.SecretRef == nil {
		return errs
	}

	return append(errs, secretRef(at.Child("secretRef"), t.SecretRef)...)
}

func tokenFile(at *field.Path, file string) field.ErrorList {
	if len(file) > maxTokenFile {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be at most 255 characters long")}
	}

	return k3s.ValidateTokenFile(file, at)
}
