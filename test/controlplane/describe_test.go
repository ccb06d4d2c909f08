package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A view is a state in which somebody looks at a claim.
type view struct {
	reason string
	claim  *unstructured.Unstructured
	// number of a VM that is there before the claim; 0 if there is none.
	number int
	// before the claim is applied.
	before func(w *standin.World)
	// then is done to a machine that is ready; nil where the claim is looked at as soon as it says what it should.
	then func(ctx context.Context, r *rig, claim *unstructured.Unstructured) (mend func(), err error)
	// says is what is waited for: status and reason of conditions, by type.
	says map[string]string
	// event that is there then, by reason; empty where nothing happened.
	event string
}

// edits is what somebody does to the claim of a machine that is ready.
func edits(edit map[string]any) func(ctx context.Context, r *rig, claim *unstructured.Unstructured) (func(), error) {
	return func(ctx context.Context, r *rig, claim *unstructured.Unstructured) (func(), error) {
		return func() {}, r.apply(ctx, edited(claim, edit))
	}
}

// views on claims. VMs 5100 to 5199 are theirs.
func views() map[string]view {
	waiting := edited(machine("seen-waiting", 5110), map[string]any{"k3s": map[string]any{
		"role": "agent", "server": "https://192.168.4.210:6443", "version": "v1.33.6+k3s1",
		"token": map[string]any{"secretRef": map[string]any{"name": "k3s-seen", "key": "token"}, "allowPlaintext": true},
	}})
	waiting.SetKind("K3sNode")

	return map[string]view{
		"waiting": {
			reason: "A machine that waits says what for.",
			claim:  waiting, says: map[string]string{"MachineReady": "False WaitingForToken", "VMIDInUse": "False NumberFree"},
			event: "SpecWarning",
		},
		"ready": {
			reason: "A machine that runs says where, and nothing to worry about.",
			claim:  machine("seen-ready", 5111), says: map[string]string{"MachineReady": "True Running"}, event: "BecameReady",
		},
		"refused": {
			reason: "A claim that cannot be understood says all that is wrong with it.",
			claim: edited(machine("seen-refused", 5112), map[string]any{
				"class": "smal", "image": "debain-12",
			}),
			says: map[string]string{"SpecValid": "False ValidationFailed"},
		},
		"replacement-required": {
			reason: "A machine that cannot follow its claim says in what, and every way out.",
			claim:  machine("seen-image", 5113), says: map[string]string{"ReplacementRequired": "True ImmutableFieldChanged"}, event: "ReplacementRequired",
			then: edits(map[string]any{"image": "ubuntu-24.04"}),
		},
		"reboot-pending": {
			reason: "Changes that wait for a restart are listed, with the ways to restart.",
			claim:  machine("seen-reboot", 5114), says: map[string]string{"RebootPending": "True ChangesPending", "MachineReady": "True Running"}, event: "RebootPending",
			then: edits(map[string]any{"class": "medium"}),
		},
		"number-taken": {
			reason: "A number that another VM has is named with that VM.",
			claim:  machine("seen-number", 5115), says: map[string]string{"VMIDInUse": "True NumberTaken"}, event: "VMIDInUse",
			number: 5115, before: func(w *standin.World) { w.AddVM(madeByHand(5115, "nas")) },
		},
		"provider-error": {
			reason: "An error of the provider is told in our own words, with what to do.",
			claim:  machine("seen-auth", 5116), says: map[string]string{"ProviderHealthy": "False AuthenticationError"}, event: "AuthenticationError",
			then: func(_ context.Context, r *rig, claim *unstructured.Unstructured) (func(), error) {
				return r.world.Break("auth", belongsTo(claim)), nil
			},
		},
		"paused": {
			reason: "What only another claim mends is paused, and says how to go on.",
			claim:  machine("seen-paused", 5117), says: map[string]string{"ProviderHealthy": "False ValidationFailed"}, event: "ValidationFailed",
			then: func(ctx context.Context, r *rig, claim *unstructured.Unstructured) (func(), error) {
				return r.world.Break("refused", belongsTo(claim)), r.apply(ctx, tag(claim, "later"))
			},
		},
		"adoption": {
			reason: "A VM that is to be taken over shows its plan, and how to approve it.",
			claim:  adopts("seen-adoption", 5118), says: map[string]string{"MachineReady": "False WaitingForApproval"}, event: "WaitingForApproval",
			number: 5118, before: func(w *standin.World) { w.AddVM(madeByHand(5118, "omv")) },
		},
	}
}

// belongsTo says whether a managed resource is the VM of a claim: its name begins with the claim's.
func belongsTo(claim *unstructured.Unstructured) func(kind, name string) bool {
	prefix := claim.GetName() + "-"

	return func(kind, name string) bool { return kind == kindVM && strings.HasPrefix(name, prefix) }
}

// TestDescribe looks at claims as `kubectl describe` shows them: is the cause there, and what to do about it?
func TestDescribe(t *testing.T) {
	for name := range views() {
		for _, on := range []*installation{claims, namespaced} {
			t.Run(name+"/"+on.configuration, func(t *testing.T) {
				t.Parallel()

				r, v := on.rig(t), views()[name]
				r.arrive(t, v)

				said := r.said(t, v)

				got, err := r.describe(t.Context(), v.claim)
				must(t, err)

				file := filepath.Join("testdata", "describe", on.configuration, name+".txt")
				if !said {
					want, err := os.ReadFile(file)
					must(t, err)

					status, _ := splitEvents(got)
					_, events := splitEvents(string(want))
					got = status + events
				}

				compare(t, file, got)
			})
		}
	}
}

// arrive at what is to be looked at. It is taken away when the test ends.
func (r *rig) arrive(t *testing.T, v view) {
	t.Helper()

	if v.before != nil {
		v.before(r.world)
		t.Cleanup(func() { r.world.Remove(v.number) }) // And none of the views beside it.
	}

	t.Cleanup(func() { must(t, r.removePaused(context.Background(), v.claim)) })
	must(t, r.apply(t.Context(), v.claim))

	if v.then != nil {
		must(t, r.ready(t.Context(), v.claim))
		must(t, r.addressed(t.Context(), v.claim)) // What breaks before that hides it.

		mend, err := v.then(t.Context(), r, v.claim)
		must(t, err)
		t.Cleanup(mend)
	}

	for condition, is := range v.says {
		status, reason, _ := strings.Cut(is, " ")
		must(t, r.says(t.Context(), v.claim, condition, status, reason))
	}

	must(t, r.still(t.Context(), v.claim))
}

// addressed waits until a claim has its machine's address, which comes with the status, after Ready.
func (r *rig) addressed(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, claim.GetName()+" has an address", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		address, _, _ := unstructured.NestedString(now.Object, "status", "primaryAddress")

		return address != "", conditions(now)
	})
}

// limit of the events that Kubernetes' libraries write about one object at once; after that it is one in five minutes.
// Crossplane spends one each time that it finds a resource not ready yet, so that on a slow day none is left for others.
const limit = 25

// said waits until the event of a view is there. It says false where Crossplane had none left for some.
func (r *rig) said(t *testing.T, v view) bool {
	t.Helper()

	if v.event == "" {
		return true
	}

	short := false

	must(t, r.until(t.Context(), "event "+v.event, func(ctx context.Context) (bool, string) {
		all, err := r.eventsOf(ctx, v.claim)
		if err != nil {
			return false, err.Error()
		}

		spent := map[string]int32{}
		for _, e := range all {
			spent[e.Source.Component] += e.Count
			short = short || spent[e.Source.Component] >= limit
		}

		there := slices.ContainsFunc(all, func(e corev1.Event) bool { return e.Reason == v.event })

		return there || short, fmt.Sprintf("events by source: %v", spent)
	}))

	if short {
		t.Logf("not all events are there: Crossplane has spent %d on this object", limit)
	}

	return !short
}

// splitEvents splits a description before its events.
func splitEvents(text string) (status, events string) {
	at := strings.LastIndex(text, "Events:")
	if at < 0 {
		return text, ""
	}

	return text[:at], text[at:]
}

// removePaused removes a claim as docs/day-two.md says of one with a paused resource: it is deleted, and then the pause is taken
// off.
func (r *rig) removePaused(ctx context.Context, claim *unstructured.Unstructured) error {
	if err := r.Client.Delete(ctx, claim.DeepCopy()); client.IgnoreNotFound(err) != nil {
		return err
	}

	all, err := r.managed(ctx, claim)
	if err != nil {
		return err
	}

	for _, m := range all {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"crossplane.io/paused":null}}}`))
		if err := r.Client.Patch(ctx, m, patch); client.IgnoreNotFound(err) != nil {
			return err
		}
	}

	return r.remove(ctx, claim)
}
