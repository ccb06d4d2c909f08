package cluster

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// fieldInText is a field of a K3sNode in what the node, or a fault of it, says. That of another node is said to be its own.
var fieldInText = regexp.MustCompile(`\b(its )?spec\.([a-zA-Z0-9]+(?:\[[^\]\s]*\])?(?:\.[a-zA-Z0-9]+(?:\[[^\]\s]*\])?)*)`)

// remedyInText is a remedy of a K3sNode that is a field alone: one that no template can have is none here.
var remedyInText = regexp.MustCompile(`\b(?:set|write) spec\.([a-zA-Z0-9]+(?:\.[a-zA-Z0-9]+)*)($|[;,.])`)

// typed is what a node says, with the fields that a person has in the claim of its cluster. Nobody edits the claims of its nodes. Pools and nodes
// are named, where the claim has lists.
func typed(node string, role v1alpha1.K3sRole, text string) string {
	text = remedyInText.ReplaceAllStringFunc(text, func(found string) string {
		of := remedyInText.FindStringSubmatch(found)
		if where, refused := elsewhere[of[1]]; refused && strings.HasSuffix(typedField(node, role, of[1]), "template."+of[1]) {
			return where + of[2]
		}

		return found
	})

	said := fieldInText.ReplaceAllStringFunc(text, func(found string) string {
		of := fieldInText.FindStringSubmatch(found)
		if of[1] != "" {
			return of[1] + of[2]
		}

		return typedField(node, role, of[2])
	})

	return orByTurn(said, node)
}

// orByTurn says of a new VM that is requested that a turn of the rollout asks for what a person may ask of the node alone.
func orByTurn(said, node string) string {
	const requests = ".lifecycle.replace requests"
	own := "spec.nodes[" + node + "]" + requests

	return strings.ReplaceAll(said, own, "spec.rollout or "+own)
}

// typedOfCluster is what a node says of what is the whole cluster's, with the fields that the cluster has once: no node is named.
func typedOfCluster(text string) string {
	return fieldInText.ReplaceAllStringFunc(text, func(found string) string {
		if to, ok := renamed(strings.TrimPrefix(found, "spec."), ofCluster); ok {
			return "spec." + to
		}

		return found
	})
}

// Typed is what is said of a composite, with the fields that a person has in the claim: of a node of a K3sCluster those of the cluster, of any other
// composite what was said.
func Typed(composite map[string]any, text string) string {
	if !claim.IsOfCluster(composite) {
		return text
	}

	o := unstructured.Unstructured{Object: composite}
	role, _, _ := unstructured.NestedString(composite, "spec", "k3s", "role")

	return typed(o.GetAnnotations()[proxmox.ResourceNameAnnotation], v1alpha1.K3sRole(role), text)
}

// typedField is a field of a node, without spec, where a person types it.
func typedField(node string, role v1alpha1.K3sRole, path string) string {
	if to, ok := renamed(path, ofRollout); ok {
		return "spec." + to
	}

	own := "spec.nodes[" + node + "]."
	if path == "lifecycle" {
		// A turn of the rollout asks for what a person may ask of the node alone.
		return "spec.rollout or " + own + path
	}

	pool := "spec.servers."
	if i := strings.LastIndex(node, "-"); role == v1alpha1.K3sAgent && i > 0 {
		pool = "spec.agents[" + node[:i] + "]."
	}

	return placeIn(path, own, pool)
}

// ofRollout are fields of a node that the cluster's rollout decides.
var ofRollout = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"k3s.drain": "rollout.drain", "lifecycle.rebootPolicy": "rollout.rebootPolicy",
}

// Told is what a node says is wrong with it, one fault, with the fields that a person has in the claim of its cluster: the fault's own is where it stands
// there, as [Check] has it. What a node says of none is as it was.
func Told(members []Member, node, fault string, spec v1alpha1.K3sClusterSpec) string {
	i := slices.IndexFunc(members, func(m Member) bool { return m.Node == node })
	if i < 0 {
		return fault
	}

	m := members[i]

	path, detail, _ := strings.Cut(fault, ": ")
	if fieldInText.FindString(path) != path {
		return typed(m.Node, m.Role, fault)
	}

	return place(path, m, spec) + ": " + typed(m.Node, m.Role, detail)
}
