package world

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// A Memory has the Function's answers, and objects as Crossplane sends them, by what they follow from: the Function is pure, and in most rounds most machines
// are as they were. Worlds of one Function may share one, also at the same time.
type Memory struct {
	answers  *memo.Memo[uint64, *fnv1.RunFunctionResponse]
	messages *memo.Memo[uint64, *structpb.Struct]
}

// Most that a Memory has at once. A message has about 20 kB, an answer 100 kB.
const (
	mostAnswers  = 1500
	mostMessages = 4000
)

// NewMemory of nothing.
func NewMemory() *Memory {
	return &Memory{
		answers: memo.New[uint64, *fnv1.RunFunctionResponse](mostAnswers), messages: memo.New[uint64, *structpb.Struct](mostMessages),
	}
}

// A finding is an object that answers what a call asked for.
type finding struct {
	object   map[string]any
	constant bool // Nobody changes it.
}

// A request of a call, before it is a message: where the answer is known, it never is one.
type request struct {
	m        *Machine
	found    map[string][]finding // By requirement.
	observed uint64               // Fingerprint of what has nothing to do with requirements; 0 without a Memory.
	prints   map[uintptr]uint64   // Of objects, by where they are in memory: nothing changes while a call lasts.
	kept     []finding            // All that have a fingerprint there, so that nothing else comes to be where they are.
}

// requestOf a machine with what is observed now, with nothing found yet.
func requestOf(m *Machine) *request {
	r := &request{m: m, prints: map[uintptr]uint64{}}

	if m.cluster.Memory != nil {
		r.observed = Fingerprint([]any{m.Composite, m.Observed, m.Input, capabilities(m.Capabilities)})
	}

	return r
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
	if c.Memory == nil {
		return c.Function(r.message())
	}

	rsp, _ := c.Memory.answers.Of(r.key(), func() (*fnv1.RunFunctionResponse, error) { return c.Function(r.message()), nil })

	return rsp
}

// message of the request.
func (r *request) message() *fnv1.RunFunctionRequest {
	req := r.m.first()
	req.RequiredResources = r.required()

	return req
}

// required are the answers to what was asked for.
func (r *request) required() map[string]*fnv1.Resources {
	out := map[string]*fnv1.Resources{}

	for name, all := range r.found {
		out[name] = &fnv1.Resources{}

		for _, f := range all {
			message := r.m.message
			if f.constant {
				message = r.m.constant
			}

			out[name].Items = append(out[name].Items, &fnv1.Resource{Resource: message(f.object)})
		}
	}

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
