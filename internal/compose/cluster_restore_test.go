package compose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestClusterRestore: a new cluster begins with the snapshot. One that lives stays as it is and says so, and the rest of its claim takes effect.
func TestClusterRestore(t *testing.T) {
	req := clusterRequest(t)
	servers := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()["servers"].GetStructValue().GetFields()
	set := func(name string, v any) { servers[name] = content(t, map[string]any{"v": v}).GetFields()["v"] }

	set("snapshots", map[string]any{"s3": map[string]any{"secretRef": map[string]any{"name": "etcd-s3"}}})

	// valid is what SpecValid says, and the spec of server-0.
	answer := func() (valid string, spec map[string]any) {
		t.Helper()

		rsp := Answer(req)

		// There is nothing of what it asks for.
		for name := range rsp.GetRequirements().GetResources() {
			if req.GetRequiredResources()[name] == nil {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}

		rsp = Answer(req)
		for _, c := range rsp.GetConditions() {
			if c.GetType() == status.TypeSpecValid {
				valid = c.GetStatus().String() + ": " + c.GetMessage()
			}
		}

		return valid, rsp.GetDesired().GetResources()["server-0"].GetResource().GetFields()["spec"].GetStructValue().AsMap()
	}

	_, without := answer()
	restore := map[string]any{"snapshot": "etcd-1", "secretRef": map[string]any{"name": "s3", "key": "s3.yaml"}, "allowPlaintext": true}
	set("restore", restore)

	valid, born := answer()
	if node, _ := born["k3s"].(map[string]any); node["restore"] != "etcd-1" || !strings.HasPrefix(valid, "STATUS_CONDITION_TRUE") {
		t.Errorf("a new cluster does not begin with the snapshot: %v, %s", node, valid)
	}

	live := func(spec map[string]any) {
		req.Observed.Resources = map[string]*fnv1.Resource{"server-0": {Resource: &structpb.Struct{Fields: content(t, map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": map[string]any{"name": "home-server-0", "namespace": "clusters"}, "spec": spec,
		}).GetFields()}}}
	}

	live(born)

	if valid, spec := answer(); !strings.HasPrefix(valid, "STATUS_CONDITION_TRUE") || !cmp.Equal(born, spec) {
		t.Errorf("the cluster that began with it: %s\n%s", valid, cmp.Diff(born, spec))
	}

	delete(servers, "restore")

	if valid, spec := answer(); !strings.HasPrefix(valid, "STATUS_CONDITION_TRUE") || !cmp.Equal(born, spec) {
		t.Errorf("after its removal from the claim: %s\n%s", valid, cmp.Diff(born, spec))
	}

	set("restore", restore)
	live(without)

	if valid, spec := answer(); !strings.HasPrefix(valid, "STATUS_CONDITION_FALSE") || !strings.Contains(valid, "docs/clusters.md#all-servers-are-lost") || !cmp.Equal(without, spec) {
		t.Errorf("a cluster that lives: %s\n%s", valid, cmp.Diff(without, spec))
	}
}
