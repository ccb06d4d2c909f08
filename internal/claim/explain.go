package claim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// otherKinds are the fields that only one kind has, and the message for the other.
var otherKinds = map[string]map[string]string{ //nolint:gochecknoglobals // A constant table.
	KindContainer: {
		"spec.devices": "unknown field of a Container: Proxmox lets only root@pam pass devices of the node through to a container, and no API token is root@pam. " +
			"Set them up with `pct set` on the node: the container keeps them",
		"spec.ha": noHA, "spec.availability": noHA,
		"spec.lifecycle.retry": "unknown field of a Container: nothing of a container waits for a retry. The provider repeats what failed by itself, with what the claim says by then; " +
			"condition ProviderHealthy says what to correct",
		"spec.bootstrap.userData": noCloudInit, "spec.bootstrap.adminUser": noCloudInit, "spec.bootstrap.snippets": noCloudInit,
		"spec.bootstrap.secrets": noCloudInit, "spec.userData": noCloudInit, "spec.bootstrap.packages": noCloudInit, "spec.bootstrap.runcmd": noCloudInit,
		"spec.packages": noCloudInit, "spec.runcmd": noCloudInit,
	},
	KindK3sNode: {"spec.nix": "unknown field of a K3sNode; a Machine has it, and a NixOS machine configures K3s in its flake: write kind: Machine, or remove it"},
}

// guests are the kinds whose fields people mix up: each is one guest of Proxmox.
var guests = []string{KindMachine, KindK3sNode, KindContainer} //nolint:gochecknoglobals // A constant list.

// ofAnother is the message for a field of a guest's spec that other kinds of guests have at the same place, and for one at the top of a ProxmoxSite's that
// guests have; empty for any other field.
func ofAnother(kind, path string) string {
	name, inSpec := strings.CutPrefix(path, "spec.")
	kinds := slices.DeleteFunc(KindsWith(name), func(other string) bool { return !slices.Contains(guests, other) })

	switch {
	case !inSpec || len(kinds) == 0:
		return ""
	case slices.Contains(guests, kind):
		return "unknown field of a " + kind + "; a " + message.OneOf(kinds) + " has it: write kind: " + message.OneOf(kinds) + ", or remove it"
	case kind == KindProxmoxSite:
		return "unknown field of a ProxmoxSite, which is no guest; a " + message.OneOf(kinds) + " has it: remove it"
	}

	return ""
}

// noCloudInit is why a container has no cloud-config.
const noCloudInit = "unknown field of a Container, which has no cloud-init: Proxmox sets host name, network and the SSH keys of root (spec.bootstrap.sshAuthorizedKeys), and all else is " +
	"in the template, or done over SSH. A Machine has cloud-init"

// noHA is why a container is in no HA.
const noHA = "unknown field of a Container: a Machine has ha. The HA manager may move a container to another node, where the provider does not find it: it would take the container for gone. " +
	"If you put it under high availability by hand all the same (Datacenter, HA, or `ha-manager add ct:<vmId>`), its claim leaves that alone; move it back to its own node afterwards"

// noGateway is why an interface of a ProxmoxSite has none.
const noGateway = "unknown field: a node has one default gateway, on the interface that its installation made, and no claim changes that. Remove it; " +
	"write routes into /etc/network/interfaces on the node"

// notTheSitesPool is what a claim says of its pool.
const notTheSitesPool = "must be true or false, without quotes: the pool, a range of addresses or a pool of Cluster API, is the site's (sites.<site>.network.pool of the catalogue), and " +
	"with true the claim gets one of its addresses"

// ofOneRule are what a rule of a firewall has one of.
var ofOneRule = regexp.MustCompile(`\.allow\[\d+\]\.(ports?|from|group)$`)

// explanation says why a field does not exist that people write; empty for any other field. The patterns have underscores where files of other programs have
// hyphens, as those of a network: bridge-ports is bridge_ports.
func explanation(kind, path string) string {
	path = strings.ReplaceAll(path, "-", "_")

	for _, table := range [][]explainedField{explanations, habits, k3sParts, siteParts} {
		for _, e := range table {
			if slices.Contains(e.kinds, kind) && e.pattern.MatchString(path) {
				return e.text
			}
		}
	}

	return ""
}

// ofUnknown is what is to be said of a field that a kind does not have; empty for what the decoder says.
func ofUnknown(kind string, err *field.Error) string {
	if text := explanation(kind, strict.PathOf(err)); text != "" {
		return text
	}

	if text := otherKinds[kind][err.Field]; text != "" {
		return text
	}

	if strings.Contains(err.Detail, "did you mean") {
		return ""
	}

	return ofAnother(kind, err.Field)
}

// inUnknown are the faults in an object that a kind does not have: the fields in it of which there is more to say than said, where they belong; and whether it
// has no others.
func inUnknown(kind, at, said string, value any) (faults field.ErrorList, all bool) {
	object, _ := value.(map[string]any)
	all = len(object) > 0

	for _, name := range slices.Sorted(maps.Keys(object)) {
		path := field.NewPath(at).Child(message.Key(name))
		if text := explanation(kind, path.String()); text != "" && text != said {
			faults = append(faults, field.Forbidden(path, text))
			continue
		}

		inside, whole := inUnknown(kind, path.String(), said, object[name])
		faults, all = append(faults, inside...), all && whole
	}

	return faults, all
}

// unfolded are faults of decoding a spec, with those in objects that the kind does not have in place of the object's own, or beside it where it has more.
func unfolded(kind string, errs field.ErrorList, spec map[string]any) field.ErrorList {
	var out field.ErrorList

	for _, err := range errs {
		if err.Type != field.ErrorTypeForbidden {
			out = append(out, err)
			continue
		}

		inside, all := inUnknown(kind, err.Field, err.Detail, valueAt(spec, strings.TrimPrefix(err.Field, "spec.")))
		if !all {
			out = append(out, err)
		}

		out = append(out, inside...)
	}

	return out
}

// valueAt is what stands at a path below an object, such as agents[0].k3s; nil where nothing does.
func valueAt(object map[string]any, path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	name, index, listed := strings.Cut(name, "[")
	value := object[name]

	if listed {
		items, _ := value.([]any)
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && i >= 0 && i < len(items) {
			value = items[i]
		}
	}

	if !deeper {
		return value
	}

	within, _ := value.(map[string]any)

	return valueAt(within, rest)
}

// explained are faults of decoding a spec in words that are about the field: the decoder knows types, and not what fields are for.
func explained(kind string, errs field.ErrorList, spec map[string]any) field.ErrorList {
	for i, err := range errs {
		if text := ofUnknown(kind, err); text != "" && err.Type == field.ErrorTypeForbidden {
			errs[i] = field.Forbidden(field.NewPath(err.Field), text)
		}

		isGateway := strings.HasSuffix(err.Field, ".gateway") || strings.HasSuffix(err.Field, ".gateway6")
		if kind == KindProxmoxSite && err.Type == field.ErrorTypeForbidden && isGateway {
			errs[i] = field.Forbidden(field.NewPath(err.Field), noGateway)
		}

		if err.Field == "spec.network.pool" && strings.HasSuffix(err.Detail, "without quotes") {
			err.Detail = notTheSitesPool
		}

		if ofOneRule.MatchString(err.Field) && strings.Contains(err.Detail, "write one of them") {
			err.Detail += ", and a rule of its own for each of the others"
		}
	}

	return unfolded(kind, strict.Explained(errs), spec)
}
