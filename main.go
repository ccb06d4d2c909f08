// Command function-proxmox-machine is a Crossplane composition function: it turns Machine, K3sNode and K3sCluster composites into the
// managed resources of provider-proxmox-bpg.
package main

import (
	"runtime"

	"github.com/alecthomas/kong"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/crossplane/function-sdk-go"

	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// CLI of this function.
type CLI struct {
	Debug bool `help:"Emit debug logs in addition to info logs." short:"d"`

	Network            string `default:"tcp"                                             help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443"                                           help:"Address at which to listen for gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"                                help:"Directory containing server certs (tls.key, tls.crt) and the CA used to verify client certificates (ca.crt)."`
	Insecure           bool   `help:"Run without mTLS credentials. If you supply this flag --tls-certs-dir will be ignored."`
	MaxRecvMessageSize int    `default:"16"                                              help:"Maximum size of received messages in MiB."`
	MetricsAddress     string `default:":8080"                                           help:"Address at which to serve Prometheus metrics; empty for none."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// Run this Function.
func (c *CLI) Run() error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return err
	}

	// Healthy from the first moment: the function holds no state and waits for nothing.
	h := health.NewServer()
	h.SetServingStatus("", grpc_health_v1.HealthCheckResponse_SERVING)

	return function.Serve(NewFunction(log),
		function.Listen(c.Network, c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize*1024*1024),
		function.WithMetricsServer(c.MetricsAddress),
		function.WithHealthServer(h))
}

// ballastMiB of the heap are never written to, and thus take no memory. The garbage collector runs whenever the heap has
// doubled, and 5 MiB that are in use double with every tenth call; with the ballast it runs after 26 MiB of garbage. A larger
// GOGC would do the same, but would also multiply the memory that large requests need.
const ballastMiB = 16

func main() {
	ballast := make([]byte, ballastMiB<<20)
	defer runtime.KeepAlive(ballast)

	ctx := kong.Parse(&CLI{}, kong.Description("A Crossplane composition function that makes machines on Proxmox VE."),
		kong.Vars{"version": version.String()})
	ctx.FatalIfErrorf(ctx.Run())
}
