package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// machine is a claim that needs nothing beside it.
func machine(name string, id int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": machines},
		"spec": map[string]any{
			"image":   "debian-12",
			"network": map[string]any{"ip": fmt.Sprintf("192.168.4.%d", id%250), "cidr": int64(24), "gateway": "192.168.4.1"},
			"proxmox": map[string]any{"node": "pve", "vmId": id},
			"bootstrap": map[string]any{
				"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"},
			},
		},
	}}
}

// desired is what the managed resources of a claim are told, by name; a change of it is a change of somebody's machine.
func (r *rig) desired(ctx context.Context, claim *unstructured.Unstructured) (map[string]string, error) {
	all, err := r.managed(ctx, claim)
	if err != nil {
		return nil, err
	}

	out := map[string]string{}

	for _, m := range all {
		spec, err := json.Marshal(m.Object["spec"])
		if err != nil {
			return nil, err
		}

		out[m.GetKind()+" "+m.GetName()] = fmt.Sprintf("%s deleted=%v %s", m.GetUID(), m.GetDeletionTimestamp() != nil, spec)
	}

	return out, nil
}

// says waits until a claim has a condition with a status and a reason.
func (r *rig) says(ctx context.Context, claim *unstructured.Unstructured, conditionType, status, reason string) error {
	what := fmt.Sprintf("%s says %s=%s %s", claim.GetName(), conditionType, status, reason)

	return r.until(ctx, what, func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		c := condition(now, conditionType)

		return c.status == status && c.reason == reason, conditions(now)
	})
}

// tagged waits until an edit of a claim has arrived in Proxmox.
func (r *rig) tagged(ctx context.Context, id int, tag string) error {
	return r.until(ctx, fmt.Sprintf("VM %d has tag %s", id, tag), func(context.Context) (bool, string) {
		vm := r.world.VM(id)
		if vm == nil {
			return false, "there is no such VM"
		}

		return strings.Contains(fmt.Sprint(vm.Config["tags"]), tag), fmt.Sprint(vm.Config["tags"])
	})
}

// tag a claim, as a person does who edits it.
func tag(claim *unstructured.Unstructured, tag string) *unstructured.Unstructured {
	out := claim.DeepCopy()
	_ = unstructured.SetNestedSlice(out.Object, []any{tag}, "spec", "tags")

	return out
}

// restartProvider stops the stand-in; the function that is returned starts another one.
func (r *rig) restartProvider(t *testing.T) (start func()) {
	t.Helper()
	r.provider.Stop()

	return func() { must(t, r.startProvider()) }
}

// function that runs.
func (r *rig) function(t *testing.T) interface {
	Kill()
	Start(ctx context.Context) error
} {
	t.Helper()

	for _, f := range r.Functions.Running() {
		return f
	}

	t.Fatal("no function runs")

	return nil
}

// TestFaults breaks something under a machine that runs. While it is broken nothing is deleted or changed; where the claim
// can know, it says what is wrong; and afterwards an edit that was made meanwhile arrives in Proxmox.
func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason string
		// hurt breaks something and returns what mends it.
		hurt func(t *testing.T, r *rig) (mend func())
		// says is the reason of the condition ProviderHealthy while it is broken; empty where the claim cannot know.
		says string
	}{
		"FunctionKilled": {
			reason: "A function that is not there leaves all as it is.",
			hurt: func(t *testing.T, r *rig) func() {
				f := r.function(t)
				f.Kill()

				return func() { must(t, f.Start(t.Context())) }
			},
		},
		"CrossplaneRestarted": {
			reason: "Crossplane keeps nothing in memory that a machine depends on.",
			hurt: func(t *testing.T, r *rig) func() {
				r.Crossplane.Kill()

				return func() { must(t, r.Crossplane.Start(t.Context())) }
			},
		},
		"APIServerRestarted": {
			reason: "All go on when the API server is back.",
			hurt: func(t *testing.T, r *rig) func() {
				r.APIServer.Stop()
				must(t, r.APIServer.Start(t.Context()))

				return func() {}
			},
		},
		"ProviderDown": {
			reason: "A provider that is away does later what it was told meanwhile.",
			hurt:   func(t *testing.T, r *rig) func() { return r.restartProvider(t) },
		},
		"Token": {
			reason: "A token that is not valid any more is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("auth", nil) },
			says:   "AuthenticationError",
		},
		"Network": {
			reason: "Proxmox that cannot be reached is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("network", nil) },
			says:   "NetworkError",
		},
		"NodeDown": {
			reason: "A node that is down is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("node", nil) },
			says:   "NodeUnhealthy",
		},
	}

	r := claims.rig(t)

	const id = 4242

	claim := machine("faulty", id)
	must(t, r.apply(t.Context(), claim))
	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })
	must(t, r.ready(t.Context(), claim))

	number := 0

	for name, tc := range cases {
		number++
		word := fmt.Sprintf("edit%d", number)

		t.Run(name, func(t *testing.T) {
			before, err := r.desired(t.Context(), claim)
			must(t, err)

			written := len(r.world.Journal())
			mend := tc.hurt(t, r)

			if tc.says != "" {
				must(t, r.says(t.Context(), claim, "ProviderHealthy", "False", tc.says))
			} else {
				time.Sleep(3 * time.Second) // For what should not happen.
			}

			after, err := r.desired(t.Context(), claim)
			must(t, err)

			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s\nmanaged resources have changed: -before, +after:\n%s", tc.reason, diff)
			}

			if now := r.world.Journal(); len(now) != written {
				t.Errorf("%s\nwritten to Proxmox meanwhile: %s", tc.reason, strings.Join(now[written:], ", "))
			}

			// Somebody edits the claim before it is mended.
			must(t, r.apply(t.Context(), tag(claim, word)))
			mend()

			if tc.says != "" {
				must(t, r.says(t.Context(), claim, "ProviderHealthy", "True", "NoError"))
			}

			must(t, r.tagged(t.Context(), id, word))
			must(t, r.ready(t.Context(), claim))
		})
	}
}

// TestTakenNumber has two claims for one VM: the second one says so, and the first one's VM stays as it is.
func TestTakenNumber(t *testing.T) {
	r := claims.rig(t)

	const id = 4343

	owner, other := machine("owner", id), machine("other", id)
	_ = unstructured.SetNestedField(other.Object, "192.168.4.99", "spec", "network", "ip")

	must(t, r.apply(t.Context(), owner))
	t.Cleanup(func() { must(t, r.remove(context.Background(), owner)) })
	must(t, r.ready(t.Context(), owner))

	written := len(r.world.Journal())

	must(t, r.apply(t.Context(), other))
	must(t, r.until(t.Context(), "other says that its number is taken", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, other)
		if err != nil {
			return false, err.Error()
		}

		return condition(now, "VMIDInUse").status == "True", conditions(now)
	}))
	must(t, r.remove(t.Context(), other))

	for _, line := range r.world.Journal()[written:] {
		if strings.Contains(line, fmt.Sprint("VM ", id)) {
			t.Errorf("Proxmox was told: %s", line)
		}
	}

	if vm := r.world.VM(id); vm == nil || !vm.Started {
		t.Error("the first claim's VM does not run any more")
	}

	must(t, r.ready(t.Context(), owner))
}

// must end a test on an error.
func must(t *testing.T, err error) {
	t.Helper()

	if err != nil {
		t.Fatal(err)
	}
}
