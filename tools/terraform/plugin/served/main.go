// Command served is the plugin bpg/proxmox as one process for many runs of Terraform, which attach to it: what the plugin's
// own `-debug` does, for tests that have no time for more.
//
//	served RESOURCE_TYPE...
//
// Terraform asks a plugin for its schemas at the start of each run, a few times. The plugin makes those of all its hundred
// and more resources anew then, which takes most of its time. This one makes them once, and tells of the resource types that
// it is started with. Everything else is the plugin's own code; main is that of its v0.111.1.
package main

import (
	"context"
	"log"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/bpg/terraform-provider-proxmox/fwprovider"
	"github.com/bpg/terraform-provider-proxmox/proxmoxtf/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

func main() {
	log.SetFlags(log.Flags() &^ (log.Ldate | log.Ltime))

	if err := serve(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, types []string) error {
	old, err := tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer {
		return schema.NewGRPCProviderServer(provider.ProxmoxVirtualEnvironment())
	})
	if err != nil {
		return err
	}

	both, err := tf6muxserver.NewMuxServer(ctx,
		providerserver.NewProtocol6(fwprovider.New("dev")()),
		func() tfprotov6.ProviderServer { return old },
	)
	if err != nil {
		return err
	}

	s := &server{ProviderServer: both.ProviderServer(), types: types}

	return tf6server.Serve("registry.terraform.io/bpg/proxmox", func() tfprotov6.ProviderServer { return s }, tf6server.WithManagedDebug())
}

// A server is the plugin with some of its schemas.
type server struct {
	tfprotov6.ProviderServer

	types []string

	mu    sync.Mutex
	known *tfprotov6.GetProviderSchemaResponse
}

// GetProviderSchema tells of the resource types that are wanted.
func (s *server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.known != nil {
		return s.known, nil
	}

	all, err := s.ProviderServer.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}

	maps.DeleteFunc(all.ResourceSchemas, func(name string, _ *tfprotov6.Schema) bool { return !slices.Contains(s.types, name) })

	s.known = &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: all.ServerCapabilities, Diagnostics: all.Diagnostics,
		Provider: all.Provider, ProviderMeta: all.ProviderMeta, ResourceSchemas: all.ResourceSchemas,
	}

	return s.known, nil
}
