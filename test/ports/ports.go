// Package ports finds free ports for the servers of tests: one place for all suites, so that they can run side by side.
package ports

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Ports are below those that the kernel gives to outgoing connections (32768 and above on Linux): such a connection could take a port between
// the moment it is found and the moment its program listens.
const (
	firstPort = 20_000
	blockSize = 100
	blocks    = 120
)

// A finder finds free ports in blocks that its process has alone: a program listens on its port only after another process may have looked
// for free ones, too.
type finder struct {
	dir string // Of the locks.

	mu   sync.Mutex
	next int // Port that is tried next; 0 or the end of a block, if it needs a block.
	left int // Ports of the block from there on.
	// held are the locks of all blocks. They are let go of when the process ends, and not before: its programs listen until then.
	held []*os.File
}

// mine are those of this process. Users have folders of their own, since nobody may lock what is somebody else's.
var mine = &finder{dir: filepath.Join(os.TempDir(), fmt.Sprintf("function-proxmox-machine-ports-%d", os.Getuid()))}

// Free finds ports on which nobody listens. No port is given twice, to nobody who finds ports with this function.
func Free(n int) ([]int, error) { return mine.find(n) }

func (f *finder) find(n int) ([]int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	out := make([]int, 0, n)

	for len(out) < n {
		if f.left == 0 {
			if err := f.reserve(); err != nil {
				return nil, err
			}
		}

		port := f.next
		f.next, f.left = f.next+1, f.left-1

		// On all interfaces: so do some programs.
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			out = append(out, port)
			_ = l.Close()
		}
	}

	return out, nil
}

// reserve a block that no process has. Processes begin their search at different blocks, in case a port of an ended one is still in use.
func (f *finder) reserve() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}

	for i := range blocks {
		block := (os.Getpid() + i) % blocks

		lock, err := os.OpenFile(filepath.Join(f.dir, fmt.Sprintf("%d.lock", block)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}

		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			f.held = append(f.held, lock)
			f.next, f.left = firstPort+block*blockSize, blockSize

			return nil
		}

		_ = lock.Close()

		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
	}

	return fmt.Errorf("cannot find a free port: all blocks of ports are locked in %s", f.dir)
}
