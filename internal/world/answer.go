package world

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Fatal is the message of a fatal result, empty without one.
func Fatal(rsp *fnv1.RunFunctionResponse) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}

	return ""
}

// Names of the composed resources that are desired, sorted.
func Names(rsp *fnv1.RunFunctionResponse) []string { return Keys(rsp.GetDesired().GetResources()) }

// Stem of a composed resource's name: what is left without a hash at its end.
func Stem(name string) string {
	if i := strings.LastIndex(name, "-"); i > 0 {
		return name[:i]
	}

	return name
}

// Stems of the composed resources that are desired, sorted.
func Stems(rsp *fnv1.RunFunctionResponse) []string {
	out := []string{}
	for _, n := range Names(rsp) {
		out = append(out, Stem(n))
	}

	return out
}

// Desired is what is desired of one composed resource; nil where it is left out.
func Desired(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	r, ok := rsp.GetDesired().GetResources()[name]
	if !ok {
		return nil
	}

	return r.GetResource().AsMap()
}

// Manifests of an answer by composed resource name.
func Manifests(rsp *fnv1.RunFunctionResponse) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, r := range rsp.GetDesired().GetResources() {
		out[name] = r.GetResource().AsMap()
	}

	return out
}

// ForProvider of a desired composed resource.
func ForProvider(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	return Object(Object(Desired(rsp, name)["spec"])["forProvider"])
}

// Annotations of a desired composed resource.
func Annotations(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	return Object(Object(Desired(rsp, name)["metadata"])["annotations"])
}

// VMNames of an answer, sorted: the first VM before those that take its place.
func VMNames(rsp *fnv1.RunFunctionResponse) []string {
	return slices.DeleteFunc(Names(rsp), func(name string) bool { return KindOf(rsp.GetDesired().GetResources()[name]) != VMKind })
}

// KindOf a resource.
func KindOf(r *fnv1.Resource) string { return proxmox.KindOf(r.GetResource()) }

// Status of the composite in an answer.
func Status(rsp *fnv1.RunFunctionResponse) map[string]any {
	return Object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"])
}

// Reason of a condition in an answer, empty without it.
func Reason(rsp *fnv1.RunFunctionResponse, typ string) string { return condition(rsp, typ).GetReason() }

// Message of a condition in an answer.
func Message(rsp *fnv1.RunFunctionResponse, typ string) string {
	return condition(rsp, typ).GetMessage()
}

func condition(rsp *fnv1.RunFunctionResponse, typ string) *fnv1.Condition {
	for _, c := range rsp.GetConditions() {
		if c.GetType() == typ {
			return c
		}
	}

	return nil
}

// Policies of a managed resource, in one line.
func Policies(o map[string]any) string {
	var out []string
	for _, p := range List(Object(o["spec"])["managementPolicies"]) {
		out = append(out, p.(string))
	}

	return strings.Join(out, ",")
}

// Annotation of an object, empty without it.
func Annotation(o map[string]any, name string) string {
	s, _ := Object(Object(o["metadata"])["annotations"])[name].(string)

	return s
}

// Bytes of an answer: the same for the same answer.
func Bytes(rsp *fnv1.RunFunctionResponse) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
}

// Warnings of an answer: what of a claim is accepted, and probably not meant.
func Warnings(rsp *fnv1.RunFunctionResponse) []string {
	var out []string

	for _, r := range rsp.GetResults() {
		if r.GetReason() == "SpecWarning" {
			out = append(out, r.GetMessage())
		}
	}

	return out
}
