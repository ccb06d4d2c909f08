package fake

import (
	"testing"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// catalogue is the name under which the function asks for it, first of all.
const catalogue = "machine-catalog"

// Crossplane120 lets a function be called by Crossplane 1.20, which answers the old generation of requirements alone. Of the new one it keeps bytes, the
// entries of a map in any order, and it calls until two answers are the same to the byte (FetchingFunctionRunner in its extra_resources.go): the test fails
// where a function that has its answers sets the new one, since such a composite would stabilise by luck alone.
func Crossplane120(t testing.TB, f world.Function) world.Function {
	return func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		t.Helper()

		_, begun := req.GetRequiredResources()[catalogue]
		req.ExtraResources, req.RequiredResources = req.GetRequiredResources(), nil
		rsp := proto.CloneOf(f(req))

		for _, selector := range rsp.GetRequirements().GetExtraResources() {
			if selector.Namespace != nil {
				t.Errorf("Crossplane 1.20 is asked for %s in a namespace, where it fails", selector.GetKind())
			}
		}

		if n := len(rsp.GetRequirements().GetResources()); begun && n > 0 {
			t.Errorf("%d resources are asked for in a generation that Crossplane 1.20 does not know, after it has answered in the old one", n)
		}

		if rsp.GetRequirements() != nil {
			rsp.Requirements.Resources = rsp.GetRequirements().GetExtraResources()
		}

		return rsp
	}
}
