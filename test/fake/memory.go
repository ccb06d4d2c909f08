package fake

import (
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// NewMemory of nothing, for the worlds of one function. Three in four turns of a story ask what was asked before: nothing moves any more, or another case began
// in the same way. One in eight of these requests is made once more, and another answer than before ends all tests. Each caller gets an answer of its own.
func NewMemory() *world.Memory {
	return world.NewDoubtfulMemory(func(before, now *fnv1.RunFunctionResponse) {
		differs(errors.Errorf("the function answers the same request otherwise the second time: -first, +second:\n%s",
			cmp.Diff(before, now, protocmp.Transform())))
	})
}
