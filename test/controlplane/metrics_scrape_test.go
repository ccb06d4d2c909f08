package controlplane

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// shippedObservability is the folder of alerts, dashboard and monitors.
const shippedObservability = repository + "/observability"

// guestReports are what node-exporter shows of guests, as the tests of their scripts have it: no guest runs here.
var guestReports = []string{
	repository + "/test/nix/testdata/nix_gitops.prom",
	repository + "/internal/k3s/testdata/k3s_bootstrap.prom",
}

// kubeletReports are what the kubelet shows of the provider's container: none runs here.
const kubeletReports = "testdata/metrics/cadvisor.prom"

// needs skips a test that lacks a tool; in CI it fails.
func needs(t *testing.T, tools ...string) {
	t.Helper()

	for _, tool := range tools {
		if _, err := os.Stat(filepath.Join(toolsBin, tool)); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("no %s in .tools/bin: run make tool-%s", tool, tool)
			}

			t.Skipf("no %s in .tools/bin: run make tool-%s", tool, tool)
		}
	}
}

// stateMetrics runs kube-state-metrics as what is shipped has it: with its configuration, as its service account, with its
// role. Returns where its metrics are.
func (r *rig) stateMetrics(t *testing.T) string {
	t.Helper()

	must(t, r.apply(t.Context(), objects(t, shippedObservability+"/kube-state-metrics/rbac.yaml")...))

	kubeconfig, err := r.AccountKubeconfig(t.Context(), "machine-state-metrics")
	must(t, err)

	config, err := filepath.Abs(shippedObservability + "/kube-state-metrics/config.yaml")
	must(t, err)

	tool, err := filepath.Abs(filepath.Join(toolsBin, "kube-state-metrics"))
	must(t, err)

	free, err := ports.Free(2)
	must(t, err)

	own, telemetry := free[0], free[1]
	address := fmt.Sprintf("http://127.0.0.1:%d", own)

	ksm, err := r.Run(t.Context(), plane.Program{
		Name: "kube-state-metrics", Path: tool,
		Args: []string{
			"--kubeconfig=" + kubeconfig, "--custom-resource-state-only=true", "--custom-resource-state-config-file=" + config,
			"--host=127.0.0.1", fmt.Sprintf("--port=%d", own), "--telemetry-host=127.0.0.1", fmt.Sprintf("--telemetry-port=%d", telemetry),
		},
		Ready: func(ctx context.Context) error {
			_, err := get(ctx, address+"/healthz")

			return err
		},
	})
	must(t, err)
	t.Cleanup(ksm.Stop)

	return address + "/metrics"
}

// get what a program serves.
func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}

	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer rsp.Body.Close()

	body, err := io.ReadAll(rsp.Body)
	if err == nil && rsp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, rsp.Status)
	}

	return string(body), err
}

// functionMetrics is where the function serves its metrics.
func (r *rig) functionMetrics(t *testing.T) string {
	t.Helper()

	for _, f := range r.Functions.Running() {
		return f.Metrics
	}

	t.Fatal("no function runs")

	return ""
}

// edit a claim, as another person does.
func (r *rig) edit(ctx context.Context, claim *unstructured.Unstructured, edit func(c *unstructured.Unstructured)) error {
	now, err := r.now(ctx, claim)
	if err != nil {
		return err
	}

	before := now.DeepCopy()

	edit(now)

	return r.Client.Patch(ctx, now, client.MergeFrom(before))
}

// leave nothing of situations.
func (r *rig) leave(t *testing.T, all []situation) {
	t.Helper()

	ctx := context.Background()

	for _, s := range all {
		if now, err := r.now(ctx, s.claim); err == nil && now.GetAnnotations()["crossplane.io/paused"] != "" {
			must(t, r.edit(ctx, s.claim, func(c *unstructured.Unstructured) { c.SetAnnotations(nil) }))
		}

		// As docs/conditions.md says: a managed resource that is paused cannot be deleted before the pause is taken off.
		if err := r.Client.Delete(ctx, s.claim.DeepCopy()); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}

		must(t, r.until(ctx, "pauses are off", func(ctx context.Context) (bool, string) {
			managed, err := r.managed(ctx, s.claim)
			if err != nil {
				return false, err.Error()
			}

			for _, m := range managed {
				before := m.DeepCopy()
				annotations := m.GetAnnotations()
				delete(annotations, "crossplane.io/paused")
				m.SetAnnotations(annotations)

				if err := r.Client.Patch(ctx, m, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
					return false, err.Error()
				}
			}

			return len(managed) == 0, fmt.Sprintf("%d managed resources are there", len(managed))
		}))
	}
}

// scrape what Prometheus would, once kube-state-metrics tells of all situations.
func (r *rig) scrape(t *testing.T, all []situation) map[string]string {
	t.Helper()

	dir := filepath.Join(logs, r.configuration, "scrapes")
	must(t, os.MkdirAll(dir, 0o755))

	states := r.stateMetrics(t)
	out := map[string]string{}

	for name, url := range map[string]string{"kube-state-metrics": states, "function": r.functionMetrics(t), "crossplane": r.Plane.Metrics} {
		file := filepath.Join(dir, name+".prom")

		must(t, r.until(t.Context(), name+" tells of all", func(ctx context.Context) (bool, string) {
			body, err := get(ctx, url)
			if err != nil {
				return false, err.Error()
			}

			// It hears of one kind after the other: also of the pause of a VM whose claim it has heard of.
			for _, metric := range []string{"homelab_composite_condition{", "homelab_managed_info{", "homelab_managed_condition{", `paused_by="`} {
				if name == "kube-state-metrics" && !strings.Contains(body, metric) {
					return false, "nothing of " + metric
				}
			}

			for _, s := range all {
				if s.says[0] == "" {
					if name == "kube-state-metrics" && !strings.Contains(body, `homelab_managed_deletion_timestamp_seconds{`) {
						return false, "nothing of the deletion of " + s.claim.GetName()
					}

					continue
				}

				metric, label := metricOf(s.claim)
				series := regexp.MustCompile(fmt.Sprintf(`%s{[^}]*\b%s="%s"[^}]*,reason="%s",status="%s",type="%s"`,
					metric, label, s.claim.GetName(), s.says[2], s.says[1], s.says[0]))
				if name == "kube-state-metrics" && !series.MatchString(body) {
					return false, "nothing of " + s.claim.GetName() + " as it is now"
				}
			}

			must(t, os.WriteFile(file, []byte(once(body)), 0o600))

			return true, ""
		}))

		out[name] = file
	}

	return out
}

// once keeps the first of all lines that describe a metric. Kube-state-metrics repeats them for each kind, which Prometheus takes,
// and the library that reads scrapes here does not.
func once(scrape string) string {
	var out strings.Builder

	seen := map[string]bool{}

	for line := range strings.Lines(scrape) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "#" {
			if seen[words[1]+words[2]] {
				continue
			}

			seen[words[1]+words[2]] = true
		}

		out.WriteString(line)
	}

	return out.String()
}

// tool of .tools/bin that has to succeed; returns what it printed.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()

	out, err := exec.CommandContext(t.Context(), filepath.Join(toolsBin, name), args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}

	return string(out)
}
