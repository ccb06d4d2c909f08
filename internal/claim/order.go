package claim

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// A whole claim, in the order in which people write it.
type whole[Spec any] struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

type metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

// machineSpec is that of a Machine and of a K3sNode.
type machineSpec struct {
	v1alpha1.MachineFields `json:",inline"`

	DeletionPolicy v1alpha1.DeletionPolicy `json:"deletionPolicy"`
	Nix            v1alpha1.Nix            `json:"nix"`
	K3s            v1alpha1.K3s            `json:"k3s"`
}

// InOrder are the faults of a claim for a machine in the order of the fields in docs/api.md, each once; behind them those of the catalogue.
func InOrder(faults field.ErrorList) field.ErrorList {
	return inOrder(faults, strict.Compare(whole[machineSpec]{}))
}

// InOrderOfContainer are those of a claim for a container.
func InOrderOfContainer(faults field.ErrorList) field.ErrorList {
	return inOrder(faults, strict.Compare(whole[v1alpha1.ContainerSpec]{}))
}

// InOrderOfSite are those of a claim for parts of a site.
func InOrderOfSite(faults field.ErrorList) field.ErrorList {
	return inOrder(faults, strict.Compare(whole[v1alpha1.ProxmoxSiteSpec]{}))
}

// InOrderOfCluster are those of a claim for a cluster. Several of its nodes may say the same.
func InOrderOfCluster(faults field.ErrorList) field.ErrorList {
	return inOrder(faults, strict.Compare(whole[v1alpha1.K3sClusterSpec]{}))
}

func inOrder(faults field.ErrorList, compare func(a, b string) int) field.ErrorList {
	said := map[string]bool{}

	// A key of the catalogue that nobody knows puts several of the claim's fields in doubt.
	out := slices.DeleteFunc(slices.Clone(faults), func(err *field.Error) bool {
		before := said[err.Error()]
		said[err.Error()] = true

		return before || Follows(faults, err)
	})

	slices.SortStableFunc(out, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(elsewhere(a), elsewhere(b)), compare(a.Field, b.Field))
	})

	return out
}

// Follows says whether a fault is one only because of another one: a field is missing that is there under another name, so that one of the faults asks
// whether it is meant; or it is a field of what is no object at all.
func Follows(faults field.ErrorList, from *field.Error) bool {
	return slices.ContainsFunc(faults, func(err *field.Error) bool {
		if strings.Contains(from.Detail, OfServers) && ofServers(err) {
			return true
		}

		if isMissingToken(from) && err != from && ofToken(err) {
			return true
		}

		switch err.Type {
		case field.ErrorTypeForbidden:
			return from.Type == field.ErrorTypeRequired && (strings.Contains(err.Detail, "did you mean "+from.Field+"?") || writes(err, from.Field) || instead(err, from))
		case field.ErrorTypeInvalid:
			within := strings.HasPrefix(from.Field, err.Field+".")

			return within && from.Type != field.ErrorTypeForbidden && strings.HasPrefix(err.Detail, "must be an object with fields")
		default:
			return false
		}
	})
}

// isMissingToken says whether a fault is that there is no token of K3s: in a K3sCluster, or in a K3sNode.
func isMissingToken(err *field.Error) bool {
	return err.Type == field.ErrorTypeRequired && (err.Field == "spec.token" || err.Field == "spec.k3s.token")
}

// aToken is the name of a field that nobody knows and that was to hold a token.
var aToken = regexp.MustCompile(`(?i)^spec\.(k3s\.)?[a-z0-9_-]*token[a-z0-9_-]*$`)

// namesToken is what is said of a field in whose place a token is to be written.
var namesToken = regexp.MustCompile(`\btoken: \{secretRef: |did you mean spec\.joinToken\?|(set|write) spec\.(k3s\.)?token\b`)

// ofToken says whether a fault is of a token of K3s that is there: in another form, under another name, or in another place.
func ofToken(err *field.Error) bool {
	if message.Within(err.Field, "spec.token") || message.Within(err.Field, "spec.joinToken") || message.Within(err.Field, "spec.k3s.token") {
		return true
	}

	return err.Type == field.ErrorTypeForbidden && (aToken.MatchString(err.Field) || namesToken.MatchString(err.Detail))
}

// OfServers is what is said of the address of a cluster whose servers ask it: with one server alone it may be the server's own.
const OfServers = "name a virtual IP, a DNS name of all servers, or another server"

// ofServers says whether nobody knows how many servers a cluster is to have.
func ofServers(err *field.Error) bool {
	switch err.Field {
	case "spec.servers", "spec.servers.count":
		return true
	default:
		return strings.Contains(err.Detail, "did you mean spec.servers?") || strings.Contains(err.Detail, "did you mean spec.servers.count?")
	}
}

// asked is the field that the fault of a field that nobody knows asks for, with the object that it is in.
var asked = regexp.MustCompile(`did you mean spec\.([A-Za-z0-9]+\.[A-Za-z0-9.]+)\?`)

// instead says whether a field is missing only without another one, which is there under a name that nobody knows.
func instead(unknown, missing *field.Error) bool {
	m := asked.FindStringSubmatch(unknown.Detail)

	return m != nil && strings.Contains(missing.Detail, m[1]+": true")
}

// writes says whether the fault of a field that nobody knows says what to write in its place, with a field that is missing beside it.
func writes(unknown *field.Error, missing string) bool {
	i, j := strings.LastIndex(unknown.Field, "."), strings.LastIndex(missing, ".")

	if i <= 0 || j <= 0 || unknown.Field[:i] != missing[:j] {
		return false
	}

	text, explains := strings.CutPrefix(unknown.Detail, "unknown field: ")
	name := missing[j+1:] + ": "

	return explains && (strings.Contains(text, " "+name) || strings.Contains(text, "{"+name))
}

// elsewhere is 1 for a fault that is not in the claim.
func elsewhere(err *field.Error) int {
	if strings.Contains(err.Field, ": ") {
		return 1
	}

	return 0
}
