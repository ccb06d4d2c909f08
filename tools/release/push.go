package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
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

		tag, err := name.NewTag(to+":"+o.version, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("cannot name %s: %w", to, err)
		}

		if d.MediaType.IsIndex() {
			all, err := index.ImageIndex(d.Digest)
			if err != nil {
				return fmt.Errorf("cannot read package %s: %w", p.name, err)
			}

			err = remote.WriteIndex(tag, all, options...)
			if err != nil {
				return fmt.Errorf("cannot push %s: %w", tag, err)
			}
		} else {
			one, err := index.Image(d.Digest)
			if err != nil {
				return fmt.Errorf("cannot read package %s: %w", p.name, err)
			}

			err = remote.Write(tag, one, options...)
			if err != nil {
				return fmt.Errorf("cannot push %s: %w", tag, err)
			}
		}

		if _, err := fmt.Fprintf(stdout, "%s@%s\n", to, d.Digest); err != nil {
			return fmt.Errorf("cannot print a digest: %w", err)
		}
	}

	return nil
}
