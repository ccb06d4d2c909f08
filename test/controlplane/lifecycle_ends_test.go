package controlplane

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

func deleted() life {
	const id = 5015

	return life{
		reason: "With Delete, a Machine's default, VM and snippets go with the claim.",
		claim:  withUserData(machine("life-delete", id)), ids: []int{id},
		steps: []step{
			bornWithSnippets("life-delete", id),
			{
				does: "the claim is deleted", remove: true, gone: []string{kindVM, kindImage, kindFile, kindFile},
				written: append([]string{"stop VM 5015", "destroy VM 5015"}, snippets("remove", "life-delete", "from pve")...),
			},
		},
	}
}

func deletedForeground() life {
	const id = 5016

	return life{
		reason: "Who deletes a claim in the foreground sees it until all is gone. The same goes then.",
		claim:  withUserData(machine("life-foreground", id)), ids: []int{id},
		steps: []step{
			bornWithSnippets("life-foreground", id),
			{
				does: "the claim is deleted in the foreground", remove: true, cascade: metav1.DeletePropagationForeground,
				gone:    []string{kindVM, kindImage, kindFile, kindFile},
				written: append([]string{"stop VM 5016", "destroy VM 5016"}, snippets("remove", "life-foreground", "from pve")...),
			},
		},
	}
}

func orphaned() life {
	const id = 5017

	return life{
		reason: "With Orphan VM and snippets stay as they are: the VM reads them again when it is started.",
		claim:  withUserData(machine("life-orphan", id)), ids: []int{id},
		steps: []step{
			bornWithSnippets("life-orphan", id),
			{does: "Orphan", edit: map[string]any{"deletionPolicy": "Orphan"}, says: nothing},
			{
				does: "the claim is deleted", remove: true, gone: []string{kindVM, kindImage, kindFile, kindFile},
				vm: runs,
			},
		},
	}
}

// runs looks whether a VM does.
func runs(vm *standin.VM) string {
	if vm == nil || !vm.Started {
		return "it does not run any more"
	}

	return ""
}

func replaced() life {
	const id = 5020

	return life{
		reason: "A new word in lifecycle.replace makes a new VM; the old one goes when the new one is ready, and not before.",
		claim:  withUserData(machine("life-replace", id)), ids: []int{id, id + 1},
		steps: []step{
			bornWithSnippets("life-replace", id),
			{
				does: "a word, and the number that the old VM has", edit: map[string]any{"lifecycle.replace": "one"},
				says: map[string]string{"ReplacementRequired": "True ReplacementBlocked", "MachineReady": "True Running"},
			},
			{
				does: "another number", edit: map[string]any{"proxmox.vmId": int64(id + 1)}, says: nothing, vm: runs,
				status: map[string]string{"vmId": fmt.Sprint(id + 1), "phase": "Running"},
				made:   []string{kindVM, kindFile, kindFile}, gone: []string{kindVM, kindFile, kindFile},
				written: append([]string{
					"change VM 5020", "stop VM 5020", "create VM 5021 on pve", "change VM 5021", "start VM 5021", "destroy VM 5020",
				}, append(snippets("remove", "life-replace", "from pve"), snippets("write", "life-replace", "on pve")...)...),
			},
			{does: "the word taken out", edit: map[string]any{"lifecycle.replace": nil}, says: nothing, vm: runs},
		},
	}
}

func replacedOrphan() life {
	const id = 5022

	return life{
		reason: "With Orphan the old VM is stopped and stays in Proxmox, with the snippets that it starts with.",
		claim: edited(withUserData(machine("life-successor", id)), map[string]any{
			"deletionPolicy": "Orphan", "lifecycle": map[string]any{"replace": "first"},
		}),
		ids: []int{id, id + 1},
		steps: []step{
			bornWithSnippets("life-successor", id),
			{
				does: "a new word and another number", says: nothing, vm: runs,
				edit:   map[string]any{"lifecycle.replace": "second", "proxmox.vmId": int64(id + 1)},
				status: map[string]string{"vmId": fmt.Sprint(id + 1)},
				made:   []string{kindVM, kindFile, kindFile}, gone: []string{kindVM, kindFile, kindFile},
				written: append([]string{"change VM 5022", "stop VM 5022", "create VM 5023 on pve", "change VM 5023", "start VM 5023"},
					snippets("write", "life-successor", "on pve")...),
			},
		},
	}
}

// usages that protect machines of a namespace, as the names of the machines.
func (r *rig) usages(ctx context.Context, namespace string) ([]string, error) {
	l, in := &unstructured.UnstructuredList{}, client.InNamespace(namespace)
	l.SetGroupVersionKind(schema.GroupVersionKind{Group: "protection.crossplane.io", Version: "v1beta1", Kind: "UsageList"})

	// Usages of Crossplane 1.20 are cluster-scoped, and of composites.
	if r.core == crossplane120.core {
		l.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1beta1", Kind: "UsageList"})
		in = ""
	}

	if err := r.Client.List(ctx, l, in); err != nil {
		return nil, err
	}

	var out []string

	for _, u := range l.Items {
		name, _, _ := unstructured.NestedString(u.Object, "spec", "of", "resourceRef", "name")
		out = append(out, name)
	}

	return out, nil
}

// lift the protection of claims, the first of the two commits that delete a protected machine.
func (r *rig) lift(ctx context.Context, claims ...*unstructured.Unstructured) error {
	for _, c := range claims {
		if err := r.apply(ctx, edited(c, map[string]any{"deletionProtection": false})); err != nil {
			return err
		}

		if err := r.unprotected(ctx, c); err != nil {
			return err
		}
	}

	return nil
}

func protected() life {
	const id = 5025

	claim := edited(machine("life-protected", id), map[string]any{
		"k3s":            map[string]any{"role": "server", "init": true, "version": "v1.33.6+k3s1"},
		"deletionPolicy": "Delete",
	})
	claim.SetKind("K3sNode")

	usages := func(n int) func(ctx context.Context, b *biography) string {
		return func(ctx context.Context, b *biography) string {
			all, err := b.usages(ctx, b.claim.GetNamespace())
			if err != nil {
				return err.Error()
			}

			if got := strings.Count(strings.Join(all, " "), "life-protected"); got != n {
				return fmt.Sprintf("%d Usages protect it, want %d", got, n)
			}

			return ""
		}
	}

	begin := bornWithSnippets("life-protected", id)
	begin.check = usages(1)

	return life{
		reason: "A K3s server that would be destroyed with its claim is protected: its deletion is refused until that is lifted.",
		claim:  claim, ids: []int{id},
		steps: []step{
			begin,
			{
				does: "kubectl delete", says: nothing, check: usages(1),
				do: func(ctx context.Context, b *biography) error {
					err := b.Client.Delete(ctx, b.claim.DeepCopy())
					if err == nil || !strings.Contains(err.Error(), "the first one sets spec.deletionProtection: false") {
						return fmt.Errorf("the deletion of a protected machine ended with %w", err)
					}

					return nil
				},
			},
			{does: "protection lifted", edit: map[string]any{"deletionProtection": false}, says: nothing, check: usages(0)},
			{
				does: "kubectl delete once more", remove: true, gone: []string{kindVM, kindImage, kindFile, kindFile},
				written: append([]string{"stop VM 5025", "destroy VM 5025"}, snippets("remove", "life-protected", "from pve")...),
			},
		},
	}
}
