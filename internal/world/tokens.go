package world

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A tokenHolder is a VM whose K3s has joined, by the Node that it registered.
type tokenHolder struct {
	cluster string // By which its claim names it.
	token   string // With which it was made.
}

// RefusedByToken says whether K3s of the cluster refuses a VM of the machine that runs and has never joined, because the token that the VM was made with is
// none of those with which others have joined.
func RefusedByToken(m *Machine) bool {
	for id, vm := range m.Proxmox.VMs {
		if vm.Running != nil && Owns(m, vm) && refusedByToken(m, id) {
			return true
		}
	}

	return false
}

// refusedByToken says so of one VM. K3s asks for the token when a node joins, and not afterwards. A VM that was there before the world began has joined with its
// own, whatever it was; and a token that is not in clear text on a snippet, or that only agents join with, is right. Of dummies, only another one than the Node of
// the same name had counts: what stands in different Secrets may be one token.
func refusedByToken(m *Machine, id int) bool {
	vm := m.Proxmox.VMs[id]
	node, c := nodeNameOf(m, vm), m.cluster

	if vm.found || c.passwords[node] == id {
		return false
	}

	unknown := func(token string) bool { return c.IsDummy != nil && c.IsDummy(token) }

	mine, others := holderOf(m, vm), 0
	if mine.token == "" {
		return false
	}

	for name, other := range c.holders {
		switch {
		case other.cluster != mine.cluster:
		case other.token == mine.token:
			return false
		case name == node || !unknown(mine.token) && !unknown(other.token):
			others++
		}
	}

	return others > 0
}

// holderOf a VM: what joins with it.
func holderOf(m *Machine, vm *VM) tokenHolder {
	k3s := Object(m.Spec()["k3s"])
	cluster, _ := k3s["cluster"].(string)
	server, _ := k3s["server"].(string)

	return tokenHolder{cluster: cmp.Or(cluster, server, m.Name()), token: tokenOf(m, vm)}
}

// tokenOf a VM is the password in the token on its user-data; empty where there is none, and where it is one for agents.
func tokenOf(m *Machine, vm *VM) string {
	for _, v := range vm.snippets() {
		for _, o := range m.Observed {
			raw := Object(At(List(Object(Object(o["spec"])["forProvider"])["sourceRaw"]), 0))
			if name := fmt.Sprint(raw["fileName"]); raw["data"] == nil || !strings.HasSuffix(v, "/"+name) {
				continue
			}

			if token := bootstrap.K3sServerToken(proxmox.Unescape(fmt.Sprint(raw["data"]))); token != "" {
				return token
			}
		}
	}

	return ""
}

// holds the token of a VM that has joined.
func holds(m *Machine, node string, vm *VM) {
	if holder := holderOf(m, vm); holder.token != "" {
		if m.cluster.holders == nil {
			m.cluster.holders = map[string]tokenHolder{}
		}

		m.cluster.holders[node] = holder
	}
}
