package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// required are the arguments for the catalogue and the Secrets of c.
func (r renderer) required(c claim) []string {
	catalogue := r.options.catalogue
	if catalogue == "" {
		catalogue = c.beside(fileCatalogue)
	}

	args := []string{}

	for _, file := range []string{catalogue, c.beside(fileSecrets)} {
		if file != "" && file != noFile {
			args = append(args, "--required-resources="+file)
		}
	}

	return args
}

// observed are the observed composed resources of xr that the user named, or else those of the story's file that fit
// the claim and the flavour. It is false if there are none to be read.
func (r renderer) observed(c claim, xr unstructured.Unstructured) ([]unstructured.Unstructured, bool, error) {
	file, named := r.options.observed, r.options.observed != ""
	if !named {
		file = c.beside(fileObserved)
	}

	if file == "" || file == noFile {
		return nil, false, nil
	}

	objects, err := readObjects(file)
	if err != nil {
		return nil, false, err
	}

	fits := []unstructured.Unstructured{}

	for _, o := range objects {
		if belongsTo(o, c, xr) && (named || r.pkg.flavour.renders(o.GroupVersionKind().Group)) {
			fits = append(fits, o)
		}
	}

	return fits, named || len(fits) > 0, nil
}

// belongsTo is true unless the labels that Crossplane puts on composed resources name another claim or composite.
func belongsTo(o unstructured.Unstructured, c claim, xr unstructured.Unstructured) bool {
	labels := o.GetLabels()
	if name, ok := labels[labelComposite]; ok && name != xr.GetName() && name != c.object.GetName() {
		return false
	}

	name, ok := labels[labelClaimName]

	return !ok || name == c.object.GetName()
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
