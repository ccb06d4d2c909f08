package controlplane

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// deletionTries are deletions under install/deletion, of objects with a spec and a status.
var deletionTries = map[string]struct {
	reason, object, status string
	refused                bool
}{
	"BeingMade": {
		reason: "Its VM would stay in Proxmox.", object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: made, namespace: team-c}, spec: {}}",
		status: "{phase: Creating}", refused: true,
	},
	"Composite": {
		reason: "So would it without a claim.", object: "{kind: XMachine, apiVersion: homelab.io/v1alpha1, metadata: {name: made}, spec: {}}", status: "{phase: Creating}", refused: true,
	},
	"Container": {
		reason: "So would a container.", object: "{kind: Container, apiVersion: homelab.io/v1alpha1, metadata: {name: made, namespace: team-c}, spec: {}}",
		status: "{phase: Creating}", refused: true,
	},
	"DeletedNode": {
		reason: "A node that goes with its claim.", object: "{kind: K3sNode, apiVersion: homelab.io/v1alpha1, metadata: {name: deleted, namespace: team-c}, spec: {deletionPolicy: Delete}}",
		status: "{phase: Creating}", refused: true,
	},
	"Node": {
		reason: "A K3sNode's VM stays anyway.", object: "{kind: K3sNode, apiVersion: homelab.io/v1alpha1, metadata: {name: made, namespace: team-c}, spec: {}}", status: "{phase: Creating}",
	},
	"Orphan": {
		reason: "It is to stay.", object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: orphan, namespace: team-c}, spec: {deletionPolicy: Orphan}}", status: "{phase: Creating}",
	},
	"Lost": {
		reason: "Its Proxmox node does not come back.", status: "{phase: Creating}",
		object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: lost, namespace: team-c}, spec: {lifecycle: {lost: pve2}}}",
	},
	"Running": {
		reason: "The provider destroys it.", object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: runs, namespace: team-c}, spec: {}}", status: "{phase: Running}",
	},
	"New": {
		reason: "Nothing is there.", object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: new, namespace: team-c}, spec: {}}", status: "{}",
	},
}

// deletions under install/deletion, on a real API server with the kinds.
func deletions(t *testing.T, p *plane.Plane) {
	t.Helper()

	objects, err := manifests("install/deletion/deletion.yaml")
	must(t, err)

	for _, o := range objects {
		must(t, p.Client.Create(t.Context(), o))
	}

	all := map[string]*unstructured.Unstructured{}

	for name, tc := range deletionTries {
		o := parsed(t, tc.object)
		must(t, p.Client.Create(t.Context(), o))

		o.Object["status"] = parsed(t, tc.status).Object
		must(t, p.Client.Status().Update(t.Context(), o))

		all[name] = o
	}

	try := func(ctx context.Context, o *unstructured.Unstructured) error {
		return p.Client.Delete(ctx, o.DeepCopy(), client.DryRunAll)
	}

	// A policy is read a moment after it was written.
	must(t, p.Motion.Until(t.Context(), plane.Ceiling, func(ctx context.Context) (bool, string) {
		err := try(ctx, all["BeingMade"])

		return err != nil, "a Machine that is being made: " + told(err)
	}))

	for name, tc := range deletionTries {
		t.Run("Deletion/"+name, func(t *testing.T) {
			err := try(t.Context(), all[name])

			if tc.refused != (err != nil) {
				t.Errorf("%s Its deletion ends with %v", tc.reason, err)
			}

			if err != nil && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), all[name].GetKind()+" "+all[name].GetName()+" is being made in Proxmox")) {
				t.Errorf("%s It is refused for another reason: %v", tc.reason, err)
			}
		})
	}
}
