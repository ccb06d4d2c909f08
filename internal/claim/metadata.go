package claim

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Remark is a warning of an annotation of a claim that does nothing, or something else than most likely meant.
type Remark struct {
	// Path of the annotation in the claim.
	Path string
	Why  string
}

// remarks are the annotations of which there is a warning, each with what its value does to a claim of a kind; empty where it does no harm. In the order of
// their warnings.
var remarks = []struct { //nolint:gochecknoglobals // A constant table.
	annotation string
	why        func(value, kind string) string
}{
	{proxmox.ExternalNameAnnotation, idleExternalName},
	// https://github.com/crossplane/crossplane/issues/4839: nothing of a paused claim says that its deletion waits.
	{proxmox.PausedAnnotation, paused},
	{"kustomize.toolkit.fluxcd.io/force", forced},
	// Each of these two is right for a while, and nothing of the claim says later why no commit arrives: fluxcd/kustomize-controller pull requests 484 and 943.
	{"kustomize.toolkit.fluxcd.io/reconcile", leftAlone},
	{"kustomize.toolkit.fluxcd.io/ssa", appliedOnce},
	// A protection by a word that its program does not know is none.
	{"kustomize.toolkit.fluxcd.io/prune", unprotected("Flux", "when its file is gone", "disabled", "enabled", "true")},
	{"helm.sh/resource-policy", unprotected("Helm", "with its release, and when the chart has it no more", "keep")},
	{"argocd.argoproj.io/sync-options", syncOptions},
	// Without a hook-delete-policy, both programs delete the hook of the last time: https://helm.sh/docs/topics/charts_hooks/#hook-deletion-policies and
	// https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/.
	{"argocd.argoproj.io/hook", hookOf("Argo CD", "sync")},
	{"helm.sh/hook", hookOf("Helm, and Argo CD,", "release")},
}

// Remarks are the warnings of a claim's or a composite's metadata. A node of a K3sCluster has its metadata from the function.
func Remarks(composite map[string]any) []Remark {
	annotations, _ := object(composite, "metadata")["annotations"].(map[string]any)
	if len(annotations) == 0 || IsOfCluster(composite) {
		return nil
	}

	var out []Remark

	for _, r := range remarks {
		value := text(annotations, r.annotation)
		if value == "" {
			continue
		}

		if why := r.why(value, strings.TrimPrefix(text(composite, "kind"), "X")); why != "" {
			out = append(out, Remark{Path: "metadata.annotations[" + r.annotation + "]", Why: why})
		}
	}

	return out
}

// Warnings are the remarks on a composite, each as one sentence.
func Warnings(composite map[string]any) []string {
	var out []string
	for _, r := range Remarks(composite) {
		out = append(out, r.Path+" "+r.Why)
	}

	return out
}

// destroyed is what the deletion of a claim of a kind does in Proxmox.
func destroyed(kind string) string {
	what := "its VM is"

	switch kind {
	case KindContainer:
		what = "its container is"
	case KindK3sCluster:
		what = "the VMs of its nodes are"
	case KindProxmoxSite:
		what = "what it made in Proxmox is"
	}

	return what + " destroyed unless deletionPolicy is Orphan"
}

func paused(value, _ string) string {
	if value != "true" {
		return ""
	}

	return "Crossplane does nothing for this claim: an edit changes nothing in Proxmox, and a deletion, of its namespace, too, waits until somebody removes the annotation"
}

func forced(value, kind string) string {
	if !strings.EqualFold(value, "enabled") {
		return ""
	}

	return "Flux deletes the claim if the API server refuses an edit of it, be it for one wrong value, and makes it anew: " + destroyed(kind) +
		". Remove the annotation (docs/flux.md, What Flux says, and what is wrong)"
}

func leftAlone(value, _ string) string {
	if !strings.EqualFold(value, "disabled") {
		return ""
	}

	return "Flux leaves the claim as it is in the cluster: no commit changes or deletes it until somebody removes the annotation there, with kubectl annotate"
}

func appliedOnce(value, _ string) string {
	switch {
	case strings.EqualFold(value, "IfNotPresent"):
		return "Flux applies the claim once, and no later commit changes it: remove the annotation"
	case strings.EqualFold(value, "Ignore"):
		return "Flux does not apply the claim: remove the annotation"
	}

	return ""
}

// Replacing is what becomes of a claim that a program puts in place of the one that there is, in place of applying it.
const Replacing = "removes from the claim what Crossplane wrote into it, such as spec.crossplane and spec.resourceRef. Crossplane then forgets what it made, and makes it a second time."

// SyncOptions says what sync options of Argo CD, with commas, do to a claim of a kind; empty where they do no harm. A claim that is replaced loses what
// Crossplane wrote into it, and Crossplane makes a second composite beside the first one, which nobody deletes:
// https://github.com/crossplane/crossplane/issues/3049 and 4803.
func SyncOptions(value, kind string) string {
	options := strings.Split(strings.ReplaceAll(strings.ToLower(value), " ", ""), ",")

	switch {
	case slices.Contains(options, "force=true"):
		return "with Force=true, Argo CD deletes the claim to apply it anew: " + destroyed(kind) + ". Remove Force=true and Replace=true"
	case slices.Contains(options, "replace=true"):
		return "with Replace=true, Argo CD " + Replacing + " Remove Replace=true"
	}

	return ""
}

// unprotected says that a word keeps no program from deleting a claim: AnyInMetadata of fluxcd/pkg/ssa and filterManifestsToKeep of helm/helm compare
// with the first one of those that they know, in any case.
func unprotected(who, when string, known ...string) func(string, string) string {
	return func(value, kind string) string {
		// Flux puts a value in place of a variable.
		if strings.Contains(value, "${") || slices.ContainsFunc(known, func(word string) bool { return strings.EqualFold(strings.TrimSpace(value), word) }) {
			return ""
		}

		return "protects nothing by this word, so " + who + " deletes the claim " + when + ": " + destroyed(kind) + ". Write " + known[0]
	}
}

// syncOptions are those of an annotation of a claim: Argo CD compares each letter (HasAnnotationOption of argoproj/argo-cd).
func syncOptions(value, kind string) string {
	if why := SyncOptions(value, kind); why != "" {
		return why
	}

	for option := range strings.SplitSeq(value, ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(option)), "=")

		for _, protects := range []string{"Prune", "Delete"} {
			known := []string{protects + "=false", protects + "=true", protects + "=confirm"}
			if !strings.EqualFold(name, protects) || slices.Contains(known, strings.TrimSpace(option)) {
				continue
			}

			return "protects nothing, because Argo CD compares each letter, and deletes the claim: " + destroyed(kind) + ". Write " + protects + "=false"
		}
	}

	return ""
}

func hookOf(who, when string) func(string, string) string {
	return func(_, kind string) string {
		return "a hook is deleted before it is made anew with the next " + when + ", so " + who + " may delete the claim each time: " + destroyed(kind) + ". Remove the annotation"
	}
}

// idleExternalName says that an external name does nothing, and what does what is most likely meant.
func idleExternalName(_, kind string) string {
	const no = "has no effect: it is for managed resources, and a claim's are named by the function. "

	switch kind {
	case KindK3sCluster:
		return no + "To say a node's VMID, set spec.nodes[].vmId; to take over a VM that exists, spec.nodes[].adoptVm.vmId."
	case KindProxmoxSite:
		return no + "What exists in Proxmox, and the claim did not create, stays as it is."
	default:
		return no + "To say the VMID, set spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId."
	}
}
