package change

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// alwaysOurs are fields that no rule needs: they are no part of a VM, but switches of the provider and of Terraform, and what
// today's function says of them holds for every VM at once.
var alwaysOurs = []string{
	"reboot", "rebootAfterUpdate", "stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "agent[0].timeout",
}

// A fate is what becomes of a field that differs between a VM and its claim.
type fate string

const (
	told     fate = "told"     // It changes, and Compare says so.
	refused  fate = "refused"  // It stays, and Guard says so.
	kept     fate = "kept"     // It stays without a word, since no claim can say it.
	unspoken fate = "unspoken" // It changes without a word.
)

// fateOf a wanted VM whose leaf l differs from the one that was made.
func fateOf(t *testing.T, l leaf, wanted, made proxmox.VMParameters, c Circumstances) fate {
	t.Helper()

	want := l.at(&wanted).Interface()
	guarded := Guard(wanted, made, c)
	out, held := guarded.VM, guarded.Held
	changes := Compare(made, out)
	got := l.at(&out).Interface()

	switch {
	case got == l.at(&made).Interface() && len(held) > 0:
		return refused
	case got == l.at(&made).Interface():
		return kept
	case got != want:
		t.Errorf("%s is neither what the VM has nor what is wanted, but %v", l.path, got)
		return unspoken
	case len(changes) > 0:
		return told
	}

	return unspoken
}

// silent are the leaves that change without a word.
func silent(t *testing.T, vm func(*testing.T) proxmox.VMParameters, c Circumstances) []string {
	t.Helper()

	return slices.DeleteFunc(unspokenLeaves(t, vm, c), func(path string) bool { return slices.Contains(alwaysOurs, path) })
}

func unspokenLeaves(t *testing.T, vm func(*testing.T) proxmox.VMParameters, c Circumstances) []string {
	t.Helper()

	var out []string

	base := vm(t)

	for _, l := range leaves(&base) {
		wanted := vm(t)
		mutate(l.at(&wanted))

		if fateOf(t, l, wanted, vm(t), c) == unspoken {
			out = append(out, l.path)
		}
	}

	return out
}

var circumstances = map[string]struct {
	vm func(*testing.T) proxmox.VMParameters
	c  Circumstances
}{
	"Rendered":      {vm: filled},
	"Native":        {vm: filledNative, c: Circumstances{Native: true}},
	"NativeNow":     {vm: filled, c: Circumstances{Native: true}},
	"RenderedNow":   {vm: filledNative},
	"Adopted":       {vm: filled, c: Circumstances{Adopted: true}},
	"AdoptedSaid":   {vm: filled, c: Circumstances{Adopted: true, FirmwareSaid: true}},
	"AdoptedNative": {vm: filledNative, c: Circumstances{Adopted: true, Native: true}},
	"Migrating":     {vm: filled, c: Circumstances{Migrate: true}},
	"AddressStays":  {vm: filled, c: Circumstances{AddressesStay: []bool{true, true, true}}},
	"OtherProxmox":  {vm: filledNative, c: Circumstances{Native: true, OtherProxmox: true, Migrate: true}},
}

// TestEveryFieldHasARule: a field of a VM either changes and Compare tells, or Guard keeps it. One that was added to
// proxmox.VMParameters and to no row of the table would change living VMs without a word: it fails here.
func TestEveryFieldHasARule(t *testing.T) {
	for name, tc := range circumstances {
		t.Run(name, func(t *testing.T) {
			for _, path := range silent(t, tc.vm, tc.c) {
				t.Errorf("%s of a living VM changes, and nothing says so: it needs a rule in the table", path)
			}
		})
	}
}

// TestARuleThatIsMissingIsFound: without its row the same look finds the fields that the row is for.
func TestARuleThatIsMissingIsFound(t *testing.T) {
	all := rows

	t.Cleanup(func() { rows = all })

	cases := map[string]struct {
		row  int
		want []string
	}{
		"Hardware": {len(all) - 1, []string{"scsiHardware", "serialDevice[0].device", "acpi", "cpu[0].sockets"}},
		"Display":  {rowOf(t, all, "spec.vga.type"), []string{"vga[0].type"}},
		"Floor":    {rowOf(t, all, "spec.size.memoryFloor"), []string{"memory[0].floating"}},
		"Hostname": {rowOf(t, all, "spec.hostname"), []string{"name"}},
		"Startup":  {rowOf(t, all, "spec.startup"), []string{"startup[0].order", "startup[0].upDelay", "startup[0].downDelay"}},
		"Devices":  {rowOf(t, all, "spec.devices.pci"), []string{"hostpci[0].mapping", "hostpci[1].mapping"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rows = slices.Delete(slices.Clone(all), tc.row, tc.row+1)
			found := silent(t, filled, Circumstances{})

			for _, want := range tc.want {
				if !slices.Contains(found, want) {
					t.Errorf("%s has no rule, and nobody noticed: %v", want, found)
				}
			}
		})
	}
}

func rowOf(t *testing.T, all []row, name string) int {
	t.Helper()

	vm := filled(t)

	i := slices.IndexFunc(all, func(r row) bool {
		return r.values != nil && slices.ContainsFunc(r.values(nil, vm), func(v value) bool { return v.field == name })
	})
	if i < 0 {
		t.Fatalf("no row tells %s", name)
	}

	return i
}

// TestWhatIsAlwaysOursIsNeeded: a name in that list which no rule lacks would hide the next one that does.
func TestWhatIsAlwaysOursIsNeeded(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(slices.Values(alwaysOurs)), slices.Sorted(slices.Values(unspokenLeaves(t, filled, Circumstances{})))); diff != "" {
		t.Errorf("-listed, +without a rule:\n%s", diff)
	}
}

// TestListsHaveARule: an element that a list gains or loses changes nothing without a word either.
func TestListsHaveARule(t *testing.T) {
	more := func(v reflect.Value) {
		if !slices.Contains(single, v.Type().Elem()) {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(t, e, "more")
			v.Set(reflect.Append(v, e))
		}
	}
	edits := map[string]func(v reflect.Value){
		"Empty":  func(v reflect.Value) { v.SetLen(0) },
		"Nil":    func(v reflect.Value) { v.SetZero() },
		"Fewer":  func(v reflect.Value) { v.SetLen(v.Len() - 1) },
		"Longer": more,
		"Turned": func(v reflect.Value) { reflect.Swapper(v.Interface())(0, v.Len()-1) },
	}

	vm := filled(t)

	for i := range reflect.TypeFor[proxmox.VMParameters]().NumField() {
		field := reflect.ValueOf(&vm).Elem().Type().Field(i)
		if field.Type.Kind() != reflect.Slice {
			continue
		}

		for edit, apply := range edits {
			t.Run(field.Name+edit, func(t *testing.T) {
				wanted, made := filled(t), filled(t)
				apply(reflect.ValueOf(&wanted).Elem().Field(i))

				guarded := Guard(wanted, made, Circumstances{})
				out, held := guarded.VM, guarded.Held

				if diff := cmp.Diff(made, out); diff != "" && len(Compare(made, out)) == 0 && len(held) == 0 {
					t.Errorf("the VM changes, and nothing says so: -made, +wanted:\n%s", diff)
				}
			})
		}
	}
}

// TestGuardWritesNothingBack: what a VM was made with is looked at again after it was compared.
func TestGuardWritesNothingBack(t *testing.T) {
	for name, tc := range circumstances {
		t.Run(name, func(t *testing.T) {
			base := tc.vm(t)

			for _, l := range leaves(&base) {
				wanted, made := tc.vm(t), tc.vm(t)
				mutate(l.at(&wanted))
				Guard(wanted, made, tc.c)

				if diff := cmp.Diff(base, made); diff != "" {
					t.Fatalf("Guard() with another %s changes the VM that it compares with: -before, +after:\n%s", l.path, diff)
				}
			}
		})
	}
}

// TestGuardHoldsOnce: what was guarded once is what a VM can become, so it holds nothing back the second time and needs no
// other change.
func TestGuardHoldsOnce(t *testing.T) {
	for name, tc := range circumstances {
		t.Run(name, func(t *testing.T) {
			base := tc.vm(t)

			for _, l := range leaves(&base) {
				wanted := tc.vm(t)
				mutate(l.at(&wanted))

				once := Guard(wanted, tc.vm(t), tc.c).VM
				first := deepCopy(t, once)
				guarded := Guard(once, tc.vm(t), tc.c)
				again, held := guarded.VM, guarded.Held

				if diff := cmp.Diff(first, again); diff != "" || len(held) > 0 {
					t.Errorf("another %s is held again (%v): -once, +again:\n%s", l.path, held, diff)
				}
			}
		})
	}
}

func deepCopy(t *testing.T, p proxmox.VMParameters) proxmox.VMParameters {
	t.Helper()

	m, err := proxmox.ManifestOf(proxmox.VM{Spec: proxmox.Spec[proxmox.VMParameters]{ForProvider: p}})
	if err != nil {
		t.Fatal(err)
	}

	o, err := proxmox.ObserveVM(m)
	if err != nil {
		t.Fatal(err)
	}

	return o.Spec.ForProvider
}

// TestFieldsAreThoseOfAClaim, so that a person finds them, and no two rows tell the same one.
func TestFieldsAreThoseOfAClaim(t *testing.T) {
	// A claim has no field for these: they follow from the class, the image and the machine itself.
	others := []string{"cpuType", "guest agent", "description"}
	path := regexp.MustCompile(`^spec(\.[a-zA-Z0-9]+(\[[^\]]+\])?)+$`)
	told := map[string]int{}
	vm := filled(t)

	for i, r := range rows {
		if r.values == nil {
			continue
		}

		if r.effect == "" {
			t.Errorf("row %d has no effect", i)
		}

		for _, v := range r.values(nil, vm) {
			if before, ok := told[v.field]; ok && before != i {
				t.Errorf("rows %d and %d both tell %s", before, i, v.field)
			}

			told[v.field] = i

			if !path.MatchString(v.field) && !slices.Contains(others, v.field) {
				t.Errorf("%q is no field of a claim", v.field)
			}

			if strings.Contains(v.words, "&{") || strings.Contains(v.words, "0xc") {
				t.Errorf("%s is told as %q", v.field, v.words)
			}
		}
	}
}
