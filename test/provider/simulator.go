package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
)

// token is the API token that the simulator accepts.
const token = "root@pam!tf=secret"

// A Simulator is a running simulated Proxmox VE cluster.
type Simulator struct {
	// Dir is the host directory; below it each file based datastore has a directory of its name.
	Dir string
	// Endpoint is the URL of the Proxmox API.
	Endpoint string

	control string
	cmd     *exec.Cmd
	ended   <-chan struct{} // Closed when cmd has ended.
	stderr  *bytes.Buffer
	// firewalls stand before the API, and have what the simulator lacks.
	firewalls *firewalls
	// requests is the file in which the simulator writes down every request; own counts those that the tests made themselves.
	requests string
	own      map[string]int
}

// Storage is a datastore of the cluster. File based ones have a Path.
type Storage struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Path    string   `json:"path,omitempty"`
	Content []string `json:"content"`
	Shared  bool     `json:"shared,omitempty"`
}

// StartSimulator runs the simulator program with the given nodes and waits until it answers.
func StartSimulator(ctx context.Context, program, dir string, nodes []string) (*Simulator, error) {
	free, err := ports.Free(2)
	if err != nil {
		return nil, fmt.Errorf("cannot start the simulator: %w", err)
	}
	api, control := fmt.Sprintf("127.0.0.1:%d", free[0]), fmt.Sprintf("127.0.0.1:%d", free[1])
	s := &Simulator{Dir: dir, Endpoint: "https://" + api + "/", control: "http://" + control, stderr: &bytes.Buffer{}, requests: dir + ".requests", own: map[string]int{}}
	s.cmd = exec.CommandContext(ctx, program, "-listen", api, "-ctl", control, "-dir", dir,
		"-nodes", strings.Join(nodes, ","), "-token", token, "-task-delay", "0s", "-log", s.requests)
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the simulator: %w", err)
	}
	ended := make(chan struct{})

	go func() {
		_ = s.cmd.Wait() // How it ended is in its output.

		close(ended)
	}()

	s.ended = ended

	for look := time.NewTicker(20 * time.Millisecond); ; {
		// Two servers: the control API may answer before the API does.
		if _, err = s.State(ctx); err == nil {
			var c net.Conn
			if c, err = (&net.Dialer{}).DialContext(ctx, "tcp", api); err == nil {
				_ = c.Close()

				break
			}
		}

		select {
		case <-look.C:
		case <-ended:
			return nil, fmt.Errorf("the simulator has ended: %w\n%s", err, s.stderr)
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("cannot reach the simulator: %w", err), s.Close())
		}
	}
	if s.firewalls, err = newFirewalls(s.Endpoint); err != nil {
		return nil, errors.Join(err, s.cmd.Process.Kill())
	}

	s.Endpoint = s.firewalls.server.URL + "/"
	// A guest whose agent answers at once, and errors without the wait that a real node adds.
	return s, s.post(ctx, "/settings", map[string]any{"agentBootMs": 0, "authDelayMs": 0, "taskDelayMs": 0})
}

// Close stops the simulator. It fails if somebody made a call that docs/privileges.md does not have.
func (s *Simulator) Close() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("cannot stop the simulator: %w", err)
	}
	<-s.ended // It was killed, and says so.

	if s.firewalls != nil {
		s.firewalls.server.Close()
	}

	return s.checkPrivileges()
}

func (s *Simulator) post(ctx context.Context, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("cannot marshal a request: %w", err)
	}
	return s.call(ctx, http.MethodPost, path, bytes.NewReader(b), nil)
}

func (s *Simulator) call(ctx context.Context, method, path string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.control+path, body)
	if err != nil {
		return fmt.Errorf("cannot make a request: %w", err)
	}
	return do(http.DefaultClient, req, into)
}

func do(c *http.Client, req *http.Request, into any) error {
	rsp, err := c.Do(req)
	if err != nil {
		return fmt.Errorf("cannot call the simulator: %w", err)
	}
	defer rsp.Body.Close() //nolint:errcheck // Read to the end.
	b, err := io.ReadAll(rsp.Body)
	if err != nil || rsp.StatusCode != http.StatusOK {
		return fmt.Errorf("cannot %s %s: %s %s: %w", req.Method, req.URL.Path, rsp.Status, b, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("cannot read the answer to %s: %w", req.URL.Path, err)
	}
	return nil
}

// State is what the simulated cluster holds.
type State struct {
	VMs     map[string]VM     `json:"vms"`
	Volumes map[string]Volume `json:"volumes"`
	// Seq is the number of the last request.
	Seq int `json:"seq"`
}

// VM is a virtual machine of the simulated cluster, Config as Proxmox VE keeps it.
type VM struct {
	Node    string            `json:"node"`
	Status  string            `json:"status"`
	Config  map[string]string `json:"config"`
	Pending []string          `json:"pending"`
}

// Volume is a file or a disk image of a datastore. Sizes are in bytes, Virtual is that of the disk in an image.
type Volume struct {
	ID      string `json:"volid"`
	Content string `json:"content"`
	Format  string `json:"format"`
	Size    int64  `json:"size"`
	Virtual int64  `json:"virtual"`
	VMID    int    `json:"vmid"`
}

// State reads the state of the cluster.
func (s *Simulator) State(ctx context.Context) (State, error) {
	st := State{}
	return st, s.call(ctx, http.MethodGet, "/state", nil, &st)
}

// A Request that the API got.
type Request struct {
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Params map[string][]string `json:"params"`
	Status int                 `json:"status"`
	Reason string              `json:"reason"`
	Time   string              `json:"time"`
}

// Log is all requests.
func (s *Simulator) Log(ctx context.Context) ([]Request, error) {
	var out []Request
	return out, s.call(ctx, http.MethodGet, "/log", nil, &out)
}

// Writes are the requests after number since that were not reads.
func (s *Simulator) Writes(ctx context.Context, since int) ([]Request, error) {
	var out []Request
	return out, s.call(ctx, http.MethodGet, "/log?writes=1&since="+strconv.Itoa(since), nil, &out)
}

// AddStorage defines a datastore. File based ones get their directory and may hold snippets, which are real files.
func (s *Simulator) AddStorage(ctx context.Context, st Storage) error {
	switch st.Type {
	case "dir", "nfs", "cifs":
		st.Path = filepath.Join(s.Dir, st.ID)
		if err := os.MkdirAll(filepath.Join(st.Path, "snippets"), 0o750); err != nil {
			return fmt.Errorf("cannot make a datastore: %w", err)
		}
	}
	return s.post(ctx, "/storages", st)
}

// AddVolume puts a file into a datastore, a snippet as a real one.
func (s *Simulator) AddVolume(ctx context.Context, v Volume) error {
	store, path, _ := strings.Cut(v.ID, ":")
	if name, ok := strings.CutPrefix(path, "snippets/"); ok {
		if err := os.WriteFile(filepath.Join(s.Dir, store, "snippets", name), []byte("#cloud-config\n{}\n"), 0o600); err != nil {
			return fmt.Errorf("cannot write a snippet: %w", err)
		}
		return nil
	}
	return s.post(ctx, "/volumes", v)
}

// AddVM makes a VM that nobody manages, a template for instance.
func (s *Simulator) AddVM(ctx context.Context, id int, node string, config map[string]string) error {
	return s.Touch(ctx, id, Touch{Node: node, Status: "stopped", Config: config})
}

// A Touch is what somebody does to a VM in Proxmox, by hand. What is empty stays.
type Touch struct {
	Node string `json:"node,omitempty"`
	// Status is running or stopped.
	Status string `json:"status,omitempty"`
	// Agent is ok, missing, noip, many or forbidden: how the guest agent answers.
	Agent  string            `json:"agent,omitempty"`
	Config map[string]string `json:"config,omitempty"`
	Delete []string          `json:"delete,omitempty"`
}

// Touch changes a VM, or makes one, behind everybody's back.
func (s *Simulator) Touch(ctx context.Context, id int, t Touch) error {
	return s.post(ctx, "/vms/"+strconv.Itoa(id), t)
}

// RemoveVM removes a VM behind everybody's back.
func (s *Simulator) RemoveVM(ctx context.Context, id int) error {
	return s.call(ctx, http.MethodDelete, "/vms/"+strconv.Itoa(id), nil, nil)
}

// PendingDeletes are options of a VM that wait to be gone.
func (s *Simulator) PendingDeletes(ctx context.Context, node, id string) ([]string, error) {
	answer := struct {
		Data []struct {
			Key    string `json:"key"`
			Value  string `json:"value"`
			Delete int    `json:"delete"`
		} `json:"data"`
	}{}
	if err := s.api(ctx, http.MethodGet, "nodes/"+node+"/qemu/"+id+"/pending", nil, &answer); err != nil {
		return nil, err
	}

	var out []string

	for _, o := range answer.Data {
		if o.Delete != 0 {
			out = append(out, o.Key)
		}
	}

	return out, nil
}

// A Fault is what the API answers in place of what it would. Method is a full, Path a partial regular expression.
type Fault struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Message string `json:"message"`
	// Count is how often; 0 for always.
	Count int `json:"count,omitempty"`
}

// AddFault lets the API fail.
func (s *Simulator) AddFault(ctx context.Context, f Fault) error { return s.post(ctx, "/faults", f) }

// ClearFaults ends all faults.
func (s *Simulator) ClearFaults(ctx context.Context) error {
	return s.call(ctx, http.MethodDelete, "/faults", nil, nil)
}

// AddPool makes a resource pool. The control API knows none, so it goes by the Proxmox API.
func (s *Simulator) AddPool(ctx context.Context, id string) error {
	return s.api(ctx, http.MethodPost, "pools", url.Values{"poolid": {id}}, nil)
}
