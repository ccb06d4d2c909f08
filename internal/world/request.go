package world

import (
	"math/bits"
	"reflect"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A finding is an object that answers what a call asked for.
type finding struct {
	object   map[string]any
	constant bool // Nobody changes it.
}

// A request of a call, before it is a message: where the answer is known, it never is one.
type request struct {
	m        *Machine
	found    map[string][]finding     // By requirement.
	observed uint64                   // Fingerprint of what has nothing to do with requirements; 0 without a Memory.
	begins   *fnv1.RunFunctionRequest // What has nothing to do with requirements, as a message; nil before it is one.
	prints   map[uintptr]uint64       // Of objects, by where they are in memory: nothing changes while a call lasts.
	kept     []finding                // All that have a fingerprint there, so that nothing else comes to be where they are.
}

// requestOf a machine with what is observed now, with nothing found yet.
func requestOf(m *Machine) *request {
	r := &request{m: m, prints: map[uintptr]uint64{}}

	if m.cluster.Memory.remembers() {
		r.observed = r.printOfObserved()
	}

	return r
}

// printOfObserved is a fingerprint of all that has nothing to do with requirements.
func (r *request) printOfObserved() uint64 {
	var observed uint64 // A sum, because they come in any order.
	for name, o := range r.m.Observed {
		observed += mixed(bits.RotateLeft64(Fingerprint(name), 1) + r.print(finding{object: o}))
	}

	out := Fingerprint(capabilities(r.m.Capabilities))
	for _, part := range []uint64{observed, r.print(finding{object: r.m.Composite}), r.print(finding{object: r.m.Input})} {
		out = mixed(bits.RotateLeft64(out, 1) + part)
	}

	return out
}

func capabilities(all []fnv1.Capability) []any {
	var out []any
	for _, c := range all {
		out = append(out, int(c))
	}

	return out
}

// print of an object that was found.
func (r *request) print(f finding) uint64 {
	at := addressOf(f.object)

	known := r.prints
	if f.constant && r.m.Constant {
		if r.m.prints == nil {
			r.m.prints = map[uintptr]uint64{}
		}

		known = r.m.prints
	}

	if _, is := known[at]; !is {
		known[at] = Fingerprint(f.object)
		r.kept = append(r.kept, f)
	}

	return known[at]
}

// key of the request: of two with one key there is one answer.
func (r *request) key() uint64 {
	out := r.observed

	for _, name := range Keys(r.found) {
		out = mixed(out + Fingerprint(name))
		for _, f := range r.found[name] {
			out = mixed(out + r.print(f))
		}
	}

	return out
}

// answer of the Function.
func (r *request) answer() *fnv1.RunFunctionResponse {
	c := r.m.cluster
	if !c.Memory.remembers() {
		return c.Function(r.message())
	}

	key, made := r.key(), false

	rsp, _ := c.Memory.answers.Of(key, func() (*fnv1.RunFunctionResponse, error) { made = true; return c.Function(r.message()), nil })

	if c.Memory.differs != nil && !made && key%askedAgain == 0 {
		_, _ = c.Memory.asked.Of(key, func() (bool, error) {
			if now := c.Function(r.message()); !proto.Equal(rsp, now) {
				c.Memory.differs(rsp, now)
			}

			return true, nil
		})
	}

	return rsp
}

// message of the request. The messages in it are those of other requests, too: nobody may change them.
func (r *request) message() *fnv1.RunFunctionRequest {
	if r.begins == nil {
		r.begins = r.first()
	}

	return &fnv1.RunFunctionRequest{Meta: r.begins.GetMeta(), Input: r.begins.GetInput(), Observed: r.begins.GetObserved(), RequiredResources: r.required()}
}

// first is the request of a reconciliation's first call, with nothing of what the function asks for.
func (r *request) first() *fnv1.RunFunctionRequest {
	m := r.m
	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "test", Capabilities: m.Capabilities},
		Input:    r.object(m.Input),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: r.object(m.Composite)}, Resources: map[string]*fnv1.Resource{}},
	}

	for name, o := range m.Observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: r.object(o)}
	}

	return req
}

// required are the answers to what was asked for.
func (r *request) required() map[string]*fnv1.Resources {
	out := map[string]*fnv1.Resources{}

	for name, all := range r.found {
		out[name] = &fnv1.Resources{}

		for _, f := range all {
			message := r.object
			if f.constant {
				message = r.constant
			}

			out[name].Items = append(out[name].Items, &fnv1.Resource{Resource: message(f.object)})
		}
	}

	return out
}

// object as Crossplane sends it.
func (r *request) object(o map[string]any) *structpb.Struct { return r.sent(finding{object: o}) }

// constant is the message of a catalogue, a Secret or another machine's VM.
func (r *request) constant(o map[string]any) *structpb.Struct {
	m, f := r.m, finding{object: o, constant: true}
	if !m.Constant {
		return r.sent(f)
	}

	at := addressOf(o)
	if m.constants == nil {
		m.constants = map[uintptr]*structpb.Struct{}
	}

	if m.constants[at] == nil {
		m.constants[at] = r.sent(f)
	}

	return m.constants[at]
}

// sent is what was found as Crossplane sends it.
func (r *request) sent(f finding) *structpb.Struct {
	c := r.m.cluster
	c.T.Helper()

	if c.Memory == nil {
		return Struct(c.T, f.object)
	}

	out, _ := c.Memory.messages.Of(r.print(f), func() (*structpb.Struct, error) { return Struct(c.T, f.object), nil })

	return out
}

// finds something else than another answer to what was asked for.
func (r *request) finds(other map[string][]finding) bool {
	if len(r.found) != len(other) {
		return true
	}

	for name, all := range other {
		was, there := r.found[name]
		if !there || !slices.EqualFunc(was, all, func(a, b finding) bool { return r.print(a) == r.print(b) }) {
			return true
		}
	}

	return false
}

// addressOf an object in memory.
func addressOf(o map[string]any) uintptr { return reflect.ValueOf(o).Pointer() }
