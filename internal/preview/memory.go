package preview

import (
	"reflect"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A memory has what the turns of one composite have in common. None, which is nil, remembers nothing.
//
// It has what the function asked for at the end of the last turn. The function mostly asks for the same in the next one, and only the last call of a turn
// counts, the one that asks for what it has: so a turn begins with that. Crossplane begins with nothing, and gets there in more calls.
//
// And it has the objects that the function may ask for as they are sent, which all composites of a cluster have in common.
type memory struct {
	asked *fnv1.Requirements
	sent  *sent
}

// sent are the objects that the function may ask for as they are sent, since they stay the same from turn to turn, and from node to node of a cluster. The
// function only reads them.
type sent struct {
	given     map[uintptr]given            // By the address of the object.
	encoded   map[uintptr]*structpb.Struct // By the address of the plain object.
	installed []unstructured.Unstructured  // What is assumed to be there.
}

// newSent has what is assumed to be there, and nothing sent yet.
func newSent() *sent {
	return &sent{given: map[uintptr]given{}, encoded: map[uintptr]*structpb.Struct{}, installed: installed()}
}

// given is an object, which keeps its address as long as it is here, and what is made of it.
type given struct{ object, plain unstructured.Unstructured }

func (m *memory) recall() *fnv1.Requirements {
	if m == nil {
		return nil
	}

	return m.asked
}

func (m *memory) keep(asked *fnv1.Requirements) {
	if m != nil {
		m.asked = asked
	}
}

// plain is [plain] of an object that nobody changes.
func (m *memory) plain(o unstructured.Unstructured) (unstructured.Unstructured, error) {
	if m == nil {
		return plain(o)
	}

	if known, ok := m.sent.given[address(o.Object)]; ok {
		return known.plain, nil
	}

	out, err := plain(o)
	if err != nil {
		return out, err
	}

	m.sent.given[address(o.Object)] = given{o, out}
	m.sent.encoded[address(out.Object)] = structOf(out.Object)

	return out, nil
}

// structOf an object, which is one of those that [memory.plain] made, or another.
func (m *memory) structOf(object any) *structpb.Struct {
	if fields, ok := object.(map[string]any); ok && m != nil {
		if known := m.sent.encoded[address(fields)]; known != nil {
			return known
		}
	}

	return structOf(object)
}

func address(object map[string]any) uintptr { return reflect.ValueOf(object).Pointer() }
