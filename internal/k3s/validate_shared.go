package k3s

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// servicelb is the one component whose entry in disable must be the same on all servers; others may differ.
const servicelb = "servicelb"

// ValidateShared checks one server's config against its cluster's config. K3s stores critical settings in the cluster and
// refuses a server with another value ("critical configuration value mismatch",
// https://docs.k3s.io/cli/server#critical-configuration-values), long after the creation of its VM. So a server may repeat its
// cluster's value, but not set another one.
//
// where is the path of the cluster's config, for messages; empty if the node names no cluster. Agents have no such keys.
func ValidateShared(own, shared map[string]any, where string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for _, name := range sortedKeys(own) {
		if !configKeys()[name].Critical {
			continue
		}

		value, said := shared[name]
		if said && sameSetting(own[name], value) {
			continue
		}

		faults = append(faults, field.Invalid(path.Key(name), plain(own[name]), sharedAdvice(said, where)))
	}

	return faults
}

// ValidateSharedDisable checks a server's disable, which replaces its cluster's: servicelb must be in both lists or in neither.
// If the cluster has no list, each server decides.
func ValidateSharedDisable(own, shared []string, where string, path *field.Path) field.ErrorList {
	has, want := slices.Contains(own, servicelb), slices.Contains(shared, servicelb)
	if own == nil || shared == nil || has == want {
		return nil
	}

	detail := where + " has no " + servicelb + "; remove it here, or add it there"
	if want {
		detail = where + " has " + servicelb + "; add it here, or leave disable out"
	}

	return field.ErrorList{field.Invalid(path, own, "either all servers of a cluster disable "+servicelb+" or none, because K3s refuses to join others: "+detail)}
}

func sharedAdvice(said bool, where string) string {
	const must = "must be equal on all servers of a cluster, because K3s refuses to join others: "

	switch {
	case where == "":
		return must + "set it in the config of a cluster in the catalogue, and name this cluster in spec.k3s.cluster"
	case said:
		return must + where + " has another value; leave it out here"
	default:
		return must + "set it in " + where + ", and not here"
	}
}

// sameSetting reports whether K3s treats two values as equal: a list may be written as its only element, or with commas.
func sameSetting(a, b any) bool {
	return reflect.DeepEqual(asList(a), asList(b))
}

func asList(value any) any {
	switch v := value.(type) {
	case string:
		return strings.Split(v, ",")
	case []any:
		list := make([]string, 0, len(v))

		for _, item := range v {
			text, _ := item.(string)
			list = append(list, strings.Split(text, ",")...)
		}

		return list
	default:
		return wholeNumber(value)
	}
}

// plain returns a value that a message may show, because it cannot be a misplaced secret.
func plain(value any) any {
	text, isText := value.(string)
	_, errPrefix := netip.ParsePrefix(text)
	_, errAddress := netip.ParseAddr(text)

	if _, isBool := value.(bool); isBool || isText && (errPrefix == nil || errAddress == nil) {
		return value
	}

	return field.OmitValueType{}
}
