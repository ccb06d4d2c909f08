package main

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// required are the arguments for all that the function may ask for: the catalogue and the Secrets of a claim, the managed resources of
// other machines, and Kubernetes Nodes. Crossplane finds them by name and by label, and finds nothing where nothing is given.
func (r renderer) required(s *stage) ([]string, error) {
	catalogue := r.options.catalogue
	if catalogue == "" {
		catalogue = s.claim.beside(fileCatalogue)
	}

	files := []string{catalogue, s.claim.beside(fileSecrets)}

	if others := slices.Concat(s.neighbours, s.nodes); len(others) > 0 {
		others, err := writeManifests(s.dir, "neighbours.yaml", others...)
		if err != nil {
			return nil, err
		}

		files = append(files, others)
	}

	args := []string{}

	for _, file := range files {
		if file != "" && file != noFile {
			args = append(args, "--required-resources="+file)
		}
	}

	return args, nil
}

// observe sorts the observed resources that the user named, or else those of the story's file that fit the flavour: the
// claim's own composed resources, those of other machines, Kubernetes Nodes, and the composite or claim itself as the cluster has it.
func (r renderer) observe(s *stage) error {
	file, named := r.options.observed, r.options.observed != ""
	if !named {
		file = s.claim.beside(fileObserved)
	}

	if file == "" || file == noFile {
		return nil
	}

	objects, err := readObjects(file)
	if err != nil {
		return err
	}

	var known unstructured.Unstructured

	for _, o := range objects {
		group := o.GroupVersionKind().Group

		switch {
		case r.pkg.owns(group):
			if s.isItself(o) {
				known = o
			}
		case o.GetAPIVersion() == "v1" && o.GetKind() == "Node":
			s.nodes = append(s.nodes, o)
		case !named && !r.pkg.flavour.renders(group):
		case s.belongs(o):
			s.observed = append(s.observed, o)
		default:
			s.neighbours = append(s.neighbours, o)
		}
	}

	if s.given = named || len(s.observed) > 0; s.given {
		s.identify(known)
	}

	return nil
}

// isItself is true for the stage's composite, and for its claim.
func (s *stage) isItself(o unstructured.Unstructured) bool {
	if name, ok := o.GetLabels()[labelClaimName]; ok {
		return name == s.claimName() && s.sameNamespace(o)
	}

	return o.GetName() == s.claimName() && (o.GetNamespace() == "" || o.GetNamespace() == s.namespace())
}

// belongs is true unless the labels that Crossplane puts on composed resources name another claim or composite. Where there
// is a claim its name counts: that of its composite is the cluster's own.
func (s *stage) belongs(o unstructured.Unstructured) bool {
	in := s.composite.GetNamespace()
	if in != "" && o.GetNamespace() != "" && o.GetNamespace() != in {
		return false
	}

	labels := o.GetLabels()
	if name, ok := labels[labelClaimName]; ok {
		return name == s.claimName() && s.sameNamespace(o)
	}

	name, ok := labels[labelComposite]

	return !ok || name == s.composite.GetName() || name == s.claimName()
}

// sameNamespace is true unless the labels of a resource name another namespace than the claim's.
func (s *stage) sameNamespace(o unstructured.Unstructured) bool {
	namespace, ok := o.GetLabels()[labelClaimNamespace]

	return !ok || namespace == s.namespace()
}

// claimName is the name of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) claimName() string {
	if name, ok := s.composite.GetLabels()[labelClaimName]; ok {
		return name
	}

	return s.composite.GetName()
}

// namespace of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) namespace() string {
	if namespace, ok := s.composite.GetLabels()[labelClaimNamespace]; ok {
		return namespace
	}

	return s.composite.GetNamespace()
}

// identify gives the composite the name and the UID that it has in the cluster, and its status: much is named after them,
// and composed resources of another owner would be refused. known is the composite or the claim, where it was given.
func (s *stage) identify(known unstructured.Unstructured) {
	for _, o := range s.observed {
		if owner := metav1.GetControllerOf(&o); owner != nil && owner.Kind == s.composite.GetKind() {
			s.composite.SetName(owner.Name)
			s.composite.SetUID(owner.UID)
		}
	}

	if known.GetKind() == s.composite.GetKind() {
		s.composite.SetName(known.GetName())

		if uid := known.GetUID(); uid != "" {
			s.composite.SetUID(uid)
		}
	}

	if status, ok := known.Object["status"]; ok {
		s.composite.Object["status"] = status
	}
}

// renders is true for the API groups of the managed resources that fl renders. A story's observed resources are of one
// flavour, and mean nothing in another.
func (fl flavour) renders(group string) bool {
	namespaced := strings.HasSuffix(group, ".proxmoxbpg.m.crossplane.io")
	cluster := strings.HasSuffix(group, ".proxmoxbpg.crossplane.io")

	switch {
	case fl.providerAPI != "":
		return !namespaced && !cluster
	case fl.namespaced:
		return namespaced
	default:
		return cluster
	}
}
