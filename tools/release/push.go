package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	reference "github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// push the packages of a release to a registry, the very bytes that were built, and print each with its digest: what is to be signed.
// Whoever is logged in to the registry with docker or cosign is so here.
func push(ctx context.Context, stdout io.Writer, o options) error {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}

	for _, p := range packagesOf() {
		index, d, err := descriptorOf(filepath.Join(packages(o.output), p.name), o.version)
		if err != nil {
			return err
		}

		to := o.registry + "/" + p.name

		if err := pushTo(to+":"+o.version, index, d, options); err != nil {
			return err
		}

		if _, err := fmt.Fprintf(stdout, "%s@%s\n", to, d.Digest); err != nil {
			return fmt.Errorf("cannot print a digest: %w", err)
		}
	}

	return nil
}

// pushTo a tag the package of an image layout that a descriptor names.
func pushTo(name string, layout v1.ImageIndex, d v1.Descriptor, options []remote.Option) error {
	tag, err := reference.NewTag(name, reference.StrictValidation)
	if err != nil {
		return fmt.Errorf("cannot name %s: %w", name, err)
	}

	if d.MediaType.IsIndex() {
		index, err := layout.ImageIndex(d.Digest)
		if err != nil {
			return fmt.Errorf("cannot read the package for %s: %w", name, err)
		}

		return wrap(remote.WriteIndex(tag, index, options...), "cannot push "+name)
	}

	image, err := layout.Image(d.Digest)
	if err != nil {
		return fmt.Errorf("cannot read the package for %s: %w", name, err)
	}

	return wrap(remote.Write(tag, image, options...), "cannot push "+name)
}
