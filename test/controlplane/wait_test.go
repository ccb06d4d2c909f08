package controlplane

import (
	"context"
	"fmt"
	"time"
)

// patience is how long something is waited for that should take seconds: machines have more to do than this.
const patience = 6 * time.Minute

// until looks at something until it is done. The error says what was waited for and what was there instead.
func (r *rig) until(ctx context.Context, what string, look func(ctx context.Context) (done bool, why string)) error {
	return r.untilWithin(ctx, patience, what, look)
}

// untilWithin does so for what takes longer, or should not.
func (r *rig) untilWithin(ctx context.Context, limit time.Duration, what string, look func(ctx context.Context) (done bool, why string)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	begin := time.Now()

	for last := ""; ; {
		done, why := look(ctx)
		if done {
			return nil
		}

		if ctx.Err() == nil {
			last = why
		}

		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s: %s", what, last)
		case <-time.After(nextLook(time.Since(begin))):
		}
	}
}

// nextLook is how long nobody looks after a look. What is not there soon takes long, and every look takes processor time from what is waited for.
func nextLook(waited time.Duration) time.Duration {
	if waited < 10*time.Second {
		return 200 * time.Millisecond
	}

	return 600 * time.Millisecond
}
