package plane

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// How waits end. A busy machine is slow, but something moves on it; where all is still, nothing comes of more patience.
const (
	// Still is how long nothing may have moved until a wait fails. No pause of a program that works is longer: Crossplane waits two minutes for
	// a resource that it may not read, and programs try again what failed after a minute at most.
	Still = 4 * time.Minute
	// Ceiling is a safety net, for what moves for ever and comes to nothing.
	Ceiling = 20 * time.Minute
)

// asksEvery is how long movers are not asked again: all who wait on a plane have the same answer.
const asksEvery = 10 * time.Second

// A Mover says what has moved since it was asked last; empty if nothing has. The first time it may say anything.
type Mover func(ctx context.Context) (what string, err error)

// A Motion is what moves on a plane. Its zero value never moves. All methods may be called at any time.
type Motion struct {
	mu     sync.Mutex
	movers []Mover
	asked  time.Time
	moved  time.Time
	last   string
	failed error // Of the movers, when they were asked last.
}

// Add something that moves.
func (m *Motion) Add(movers ...Mover) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.movers = append(m.movers, movers...)
}

// Until looks at something until it is done. It fails when nothing has moved for as long as [Still], and says what moved last and what look
// said. The ceiling is [Ceiling] but for what takes longer by its nature.
func (m *Motion) Until(ctx context.Context, ceiling time.Duration, look func(ctx context.Context) (done bool, why string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, ceiling, fmt.Errorf("%s are over", ceiling))
	defer cancel()

	begin := time.Now()

	for last := ""; ; {
		done, why := lookOnce(ctx, look)
		if done {
			return nil
		}

		if ctx.Err() == nil {
			last = why
		}

		if m.ask(ctx, begin) {
			return fmt.Errorf("nothing has moved for %s; %s: %s", Still, m, last)
		}

		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; %s: %s", context.Cause(ctx), m, last)
		case <-time.After(nextLook(time.Since(begin))):
		}
	}
}

// lookOnce ends a look that hangs: what does not answer for as long as [Still] is still.
func lookOnce(ctx context.Context, look func(ctx context.Context) (done bool, why string)) (done bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, Still)
	defer cancel()

	return look(ctx)
}

// ask what has moved, if it is time to, and say whether all is still since a wait began.
func (m *Motion) ask(ctx context.Context, begin time.Time) (still bool) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if time.Since(begin) < asksEvery {
		return false
	}

	if time.Since(m.asked) >= asksEvery {
		m.asked, m.failed = time.Now(), nil

		for _, mover := range m.movers {
			what, err := mover(ctx)
			if what != "" {
				m.moved, m.last = time.Now(), what
			}

			m.failed = cmp.Or(m.failed, err)
		}
	}

	return time.Since(begin) >= Still && time.Since(m.moved) >= Still
}

// String says what moved last.
func (m *Motion) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()

	out := "nothing was seen to move"
	if m.last != "" {
		out = fmt.Sprintf("%s moved last, at %s, %s ago", m.last, m.moved.Format(time.TimeOnly), time.Since(m.moved).Round(time.Second))
	}

	if m.failed != nil {
		out += fmt.Sprintf(" (%v)", m.failed)
	}

	return out
}

// nextLook is how long nobody looks after a look. What is not there soon takes long, and every look takes processor time from what is waited for.
func nextLook(waited time.Duration) time.Duration {
	if waited < 10*time.Second {
		return 200 * time.Millisecond
	}

	return 600 * time.Millisecond
}

// Rest lets time pass where nothing is waited for: until what should not happen would have happened, or between two measurements. On a busy
// machine a test that rests sees less, and does not fail. Whatever should happen is waited for with [Motion.Until].
func Rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
