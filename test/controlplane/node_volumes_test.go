package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// volumeRights is the ClusterRole that lets Crossplane read PersistentVolumes.
const volumeRights = repository + "/install/observe/volumes.yaml"

// localVolume is a volume of local-path on a Node, bound to the claim media/photos.
func localVolume(node string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-photos"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/rancher/k3s/storage/photos"}},
			ClaimRef:                      &corev1.ObjectReference{Namespace: "media", Name: "photos"},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
		},
	}
}

// volumes: a machine with a volume on its disk is kept from deletion, with the reason, until the volume is gone.
func (n *nodesRun) volumes(t *testing.T) {
	agent, other := n.agents[0], n.servers[1]
	pv := localVolume(agent.GetName())

	must(t, n.Client.Create(t.Context(), pv))
	t.Cleanup(func() {
		must(t, client.IgnoreNotFound(n.Client.Delete(context.Background(), localVolume(agent.GetName()))))
	})

	pv.Status.Phase = corev1.VolumeBound
	must(t, n.Client.Status().Update(t.Context(), pv))

	protecting := catalogueOfNodes("Here")
	must(t, unstructured.SetNestedField(protecting.Object, true, "data", "clusters", "home", "protectVolumes"))
	must(t, n.apply(t.Context(), objects(t, volumeRights)...))
	must(t, n.apply(t.Context(), protecting))

	// deletion is tried and not done: admission decides about it in the same way.
	deletion := func(ctx context.Context, claim *unstructured.Unstructured) error {
		return n.Client.Delete(ctx, claim.DeepCopy(), client.DryRunAll)
	}

	must(t, n.until(t.Context(), "the volume keeps its machine", func(ctx context.Context) (bool, string) {
		err := deletion(ctx, agent)

		return err != nil && strings.Contains(err.Error(), "would be lost with its VM: media/photos"), fmt.Sprint(err)
	}))
	must(t, deletion(t.Context(), other))
	must(t, n.tells(t.Context(), agent, joined(false)...))

	// No controller of the plane takes the finalizer off that protects a volume in use.
	must(t, n.Client.Patch(t.Context(), localVolume(agent.GetName()), client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))))
	must(t, n.Client.Delete(t.Context(), localVolume(agent.GetName())))
	must(t, n.until(t.Context(), "the machine may go", func(ctx context.Context) (bool, string) {
		err := deletion(ctx, agent)

		return err == nil, fmt.Sprint(err)
	}))

	must(t, n.apply(t.Context(), catalogueOfNodes("Here")))
	n.safe(t)
}
