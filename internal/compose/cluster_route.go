package compose

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// previousRoute is what the status says of the way to the minor release that the claim named before this call.
func previousRoute(req *fnv1.RunFunctionRequest) cluster.Route {
	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()
	out := cluster.Route{Minor: status["minor"].GetStringValue(), Version: status["version"].GetStringValue()}

	for _, v := range status["route"].GetListValue().GetValues() {
		out.Releases = append(out.Releases, v.GetStringValue())
	}

	return out
}
