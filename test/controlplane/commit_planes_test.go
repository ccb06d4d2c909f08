package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// onPlanes does something for each name, one after the other on a plane of each installation: every second one is the other's.
func onPlanes(t *testing.T, name string, all []string, do func(t *testing.T, p *commitPlane, name string)) {
	t.Helper()

	for i, on := range []*installation{namespaced, claims} {
		t.Run([]string{"Namespaced", "Claims"}[i], func(t *testing.T) {
			t.Parallel()

			p := &commitPlane{on: on, name: name}
			t.Cleanup(func() { p.rig.stop() })

			for k := i; k < len(all); k += 2 {
				t.Run(all[k], func(t *testing.T) { do(t, p, all[k]) })
			}
		})
	}
}

// A commitPlane is a plane on which one commit is made after the other. Where one has failed, the next one has a new plane.
type commitPlane struct {
	on   *installation
	name string
	rig  *rig // Nil before the first commit.
}

func (p *commitPlane) makes(t *testing.T, of commit, do func(c *committed)) {
	t.Helper()

	clean := false

	defer func() {
		if !clean {
			p.rig.stop()
			p.rig = nil
		}
	}()

	if p.rig == nil {
		kind := p.on.release
		kind.logs = p.name

		var err error
		p.rig, err = startRig(context.WithoutCancel(t.Context()), kind, p.on.configuration)
		must(t, err)
		p.prepare(t)
	}

	c := &committed{rig: p.rig, commit: of}
	c.observe(t)
	do(c)

	// What does not go is in nobody's way on another plane.
	if len(of.Deleted) > 0 && of.Outcome == "waits" {
		return
	}

	c.clear(t)

	clean = !t.Failed()
}

// prepare what claims need beside the catalogue: namespaces, Secrets, files and ports of nodes, and what reads and upgrades nodes of K3s.
func (p *commitPlane) prepare(t *testing.T) {
	t.Helper()

	r := p.rig

	for i := 1; i <= 3; i++ {
		r.world.AddVolume(standin.Volume{Node: fmt.Sprintf("pve%d", i), ID: template})
	}

	for _, namespace := range []string{machines, elsewhere} {
		if namespace != machines {
			must(t, r.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
		}

		for name, data := range map[string]map[string]string{
			"k3s-token": {"token": "chosen-before-the-first-server"},
			"k3s-joins": {"token": "K10" + strings.Repeat("0", 64) + "::server:chosen-before-the-first-server"},
			"etcd-s3":   {"etcd-s3-endpoint": "s3.home.arpa", "etcd-s3-bucket": "etcd", "etcd-s3-access-key": "made-up", "etcd-s3-secret-key": "made-up"},
		} {
			must(t, r.Client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, StringData: data}))
		}
	}

	r.grant(t)
	must(t, r.apply(t.Context(), objects(t, planCRD)...))
	must(t, r.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: upgradeNamespace}}))
	r.startProviderKubernetes(t)
	must(t, r.apply(t.Context(), objects(t, observeFiles+"/provider-kubernetes-plans.yaml")...))
	must(t, r.apply(t.Context(), objects(t, drainFile)...))
}

// elsewhere is the namespace of the claims that are not where most are.
const elsewhere = "lab"
