package plane

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
)

// publicRegistries are where packages say that they, and what they depend on, are.
var publicRegistries = []string{"ghcr.io", "xpkg.crossplane.io", "xpkg.upbound.io"}

// redirectPackages lets Crossplane fetch what is in the public registries from that of the plane. It is what people without
// access to the internet do, and the names that our packages depend on stay as they are.
func (p *Plane) redirectPackages(ctx context.Context) error {
	config := &pkgv1beta1.ImageConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "loopback-registry"},
		Spec: pkgv1beta1.ImageConfigSpec{
			RewriteImage: &pkgv1beta1.ImageRewrite{Prefix: p.Registry.Host + "/"},
		},
	}

	for _, r := range publicRegistries {
		config.Spec.MatchImages = append(config.Spec.MatchImages, pkgv1beta1.ImageMatch{Type: pkgv1beta1.Prefix, Prefix: r + "/"})
	}

	if err := p.Client.Create(ctx, config); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("cannot redirect packages to %s: %w", p.Registry.Host, err)
	}

	return nil
}
