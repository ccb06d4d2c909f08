package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// reserve a folder for this process and empty it: two planes in one would take each other's certificates.
func reserve(dir string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}

	f, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another run of these tests has its control plane in %s: %w", dir, err), f.Close())
	}

	return f, os.RemoveAll(dir)
}

// TestReserve has two runs want one folder: the second is told so, and what the first has in it stays.
func TestReserve(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs", "plane")

	first, err := reserve(dir)
	must(t, err)
	must(t, os.MkdirAll(dir, 0o700))

	if second, err := reserve(dir); err == nil {
		t.Errorf("%s was given away", second.Name())
	}

	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the first one's folder has gone: %v", err)
	}

	must(t, first.Close())

	third, err := reserve(dir)
	must(t, err)
	must(t, third.Close())
}
