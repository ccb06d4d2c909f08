package preview

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// An Engine does what Crossplane does of a composite in one turn: it calls the function, with all that the function asks for, and makes
// composed resources of what that answers.
type Engine interface {
	// Turn of a composite. It returns an error where Crossplane would leave everything as it is, with the function's words.
	Turn(ctx context.Context, in Input) (Turn, error)
}

// An Input is all that a turn depends on.
type Input struct {
	Definition  unstructured.Unstructured // The XRD.
	Composition unstructured.Unstructured
	Composite   unstructured.Unstructured
	Observed    []unstructured.Unstructured // Composed resources as they are now.
	Required    []unstructured.Unstructured // What the function may ask for: catalogue, Secrets, other machines' resources, Nodes.
	Full        bool                        // Whether the composite of the turn has its spec.

	// Fetch what is not among Required from a cluster; nil where there is none. Only [InProcess] can.
	Fetch Fetcher

	definition definition
	memory     *memory // Of the turns before; nil where nothing is to be remembered.
}

// A Turn is what comes of one.
type Turn struct {
	Composite unstructured.Unstructured   // Its status and the references to its composed resources; with [Input.Full] all of it.
	Composed  []unstructured.Unstructured // In the order of their names in the composition.
	Results   []Result                    // In the order of their text, but for those of the function's plan.

	Explanation compose.Explanation // What the function says in types; [InProcess] only.
}

// A Fetcher gets objects of a cluster: those of a kind with a name, or with some labels, in a namespace or in all. What is not there is no error.
type Fetcher func(ctx context.Context, q Query) ([]unstructured.Unstructured, error)

// A Query is what a [Fetcher] is asked for.
type Query struct {
	APIVersion, Kind string
	Name             string // Empty for a list.
	Namespace        string // Empty for all, or for what is in none.
	Labels           map[string]string
}

// A Result is an event of the composite: of the function, or of Crossplane.
type Result struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Message    string `json:"message"`
	Reason     string `json:"reason"`
	Severity   string `json:"severity"` // Normal or Warning.
}

// apiVersion and kind of a Result.
const (
	resultAPIVersion = "render.crossplane.io/v1beta1"
	resultKind       = "Result"
)

// A FatalError is what the function says of a composite of which it makes nothing.
type FatalError struct {
	Message string
	Faults  []string // Of the claim, one by one, where that is the reason and they are known.
}

// Error is what the function says, a fault a line.
func (e *FatalError) Error() string {
	if len(e.Faults) > 0 {
		return strings.Join(e.Faults, "\n")
	}

	return e.Message
}
