package plane

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// moving is a mover that moves at every pace until an end, since now.
func moving(pace, end time.Duration) Mover {
	begin, seen := time.Now(), -1

	return func(context.Context) (string, error) {
		n := int(min(time.Since(begin), end) / pace)
		if n == seen {
			return "", nil
		}

		seen = n

		return "the slow one", nil
	}
}

// TestUntil waits on a clock of its own, so that no time passes.
func TestUntil(t *testing.T) {
	cases := map[string]struct {
		reason string
		end    time.Duration // Of all motion.
		after  time.Duration // Of what is waited for; never if 0.
		took   time.Duration // At least, and not a minute more.
		says   []string      // Empty: no error.
	}{
		"AtOnce": {reason: "Nobody waits for what is there.", after: 1},
		"Slow":   {reason: "What moves slowly is waited for, longer than nothing may move.", end: time.Hour, after: 4 * Still, took: 4 * Still},
		"Still": {
			reason: "A wait ends when nothing has moved for a while, and says what moved last.",
			took:   Still, says: []string{"nothing has moved for 4m0s", "the slow one moved last, at ", "it is away"},
		},
		"StillLater": {
			reason: "What moved before it stood still counts from its last motion on.", end: 9 * time.Minute, took: 9*time.Minute + Still,
			says: []string{"nothing has moved for 4m0s", "4m0s ago", "it is away"},
		},
		"ForEver": {reason: "What moves for ever meets the ceiling.", end: 3 * time.Hour, took: Ceiling, says: []string{"20m0s are over", "the slow one moved last", "it is away"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, begin := &Motion{}, time.Now()
				m.Add(moving(Still-time.Minute, tc.end))

				err := m.Until(t.Context(), Ceiling, func(context.Context) (bool, string) {
					return tc.after > 0 && time.Since(begin) >= tc.after-1, "it is away"
				})

				if took := time.Since(begin); took < tc.took-time.Minute || took > tc.took+time.Minute {
					t.Errorf("%s\nit took %s, want %s", tc.reason, took, tc.took)
				}

				if (err == nil) != (tc.says == nil) {
					t.Fatalf("%s\nerror is %v", tc.reason, err)
				}

				for _, want := range tc.says {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s\nthe error lacks %q: %v", tc.reason, want, err)
					}
				}
			})
		})
	}
}

// TestUntilEnds with its context, and says what was there last.
func TestUntilEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		err := (&Motion{}).Until(ctx, Ceiling, func(context.Context) (bool, string) { return false, "it is away" })
		if err == nil || !strings.Contains(err.Error(), "nothing was seen to move: it is away") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestUntilHangs ends a look that does not end by itself.
func TestUntilHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()

		err := (&Motion{}).Until(t.Context(), Ceiling, func(ctx context.Context) (bool, string) {
			<-ctx.Done()

			return false, "it does not answer"
		})
		if err == nil || !strings.HasSuffix(err.Error(), "nothing was seen to move: it does not answer") || time.Since(begin) > Still+time.Minute {
			t.Errorf("after %s, error is %v", time.Since(begin), err)
		}
	})
}

// TestStored has an etcd that says what was written: what is written for ever is no motion.
func TestStored(t *testing.T) {
	type key map[string]any

	named := func(name string, revision, version string) key {
		return key{"key": []byte(firstKey + name), "mod_revision": revision, "version": version}
	}

	cases := []struct {
		keys  []key
		count string
		want  string
	}{
		{[]key{named("machines/a", "7", "1")}, "1", "machines/a"},
		{nil, "1", ""},
		{[]key{named("leases/kube-system/apiserver", "9", "4")}, "1", ""},
		{[]key{named("events/a", "10", "1"), named("leases/kube-system/apiserver", "11", "5")}, "2", "events/a"},
		{[]key{named("events/a", "12", "2")}, "2", ""},
		{[]key{named("machines/b", "14", "3"), named("machines/a", "13", "2")}, "2", "machines/b"},
		{nil, "1", "the number of objects"},
	}

	answer := 0

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"header": key{"revision": "20"}, "kvs": cases[answer].keys, "count": cases[answer].count})
	}))
	t.Cleanup(server.Close)

	mover := stored(server.URL)

	for i, tc := range cases {
		answer = i

		got, err := mover(t.Context())
		if err != nil || got != tc.want {
			t.Errorf("%d: %q moved, error is %v; want %q", i, got, err, tc.want)
		}
	}
}
