package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestRemarks(t *testing.T) {
	const no = "metadata.annotations[crossplane.io/external-name] has no effect: it is for managed resources, and a claim's are named by the function. "

	of := func(kind string, annotations map[string]any) map[string]any {
		return map[string]any{"kind": kind, "metadata": map[string]any{"name": "web", "annotations": annotations}}
	}
	annotated := map[string]any{proxmox.ExternalNameAnnotation: "pve1/108"}

	cases := map[string]struct {
		reason    string
		composite map[string]any
		want      []string
	}{
		"Nothing": {reason: "A claim of nothing.", composite: map[string]any{}},
		"Plain":   {reason: "Other annotations are other programs'.", composite: of(KindMachine, map[string]any{"note": "x"})},
		"Empty":   {reason: "Crossplane takes an empty one for none.", composite: of(KindMachine, map[string]any{proxmox.ExternalNameAnnotation: ""})},
		"NoText":  {reason: "The API server refuses it.", composite: of(KindMachine, map[string]any{proxmox.ExternalNameAnnotation: 108})},
		"Machine": {
			reason: "People know it from imports.", composite: of(KindMachine, annotated),
			want: []string{no + "To say the VMID, set spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId."},
		},
		"Cluster": {
			reason: "It has no VM itself.", composite: of("X"+KindK3sCluster, annotated),
			want: []string{no + "To say a node's VMID, set spec.nodes[].vmId; to take over a VM that exists, spec.nodes[].adoptVm.vmId."},
		},
		"Site": {
			reason: "Nothing of it is adopted.", composite: of(KindProxmoxSite, annotated),
			want: []string{no + "What exists in Proxmox, and the claim did not create, stays as it is."},
		},
		"Paused":       {reason: "A claim that nobody works on looks like any other one.", composite: of(KindMachine, map[string]any{"crossplane.io/paused": "true"}), want: []string{"metadata.annotations[crossplane.io/paused] Crossplane does nothing for this claim: an edit changes nothing in Proxmox, and a deletion, of its namespace, too, waits until somebody removes the annotation"}},
		"PausedNoMore": {reason: "Crossplane asks for true.", composite: of(KindMachine, map[string]any{"crossplane.io/paused": "false"})},
		"Force": {
			reason: "One wrong value is enough.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/force": "Enabled"}),
			want: []string{"metadata.annotations[kustomize.toolkit.fluxcd.io/force] Flux deletes the claim if the API server refuses an edit of it, be it for one wrong value, and makes it anew: its VM is destroyed unless deletionPolicy is Orphan. Remove the annotation (docs/flux.md, What Flux says, and what is wrong)"},
		},
		"ForceCluster": {
			reason: "More goes with a cluster.", composite: of(KindK3sCluster, map[string]any{"argocd.argoproj.io/sync-options": "Force=true"}),
			want: []string{"metadata.annotations[argocd.argoproj.io/sync-options] with Force=true, Argo CD deletes the claim to apply it anew: the VMs of its nodes are destroyed unless deletionPolicy is Orphan. Remove Force=true and Replace=true"},
		},
		"LeftAlone": {
			reason: "Somebody wanted to look for an hour.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}),
			want: []string{"metadata.annotations[kustomize.toolkit.fluxcd.io/reconcile] Flux leaves the claim as it is in the cluster: no commit changes or deletes it until somebody removes the annotation there, with kubectl annotate"},
		},
		"Prune":     {reason: "In any case.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/prune": "Disabled"})},
		"PruneTrue": {reason: "Nobody takes it for a protection.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/prune": "true"})},
		"PruneLate": {reason: "Flux puts a word in its place.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/prune": "${prune:=disabled}"})},
		"PruneSaid": {reason: "The default, written out.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/prune": "enabled"})},
		"PruneWord": {
			reason: "As a layer has it: fluxcd/kustomize-controller issue 237.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/prune": "false"}),
			want: []string{"metadata.annotations[kustomize.toolkit.fluxcd.io/prune] protects nothing by this word, so Flux deletes the claim when its file is gone: its VM is destroyed unless deletionPolicy is Orphan. Write disabled"},
		},
		"Keep": {reason: "Helm takes blanks and capitals.", composite: of(KindMachine, map[string]any{"helm.sh/resource-policy": " Keep "})},
		"KeepWord": {
			reason: "As of a PersistentVolume.", composite: of(KindContainer, map[string]any{"helm.sh/resource-policy": "Retain"}),
			want: []string{"metadata.annotations[helm.sh/resource-policy] protects nothing by this word, so Helm deletes the claim with its release, and when the chart has it no more: its container is destroyed unless deletionPolicy is Orphan. Write keep"},
		},
		"Options": {reason: "As docs/argocd.md has it.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "Prune=false, Delete=confirm,ServerSideApply=true"})},
		"OptionsCase": {
			reason: "Argo CD compares each letter.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "Delete=false,Prune=False"}),
			want: []string{"metadata.annotations[argocd.argoproj.io/sync-options] protects nothing, because Argo CD compares each letter, and deletes the claim: its VM is destroyed unless deletionPolicy is Orphan. Write Prune=false"},
		},
		"OptionsWord": {
			reason: "As Flux has it.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "delete=disabled"}),
			want: []string{"metadata.annotations[argocd.argoproj.io/sync-options] protects nothing, because Argo CD compares each letter, and deletes the claim: its VM is destroyed unless deletionPolicy is Orphan. Write Delete=false"},
		},
		"Once": {
			reason: "Meant for what others write into an object.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"}),
			want: []string{"metadata.annotations[kustomize.toolkit.fluxcd.io/ssa] Flux applies the claim once, and no later commit changes it: remove the annotation"},
		},
		"Ignored": {
			reason: "Flux has the file and does nothing.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/ssa": "Ignore"}),
			want: []string{"metadata.annotations[kustomize.toolkit.fluxcd.io/ssa] Flux does not apply the claim: remove the annotation"},
		},
		"Applied":  {reason: "Flux applies it each time.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/ssa": "Merge", "kustomize.toolkit.fluxcd.io/reconcile": "enabled", "kustomize.toolkit.fluxcd.io/prune": "disabled"})},
		"ForceOff": {reason: "Nothing is forced.", composite: of(KindMachine, map[string]any{"kustomize.toolkit.fluxcd.io/force": "disabled"})},
		"Replace": {
			reason: "Crossplane loses the composite, and makes another one.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "Prune=false, Replace=true"}),
			want: []string{"metadata.annotations[argocd.argoproj.io/sync-options] with Replace=true, Argo CD removes from the claim what Crossplane wrote into it, such as spec.crossplane and spec.resourceRef. Crossplane then forgets what it made, and makes it a second time. Remove Replace=true"},
		},
		"ForceOfArgo": {
			reason: "The claim is deleted with each sync.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "Replace=true,Force=true"}),
			want: []string{"metadata.annotations[argocd.argoproj.io/sync-options] with Force=true, Argo CD deletes the claim to apply it anew: its VM is destroyed unless deletionPolicy is Orphan. Remove Force=true and Replace=true"},
		},
		"SyncOptions": {reason: "As docs/argocd.md has them.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/sync-options": "Prune=false,Delete=false,Replace=false,ServerSideApply=true", "argocd.argoproj.io/sync-wave": "3"})},
		"Hooks": {
			reason: "A hook is deleted before the next one.", composite: of(KindMachine, map[string]any{"argocd.argoproj.io/hook": "PreSync", "helm.sh/hook": "post-install"}),
			want: []string{
				"metadata.annotations[argocd.argoproj.io/hook] a hook is deleted before it is made anew with the next sync, so Argo CD may delete the claim each time: its VM is destroyed unless deletionPolicy is Orphan. Remove the annotation",
				"metadata.annotations[helm.sh/hook] a hook is deleted before it is made anew with the next release, so Helm, and Argo CD, may delete the claim each time: its VM is destroyed unless deletionPolicy is Orphan. Remove the annotation",
			},
		},
		"NodeOfCluster": {reason: "Its metadata are the function's.", composite: map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": KindK3sNode, "metadata": map[string]any{
			"annotations":     annotated,
			"ownerReferences": []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": KindK3sCluster, "controller": true}},
		}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Warnings(tc.composite)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoneAmong: files without a claim are answered with what is in them.
func TestNoneAmong(t *testing.T) {
	const is = "; a claim is a document of kind Machine, K3sNode, Container, K3sCluster or ProxmoxSite"

	for name, tc := range map[string]struct {
		reason string
		kinds  []string
		want   string
	}{
		"Empty":  {"A file without any document.", nil, "found nothing: a file that is empty or has comments alone has no manifest, nor has a folder without .yaml, .yml and .json" + is},
		"Values": {"Documents of Helm or Compose have no kind.", []string{""}, "found nothing with apiVersion and kind" + is},
		"Others": {"Other kinds are named once.", []string{"Pod", "", "Pod"}, "found Pod" + is},

		"Catalogue":     {"It has a flag of its own.", []string{"EnvironmentConfig"}, "found EnvironmentConfig, which --catalogue reads" + is},
		"Kustomization": {"Its folder has the claims.", []string{"Kustomization"}, "found Kustomization: name the folder that it is in, or that it applies" + is},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NoneAmong(tc.kinds); got != tc.want {
				t.Errorf("%s\nwant %s\ngot  %s", tc.reason, tc.want, got)
			}
		})
	}
}
