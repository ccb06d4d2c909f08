// Package program writes files that a test runs.
package program

import (
	"errors"
	"os"
	"syscall"
)

// Write content as a file that may be run at once, with exactly the mode that is given (no umask). What is there already is replaced.
//
// A process that another goroutine starts at this moment has all open files until it is what it will be: the file would still be open for writing there
// when it is closed here, and the kernel refuses to run it ("text file busy"). So no process is started while the file is open.
func Write(file string, content []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	return errors.Join(os.WriteFile(file, content, mode), os.Chmod(file, mode))
}
