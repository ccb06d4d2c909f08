package preview

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/kubectl"
)

// A Kubectl asks a cluster, with the kubectl that a plugin of it has beside it.
type Kubectl struct {
	kubectl.Client

	mutex sync.Mutex
	known map[string][]unstructured.Unstructured
}

// Fetch objects; it is a [Fetcher]. Of a kind that the cluster does not have there is none. The same question is asked once.
func (k *Kubectl) Fetch(ctx context.Context, q Query) ([]unstructured.Unstructured, error) {
	args := arguments(q)
	key := strings.Join(args, "\x00")

	k.mutex.Lock()
	found, ok := k.known[key]
	k.mutex.Unlock()

	if ok {
		return found, nil
	}

	found, err := k.Get(ctx, args[0], args[1:]...)

	if said := (&kubectl.Error{}); errors.As(err, &said) && isNothing(q, said.Said) {
		err = nil
	}

	if err != nil {
		if kubectl.IsOfCluster(err) {
			return nil, errors.Wrap(err, "cannot read from the cluster")
		}

		return nil, errors.Wrapf(err, "cannot read %s from the cluster", q.Kind)
	}

	k.mutex.Lock()
	defer k.mutex.Unlock()

	if k.known == nil {
		k.known = map[string][]unstructured.Unstructured{}
	}

	k.known[key] = found

	return found, nil
}

// isNothing says whether an answer of kubectl means that there is nothing: the cluster does not have the kind, or this person may not read
// a Secret, without which the function says what waits for it.
func isNothing(q Query, said string) bool {
	return strings.Contains(said, "the server doesn't have a resource type") || strings.Contains(said, "no matches for kind") ||
		q.Kind == "Secret" && strings.Contains(said, "(Forbidden)")
}

// Groups are the API groups of the CRDs that the cluster has; nil where this person may not list them. To ask for a kind that is not there makes kubectl
// read all that the API server has, which takes seconds.
func (k *Kubectl) Groups(ctx context.Context) map[string]bool {
	printed, err := k.Print(ctx, "customresourcedefinitions", "--output=name")
	if err != nil {
		return nil
	}

	groups := map[string]bool{}

	for line := range strings.Lines(string(printed)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "/")
		_, group, _ := strings.Cut(name, ".")
		groups[group] = true
	}

	return groups
}

// arguments of kubectl for a query.
func arguments(q Query) []string {
	gv, err := schema.ParseGroupVersion(q.APIVersion)
	kind := strings.ToLower(q.Kind)

	if err == nil && gv.Group != "" {
		kind += "." + gv.Version + "." + gv.Group
	}

	args := []string{kind}

	if q.Name != "" {
		args = append(args, q.Name, "--ignore-not-found")
	}

	switch {
	case q.Namespace != "":
		args = append(args, "--namespace="+q.Namespace)
	case q.Name == "":
		args = append(args, "--all-namespaces")
	}

	var labels []string
	for key, value := range q.Labels {
		labels = append(labels, key+"="+value)
	}

	if slices.Sort(labels); len(labels) > 0 {
		args = append(args, "--selector="+strings.Join(labels, ","))
	}

	return args
}
