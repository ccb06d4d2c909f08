// Command server is HashiCorp Vault 1.14.1 with storage in memory, and with TLS: the core and the HTTP handler of the release, the auth methods
// AppRole and TLS certificates, and the secrets engine KV. It is built for the test beside it: the whole program vault takes too long to compile.
//
//	server CERTIFICATE KEY
//
// It prints a line of JSON with its address, the root token and the key to unseal it, and ends with its standard input.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	log "github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// A registry says which backends are part of the program.
type registry map[consts.PluginType]map[string]logical.Factory

func (r registry) Contains(name string, kind consts.PluginType) bool { return r[kind][name] != nil }

func (r registry) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	return func() (any, error) { return r[kind][name], nil }, r.Contains(name, kind)
}

func (registry) Keys(consts.PluginType) []string { return nil }

func (registry) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, true
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func run() error {
	logger := log.New(&log.LoggerOptions{Output: os.Stderr, Level: log.Warn})

	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return err
	}

	backends := registry{
		consts.PluginTypeCredential: {"approle": approle.Factory, "cert": cert.Factory},
		consts.PluginTypeSecrets:    {"kv": kv.Factory},
	}

	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: storage, Logger: logger, DisableMlock: true,
		CredentialBackends: backends[consts.PluginTypeCredential],
		LogicalBackends:    backends[consts.PluginTypeSecrets],
		BuiltinRegistry:    backends, DefaultLeaseTTL: time.Hour, MaxLeaseTTL: time.Hour,
	})
	if err != nil {
		return err
	}

	ctx := context.Background()

	made, err := core.Initialize(ctx, &vault.InitParams{
		BarrierConfig:  &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
		RecoveryConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
	})
	if err != nil {
		return err
	}

	if _, err := core.Unseal(made.SecretShares[0]); err != nil {
		return err
	}

	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		return err
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}

	server := &http.Server{
		Handler: vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core}),
		// As the listener of the release: it asks for a certificate, and leaves it to the auth method whether that is good.
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequestClientCert},
		ReadHeaderTimeout: time.Minute,
	}

	go func() { _ = server.ServeTLS(listener, "", "") }()

	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"address": listener.Addr().String(), "token": made.RootToken, "key": fmt.Sprintf("%x", made.SecretShares[0]),
	}); err != nil {
		return err
	}

	_, err = io.Copy(io.Discard, os.Stdin)

	return err
}
