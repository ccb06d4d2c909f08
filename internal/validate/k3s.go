package validate

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
)

var tokenFilePattern = regexp.MustCompile(`^/[A-Za-z0-9._/-]+$`)

func k3sFields(at *field.Path, k *v1alpha1.K3s, preplaced bool) field.ErrorList {
	errs := catalogueName(at.Child("cluster"), k.Cluster, 63)

	if k.Role == "" {
		errs = append(errs, field.Required(at.Child("role"), "must be server or agent"))
	}

	errs = append(errs, oneOf(at.Child("role"), k.Role, v1alpha1.K3sServer, v1alpha1.K3sAgent)...)

	if k.Init && k.Role != v1alpha1.K3sServer {
		errs = append(errs, field.Invalid(at.Child("init"), true, "init: true makes the first server of a cluster, so role must be server"))
	}

	if !preplaced && !k.Init && k.Server == "" && k.Cluster == "" {
		errs = append(errs, field.Required(at.Child("server"),
			"k3s.server (https://address:6443 of a running server) or k3s.cluster is required, except for the first server, which has k3s.init: true"))
	}

	errs = append(errs, K3sToken(at.Child("token"), k.Token)...)

	return append(errs, serverOnly(at, k)...)
}

// serverOnly refuses on an agent what only servers read.
func serverOnly(at *field.Path, k *v1alpha1.K3s) field.ErrorList {
	if k.Role != v1alpha1.K3sAgent {
		return nil
	}

	var errs field.ErrorList

	if len(k.Disable) > 0 {
		errs = append(errs, field.Forbidden(at.Child("disable"), "only servers deploy packaged components: leave it out of an agent"))
	}

	if len(k.TLSSANs) > 0 {
		errs = append(errs, field.Forbidden(at.Child("tlsSANs"), "only servers have the API server's certificate: leave it out of an agent"))
	}

	return errs
}

// K3sToken checks where a token comes from. No value of it is shown: it may be the token itself in the wrong place.
func K3sToken(at *field.Path, t *v1alpha1.K3sToken) field.ErrorList {
	if t == nil {
		return nil
	}

	var errs field.ErrorList

	if (t.SecretRef != nil) == (t.File != "") {
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of secretRef and file"))
	}

	if t.SecretRef != nil && !t.AllowPlaintext {
		errs = append(errs, field.Required(at.Child("allowPlaintext"),
			"a token from a Secret is written into the snippet in plain text: say allowPlaintext: true to accept that, or use file with a pre-placed snippet"))
	}

	if t.File != "" && (len(t.File) > 255 || !tokenFilePattern.MatchString(t.File) || strings.Contains(t.File, "//") || strings.Contains(t.File, "/../")) {
		errs = append(errs, field.Invalid(at.Child("file"), field.OmitValueType{},
			"must be the absolute path of a file in the guest, such as /etc/rancher/k3s/token, and never the token itself"))
	}

	if t.SecretRef == nil {
		return errs
	}

	return append(errs, secretRef(at.Child("secretRef"), t.SecretRef)...)
}

func secretRef(at *field.Path, r *v1alpha1.SecretKeyRef) field.ErrorList {
	var errs field.ErrorList

	switch {
	case r.Name == "":
		errs = append(errs, field.Required(at.Child("name"), "must be the name of a Secret in the claim's namespace"))
	case len(validation.IsDNS1123Subdomain(r.Name)) > 0:
		errs = append(errs, field.Invalid(at.Child("name"), field.OmitValueType{}, "must be the name of a Secret in the claim's namespace, such as k3s-join-token"))
	}

	if r.Key != "" && len(validation.IsConfigMapKey(r.Key)) > 0 {
		errs = append(errs, field.Invalid(at.Child("key"), field.OmitValueType{}, "must be a key of the Secret, such as token"))
	}

	return errs
}

// labelPairs is how many labels or taints a node may be given.
const labelPairs = 32

// k3sLists checks the sizes of a node's lists; what their items must be is for package k3s to say.
func k3sLists(at *field.Path, k *v1alpha1.K3s) field.ErrorList {
	const (
		maxDisable = 16
		maxTLSSANs = 32
	)

	errs := textRule{maxRunes: 63, message: "must be the name of a packaged component of K3s, such as servicelb"}.items(at.Child("disable"), k.Disable, maxDisable)
	errs = append(errs, textRule{maxRunes: 253, message: "must be a name or an address"}.items(at.Child("tlsSANs"), k.TLSSANs, maxTLSSANs)...)
	errs = append(errs, textRule{maxRunes: 512, message: "must be a taint as key=value:Effect"}.items(at.Child("taints"), k.Taints, labelPairs)...)

	return append(errs, count(at.Child("labels"), len(k.Labels), labelPairs)...)
}

var _ = excerpt.Of
