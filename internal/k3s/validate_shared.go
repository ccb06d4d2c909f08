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

// ValidateShared checks one server's config against what its cluster shares. K3s keeps critical settings in the cluster
// and refuses a server that comes with another value ("critical configuration value mismatch",
// https://docs.k3s.io/cli/server#critical-configuration-values), long after its VM was made. So they are the cluster's: a
// server may repeat what its cluster says, and set no value of its own.
//
// where is the place of the cluster's config, for messages; empty where the node names no cluster. An agent has no such keys.
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

// ValidateSharedDisable checks a server's disable, which takes the place of its cluster's: servicelb is in both or in
// neither. Where the cluster names nothing, it is left to its servers.
func ValidateSharedDisable(own, shared []string, where string, path *field.Path) field.ErrorList {
	has, want := slices.Contains(own, servicelb), slices.Contains(shared, servicelb)
	if own == nil || shared == nil || has == want {
		return nil
	}

	detail := where + " has no " + servicelb + "; take it out here, or add it there"
	if want {
		detail = where + " has " + servicelb + "; add it here, or leave disable out"
	}

	return field.ErrorList{field.Invalid(path, own, "all servers of a cluster disable "+servicelb+" or none, or K3s does not let them join: "+detail)}
}

func sharedAdvice(said bool, where string) string {
	const must = "must be the same on all servers of a cluster, or K3s does not let them join: "

	switch {
	case where == "":
		return must + "set it in the config of a cluster in the catalogue, and name that cluster in spec.k3s.cluster"
	case said:
		return must + where + " has another value; leave it out here"
	default:
		return must + "set it in " + where + ", and not here"
	}
}

// sameSetting says whether K3s reads two values alike: a list may be written as its only element, or with commas.
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

// plain returns a value that a message may show: one that cannot be a secret in the wrong place.
func plain(value any) any {
	text, isText := value.(string)
	_, errPrefix := netip.ParsePrefix(text)
	_, errAddress := netip.ParseAddr(text)

	if _, isBool := value.(bool); isBool || isText && (errPrefix == nil || errAddress == nil) {
		return value
	}

	return field.OmitValueType{}
}
