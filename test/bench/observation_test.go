package bench

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// observed is the request of a machine whose Node is read, by a Node as long as those of K3s are.
func observed(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()

	req, ok := proto.Clone(request(tb)).(*fnv1.RunFunctionRequest)
	if !ok {
		tb.Fatal("a clone is of another type")
	}

	cluster := at(req.GetRequiredResources()["machine-catalog"].GetItems()[0].GetResource(), "data", "clusters", "home")
	cluster.Fields["observe"] = structpb.NewStringValue("Here")

	vm := req.GetObserved().GetResources()["vm"].GetResource()
	smbios := at(vm, "status", "atProvider").GetFields()["smbios"].GetListValue().GetValues()
	if len(smbios) == 0 {
		smbios = at(vm, "spec", "forProvider").GetFields()["smbios"].GetListValue().GetValues()
	}

	uuid := smbios[0].GetStructValue().GetFields()["uuid"].GetStringValue()

	var images []any
	for i := range 40 {
		name := fmt.Sprintf("registry.home.arpa/mirrored/image-%d", i)
		images = append(images, map[string]any{"names": []any{name + "@sha256:" + fmt.Sprintf("%064d", i), name + ":v1.2.3"}, "sizeBytes": 1e7})
	}

	conditions := []any{map[string]any{"type": "EtcdIsVoter", "status": "True", "reason": "MemberNotLearner"}}
	for _, c := range []string{"MemoryPressure", "DiskPressure", "PIDPressure"} {
		conditions = append(conditions, map[string]any{"type": c, "status": "False", "reason": "KubeletHasSufficient", "lastHeartbeatTime": "2026-11-20T10:00:00Z"})
	}

	node, err := structpb.NewStruct(map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": "server-1", "labels": map[string]any{
			"node-role.kubernetes.io/etcd": "true", "node-role.kubernetes.io/control-plane": "true", "kubernetes.io/hostname": "server-1",
		}},
		"status": map[string]any{
			"addresses":  []any{map[string]any{"type": "InternalIP", "address": "192.168.4.80"}},
			"conditions": append(conditions, map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady"}),
			"images":     images,
			"nodeInfo":   map[string]any{"systemUUID": uuid, "kubeletVersion": "v1.33.6+k3s1"},
		},
	})
	must(tb, err)

	name := compose.Answer(req).GetRequirements().GetResources()["k3s-node"].GetMatchName()
	at(node, "metadata").Fields["name"] = structpb.NewStringValue(name)
	req.RequiredResources["k3s-node"] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: node}}}

	return req
}

// at is the object at a path.
func at(s *structpb.Struct, path ...string) *structpb.Struct {
	for _, p := range path {
		s = s.GetFields()[p].GetStructValue()
	}

	return s
}

// TestObserved: what is measured is a machine whose Node is known to be its VM.
func TestObserved(t *testing.T) {
	for _, c := range compose.Answer(observed(t)).GetConditions() {
		if c.GetType() == "NodeJoined" && c.GetReason() == "Joined" {
			return
		}
	}

	t.Errorf("the Node is not the machine's: %v", compose.Answer(observed(t)).GetConditions())
}

// BenchmarkObserved is [BenchmarkAnswer] where the Node is read.
func BenchmarkObserved(b *testing.B) {
	req := observed(b)

	b.ReportAllocs()

	for b.Loop() {
		compose.Answer(req)
	}
}
