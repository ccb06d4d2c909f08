package ports

import (
	"fmt"
	"net"
	"slices"
	"testing"
)

// TestFree has two processes look for ports. A lock is an open file's, so that two finders stand for them.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	one, other := &finder{dir: dir}, &finder{dir: dir}

	t.Cleanup(func() {
		for _, lock := range slices.Concat(one.held, other.held) {
			_ = lock.Close()
		}
	})

	var all []int

	for range 60 {
		for _, f := range []*finder{one, other} {
			ports, err := f.find(2)
			if err != nil {
				t.Fatal(err)
			}

			all = append(all, ports...)
		}
	}

	slices.Sort(all)

	if n := len(slices.Compact(slices.Clone(all))); n != 240 || all[0] < firstPort || all[len(all)-1] >= firstPort+blocks*blockSize {
		t.Errorf("%d different ports of %d to %d, want 240", n, all[0], all[len(all)-1])
	}

	// What somebody else listens on is left out.
	taken := one.next

	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", taken))
	if err != nil {
		t.Skip(err) // It is taken already.
	}
	defer l.Close()

	if ports, err := one.find(1); err != nil || slices.Contains(ports, taken) {
		t.Errorf("ports are %v, and %d is taken; error is %v", ports, taken, err)
	}
}

// TestFreeExhausted says so.
func TestFreeExhausted(t *testing.T) {
	f := &finder{dir: t.TempDir()}

	t.Cleanup(func() {
		for _, lock := range f.held {
			_ = lock.Close()
		}
	})

	for range blocks {
		if err := f.reserve(); err != nil {
			t.Fatal(err)
		}
	}

	if err := f.reserve(); err == nil {
		t.Error("there are more blocks than there are")
	}
}
