package standin

import (
	"errors"
	"strings"
	"sync"
	"time"
)

// A workspace is the folder in which Terraform works for one managed resource. It lives in the provider's Pod and is gone
// after a restart.
type workspace struct {
	mu      sync.Mutex
	doing   operation // Empty while Terraform does nothing.
	since   time.Time
	tainted bool
	id      string // What Terraform's state knows; the external name once that is written.
	leaked  bool   // Made for a resource that was being deleted already: Terraform's state is empty.
}

// errAlready says that what is to be done is being done.
var errAlready = errors.New("already under way")

// begin an operation, if none is under way.
func (ws *workspace) begin(op operation) error {
	ws.mu.Lock()
	defer ws.mu.Unlock()

	if ws.doing == destroy && op == destroy {
		return errAlready
	}

	if ws.doing != "" {
		return errors.New(string(ws.doing) + " operation that started at " + ws.since.UTC().String() + " is still running")
	}

	ws.doing, ws.since = op, time.Now()

	return nil
}

func (ws *workspace) end(id string, err error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()

	if ws.doing == apply && id != "" {
		ws.id = id
	}

	ws.tainted = ws.tainted || isTaint(err)
	ws.doing = ""
}

func (ws *workspace) state() (doing operation, id string, tainted, leaked bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()

	return ws.doing, ws.id, ws.tainted, ws.leaked
}

// preventDestroy is what Terraform says instead of replacing something.
func preventDestroy(terraformType, name string) error {
	return errors.New("plan failed: Instance cannot be destroyed: Resource " + terraformType + "." + name +
		" has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan," +
		" either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target flag.")
}

// splitName of an external name: node and id. The node is empty where the name is an id only.
func splitName(kind, name string) (node, id string) {
	if ofSite(kind) {
		return "", name
	}

	if kind != "EnvironmentVM" && kind != "EnvironmentContainer" {
		// Ids of files have a slash of their own: local:snippets/a.yaml, or pve/local:snippets/a.yaml.
		before, after, ok := strings.Cut(name, "/")
		if ok && !strings.Contains(before, ":") {
			return before, after
		}

		return "", name
	}

	before, after, ok := strings.Cut(name, "/")
	if !ok {
		return "", name
	}

	return before, after
}
