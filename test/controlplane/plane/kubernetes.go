package plane

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// issuer of the tokens of service accounts.
const issuer = "https://kubernetes.default.svc"

// generous lets programs that nobody measures take more memory and less of the processor: most of what the API server does in
// tests is to collect garbage. Whoever measures a program takes it off with [Process.Frugal].
var generous = []string{"GOGC=400"}

// credentials are what the API server is started with and reached by.
type credentials struct {
	dir   string
	ca    []byte
	token string // Of an administrator.
	url   string
}

// newCredentials writes certificate, keys and tokens of an API server on a port.
func newCredentials(dir string, port int) (credentials, error) {
	c := credentials{dir: dir, url: "https://" + loopback(port)}

	crt, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"kubernetes.default.svc"})
	if err != nil {
		return c, fmt.Errorf("cannot make the API server's certificate: %w", err)
	}

	accounts, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return c, fmt.Errorf("cannot make the service accounts' key: %w", err)
	}

	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return c, err
	}

	// The certificate stands before its authority; whoever trusts both trusts the server.
	c.ca, c.token = crt, hex.EncodeToString(secret)

	return c, writeFiles(dir, map[string][]byte{
		"api.crt": crt, "api.key": key, "accounts.key": accounts,
		"tokens.csv": []byte(c.token + ",admin,admin,system:masters\n"),
	})
}

// config for clients that have a token.
func (c credentials) config(token string) *rest.Config {
	return &rest.Config{
		Host: c.url, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: c.ca},
		// The default is for controllers in production; a test waits for what it asked for.
		QPS: 500, Burst: 1000,
	}
}

// kubeconfig writes the configuration of a program that has a token, and returns its path.
func (c credentials) kubeconfig(name, token string) (string, error) {
	path := filepath.Join(c.dir, name+".kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["plane"] = &clientcmdapi.Cluster{Server: c.url, CertificateAuthorityData: c.ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["plane"] = &clientcmdapi.Context{Cluster: "plane", AuthInfo: name}
	config.CurrentContext = "plane"

	return path, clientcmd.WriteToFile(*config, path)
}

// etcd of one member that need not survive a power cut.
func etcd(path, data string, port, peerPort int) Program {
	client, peer := "http://"+loopback(port), "http://"+loopback(peerPort)

	return Program{
		Name: "etcd", Path: path, Env: generous, Ready: httpReady(http.DefaultClient, client+"/health"),
		Args: []string{
			"--data-dir=" + data, "--unsafe-no-fsync", "--quota-backend-bytes=1073741824",
			"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
		},
	}
}

// apiServer with RBAC.
func apiServer(path string, c credentials, port, etcdPort int) (Program, error) {
	client, err := rest.HTTPClientFor(c.config(c.token))
	if err != nil {
		return Program{}, err
	}

	file := func(name string) string { return filepath.Join(c.dir, name) }

	return Program{
		Name: "kube-apiserver", Path: path, Env: generous, Ready: httpReady(client, c.url+"/readyz"),
		Args: []string{
			"--etcd-servers=http://" + loopback(etcdPort),
			"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
			"--tls-cert-file=" + file("api.crt"), "--tls-private-key-file=" + file("api.key"), "--cert-dir=" + c.dir,
			"--service-account-issuer=" + issuer,
			"--service-account-key-file=" + file("accounts.key"), "--service-account-signing-key-file=" + file("accounts.key"),
			"--token-auth-file=" + file("tokens.csv"), "--authorization-mode=RBAC",
			"--service-cluster-ip-range=10.0.0.0/24",
			// There are no nodes, so no endpoints of the API server in the cluster.
			"--endpoint-reconciler-type=none",
			"--shutdown-delay-duration=0s",
		},
	}, nil
}

// controllerManager with the controllers that Crossplane relies on: composed resources are deleted by garbage collection,
// and Crossplane's ClusterRole is an aggregate.
func controllerManager(path, kubeconfig, dir string, port int) Program {
	return Program{
		Name: "kube-controller-manager", Path: path, Env: generous, Ready: tcpReady(port),
		Args: []string{
			"--kubeconfig=" + kubeconfig, "--leader-elect=false",
			"--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller,clusterrole-aggregation-controller",
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir=" + dir,
		},
	}
}
