package preview

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// InProcess calls the function in this process, and does around the call what the composite reconciler of Crossplane 2.4 does
// (internal/controller/apiextensions/composite and internal/render/composite of crossplane/crossplane). A test holds both against each other.
type InProcess struct{}

// A reconciliation is one turn, as far as it has come.
type reconciliation struct {
	composite unstructured.Unstructured
	legacy    bool // Whether the XRD is one for claims, whose fields of Crossplane's are elsewhere.
	step      string
	observed  map[string]unstructured.Unstructured // By composed resource name.
	cluster   objects

	ctx     context.Context //nolint:containedctx // A reconciliation is one call.
	fetch   Fetcher
	memory  *memory
	asked   map[string]*fnv1.ResourceSelector // What the function asked for in its last call.
	fetched map[string]bool                   // What was fetched from the cluster.

	explanation compose.Explanation

	events     []Result
	conditions []*fnv1.Condition
	ready      fnv1.Ready
	unready    []string
	composed   []unstructured.Unstructured
}

// Turn of a composite.
func (InProcess) Turn(ctx context.Context, in Input) (Turn, error) {
	r := &reconciliation{ctx: ctx, fetch: in.Fetch, memory: in.memory, legacy: in.definition.object.GetAPIVersion() == definitionOfClaims}

	object, err := withDefaults(in.Composite.Object, in.Composite.GetAPIVersion(), in.definition)
	if err != nil {
		return Turn{}, err
	}

	if r.composite, err = plain(unstructured.Unstructured{Object: object}); err != nil {
		return Turn{}, err
	}

	input := *r.composite.DeepCopy()

	if err := r.observe(in); err != nil {
		return Turn{}, err
	}

	out, err := r.reconcile(in.Composition)
	if err != nil {
		return Turn{}, err
	}

	if in.Full {
		out = unstructured.Unstructured{Object: merged(input.Object, out.Object)}
	}

	setConditionTimes(out.Object)
	slices.SortFunc(r.composed, func(a, b unstructured.Unstructured) int {
		return strings.Compare(a.GetAnnotations()[annotationResourceName], b.GetAnnotations()[annotationResourceName])
	})

	return Turn{Composite: out, Composed: r.composed, Results: r.events, Explanation: r.explanation}, nil
}

// observe the composed resources that exist. One that somebody else controls, or that has no name in the composition, is an error.
func (r *reconciliation) observe(in Input) error {
	xr := &r.composite
	if xr.GetUID() == "" {
		text := xr.GroupVersionKind().String() + "\x00" + xr.GetNamespace() + "\x00" + xr.GetName()
		xr.SetUID(types.UID(uuid.NewSHA1(uuid.Nil, []byte(text)).String()))
	}

	xr.SetResourceVersion("999")

	r.observed = map[string]unstructured.Unstructured{}

	for _, o := range in.Observed {
		o, err := plain(o)
		if err != nil {
			return err
		}

		if c := metav1.GetControllerOf(&o); c != nil && c.UID != xr.GetUID() {
			return errors.Errorf("invalid observed resources: observed resource %s has a controller ref but is not controlled by the XR", o.GetName())
		}

		if xr.GetNamespace() != "" && o.GetNamespace() != xr.GetNamespace() {
			return errors.Errorf("invalid observed resources: observed resource %s is not in the same namespace as the XR", o.GetName())
		}

		name := o.GetAnnotations()[annotationResourceName]
		if name == "" {
			return errors.Errorf("observed resource %s has no annotation %s", o.GetName(), annotationResourceName)
		}

		r.observed[name] = o
		r.cluster = append(r.cluster, o)
	}

	if len(in.Observed) > 0 {
		_ = unstructured.SetNestedSlice(xr.Object, references(xr.GetNamespace(), in.Observed), r.fields("resourceRefs")...)
	}

	for _, o := range in.Required {
		o, err := r.memory.plain(o)
		if err != nil {
			return err
		}

		r.cluster = append(r.cluster, o)
	}

	return nil
}

// reconcile the composite, and return it as it is after that.
func (r *reconciliation) reconcile(composition unstructured.Unstructured) (unstructured.Unstructured, error) {
	xr := &r.composite
	before := structOf(xr.Object["status"])

	metadata, _ := xr.Object["metadata"].(map[string]any)
	generation := int64(number(metadata["generation"]))

	setCondition(xr.Object, condition("Responsive", "True", "WatchCircuitClosed", "", generation))

	if proxmox.IsPaused(xr.GetAnnotations()) {
		const paused = "Reconciliation (including deletion) is paused via the pause annotation"

		r.event("Normal", "ReconciliationPaused", "Reconciliation is paused via the pause annotation")
		setCondition(xr.Object, condition("Synced", "False", "ReconcilePaused", paused, generation))

		return *xr.DeepCopy(), nil
	}

	r.selectComposition(composition.GetName())

	// What an API server has before the composite's status is written.
	var stored *unstructured.Unstructured

	if xr.GetLabels()[labelComposite] == "" {
		addLabels(xr, map[string]string{labelComposite: xr.GetName()})
		stored = xr.DeepCopy()
	}

	desired, err := r.call(composition)
	if err != nil {
		return unstructured.Unstructured{}, err
	}

	out, err := r.compose(desired)
	if err != nil {
		return unstructured.Unstructured{}, err
	}

	applied := *out.DeepCopy()

	r.conclude(&out)

	switch {
	case !proto.Equal(before, structOf(out.Object["status"])):
		return out, nil
	case stored != nil:
		return *stored, nil
	}

	return applied, nil
}

// selectComposition writes the reference to the Composition.
func (r *reconciliation) selectComposition(name string) {
	path := r.fields("compositionRef")
	before, _, _ := unstructured.NestedMap(r.composite.Object, path...)

	if len(before) != 1 || before["name"] != name {
		r.event("Normal", "SelectComposition", "Successfully selected composition: "+name)
	}

	_ = unstructured.SetNestedMap(r.composite.Object, map[string]any{"name": name}, path...)
}

// fields is the path of a field of Crossplane's own.
func (r *reconciliation) fields(name string) []string {
	if r.legacy {
		return []string{"spec", name}
	}

	return []string{"spec", "crossplane", name}
}

func (r *reconciliation) event(severity, reason, message string) {
	r.events = append(r.events, Result{APIVersion: resultAPIVersion, Kind: resultKind, Severity: severity, Reason: reason, Message: message})
}

// maxRequirementsIterations is how often Crossplane calls a function again that asks for something else.
const maxRequirementsIterations = 5

// call the function, again and again until it asks for nothing new.
func (r *reconciliation) call(composition unstructured.Unstructured) (*fnv1.State, error) {
	step, err := onlyStep(composition)
	if err != nil {
		return nil, err
	}

	r.step = step.Step
	r.cluster = append(r.cluster, r.composite)

	var (
		resources, extra map[string]*fnv1.Resources
		passedOn         = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	)

	requirements := r.memory.recall()
	if requirements != nil {
		if resources, extra, err = r.found(requirements); err != nil {
			return nil, err
		}
	}

	for range maxRequirementsIterations + 1 {
		// The function may write into what it is given, so each call has a request of its own.
		req, err := r.request(step)
		if err != nil {
			return nil, err
		}

		req.RequiredResources, req.ExtraResources, req.Context = resources, extra, passedOn
		rsp, explanation := answer(req)
		r.explanation = explanation

		for _, rs := range rsp.GetResults() {
			if rs.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				return nil, fatalError(rs.GetMessage(), explanation)
			}
		}

		asked := rsp.GetRequirements()
		r.asked = asked.GetResources()

		if proto.Equal(asked, requirements) {
			r.memory.keep(asked)
			r.take(rsp)

			return rsp.GetDesired(), nil
		}

		if resources, extra, err = r.found(asked); err != nil {
			return nil, err
		}

		// The first call is final where it had all that it asks for: nothing.
		if requirements == nil && len(resources)+len(extra) == 0 {
			r.take(rsp)

			return rsp.GetDesired(), nil
		}

		requirements, passedOn = asked, rsp.GetContext()
	}

	return nil, errors.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxRequirementsIterations)
}

// found of what the function asks for, also in the cluster.
func (r *reconciliation) found(asked *fnv1.Requirements) (resources, extra map[string]*fnv1.Resources, err error) {
	if err := r.fetchAll(asked.GetResources(), asked.GetExtraResources()); err != nil {
		return nil, nil, err
	}

	return r.cluster.all(asked.GetResources(), r.memory.structOf), r.cluster.all(asked.GetExtraResources(), r.memory.structOf), nil
}

// request of a call, without what the function asks for.
func (r *reconciliation) request(step pipelineStep) (*fnv1.RunFunctionRequest, error) {
	composite, err := structpb.NewStruct(r.composite.Object)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode the composite")
	}

	input, err := structpb.NewStruct(step.Input)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode the Composition's Input")
	}

	observed := map[string]*fnv1.Resource{}
	for name, o := range r.observed {
		observed[name] = &fnv1.Resource{Resource: structOf(o.Object)}
	}

	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "preview", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CREDENTIALS,
			fnv1.Capability_CAPABILITY_CONDITIONS, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: composite}, Resources: observed},
		Desired:  &fnv1.State{},
		Input:    input,
	}, nil
}

// answer of the function. A fault in it must not take the other claims of a folder down.
func answer(req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, said compose.Explanation) {
	defer func() {
		if p := recover(); p != nil {
			rsp = compose.Refuse(req, errors.Errorf("internal error: this is a fault of the function: %v", p))
		}
	}()

	return compose.Explain(req)
}

func fatalError(text string, said compose.Explanation) *FatalError {
	out := &FatalError{Message: text}
	for _, fault := range said.Faults {
		out.Faults = append(out.Faults, message.Text(fault.Field+": "+message.Fault(fault)))
	}

	return out
}

// fetchAll that the function asks for and that is not there, once, from the cluster.
func (r *reconciliation) fetchAll(asked ...map[string]*fnv1.ResourceSelector) error {
	if r.fetch == nil {
		return nil
	}

	if r.fetched == nil {
		r.fetched = map[string]bool{}
	}

	for _, selectors := range asked {
		for _, name := range slices.Sorted(maps.Keys(selectors)) {
			if err := r.fetchOne(selectors[name]); err != nil {
				return err
			}
		}
	}

	return nil
}

// fetchOne thing that the function asks for, unless it is there or was asked for before.
func (r *reconciliation) fetchOne(sel *fnv1.ResourceSelector) error {
	q := Query{
		APIVersion: sel.GetApiVersion(), Kind: sel.GetKind(), Name: sel.GetMatchName(), Namespace: sel.GetNamespace(),
		Labels: sel.GetMatchLabels().GetLabels(),
	}
	key := fmt.Sprint(q)

	if r.fetched[key] || len(r.cluster.find(sel)) > 0 {
		return nil
	}

	objects, err := r.fetch(r.ctx, q)
	if err != nil {
		return err
	}

	r.fetched[key] = true

	for _, o := range objects {
		if o, err = plain(o); err != nil {
			return err
		}

		r.cluster = append(r.cluster, o)
	}

	return nil
}

// take the conditions and the results of the last call.
func (r *reconciliation) take(rsp *fnv1.RunFunctionResponse) {
	r.conditions, r.ready = rsp.GetConditions(), rsp.GetDesired().GetComposite().GetReady()

	for _, rs := range rsp.GetResults() {
		severity := "Warning"
		if rs.GetSeverity() == fnv1.Severity_SEVERITY_NORMAL {
			severity = "Normal"
		}

		reason := rs.GetReason()
		if reason == "" {
			reason = reasonCompose
		}

		r.event(severity, reason, fmt.Sprintf("Pipeline step %q: %s", r.step, rs.GetMessage()))
	}
}

const reasonCompose = "ComposeResources"

// compose makes composed resources of what the function wants, and the composite with references to them, and without its conditions.
func (r *reconciliation) compose(desired *fnv1.State) (unstructured.Unstructured, error) {
	xr := &r.composite

	for _, name := range slices.Sorted(maps.Keys(desired.GetResources())) {
		d := desired.GetResources()[name]
		cd := unstructured.Unstructured{Object: d.GetResource().AsMap()}

		if o, ok := r.observed[name]; ok {
			cd.SetNamespace(o.GetNamespace())
			cd.SetName(o.GetName())
			cd.SetGenerateName(o.GetGenerateName())
		}

		if err := r.own(&cd, name); err != nil {
			return unstructured.Unstructured{}, err
		}

		if d.GetReady() != fnv1.Ready_READY_TRUE {
			r.unready = append(r.unready, name)
		}

		r.composed = append(r.composed, cd)
	}

	out := unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(xr.GroupVersionKind())
	out.SetNamespace(xr.GetNamespace())
	out.SetName(xr.GetName())
	r.setReferences(&out, r.composed)

	status, _ := desired.GetComposite().GetResource().AsMap()["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
	}

	out.Object["status"] = status
	for _, c := range conditionsOf(xr.Object) {
		setCondition(out.Object, c)
	}

	return out, nil
}

// own makes the composite the owner of a composed resource, and gives that its name.
func (r *reconciliation) own(cd *unstructured.Unstructured, name string) error {
	xr := &r.composite
	prefix := xr.GetLabels()[labelComposite]

	if cd.GetName() == "" && cd.GetGenerateName() == "" {
		cd.SetGenerateName(prefix + "-")
	}

	if in := xr.GetNamespace(); in != "" {
		if cd.GetNamespace() != "" && cd.GetNamespace() != in {
			r.event("Warning", "NamespaceOverridden",
				fmt.Sprintf("cannot create composed resource %q in namespace %q, using XR namespace %q instead", name, cd.GetNamespace(), in))
		}

		cd.SetNamespace(in)
	}

	annotations := cd.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}

	annotations[annotationResourceName] = name
	cd.SetAnnotations(annotations)

	labels := map[string]string{labelComposite: prefix}
	if name, namespace := xr.GetLabels()[labelClaimName], xr.GetLabels()[labelClaimNamespace]; name != "" && namespace != "" {
		labels[labelClaimName], labels[labelClaimNamespace] = name, namespace
	}

	addLabels(cd, labels)

	if c := metav1.GetControllerOf(cd); c != nil && c.UID != xr.GetUID() {
		return errors.Errorf("composed resource %q is already controlled by %s %s", name, c.Kind, c.Name)
	}

	owner := *metav1.NewControllerRef(xr, xr.GroupVersionKind())
	owners := slices.DeleteFunc(cd.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == owner.UID })
	cd.SetOwnerReferences(append(owners, owner))

	if cd.GetName() == "" {
		cd.SetName(childName(cd.GetGenerateName(), string(xr.GetUID())+name))
	}

	return nil
}

// setReferences to composed resources, in a stable order.
func (r *reconciliation) setReferences(xr *unstructured.Unstructured, to []unstructured.Unstructured) {
	refs := references(xr.GetNamespace(), to)
	slices.SortFunc(refs, func(a, b any) int { return strings.Compare(referenceKey(a), referenceKey(b)) })

	_ = unstructured.SetNestedSlice(xr.Object, refs, r.fields("resourceRefs")...)
}

// references to composed resources, of a composite in a namespace or in none.
func references(namespace string, to []unstructured.Unstructured) []any {
	refs := make([]any, 0, len(to))

	for _, o := range to {
		ref := map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()}
		if o.GetNamespace() != "" && namespace == "" {
			ref["namespace"] = o.GetNamespace()
		}

		refs = append(refs, ref)
	}

	return refs
}

func referenceKey(ref any) string {
	var key strings.Builder

	m, _ := ref.(map[string]any)
	for _, field := range []string{"apiVersion", "kind", "name", "namespace"} {
		text, _ := m[field].(string)
		key.WriteString(text)
	}

	return key.String()
}

// conclude writes the conditions of the function and of Crossplane into the composite's status. What Crossplane has of the composite by now
// has no generation.
func (r *reconciliation) conclude(out *unstructured.Unstructured) {
	var claimed []any

	for _, c := range r.conditions {
		if slices.Contains([]string{"Ready", "Synced", "Healthy", "UpToDate", "Responsive"}, c.GetType()) {
			continue
		}

		status := "Unknown"

		switch c.GetStatus() {
		case fnv1.Status_STATUS_CONDITION_TRUE:
			status = "True"
		case fnv1.Status_STATUS_CONDITION_FALSE:
			status = "False"
		case fnv1.Status_STATUS_CONDITION_UNKNOWN, fnv1.Status_STATUS_CONDITION_UNSPECIFIED:
		}

		setCondition(out.Object, condition(c.GetType(), status, c.GetReason(), c.GetMessage(), 0))

		if r.legacy && c.GetTarget() == fnv1.Target_TARGET_COMPOSITE_AND_CLAIM && !slices.Contains(claimed, any(c.GetType())) {
			claimed = append(claimed, c.GetType())
		}
	}

	if len(claimed) > 0 {
		_ = unstructured.SetNestedSlice(out.Object, claimed, "status", "claimConditionTypes")
	}

	for _, name := range r.unready {
		r.event("Normal", reasonCompose, fmt.Sprintf("Composed resource %q is not yet ready", name))
	}

	setCondition(out.Object, condition("Synced", "True", "ReconcileSuccess", "", 0))
	setCondition(out.Object, r.readiness())
}

func (r *reconciliation) readiness() map[string]any {
	switch {
	case r.ready == fnv1.Ready_READY_TRUE, r.ready == fnv1.Ready_READY_UNSPECIFIED && len(r.unready) == 0:
		return condition("Ready", "True", "Available", "", 0)
	case r.ready == fnv1.Ready_READY_FALSE:
		return condition("Ready", "False", "Creating", "", 0)
	}

	return condition("Ready", "False", "Creating", "Unready resources: "+firstThree(r.unready), 0)
}

// firstThree of some names, in words.
func firstThree(names []string) string {
	const most = 3

	switch {
	case len(names) > most:
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), len(names)-most)
	case len(names) == most:
		return fmt.Sprintf("%s, and %s", strings.Join(names[:most-1], ", "), names[most-1])
	}

	return strings.Join(names, ", ")
}
