package controlplane

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// drainNamespace is that of the Jobs that drain nodes, and drainFile what they need: docs/node.md.
const (
	drainNamespace = "node-drain"
	drainFile      = repository + "/install/drain/drain.yaml"
)

// runJobs runs what the Jobs that drain nodes say until the test ends, as no kubelet does here: their own commands, with the rights of their ServiceAccount.
func (r *rig) runJobs(t *testing.T) {
	t.Helper()

	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})

	go func() {
		defer close(done)

		for ; ctx.Err() == nil; plane.Rest(ctx, 500*time.Millisecond) {
			jobs := &batchv1.JobList{}
			if err := r.Client.List(ctx, jobs, client.InNamespace(drainNamespace)); err != nil {
				continue
			}

			for i := range jobs.Items {
				if j := &jobs.Items[i]; len(j.Status.Conditions) == 0 {
					r.runJob(ctx, t, j)
				}
			}
		}
	}()

	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// runJob runs the containers of a Job one after the other, and writes how it ended.
func (r *rig) runJob(ctx context.Context, t *testing.T, j *batchv1.Job) {
	t.Helper()

	begin, end := metav1.Now(), batchv1.JobComplete
	spec := j.Spec.Template.Spec

	for _, c := range append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...) {
		as := fmt.Sprintf("--as=system:serviceaccount:%s:%s", j.Namespace, spec.ServiceAccountName)
		cmd := exec.CommandContext(ctx, c.Command[0], append(append([]string{}, c.Command[1:]...), as, "--kubeconfig", r.Kubeconfig)...) //nolint:gosec // The function's own.

		if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
			t.Logf("Job %s: %v: %s", j.Name, err, out)

			end = batchv1.JobFailed

			break
		}
	}

	now := metav1.Now()
	of := func(kind batchv1.JobConditionType) batchv1.JobCondition {
		return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now, LastProbeTime: now}
	}

	j.Status = batchv1.JobStatus{StartTime: &begin, Failed: 1, Conditions: []batchv1.JobCondition{of(batchv1.JobFailureTarget), of(end)}}
	if end == batchv1.JobComplete {
		j.Status = batchv1.JobStatus{StartTime: &begin, CompletionTime: &now, Succeeded: 1, Conditions: []batchv1.JobCondition{of(batchv1.JobSuccessCriteriaMet), of(end)}}
	}

	if err := r.Client.Status().Update(ctx, j); err != nil && ctx.Err() == nil {
		t.Logf("cannot write how Job %s ended: %v", j.Name, err)
	}
}
