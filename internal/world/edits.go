package world

// Edit the claim. A null removes a field.
func (w *ClusterWorld) Edit(spec string) { Merge(w.Spec(), FromYAML(w.Cluster().T, spec)) }

// Node sets fields of a node in the claim.
func (w *ClusterWorld) Node(name, fields string) {
	w.Cluster().T.Helper()

	if asks := Object(FromYAML(w.Cluster().T, fields)["lifecycle"]); asks["reboot"] != nil || asks["replace"] != nil {
		w.Asked = true
	}

	var out []any

	found := false
	for _, n := range List(Copy(w.Spec()["nodes"])) {
		if Object(n)["name"] == name {
			Merge(Object(n), FromYAML(w.Cluster().T, fields))

			found = true
		}

		out = append(out, n)
	}

	if !found {
		n := FromYAML(w.Cluster().T, fields)
		n["name"] = name
		out = append(out, n)
	}

	w.Spec()["nodes"] = out
}

// Lose the management plane: Crossplane, all that it had, and its word in Proxmox are gone, and VMs, Nodes and snippets stay. The claim is applied to a new
// one.
func (w *ClusterWorld) Lose() {
	claim := map[string]any{
		"apiVersion": w.Machine.Composite["apiVersion"], "kind": w.Machine.Composite["kind"], "spec": w.Machine.Composite["spec"],
		"metadata": map[string]any{
			"name": w.Machine.Name(), "namespace": Object(w.Machine.Composite["metadata"])["namespace"], "labels": map[string]any{},
			"uid": "5d1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a99",
		},
	}

	w.Machine.Composite, w.Machine.Observed = claim, map[string]map[string]any{}
	w.Machine.nodes.machines, w.Machine.nodes.refused = map[string]*Machine{}, nil
	w.Cluster().Machines = []*Machine{w.Machine}
	w.Cluster().Kubernetes.going = nil

	for _, vm := range w.Proxmox.VMs {
		vm.Owner = ""
	}
}
