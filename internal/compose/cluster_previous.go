package compose

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// What the status of a cluster says is read part by part: one that cannot be read takes no other with it.

// previousRollout is what the status says of the rollout before this call.
func (c clusterCall) previousRollout() v1alpha1.RolloutStatus {
	var before struct {
		Rollout v1alpha1.RolloutStatus `json:"rollout"`
	}

	if structcodec.Decode(statusOf(c.call.req), &before, structcodec.Text{}) != nil {
		return v1alpha1.RolloutStatus{}
	}

	return before.Rollout
}

// previousRoute is what the status says of the way to the minor release that the claim named before this call.
func previousRoute(req *fnv1.RunFunctionRequest) cluster.Route {
	status := statusOf(req).GetFields()
	out := cluster.Route{Minor: status["minor"].GetStringValue(), Version: status["version"].GetStringValue()}

	for _, v := range status["route"].GetListValue().GetValues() {
		out.Releases = append(out.Releases, v.GetStringValue())
	}

	return out
}

// had says whether the cluster had a condition before this call, as its status says.
func had(c clusterCall, condition string) bool { return reasonBefore(c, condition) != "" }

// reasonBefore is the reason of a condition before this call; empty where the cluster had none.
func reasonBefore(c clusterCall, condition string) string { return saidBefore(c, condition, "reason") }

// saidBefore is a field of a condition before this call; empty where the cluster had none.
func saidBefore(c clusterCall, condition, name string) string {
	status := statusOf(c.call.req).GetFields()

	for _, v := range status["conditions"].GetListValue().GetValues() {
		if fields := v.GetStructValue().GetFields(); fields["type"].GetStringValue() == condition {
			return fields[name].GetStringValue()
		}
	}

	return ""
}
