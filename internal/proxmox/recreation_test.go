package proxmox

import "testing"

// TestRecreationOf holds by what evidence a VM counts as created again.
func TestRecreationOf(t *testing.T) {
	const first, second = "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z"

	inCreation := condition("Ready", "False", "Creating", "")
	readBefore := func(vm *ObservedVM) { vm.Status.AtProvider.ID = "153" }
	noted := func(mark string) func(vm *ObservedVM) {
		return func(vm *ObservedVM) { vm.Metadata.Annotations[CreatedAnnotation] = mark }
	}
	began := func(mark string) func(vm *ObservedVM) {
		return func(vm *ObservedVM) { vm.Metadata.Annotations[CreatePendingAnnotation] = mark }
	}
	is := func(c Condition) func(vm *ObservedVM) {
		return func(vm *ObservedVM) { vm.Status.Conditions = []Condition{c} }
	}
	of := func(c Condition, since string) Condition {
		c.LastTransitionTime = since

		return c
	}
	adopted := func(vm *ObservedVM) { vm.Metadata.Annotations[AdoptedAnnotation] = "true" }
	observed := func(vm *ObservedVM) { vm.Spec.ManagementPolicies = ObserveOnly() }
	creation := func(vm *ObservedVM) { vm.Metadata.Annotations[CreatingAnnotation] = first }

	cases := map[string]struct {
		reason string
		vm     []func(vm *ObservedVM)
		want   Recreation
	}{
		"Same":           {reason: "The provider created nothing since.", vm: []func(*ObservedVM){noted(first), began(first), is(available)}, want: RecreationNone},
		"Another":        {reason: "Another creation began, and the VM is there.", vm: []func(*ObservedVM){noted(first), began(second), is(available)}, want: RecreationDone},
		"AnotherSince":   {reason: "The VM is ready since the creation.", vm: []func(*ObservedVM){noted(first), began(second), is(of(available, "2026-01-02T00:00:00Z"))}, want: RecreationDone},
		"ReadyAllAlong":  {reason: "The provider was stopped before it created anything.", vm: []func(*ObservedVM){noted(first), began(second), is(of(available, "2026-01-01T23:59:59Z"))}, want: RecreationNone},
		"AnotherBegan":   {reason: "The VM is not there yet.", vm: []func(*ObservedVM){noted(first), began(second), is(inCreation)}, want: RecreationUnderWay},
		"BeganBefore":    {reason: "The VM is not ready for another reason, and was not before.", vm: []func(*ObservedVM){noted(first), began(second), is(of(inCreation, "2026-01-01T23:59:59Z"))}, want: RecreationNone},
		"NotReady":       {reason: "The provider does not create it.", vm: []func(*ObservedVM){noted(first), began(second), is(condition("Ready", "False", "Unavailable", ""))}, want: RecreationNone},
		"NextAttempt":    {reason: "Each attempt has a mark of its own.", vm: []func(*ObservedVM){noted(Recreating), began(second), is(of(inCreation, "2026-01-01T23:59:59Z"))}, want: RecreationUnderWay},
		"Goes":           {reason: "The provider is still at it.", vm: []func(*ObservedVM){noted(Recreating), began(second), is(inCreation)}, want: RecreationUnderWay},
		"Ends":           {reason: "It has found the VM.", vm: []func(*ObservedVM){noted(Recreating), began(second), is(available)}, want: RecreationDone},
		"Adopted":        {reason: "Somebody else made the VM, and the provider nothing.", vm: []func(*ObservedVM){adopted, is(available)}, want: RecreationNone},
		"AdoptedAnother": {reason: "The provider's first creation of an adopted VM is its second one.", vm: []func(*ObservedVM){adopted, began(first), is(available)}, want: RecreationDone},
		"MarkLost":       {reason: "Without the provider's mark nobody knows.", vm: []func(*ObservedVM){noted(first), is(available)}, want: RecreationNone},
		"NotNoted":       {reason: "An earlier release created the VM, and nothing shows another creation.", vm: []func(*ObservedVM){began(first), is(available), readBefore}, want: RecreationNone},
		"NotNotedBegan":  {reason: "The provider creates a VM that it had read before.", vm: []func(*ObservedVM){began(second), is(inCreation), readBefore}, want: RecreationUnderWay},
		"NotNotedFirst":  {reason: "It is the first creation.", vm: []func(*ObservedVM){began(first), is(inCreation)}, want: RecreationNone},
		"Creation":       {reason: "The first creation may be tried again.", vm: []func(*ObservedVM){creation, noted(first), began(second), is(inCreation)}, want: RecreationNone},
		"Check":          {reason: "The provider may create nothing.", vm: []func(*ObservedVM){observed, noted(first), began(second), is(available)}, want: RecreationNone},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := ObservedVM{}
			vm.Metadata.Annotations = map[string]string{ExternalNameAnnotation: "153"}

			for _, edit := range tc.vm {
				edit(&vm)
			}

			if got := RecreationOf(vm); got != tc.want {
				t.Errorf("%s\nRecreationOf(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
