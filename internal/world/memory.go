package world

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// A Memory has the Function's answers, and objects as Crossplane sends them, by what they follow from: the Function is pure, and in most rounds most machines
// are as they were. Worlds of one Function may share one, also at the same time.
type Memory struct {
	answers  *memo.Memo[uint64, *fnv1.RunFunctionResponse] // Nil: the Function is asked each time.
	messages *memo.Memo[uint64, *structpb.Struct]

	differs func(before, now *fnv1.RunFunctionResponse) // Nil: nobody asks again.
	asked   *memo.Memo[uint64, bool]                    // What was asked again.
}

// Most that a Memory has at once. A message has about 20 kB, an answer 100 kB.
const (
	mostAnswers  = 1000
	mostMessages = 3000
	mostAsked    = 100_000
)

// askedAgain is one in so many requests that are made a second time where somebody doubts the Function.
const askedAgain = 8

// NewMemory of nothing.
func NewMemory() *Memory {
	return &Memory{
		answers: memo.New[uint64, *fnv1.RunFunctionResponse](mostAnswers), messages: memo.New[uint64, *structpb.Struct](mostMessages),
	}
}

// NewMemoryOfMessages has no answers, but objects as Crossplane sends them: it is for who wants to see each call.
func NewMemoryOfMessages() *Memory {
	return &Memory{messages: memo.New[uint64, *structpb.Struct](mostMessages)}
}

// remembers says whether there are answers in it.
func (m *Memory) remembers() bool { return m != nil && m.answers != nil }

// NewDoubtfulMemory of nothing, for who has yet to prove that the Function is pure: one in eight of the requests that are made again is answered anew, once, and
// another answer than before is told of. Each caller of [Machine.Call] and [Machine.Turn] gets an answer of its own.
func NewDoubtfulMemory(differs func(before, now *fnv1.RunFunctionResponse)) *Memory {
	m := NewMemory()
	m.differs, m.asked = differs, memo.New[uint64, bool](mostAsked)

	return m
}

// own copy of an answer, which a test may change, where the Memory is of many tests.
func (m *Memory) own(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	if m == nil || m.differs == nil {
		return rsp
	}

	return copyAnswer(rsp)
}
