package preview

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A World is what there is: composites, their composed resources and Nodes, of all machines.
type World struct {
	Flavour string // How the project is installed; empty where that cannot be told.
	Objects []unstructured.Unstructured
	Fetch   Fetcher // What else the function asks for; nil where nobody can be asked.

	required []unstructured.Unstructured // Catalogue and Secrets.
}

// WorldOf a file, as kubectl prints it, or of standard input where the file is -. What is no part of a machine, and not asked for, does not count.
// A file without objects, or with others only, is that of a command which failed; a list of none, as kubectl prints it where nothing is there, says that
// nothing is.
func WorldOf(file string) (World, error) {
	documents, err := readDocuments(file)
	if err != nil {
		return World{}, err
	}

	objects := manifest.Objects(documents)

	w := WorldWith(objects)
	if len(w.Objects)+len(w.required) == 0 && (len(documents) == 0 || len(objects) > 0) {
		return w, errors.Errorf("%s has nothing that counts as observed: no claim, no managed resource, no Node and no catalogue. If there is nothing, write --observed %s",
			manifest.Shown(file), NoFile)
	}

	return w, nil
}

// WorldWith some objects, as far as they count.
func WorldWith(objects []unstructured.Unstructured) World {
	w := World{}

	for _, o := range objects {
		switch {
		case goesWithClaims(o):
			w.required = append(w.required, o)
		case o.GetAnnotations()[annotationResourceName] != "", strings.HasPrefix(o.GetAPIVersion(), "homelab.io/"), o.GetKind() == "Node":
			w.Objects = append(w.Objects, o)
		}
	}

	w.Flavour = flavourOf(w.Objects)

	return w
}

// observedKinds are the kinds of which a plan has to know all.
func observedKinds() []Query {
	var out []Query

	for _, f := range proxmox.Flavours() {
		for apiVersion, kind := range f.Written() {
			out = append(out, Query{APIVersion: apiVersion, Kind: kind})
		}
	}

	for _, kind := range claim.Kinds() {
		out = append(out, Query{APIVersion: "homelab.io/v1alpha1", Kind: "X" + kind}, Query{APIVersion: "homelab.io/v1alpha1", Kind: kind})
	}

	return append(out,
		Query{APIVersion: "kubernetes.crossplane.io/v1alpha2", Kind: "Object"},
		Query{APIVersion: "kubernetes.m.crossplane.io/v1alpha1", Kind: "Object"},
		Query{APIVersion: "protection.crossplane.io/v1beta1", Kind: "Usage"},
		Query{APIVersion: "protection.crossplane.io/v1beta1", Kind: "ClusterUsage"},
		Query{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "Usage"})
}

// parallelQueries is how many questions a cluster is asked at once.
const parallelQueries = 6

// WorldIn a cluster, of whose API groups there are some; all are asked for where groups is nil. Progress is told of each kind that is read.
func WorldIn(ctx context.Context, fetch Fetcher, groups map[string]bool, progress func(kind string)) (World, error) {
	w := World{Fetch: fetch}
	queries := slices.DeleteFunc(observedKinds(), func(q Query) bool {
		group, _, _ := strings.Cut(q.APIVersion, "/")

		return groups != nil && !groups[group]
	})
	found := make([][]unstructured.Unstructured, len(queries))
	errs := make([]error, len(queries))
	slots := make(chan struct{}, parallelQueries)
	wg := sync.WaitGroup{}

	for i, q := range queries {
		progress(q.Kind)
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()

			found[i], errs[i] = fetch(ctx, q)
		})
	}

	wg.Wait()

	for i, objects := range found {
		if errs[i] != nil {
			return w, errs[i]
		}

		for _, o := range objects {
			// Others use these kinds, too.
			if o.GetAnnotations()[annotationResourceName] != "" || strings.HasPrefix(o.GetAPIVersion(), "homelab.io/") {
				w.Objects = append(w.Objects, o)
			}
		}
	}

	if w.Flavour = flavourOf(w.Objects); w.Flavour == "" {
		return w, w.guessFlavour(ctx)
	}

	return w, nil
}

// guessFlavour of a cluster without a machine: it is that of the XRDs.
func (w *World) guessFlavour(ctx context.Context) error {
	objects, err := w.Fetch(ctx, Query{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "machines.homelab.io"})
	if err != nil {
		return err
	}

	xrs, err := w.Fetch(ctx, Query{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "xmachines.homelab.io"})

	switch {
	case err != nil:
		return err
	case len(xrs) > 0:
		w.Flavour = FlavourClaims
	case len(objects) > 0:
		w.Flavour = FlavourNamespaced
	}

	return nil
}

// flavourOf some objects: composites of a claims package have kinds of their own, and each provider API its groups.
func flavourOf(objects []unstructured.Unstructured) string {
	for _, o := range objects {
		for name, fl := range flavours() {
			tells := slices.Contains([]string{proxmox.VMKind, proxmox.ContainerKind, proxmox.BridgeKind, proxmox.VLANKind, proxmox.PoolKind}, o.GetKind())
			if tells && fl.renders(o.GroupVersionKind().Group) {
				return name
			}
		}
	}

	for _, o := range objects {
		if strings.HasPrefix(o.GetAPIVersion(), "homelab.io/") && strings.HasPrefix(o.GetKind(), "X") {
			return FlavourClaims
		}
	}

	return ""
}

// Story of a claim in the world. What is not there of it is new.
func (w World) Story(ctx context.Context, p Configuration, f Files, c Claim) (Story, error) {
	f.Observed = NoFile

	s, err := f.Story(ctx, c)
	if err != nil {
		return s, err
	}

	return w.Around(p, s), nil
}

// Around a story that has nothing observed: the same one in the world. What a person has in hand counts more than what there is.
func (w World) Around(p Configuration, s Story) Story {
	given := s.Required
	has := func(o unstructured.Unstructured) bool {
		return slices.ContainsFunc(given, func(other unstructured.Unstructured) bool { return PathOf(other) == PathOf(o) })
	}

	for _, o := range w.required {
		if has(o) {
			s.Former = append(s.Former, o)
		} else {
			s.Required = append(s.Required, o)
		}
	}

	s.Observed, s.Fetch, s.Given = w.Objects, w.Fetch, w.has(p, s.Claim)

	return s
}

// has says whether there is something of a claim.
func (w World) has(p Configuration, c Claim) bool {
	d, err := p.definitionOf(c.Object.GroupVersionKind())
	if err != nil {
		return false
	}

	s := &stage{claim: c, composite: compositeOf(c.Object, d)}

	return slices.ContainsFunc(w.Objects, func(o unstructured.Unstructured) bool {
		if p.owns(o.GroupVersionKind().Group) {
			return s.isItself(o)
		}

		return o.GetAnnotations()[annotationResourceName] != "" && s.belongs(o)
	})
}

// Composites of the world, as claims: those that are in some namespaces, or all.
func (w World) Composites(p Configuration) []Claim {
	var out []Claim

	for _, o := range w.Objects {
		d, err := p.definitionOf(o.GroupVersionKind())
		if err != nil || d.claimable(o.GetKind()) {
			continue
		}

		// A node of a K3sCluster goes with its cluster.
		if clusterOf(o) != nil {
			continue
		}

		out = append(out, Claim{File: "the cluster", Object: o})
	}

	return out
}

// Gone are the machines of the world that are in a namespace of some claims, and are neither such a claim nor a node that such a claim adopts.
func (w World) Gone(p Configuration, claims []Claim) []Claim {
	return p.Gone(w.Composites(p), claims)
}

// Gone are those of some claims, or composites, that are in a namespace of other claims, and are neither such a claim nor a node that such a claim adopts.
func (p Configuration) Gone(was, claims []Claim) []Claim {
	wanted, namespaces, adopted := map[string]bool{}, map[string]bool{}, map[string]bool{}

	for _, c := range claims {
		kind, namespace, name := p.identity(c.Object)
		wanted[Path(kind, namespace, name)] = true
		namespaces[namespace] = true

		for _, node := range adoptedBy(c.Object) {
			adopted[node] = true
		}
	}

	return slices.DeleteFunc(slices.Clone(was), func(c Claim) bool {
		kind, namespace, name := p.identity(c.Object)

		return wanted[Path(kind, namespace, name)] || !namespaces[namespace] || adopted[PathOf(c.Object)]
	})
}

// adoptedBy a cluster are the composites of the K3sNodes that its nodes name in adopt, by path: those of its namespace where composites are
// in one.
func adoptedBy(cluster unstructured.Unstructured) []string {
	nodes, _, _ := unstructured.NestedSlice(cluster.Object, "spec", "nodes")

	var out []string

	for _, n := range nodes {
		node, _ := n.(map[string]any)
		if name, _, _ := unstructured.NestedString(node, "adopt"); name != "" {
			out = append(out, "K3sNode/"+cluster.GetNamespace()+"/"+name, "XK3sNode//"+name)
		}
	}

	return out
}

// Path tells an object of a world from all others: kind/namespace/name. Whatever is composed is in the namespace of its composite, or in none as that is.
func Path(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// PathOf an object.
func PathOf(o unstructured.Unstructured) string {
	return Path(o.GetKind(), o.GetNamespace(), o.GetName())
}

// identity of a claim or composite, in the words of the claim.
func (p Configuration) identity(o unstructured.Unstructured) (kind, namespace, name string) {
	kind, namespace, name = o.GetKind(), o.GetNamespace(), o.GetName()

	if d, err := p.definitionOf(o.GroupVersionKind()); err == nil && d.Spec.ClaimNames != nil && !d.claimable(kind) {
		if of := o.GetLabels()[labelClaimName]; of != "" && clusterOf(o) == nil {
			kind, namespace, name = d.Spec.ClaimNames.Kind, o.GetLabels()[labelClaimNamespace], of
		}

		return kind, namespace, name
	}

	if namespace == "" {
		namespace = defaultNamespace
	}

	return kind, namespace, name
}

// SourceOf the world that a person asked for: a file, [NoFile] for one in which there is nothing, or the cluster of the kubeconfig.
func SourceOf(ctx context.Context, file string, k *Kubectl, progress func(kind string)) (World, error) {
	if file == NoFile {
		return WorldWith(nil), nil
	}

	if file != "" {
		if _, err := os.Stat(file); err != nil && file != "-" {
			if errors.Is(err, fs.ErrNotExist) {
				return World{}, errors.New("cannot find what was observed: " + manifest.Absent(file))
			}

			return World{}, errors.Wrap(err, "cannot find what was observed")
		}

		return WorldOf(file)
	}

	progress("API groups")

	return WorldIn(ctx, k.Fetch, k.Groups(ctx), progress)
}
