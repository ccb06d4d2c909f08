// Package kubectl reads objects of a cluster through the program kubectl, which has the kubeconfig, the login and the proxy that people
// already use.
package kubectl

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Client calls kubectl. It only reads.
type Client struct {
	Program    string // Path of kubectl; empty means the one in PATH.
	Kubeconfig string // Empty for kubectl's own choice.
	Context    string // Empty for the current one.
}

// An Error is what kubectl said of a question that it did not answer.
type Error struct {
	Said string

	ofCluster bool // Whether any other question had the same answer.
}

func (e *Error) Error() string { return e.Said }

// Get objects of a kind as `kubectl get` with these further arguments prints them. An error of kubectl's own is an [Error].
func (c Client) Get(ctx context.Context, kind string, args ...string) ([]unstructured.Unstructured, error) {
	printed, err := c.Print(ctx, append([]string{kind, "--output=json"}, args...)...)
	if err != nil {
		return nil, err
	}

	objects, err := manifest.ObjectsOf(printed)

	return objects, errors.Wrap(err, "cannot read what kubectl printed")
}

// Print is what `kubectl get` with these arguments prints.
func (c Client) Print(ctx context.Context, args ...string) ([]byte, error) {
	return c.run(ctx, append(append([]string{"get"}, args...), c.flags()...)...)
}

// Contexts of the kubeconfig, by name.
func (c Client) Contexts(ctx context.Context) ([]string, error) {
	args := []string{"config", "get-contexts", "--output=name"}
	if c.Kubeconfig != "" {
		args = append(args, "--kubeconfig="+c.Kubeconfig)
	}

	printed, err := c.run(ctx, args...)

	return strings.Fields(string(printed)), err
}

func (c Client) run(ctx context.Context, args ...string) ([]byte, error) {
	program := c.Program
	if program == "" {
		program = "kubectl"
	}

	var stdout, stderr bytes.Buffer

	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr

	if err := cmd.Run(); err != nil {
		if said := message.LastLine(stderr.String()); said != "" {
			said, ofCluster := c.explained(said)

			return nil, &Error{Said: said, ofCluster: ofCluster}
		}

		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("kubectl is not in PATH: install it, as https://kubernetes.io/docs/tasks/tools says")
		}

		return nil, errors.Wrap(err, "cannot run kubectl")
	}

	return stdout.Bytes(), nil
}

// explained is what kubectl said, in words for somebody who has not met it, and whether it would say so whatever it is asked for. Without a kubeconfig, kubectl
// asks port 8080 of this computer, which nobody has named.
func (c Client) explained(said string) (text string, ofCluster bool) {
	said = strings.TrimPrefix(said, "error: ")

	switch {
	case c.Kubeconfig == "" && strings.Contains(said, "localhost:8080 was refused"):
		return noCluster, true
	case strings.Contains(said, "must be logged in to the server"):
		return badLogin, true
	case strings.Contains(said, "invalid character '<' looking for beginning of value"):
		return webPage, true
	}

	for _, known := range ofKubeconfig {
		if m := known.said.FindStringSubmatchIndex(said); m != nil {
			return string(known.said.ExpandString(nil, known.text, said, m)), true
		}
	}

	return said, strings.HasPrefix(said, "The connection to the server") || strings.HasPrefix(said, "Unable to connect to the server")
}

// ofKubeconfig is what kubectl says of a kubeconfig, in our words: that there is none, that it has no such context, that it is no YAML, and that it is a file
// of something else.
var ofKubeconfig = []struct { //nolint:gochecknoglobals // A constant table.
	said *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`^stat (.+): no such file or directory$`), "there is no kubeconfig $1. " + otherFile},
	{
		regexp.MustCompile(`^(?:Error in configuration: )?(?:context was not found for specified context: |context )"?([^"]+?)"?(?: does not exist)?$`),
		"the kubeconfig has no context $1: `kubectl config get-contexts` lists those that it has",
	},
	{regexp.MustCompile(`^error loading config file "(.+)": (yaml: .+)$`), "$1 is no kubeconfig: $2. " + otherFile},
	{regexp.MustCompile(`^error loading config file "(.+)": no kind "([A-Za-z0-9]+)" is registered`), "$1 is no kubeconfig: it has kind $2. " + otherFile},
}

// otherFile is what to do where a kubeconfig is none.
const otherFile = "Name another file with --kubeconfig"

const (
	// noCluster is said where nobody has named one.
	noCluster = "no kubeconfig names a cluster: set KUBECONFIG, or name the file with --kubeconfig"
	badLogin  = "the cluster does not take the kubeconfig's login: its token or certificate has expired, or is that of another cluster; log in again, or name another " +
		"file with --kubeconfig"
	webPage = "a web page answers in place of the API server: the kubeconfig has another server's address, or a proxy on the way asks for a login"
)

// IsOfCluster says whether a question had no answer whatever it asked for: nobody is there, or somebody who does not know the person.
func IsOfCluster(err error) bool {
	var e *Error

	return errors.As(err, &e) && e.ofCluster
}

// HasNoCluster says whether a question had no answer because no kubeconfig names a cluster.
func HasNoCluster(err error) bool {
	var said *Error

	return errors.As(err, &said) && said.Said == noCluster
}

// flags that choose the cluster.
func (c Client) flags() []string {
	var out []string

	if c.Kubeconfig != "" {
		out = append(out, "--kubeconfig="+c.Kubeconfig)
	}

	if c.Context != "" {
		out = append(out, "--context="+c.Context)
	}

	return out
}
