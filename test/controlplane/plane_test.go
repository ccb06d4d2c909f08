//go:build plane

package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// wishes is the ConfigMap by which a person tells the played Proxmox what to do.
var wishes = client.ObjectKey{Namespace: "default", Name: "proxmox"}

// TestPlane is no test: it keeps a plane up for a person, until it is interrupted. See README.md.
func TestPlane(t *testing.T) {
	on := claims
	if os.Getenv("ON") == "namespaced" {
		on = namespaced
	}

	on.logs = "../plane" // Beside those of the tests, which can run meanwhile.
	r := on.rig(t)

	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()

	must(t, r.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: wishes.Namespace, Name: wishes.Name}}))

	journal, err := filepath.Abs(filepath.Join(filepath.Dir(filepath.Dir(r.Kubeconfig)), "proxmox.log"))
	must(t, err)

	t.Logf("\n\n  export KUBECONFIG=%s\n\nWhat is written to Proxmox: %s\nctrl-c ends it.\n", r.Kubeconfig, journal)

	h := &wisher{world: r.world}

	for ctx.Err() == nil {
		if err := h.look(ctx, r.Client); err != nil && ctx.Err() == nil {
			t.Log(err)
		}

		must(t, os.WriteFile(journal, []byte(strings.Join(r.world.Journal(), "\n")+"\n"), 0o600))
		plane.Rest(ctx, time.Second)
	}
}

// A wisher does in the played Proxmox what a person wishes.
type wisher struct {
	world  *standin.World
	faults string
	done   string
	mend   []func()
}

// look for wishes: faults holds the names of the faults of now, hands a line for each thing to do, once.
func (h *wisher) look(ctx context.Context, c client.Client) error {
	m := &corev1.ConfigMap{}
	if err := c.Get(ctx, wishes, m); err != nil {
		return fmt.Errorf("cannot read ConfigMap %s: %w", wishes, err)
	}

	if now := m.Data["faults"]; now != h.faults {
		h.faults = now

		for _, mend := range h.mend {
			mend()
		}

		h.mend = nil

		for name := range strings.FieldsSeq(now) {
			if _, ok := standin.Faults[name]; !ok {
				return fmt.Errorf("there is no fault %q", name)
			}

			h.mend = append(h.mend, h.world.Break(name, nil))
		}
	}

	if now := m.Data["hands"]; now != h.done {
		h.done = now

		for line := range strings.Lines(now) {
			if err := h.do(strings.Fields(line)); err != nil {
				return err
			}
		}
	}

	return nil
}

// do one thing: add ID NODE, remove ID, start ID, stop ID, or move ID NODE.
func (h *wisher) do(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("want a verb and a number: %q", words)
	}

	id, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}

	node := "pve"
	if len(words) > 2 {
		node = words[2]
	}

	switch vm := h.world.VM(id); {
	case words[0] == "add":
		h.world.AddVM(standin.VM{ID: id, Node: node})
	case vm == nil:
		return fmt.Errorf("there is no VM %d", id)
	case words[0] == "remove":
		h.world.Remove(id)
	case words[0] == "move":
		h.world.Edit(func(vms map[int]*standin.VM) { vms[id].Node = node })
	case words[0] == "start":
		h.world.Edit(func(vms map[int]*standin.VM) { vms[id].Start() })
	case words[0] == "stop":
		h.world.Edit(func(vms map[int]*standin.VM) { vms[id].Stop() })
	default:
		return fmt.Errorf("there is no verb %q", words[0])
	}

	return nil
}
