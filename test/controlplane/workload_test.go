package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

const (
	kroFiles  = repository + "/example/workload/kro"
	kroModule = "github.com/kro-run/kro"
	kroName   = "kro"
	edgeSite  = nodePrefix + "garage"
)

// workload: the real kro makes a node and what runs on it of one object. There is no Deployment before the node has joined, and it is for that node.
func (n *nodesRun) workload(t *testing.T) {
	n.startKro(t)
	must(t, n.apply(t.Context(), objects(t, kroFiles+"/definition.yaml")...))

	site := objects(t, kroFiles+"/garage.yaml")[0]
	site.SetName(edgeSite)
	site.SetNamespace(machines)
	must(t, unstructured.SetNestedField(site.Object, "pve", "spec", "node"))
	must(t, n.until(t.Context(), "kro takes an EdgeSite", func(ctx context.Context) (bool, string) {
		err := n.apply(ctx, site)

		return err == nil, fmt.Sprint(err)
	}))

	claim := &unstructured.Unstructured{}
	claim.SetAPIVersion("homelab.io/v1alpha1")
	claim.SetKind("K3sNode")
	claim.SetName(edgeSite)
	claim.SetNamespace(machines)

	must(t, n.until(t.Context(), "there is a Deployment, and not before the node has joined", func(ctx context.Context) (bool, string) {
		d := &appsv1.Deployment{}
		missing := n.Client.Get(ctx, client.ObjectKeyFromObject(claim), d)

		now, err := n.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		joined := condition(now, "NodeJoined").status == "True"
		if missing == nil && !joined {
			t.Fatalf("there is a Deployment, and the node has not joined: %s", conditions(now))
		}

		if missing != nil {
			return false, conditions(now)
		}

		if host := d.Spec.Template.Spec.NodeSelector[corev1.LabelHostname]; host != edgeSite {
			t.Errorf("the Deployment is for node %q, want %q", host, edgeSite)
		}

		return true, ""
	}))

	node := &corev1.Node{}
	must(t, n.Client.Get(t.Context(), client.ObjectKey{Name: edgeSite}, node))

	must(t, n.Client.Delete(t.Context(), site))
	must(t, n.until(t.Context(), "the claim goes with its EdgeSite", func(ctx context.Context) (bool, string) {
		err := n.Client.Get(ctx, client.ObjectKeyFromObject(claim), claim.DeepCopy())

		return client.IgnoreNotFound(err) == nil && err != nil, fmt.Sprint(err)
	}))
	must(t, n.k3s.Delete(t.Context(), edgeSite))
	n.safe(t)
}

// startKro with its kind, and all rights.
func (n *nodesRun) startKro(t *testing.T) {
	t.Helper()

	source, err := release{pinned: "tools/kro", module: kroModule}.source(t.Context())
	must(t, err)
	n.applyKinds(t, source+"/helm/crds/kro.run_resourcegraphdefinitions.yaml")
	must(t, n.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: kroName, Namespace: plane.Namespace}}))
	must(t, n.Client.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: kroName},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: plane.Namespace, Name: kroName}},
	}))

	kubeconfig, err := n.AccountKubeconfig(t.Context(), kroName)
	must(t, err)

	tool, err := filepath.Abs(filepath.Join(toolsBin, kroName))
	must(t, err)

	_, err = n.Run(context.WithoutCancel(t.Context()), plane.Program{
		Name: kroName, Path: tool, Args: []string{"--metrics-bind-address=0", "--health-probe-bind-address=0", "--log-level=1"},
		Env: []string{"KUBECONFIG=" + kubeconfig},
	})
	must(t, err)
}
