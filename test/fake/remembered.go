package fake

import (
	"sync"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// askedAgain is one in so many requests that are made a second time.
const askedAgain = 8

// A rememberedAnswer is the answer to a request.
type rememberedAnswer struct {
	answer *fnv1.RunFunctionResponse
	again  bool // The function has to answer once more.
}

// Remembered is a function that answers the same request with the same answer. Three in four turns of a story make such requests: nothing moves any
// more, or another case began in the same way. The function has no state, so it would answer the same; it is asked once more for one in eight of these
// requests, and another answer than before ends all tests. Each caller gets an answer of its own. At most so many answers are kept at once, of some 150 KiB
// each.
func Remembered(most int, f world.Function) world.Function {
	var (
		mu    sync.Mutex
		known = map[uint64]rememberedAnswer{}
	)

	return func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		key := sumOfRequest(req)

		mu.Lock()
		before, ok := known[key]
		mu.Unlock()

		if ok && !before.again {
			return proto.CloneOf(before.answer)
		}

		rsp := f(req)

		if ok && !proto.Equal(before.answer, rsp) {
			differs(errors.Errorf("the function answers the same request otherwise the second time: -first, +second:\n%s",
				cmp.Diff(before.answer, rsp, protocmp.Transform())))
		}

		mu.Lock()
		defer mu.Unlock()

		if !ok && len(known) >= most {
			clear(known)
		}

		known[key] = rememberedAnswer{answer: proto.CloneOf(rsp), again: !ok && key%askedAgain == 0}

		return rsp
	}
}
