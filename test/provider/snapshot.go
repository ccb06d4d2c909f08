package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Snapshot is a settled machine: what Crossplane and Terraform have of it, and its VM in the simulated cluster. The VM must
// not have anything that waits for a restart.
type Snapshot struct {
	composite unstructured.Unstructured
	composed  map[string]composed
	states    map[string][]byte
	cluster   State
	firewalls map[int]*vmFirewall
}

// Snapshot remembers a machine as it is.
func (c *Control) Snapshot(ctx context.Context) (Snapshot, error) {
	s := Snapshot{composite: *c.Composite.DeepCopy(), composed: map[string]composed{}, states: map[string][]byte{}}

	for name, d := range c.composed {
		s.composed[name] = d.clone()

		if d.workspace == nil {
			continue
		}

		b, err := os.ReadFile(d.workspace.stateFile())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, fmt.Errorf("cannot read a state: %w", err)
		}

		s.states[name] = b
	}

	var err error
	s.cluster, err = c.Bench.Simulator.State(ctx)
	s.firewalls = c.Bench.Simulator.firewalls.copy()

	return s, err
}

// Restore makes a machine what it was.
func (c *Control) Restore(ctx context.Context, s Snapshot) error {
	c.Composite = *s.composite.DeepCopy()
	c.composed = map[string]*composed{}

	for name, d := range s.composed {
		d = d.clone()
		c.composed[name] = &d

		if d.workspace == nil {
			continue
		}

		if err := os.WriteFile(d.workspace.stateFile(), s.states[name], 0o600); err != nil {
			return fmt.Errorf("cannot write a state: %w", err)
		}
	}

	c.Bench.Simulator.firewalls.restore(s.firewalls)

	for _, id := range slices.Sorted(maps.Keys(s.cluster.VMs)) {
		if err := c.Bench.Simulator.restore(ctx, id, s.cluster, c.pool(id)); err != nil {
			return err
		}
	}

	return nil
}

// pool that a VM is to be in.
func (c *Control) pool(id string) string {
	for _, d := range c.composed {
		if d.resource.Kind == KindVM && d.outcome.Attributes["id"] == id {
			return stringAt(d.resource.Spec.ForProvider, "poolId")
		}
	}

	return ""
}

func (d *composed) clone() composed {
	out := *d
	out.manifest = *d.manifest.DeepCopy()
	out.conditions = slices.Clone(d.conditions)

	return out
}

// restore makes a VM and its volumes what they were.
func (s *Simulator) restore(ctx context.Context, id string, to State, pool string) error {
	now, err := s.State(ctx)
	if err != nil {
		return err
	}

	number, err := strconv.Atoi(id)
	if err != nil {
		return fmt.Errorf("cannot restore a VM: %w", err)
	}

	same := func(a, b VM) bool {
		return a.Node == b.Node && a.Status == b.Status && maps.Equal(a.Config, b.Config) && slices.Equal(a.Pending, b.Pending)
	}
	own := func(v Volume) bool { return v.VMID == number }

	if same(now.VMs[id], to.VMs[id]) && maps.Equal(filter(now.Volumes, own), filter(to.Volumes, own)) {
		return s.SetPool(ctx, pool, number)
	}

	// With a VM go its volumes and its pool.
	if err := s.RemoveVM(ctx, number); err != nil {
		return err
	}

	for _, v := range filter(to.Volumes, own) {
		if err := s.post(ctx, "/volumes", v); err != nil {
			return err
		}
	}

	vm := to.VMs[id]
	if err := s.Touch(ctx, number, Touch{Node: vm.Node, Status: vm.Status, Config: vm.Config}); err != nil {
		return err
	}

	return s.SetPool(ctx, pool, number)
}

func filter(all map[string]Volume, keep func(Volume) bool) map[string]Volume {
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(_ string, v Volume) bool { return !keep(v) })

	return out
}

// SetPool puts a VM into a pool; an empty one is none.
func (s *Simulator) SetPool(ctx context.Context, pool string, id int) error {
	if pool == "" {
		return nil
	}

	return s.api(ctx, http.MethodPut, "pools", url.Values{"poolid": {pool}, "vms": {strconv.Itoa(id)}}, nil)
}

// api calls the Proxmox API, for what the control API does not know.
func (s *Simulator) api(ctx context.Context, method, path string, values url.Values, into any) error {
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // Self-signed, on loopback.

	req, err := http.NewRequestWithContext(ctx, method, s.Endpoint+"api2/json/"+path, strings.NewReader(values.Encode()))
	if err != nil {
		return fmt.Errorf("cannot make a request: %w", err)
	}

	req.Header.Set("Authorization", "PVEAPIToken="+token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")

	s.own[method+" /"+path]++

	return do(c, req, into)
}
