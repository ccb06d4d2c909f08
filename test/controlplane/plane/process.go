package plane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// stopTimeout is how long a program may take to end before it is killed.
const stopTimeout = 10 * time.Second

// A Program is how a process is started, and started again.
type Program struct {
	Name string // Names the log file, too.
	Path string
	Args []string
	Env  []string // Beside the environment of this process.
	// Root of the file system that the program sees; that of this process if empty. Path is below it.
	Root string
	// Network that the program runs in; that of this process if nil.
	Network *Network
	// Ready returns nil once the program serves. Nil if it serves nothing.
	Ready func(ctx context.Context) error
}

// A Process is a program that can be stopped and started again. Its log goes on over restarts.
type Process struct {
	Program

	log string

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // Closed when cmd has ended.
}

// newProcess that logs into a folder. It does not run yet.
func newProcess(logs string, p Program) *Process {
	return &Process{Program: p, log: filepath.Join(logs, p.Name+".log")}
}

// Start the program and wait until it is ready.
func (p *Process) Start(ctx context.Context) error {
	if err := p.launch(); err != nil {
		return fmt.Errorf("cannot start %s: %w", p.Name, err)
	}

	return p.wait(ctx)
}

func (p *Process) launch() error {
	p.mu.Lock()
	defer p.mu.Unlock()

	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()

	cmd := exec.Command(p.Path, p.Args...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	// A group of its own, so that an interrupt from the keyboard lets us stop programs in order; and no program outlives
	// a test that was killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

	if p.Root != "" {
		changeRoot(cmd, p.Root)
	}

	start := cmd.Start
	if n := p.Network; n != nil {
		start = func() error { return n.do(cmd.Start) }
	}

	if err := start(); err != nil {
		return err
	}

	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended

	go func() {
		_ = cmd.Wait() // How it ended is in its log.

		close(ended)
	}()

	return nil
}

// wait until the program is ready. That it ended is an error at once.
func (p *Process) wait(ctx context.Context) error {
	if p.Ready == nil {
		return nil
	}

	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()

	motion := &Motion{}
	motion.Add(p.grows())

	err := motion.eventually(ctx, func(ctx context.Context) (bool, error) {
		select {
		case <-ended:
			return false, fmt.Errorf("it ended, see %s", p.log)
		default:
		}

		err := p.Ready(ctx)

		return err == nil, pending(err)
	})
	if err != nil {
		return fmt.Errorf("%s does not get ready: %w", p.Name, err)
	}

	return nil
}

// Stop the program as a container engine does: ask, wait, kill.
func (p *Process) Stop() { p.end(syscall.SIGTERM) }

// Kill the program without asking.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

func (p *Process) end(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.cmd == nil {
		return
	}

	_ = p.cmd.Process.Signal(sig) // One that has ended already is what we want.

	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()

		<-p.ended
	}

	p.note(p.cmd.ProcessState)
	p.cmd = nil
}

// UsedFile in the folder of the logs has a line for each run of a program: its processor time in seconds, and its name.
const UsedFile = "processor-time.txt"

// note what a run of the program used. It is for people: what cannot be written is missing.
func (p *Process) note(state *os.ProcessState) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(p.log), UsedFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()

	fmt.Fprintf(f, "%.1f %s\n", (state.UserTime() + state.SystemTime()).Seconds(), p.Name)
}

// PID of the program, 0 while it does not run.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.cmd == nil {
		return 0
	}

	return p.cmd.Process.Pid
}

// Frugal lets the program, from its next start on, collect garbage as often as it does in a cluster.
func (p *Process) Frugal() {
	p.Env = slices.DeleteFunc(slices.Clone(p.Env), func(e string) bool { return slices.Contains(generous, e) })
}

// Restart the program and wait until it is ready.
func (p *Process) Restart(ctx context.Context) error {
	p.Stop()

	return p.Start(ctx)
}

// run the program to its end. Its log goes on.
func (p *Process) run() error {
	if err := p.launch(); err != nil {
		return fmt.Errorf("cannot start %s: %w", p.Name, err)
	}

	<-p.ended

	if state := p.cmd.ProcessState; !state.Success() {
		return fmt.Errorf("%s: %s, see %s", p.Name, state, p.log)
	}

	return nil
}
