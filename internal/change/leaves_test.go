package change

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A leaf is one plain value somewhere in a VM, by its path in forProvider, for instance disk[1].size.
type leaf struct {
	path string
	at   func(p *proxmox.VMParameters) reflect.Value
}

// leaves of all VMs that have as many list elements as p.
func leaves(p *proxmox.VMParameters) []leaf {
	return leavesOf(reflect.TypeFor[proxmox.VMParameters](), reflect.ValueOf(p).Elem(), "", func(p *proxmox.VMParameters) reflect.Value {
		return reflect.ValueOf(p).Elem()
	})
}

func leavesOf(t reflect.Type, v reflect.Value, path string, at func(*proxmox.VMParameters) reflect.Value) []leaf {
	var out []leaf

	switch t.Kind() {
	case reflect.Pointer:
		return leavesOf(t.Elem(), v.Elem(), path, func(p *proxmox.VMParameters) reflect.Value { return at(p).Elem() })
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, leavesOf(t.Elem(), v.Index(i), fmt.Sprintf("%s[%d]", path, i), func(p *proxmox.VMParameters) reflect.Value { return at(p).Index(i) })...)
		}

		return out
	case reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			sub := strings.TrimPrefix(path+"."+name, ".")
			out = append(out, leavesOf(t.Field(i).Type, v.Field(i), sub, func(p *proxmox.VMParameters) reflect.Value { return at(p).Field(i) })...)
		}

		return out
	default:
		return []leaf{{path, at}}
	}
}

// single are the blocks that a VM has once at most; the provider's schema wraps them in lists all the same.
var single = []reflect.Type{
	reflect.TypeFor[proxmox.Startup](), reflect.TypeFor[proxmox.EFIDisk](), reflect.TypeFor[proxmox.TPMState](),
	reflect.TypeFor[proxmox.OperatingSystem](), reflect.TypeFor[proxmox.CPU](), reflect.TypeFor[proxmox.Memory](),
	reflect.TypeFor[proxmox.Agent](), reflect.TypeFor[proxmox.CDROM](), reflect.TypeFor[proxmox.Clone](), reflect.TypeFor[proxmox.VGA](),
	reflect.TypeFor[proxmox.Initialization](), reflect.TypeFor[proxmox.DNS](), reflect.TypeFor[proxmox.IPAddress](),
	reflect.TypeFor[proxmox.UserAccount](),
}

// fill everything below v with values that are not zero, and lists with two elements where there can be two.
func fill(t *testing.T, v reflect.Value, word string) {
	t.Helper()

	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), word)
	case reflect.Slice:
		n := 2
		if slices.Contains(single, v.Type().Elem()) {
			n = 1
		}

		v.Set(reflect.MakeSlice(v.Type(), n, n))

		for i := range v.Len() {
			fill(t, v.Index(i), fmt.Sprintf("%s%d", word, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), word+strings.ToLower(v.Type().Field(i).Name))
		}
	case reflect.String:
		v.SetString(word)
	case reflect.Int64:
		v.SetInt(40)
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("no idea how to fill a %s: teach this test", v.Type())
	}
}

// filled is a VM that has everything, twice where there can be two. The boot disk is the one without a serial number.
func filled(t *testing.T) proxmox.VMParameters {
	t.Helper()

	p := proxmox.VMParameters{}
	fill(t, reflect.ValueOf(&p).Elem(), "")
	p.Disk[0].Serial = ""
	// It says what is to happen, and Guard alone says it.
	p.Migrate = false

	return p
}

// filledNative is the same for a guest whose user-data Proxmox makes.
func filledNative(t *testing.T) proxmox.VMParameters {
	t.Helper()

	p := filled(t)
	for i := range p.Initialization {
		p.Initialization[i].UserDataFileID, p.Initialization[i].MetaDataFileID = "", ""
	}

	return p
}

// mutate a plain value into another one.
func mutate(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	default:
		v.SetBool(!v.Bool())
	}
}
