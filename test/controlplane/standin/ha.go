package standin

import (
	"errors"
	"fmt"
)

// States that the HA manager can be asked for.
const (
	haStarted = "started"
	haStopped = "stopped"
	haIgnored = "ignored"
)

// An haEntry is what the HA manager has of a VM.
type haEntry struct{ Config values }

func (e *haEntry) state() string { return text(e.Config["state"]) }

// haResources are EnvironmentHaresources: entries of Proxmox's HA manager.
type haResources struct{}

// vmOf a request, by its resource id, such as vm:101.
func (haResources) vmOf(r request) int {
	var id int
	_, _ = fmt.Sscanf(text(r.fields["resourceId"]), "vm:%d", &id)

	return id
}

func (h haResources) look(r request) values {
	e := r.world.ha[h.vmOf(r)]
	if e == nil {
		return nil
	}

	out := e.Config.clone()
	out["id"] = text(r.fields["resourceId"])

	return out
}

func (haResources) hangs(request) bool { return false }

// absent is what the plugin says of an entry that it is to import and that does not exist (fwprovider/cluster/ha/resource_haresource.go).
func (haResources) absent() error { return errors.New("HA resource not found after update") }

// ofHA says whether things are entries of the HA manager, whose name has no node in it.
func ofHA(t any) bool {
	_, is := t.(haResources)

	return is
}

// begin: there is no entry for a VM that does not exist (PVE::API2::HA::Resources, create).
func (h haResources) begin(r request) (string, error) {
	id := h.vmOf(r)

	switch {
	case r.world.vms[id] == nil:
		return "", fmt.Errorf("error creating HA resource: received an HTTP 500 response - Reason: no such VM %d", id)
	case r.world.ha[id] != nil:
		return "", fmt.Errorf("error creating HA resource: received an HTTP 500 response - Reason: resource ID 'vm:%d' already defined", id)
	}

	return text(r.fields["resourceId"]), nil
}

func (h haResources) finish(r request) error { return h.change(r) }

func (haResources) replaced(request) string { return "" }

func (h haResources) current(r request) bool {
	e := r.world.ha[h.vmOf(r)]

	return e != nil && covers(map[string]any(e.Config), map[string]any(r.fields))
}

func (h haResources) change(r request) error {
	if h.current(r) {
		return nil
	}

	id := h.vmOf(r)
	e := &haEntry{Config: r.fields.clone()}
	r.world.ha[id] = e
	r.world.note("HA of VM %d: %s", id, e.state())
	manage(r.world, id)

	return nil
}

// destroy neither stops nor starts the VM (ha-manager.adoc).
func (h haResources) destroy(r request) error {
	id := h.vmOf(r)
	if r.world.ha[id] != nil {
		delete(r.world.ha, id)
		r.world.note("HA of VM %d: none", id)
	}

	return nil
}

// manage a VM as the HA manager does at its turn: what is to run is started, and what is not is stopped.
func manage(w *World, id int) {
	e, vm := w.ha[id], w.vms[id]
	if e == nil || vm == nil {
		return
	}

	switch {
	case e.state() == haStarted && !vm.Started:
		vm.start()
		w.note("HA starts VM %d", id)
	case e.state() == haStopped && vm.Started:
		vm.stop()
		w.note("HA stops VM %d", id)
	}
}

// requested turns a call that starts or stops a VM into a request to the HA manager, which it is for a VM that the HA manager manages and does not
// ignore (PVE::API2::Qemu, vm_start and vm_stop).
func requested(w *World, id int, on bool) bool {
	e := w.ha[id]
	if e == nil || e.state() == haIgnored {
		return false
	}

	state := haStopped
	if on {
		state = haStarted
	}

	if e.state() != state {
		e.Config["state"] = state
		w.note("HA of VM %d: %s", id, state)
	}

	manage(w, id)

	return true
}

// HA is the state that the HA manager is asked for; empty for a VM that it does not manage.
func (w *World) HA(id int) string {
	w.mu.Lock()
	defer w.mu.Unlock()

	if e := w.ha[id]; e != nil {
		return e.state()
	}

	return ""
}
