package plane

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"

	"golang.org/x/sys/unix"
)

// A Network is a network namespace of Linux with nothing but a loopback interface, for programs that take a fixed port. It takes the right to make one
// (CAP_SYS_ADMIN). Its thread is there until this process ends.
type Network struct {
	tasks chan func()
}

// NewNetwork makes one.
func NewNetwork() (*Network, error) {
	n, made := &Network{tasks: make(chan func())}, make(chan error)

	go func() {
		// Nobody else may get the thread, so it is never unlocked; nor may it end, since programs end with the thread that started them, and it may have
		// started others before it was locked.
		runtime.LockOSThread()

		err := errors.Join(unix.Unshare(unix.CLONE_NEWNET), loopbackUp())
		made <- err

		for task := range n.tasks {
			task()
		}

		select {}
	}()

	if err := <-made; err != nil {
		close(n.tasks)

		return nil, fmt.Errorf("cannot make a network namespace: %w", err)
	}

	return n, nil
}

// loopbackUp takes the interface lo up.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // Nothing was written.

	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}

	lo.SetUint16(unix.IFF_UP)

	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// Close the network once its programs have ended: it takes no others.
func (n *Network) Close() error {
	close(n.tasks)

	return nil
}

// do something in the namespace.
func (n *Network) do(task func() error) error {
	done := make(chan error)
	n.tasks <- func() { done <- task() }

	return <-done
}

// Forward an address on the namespace's loopback interface to the same address outside, until the listener is closed.
func (n *Network) Forward(address string) (io.Closer, error) {
	var inside net.Listener

	err := n.do(func() (err error) {
		inside, err = net.Listen("tcp", address) //nolint:noctx // It listens until it is closed.

		return err
	})
	if err != nil {
		return nil, err
	}

	go func() {
		for {
			c, err := inside.Accept()
			if err != nil {
				return
			}

			go forward(c, address)
		}
	}()

	return inside, nil
}

// forward a connection to an address.
func forward(from net.Conn, address string) {
	defer from.Close()

	to, err := net.Dial("tcp", address) //nolint:noctx // It lasts until one of the two ends it.
	if err != nil {
		return
	}
	defer to.Close()

	ended := make(chan struct{}, 2)

	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(way[1], way[0]) // Either end may go at any time.

			ended <- struct{}{}
		}()
	}

	<-ended
}
