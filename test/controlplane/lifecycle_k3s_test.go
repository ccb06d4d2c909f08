package controlplane

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// joins is the life of a K3s agent, whose token comes from a Secret.
func joins() life {
	const id = 5027

	token := "K10" + strings.Repeat("c0ffee00", 8) + "::server:not-to-be-shown"

	claim := edited(machine("life-agent", id), map[string]any{"k3s": map[string]any{
		"role": "agent", "server": "https://192.168.4.210:6443", "version": "v1.33.6+k3s1",
		"token": map[string]any{"secretRef": map[string]any{"name": "life-agent-token", "key": "token"}, "allowPlaintext": true},
	}})
	claim.SetKind("K3sNode")

	secret := func() *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "life-agent-token", Namespace: machines}, StringData: map[string]string{"token": token},
		}
	}
	create := func(ctx context.Context, b *biography) error { return b.Client.Create(ctx, secret()) }
	remove := func(ctx context.Context, b *biography) error {
		return client.IgnoreNotFound(b.Client.Delete(ctx, secret()))
	}

	// The token is in the snippet and nowhere else.
	silent := func(ctx context.Context, b *biography) string {
		now, err := b.now(ctx, b.claim)
		if err != nil {
			return err.Error()
		}

		events, err := b.eventsOf(ctx, b.claim)
		if err != nil {
			return err.Error()
		}

		if strings.Contains(fmt.Sprint(now.Object, events, b.rig.world.Journal()), token) {
			return "the token is shown"
		}

		return ""
	}

	return life{
		reason: "A node waits for its token before it is made, and needs the Secret no more once it is.",
		claim:  claim, ids: []int{id},
		steps: []step{
			{
				does: "the claim without its Secret", made: []string{kindVM, kindImage}, status: map[string]string{"phase": "Pending"},
				says: map[string]string{"Ready": "False", "MachineReady": "False WaitingForToken", "BootstrapCurrent": "Unknown TokenSecretMissing"},
			},
			{
				does: "the Secret", do: create, says: nothing, made: []string{kindFile, kindFile}, vm: runs, check: silent,
				written: append([]string{"create VM 5027 on pve", "change VM 5027", "start VM 5027"}, snippets("write", "life-agent", "on pve")...),
			},
			{
				does: "the Secret deleted", do: remove, vm: runs,
				says: map[string]string{"MachineReady": "True Running", "BootstrapCurrent": "Unknown TokenSecretMissing"},
			},
			{
				does: "the Secret once more, and another version of K3s", do: create, vm: runs, check: silent,
				edit: map[string]any{"k3s.version": "v1.34.2+k3s1"}, status: map[string]string{"k3sVersion": "v1.33.6+k3s1"},
				says: map[string]string{"MachineReady": "True Running", "BootstrapCurrent": "True K3sVersionChanged"},
			},
			{
				does: "the claim is deleted: a K3sNode's VM stays by default", remove: true, do: remove, vm: runs,
				gone: []string{kindVM, kindImage, kindFile, kindFile},
			},
		},
	}
}
