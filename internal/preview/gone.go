package preview

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// PlanDeletion is what becomes of machines whose claims are deleted: the policies of what there is decide, since Crossplane calls no
// function then.
func (r Renderer) PlanDeletion(stories []Story) []MachinePlan {
	out := make([]MachinePlan, 0, len(stories))

	for _, s := range stories {
		out = append(out, r.deletionOf(s))
	}

	return out
}

func (r Renderer) deletionOf(in Story) MachinePlan {
	out := MachinePlan{File: in.Claim.File, State: StateGone}
	out.Kind, out.Namespace, out.Name = r.Configuration.identity(in.Claim.Object)

	s, err := r.stage(in)
	if err != nil {
		out.State, out.Fault = StateFaulty, err.Error()

		return out
	}

	if !in.Given {
		out.Notes = []string{"there is nothing of this machine"}

		return out
	}

	protected := s.protection()
	out.Steps = protected

	for _, o := range slices.Concat(s.observed, s.ofNodes()) {
		object, err := structpb.NewStruct(o.Object)
		if err != nil {
			continue
		}

		switch o.GetKind() {
		case proxmox.VMKind, proxmox.ContainerKind, proxmox.BridgeKind, proxmox.VLANKind, proxmox.PoolKind:
			step, destroyed, err := deletion(object, kindOf(in.Claim.Object) == claim.KindContainer)

			switch {
			case err != nil:
				out.Notes = append(out.Notes, err.Error())
			case step.Resource != "" && len(protected) > 0 && destroyed:
				out.Steps = append(out.Steps, step.kept())
			case step.Resource != "":
				out.Steps = append(out.Steps, step)
			}

			if destroyed {
				out.Effects = append(out.Effects, EffectDestroy)
			}
		}
	}

	if out.Effects = slices.Compact(out.Effects); len(protected) > 0 {
		out.Effects = []Effect{EffectRefused} // And so nothing else happens.
	}

	return out
}

// protection are the Usages that refuse the deletion of a claim, each with what it says: why, and what a person does first.
func (s *stage) protection() []PlanStep {
	var out []PlanStep

	for _, o := range slices.Concat(s.observed, s.ofNodes()) {
		if kind := o.GetKind(); kind != "Usage" && kind != "ClusterUsage" {
			continue
		}

		// One by which a resource waits for another one refuses nobody the claim.
		if _, waits, err := unstructured.NestedMap(o.Object, "spec", "by"); waits && err == nil {
			continue
		}

		why, _, _ := unstructured.NestedString(o.Object, "spec", "reason")
		out = append(out, PlanStep{Resource: o.GetAnnotations()[annotationResourceName], Action: "protect", Notes: []string{
			"the deletion is refused: " + cmp.Or(why, "somebody's Usage without a reason keeps the claim"),
		}})
	}

	return out
}

// kept is a step of a deletion that is refused: nothing is destroyed.
func (s PlanStep) kept() PlanStep {
	s.Action = compose.Kept
	for i, note := range s.Notes {
		s.Notes[i] = strings.Replace(note, "is destroyed", "would be destroyed", 1)
	}

	return s
}

// deletion is what becomes of a VM or of a container whose claim is deleted, and whether it is destroyed. A container's claim has both kinds to look
// whether its VMID is free: of these there is nothing to say.
func deletion(object *structpb.Struct, ofContainer bool) (PlanStep, bool, error) {
	if object.GetFields()["kind"].GetStringValue() == proxmox.ContainerKind {
		ct, err := proxmox.ObserveContainer(object)
		if err != nil || ct.ObserveOnly() {
			return PlanStep{}, false, err
		}

		return containerDeletion(ct), proxmox.MayDelete(ct.Spec.ManagementPolicies), nil
	}

	if kind := object.GetFields()["kind"].GetStringValue(); kind != proxmox.VMKind {
		return siteDeletion(object)
	}

	vm, err := proxmox.ObserveVM(object)
	if err != nil || ofContainer {
		return PlanStep{}, false, err
	}

	return vmDeletion(vm), proxmox.MayDelete(vm.Spec.ManagementPolicies), nil
}

// containerDeletion is what becomes of a container whose claim is deleted.
func containerDeletion(ct proxmox.ObservedContainer) PlanStep {
	out := PlanStep{
		Resource: "container " + ct.Metadata.ExternalName(), Action: compose.Removed,
		Notes: []string{"stays in Proxmox as it is; another claim can adopt it"},
	}

	if proxmox.MayDelete(ct.Spec.ManagementPolicies) {
		out.Notes = []string{"is destroyed with its root file system and all of its disks"}

		if volumes := container.VolumesOf(ct); len(volumes) > 0 {
			out.Notes[0] += " (" + strings.Join(volumes, "; ") + ")"
		}
	}

	return out
}

// vmDeletion is what becomes of a VM whose claim is deleted.
func vmDeletion(vm proxmox.ObservedVM) PlanStep {
	out := PlanStep{Resource: vmName(vm), Action: compose.Removed, Notes: []string{"stays in Proxmox as it is; another claim can adopt it"}}

	if proxmox.MayDelete(vm.Spec.ManagementPolicies) {
		out.Notes = []string{"is destroyed with its disks: " + strings.Join(compose.DisksOf(vm), ", ")}
	}

	return out
}
