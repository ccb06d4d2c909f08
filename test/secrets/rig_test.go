package secrets

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The files of the repository that run in a guest.
const (
	program      = "../../internal/secretstore/scripts/fetch-secrets.py"
	configGolden = "../../internal/secretstore/testdata/config.json"
	bootstrap    = "../../internal/k3s/scripts/k3s-bootstrap.sh"
)

// The server that all tests share.
var vault *server //nolint:gochecknoglobals // It takes seconds to start.

func TestMain(m *testing.M) {
	if os.Getuid() != 0 {
		fmt.Println("these tests need root, for mount namespaces: make test-secrets")

		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}

		os.Exit(0)
	}

	folder, err := os.MkdirTemp("", "secrets")
	if err != nil {
		panic(err)
	}

	vault, err = start(folder)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}

	code := m.Run()
	vault.stop()
	_ = os.RemoveAll(folder)

	os.Exit(code)
}

// An authority signs a certificate for 127.0.0.1.
type authority struct {
	pem         string
	certificate tls.Certificate
	files       [2]string // Certificate and key.
}

func newAuthority(folder string) (*authority, error) {
	template := func(serial int64) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: fmt.Sprint("test ", serial)},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		}
	}

	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}

	ca := template(1)
	ca.IsCA, ca.KeyUsage = true, x509.KeyUsageCertSign

	caBytes, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, err
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}

	leaf := template(2)
	leaf.IPAddresses, leaf.DNSNames = []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"}
	leaf.KeyUsage, leaf.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}

	leafBytes, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, err
	}

	keyBytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}

	a := &authority{
		pem:   string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caBytes})),
		files: [2]string{filepath.Join(folder, "server.pem"), filepath.Join(folder, "server.key")},
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leafBytes})
	private := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyBytes})

	if err := os.WriteFile(a.files[0], certificate, 0o600); err != nil {
		return nil, err
	}

	if err := os.WriteFile(a.files[1], private, 0o600); err != nil {
		return nil, err
	}

	a.certificate, err = tls.X509KeyPair(certificate, private)

	return a, err
}

// A server is the real one.
type server struct {
	Address string `json:"address"`
	Token   string `json:"token"`
	Key     string `json:"key"`

	authority *authority
	client    *http.Client
	command   *exec.Cmd
	stdin     io.Closer
}

func start(folder string) (*server, error) {
	a, err := newAuthority(folder)
	if err != nil {
		return nil, err
	}

	binary := os.Getenv("VAULT_SERVER") // Built by the Makefile.
	if binary == "" {
		binary = filepath.Join(folder, "server")
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./server").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("cannot build the server: %w\n%s", err, out)
		}
	}

	s := &server{authority: a, command: exec.Command(binary, a.files[0], a.files[1])}
	s.command.Stderr = os.Stderr

	stdin, err := s.command.StdinPipe()
	if err != nil {
		return nil, err
	}

	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}

	if err := s.command.Start(); err != nil {
		return nil, err
	}

	s.stdin = stdin
	if err := json.NewDecoder(stdout).Decode(s); err != nil {
		return nil, fmt.Errorf("the server says nothing: %w", err)
	}

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(a.pem))
	s.client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}

	for path, body := range map[string]any{
		"sys/auth/approle":  map[string]any{"type": "approle"},
		"sys/auth/cert":     map[string]any{"type": "cert"},
		"sys/mounts/secret": map[string]any{"type": "kv", "options": map[string]string{"version": "2"}},
		"sys/mounts/old":    map[string]any{"type": "kv", "options": map[string]string{"version": "1"}},
	} {
		if _, err := s.call("POST", path, s.Token, body, nil); err != nil {
			return nil, err
		}
	}

	// The engine of version 2 upgrades itself, and answers with 400 until then.
	for look := time.NewTicker(100 * time.Millisecond); ; <-look.C {
		_, err := s.call("POST", "secret/data/first", s.Token, map[string]any{"data": map[string]string{"a": "b"}}, nil)
		if err == nil || !strings.Contains(err.Error(), "400") {
			return s, err
		}
	}
}

func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.command.Wait()
}

// call the API, as an administrator does.
func (s *server) call(method, path, token string, body any, header map[string]string) (map[string]any, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}

	request, err := http.NewRequest(method, "https://"+s.Address+"/v1/"+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}

	if token != "" {
		request.Header.Set("X-Vault-Token", token)
	}

	for k, v := range header {
		request.Header.Set(k, v)
	}

	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // A test.

	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}

	if answer.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}

	out := map[string]any{}
	if len(text) > 0 {
		err = json.Unmarshal(text, &out)
	}

	return out, err
}

func (s *server) must(t *testing.T, method, path string, body any, header map[string]string) map[string]any {
	t.Helper()

	out, err := s.call(method, path, s.Token, body, header)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// at a path in an answer.
func at(value map[string]any, path ...string) string {
	for _, p := range path[:len(path)-1] {
		value, _ = value[p].(map[string]any)
	}

	text, _ := value[path[len(path)-1]].(string)

	return text
}

// A role of a machine.
type role struct {
	t    *testing.T
	name string
	id   string
}

// newRole has a policy that allows to read secret/data/NAME/* and old/NAME/*.
func newRole(t *testing.T, uses int) *role {
	t.Helper()

	r := &role{t: t, name: strings.ToLower(strings.NewReplacer("/", "-").Replace(t.Name()))}
	vault.must(t, "POST", "sys/policies/acl/"+r.name, map[string]string{
		"policy": fmt.Sprintf("path \"secret/data/%[1]s/*\" {capabilities = [\"read\"]}\npath \"old/%[1]s/*\" {capabilities = [\"read\"]}\n", r.name),
	}, nil)
	vault.must(t, "POST", "auth/approle/role/"+r.name, map[string]any{
		"token_policies": []string{r.name}, "secret_id_num_uses": uses, "secret_id_ttl": "30m", "token_ttl": "10m", "token_max_ttl": "10m",
	}, nil)
	r.id = at(vault.must(t, "GET", "auth/approle/role/"+r.name+"/role-id", nil, nil), "data", "role_id")

	return r
}

// wrapped makes a secret id, and returns the token that it is wrapped in.
func (r *role) wrapped(ttl string) string {
	r.t.Helper()

	return at(vault.must(r.t, "POST", "auth/approle/role/"+r.name+"/secret-id", nil, map[string]string{"X-Vault-Wrap-TTL": ttl}), "wrap_info", "token")
}

// plain makes a secret id.
func (r *role) plain() string {
	r.t.Helper()

	return at(vault.must(r.t, "POST", "auth/approle/role/"+r.name+"/secret-id", nil, nil), "data", "secret_id")
}

// stores a secret in the engine of version 2.
func (r *role) stores(secret string, fields map[string]any) {
	r.t.Helper()
	vault.must(r.t, "POST", "secret/data/"+r.name+"/"+secret, map[string]any{"data": fields}, nil)
}

// A gate stands before the server, and loses requests or answers.
type gate struct {
	*httptest.Server

	mu    sync.Mutex
	paths []string
	// lose is the number of the request, from 1, that is lost, or whose answer is; 0 for none.
	lose   int
	answer bool
	lost   chan struct{}
	free   chan struct{}
}

func newGate(t *testing.T) *gate {
	t.Helper()

	g := &gate{lost: make(chan struct{}, 100), free: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "https", Host: vault.Address})
	proxy.Transport = vault.client.Transport
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.paths = append(g.paths, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/v1/"))
		lost := g.lose == len(g.paths)
		g.mu.Unlock()

		if lost && !g.answer {
			g.lost <- struct{}{}
			<-g.free

			return
		}

		if lost {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			g.lost <- struct{}{}
			<-g.free

			return
		}

		proxy.ServeHTTP(w, r)
	}))
	g.TLS = &tls.Config{Certificates: []tls.Certificate{vault.authority.certificate}}
	g.Config.ErrorLog = log.New(io.Discard, "", 0)
	g.StartTLS()
	t.Cleanup(func() {
		close(g.free)
		g.Close()
	})

	return g
}

func (g *gate) calls() []string {
	g.mu.Lock()
	defer g.mu.Unlock()

	return append([]string{}, g.paths...)
}

// A config is the file that the function renders.
type config struct {
	Address       string `json:"address"`
	CACertificate string `json:"caCertificate,omitempty"`
	Namespace     string `json:"namespace,omitempty"`
	Mount         string `json:"mount"`
	RoleID        string `json:"roleID,omitempty"`
	SecretIDFile  string `json:"secretIDFile,omitempty"`
	Wrapped       bool   `json:"wrapped"`
	TLS           *login `json:"tls,omitempty"`
	Refresh       string `json:"refresh,omitempty"`
	Files         []file `json:"files"`
}

type login struct {
	Role            string `json:"role,omitempty"`
	CertificateFile string `json:"certificateFile"`
	KeyFile         string `json:"keyFile"`
}

type file struct {
	Path    string   `json:"path"`
	Mount   string   `json:"mount"`
	Secret  string   `json:"secret"`
	Field   string   `json:"field"`
	Mode    string   `json:"mode"`
	Owner   string   `json:"owner"`
	Restart []string `json:"restart,omitempty"`
	Once    bool     `json:"once,omitempty"`
}

// A guest is a root folder in a mount namespace of its own, with the host's programs.
type guest struct {
	t       *testing.T
	root    string
	config  config
	secrets []string // What no output may have.
	env     []string
	out     string // Of the last run.
}

// newGuest fetches what the golden file of the function says, from the role's own secrets.
func newGuest(t *testing.T, address string, r *role) *guest {
	t.Helper()

	g := &guest{t: t, root: t.TempDir()}

	data, err := os.ReadFile(configGolden)
	if err != nil {
		t.Fatal(err)
	}

	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()

	if err := strict.Decode(&g.config); err != nil {
		t.Fatalf("the function renders another configuration than these tests know: %v", err)
	}

	g.config.Address, g.config.CACertificate, g.config.RoleID, g.config.Namespace = address, vault.authority.pem, r.id, ""
	for i := range g.config.Files {
		f := &g.config.Files[i]
		f.Mount, f.Secret, f.Owner = "secret", r.name+"/"+f.Secret, "root:root"
	}

	for _, folder := range []string{"usr", "bin", "sbin", "lib", "lib64", "dev", "proc", "etc", "run", "tmp", "var/lib", "stubs"} {
		if err := os.MkdirAll(filepath.Join(g.root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}

	g.write("etc/passwd", "root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\n", 0o644)
	g.write("etc/group", "root:x:0:\ndaemon:x:1:\n", 0o644)
	g.write("etc/hosts", "127.0.0.1 localhost\n", 0o644)
	g.copy(program, "run/fetch-secrets")
	g.configure()

	return g
}

func (g *guest) configure() {
	g.t.Helper()

	data, err := json.Marshal(g.config)
	if err != nil {
		g.t.Fatal(err)
	}

	g.write("etc/machine-secrets/config.json", string(data), 0o600)
}

func (g *guest) copy(from, to string) {
	g.t.Helper()

	data, err := os.ReadFile(from)
	if err != nil {
		g.t.Fatal(err)
	}

	g.write(to, string(data), 0o755)
}

func (g *guest) write(path, content string, mode os.FileMode) {
	g.t.Helper()

	target := filepath.Join(g.root, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		g.t.Fatal(err)
	}

	// A process that is started meanwhile would have a program open for writing, and nobody could run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	if err := os.WriteFile(target, []byte(content), mode); err != nil {
		g.t.Fatal(err)
	}
}

// place the secret id, as a snippet does.
func (g *guest) place(credential string) {
	g.t.Helper()
	g.secrets = append(g.secrets, credential)
	g.write(g.config.SecretIDFile, credential+"\n", 0o600)
}

func (g *guest) read(path string) string {
	data, _ := os.ReadFile(filepath.Join(g.root, path))

	return string(data)
}

// command in the guest: a mount namespace, and the guest's root folder as the root.
func (g *guest) command(args ...string) *exec.Cmd {
	const enter = `set -e; root=$1; shift
for folder in usr bin sbin lib lib64 dev; do [ ! -e /$folder ] || mount --rbind --make-rslave /$folder "$root/$folder"; done
mount -t proc none "$root/proc"
exec chroot "$root" "$@"`

	cmd := exec.Command("unshare", append([]string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, "sh", g.root}, args...)...)
	cmd.Env = append([]string{"PATH=/stubs:/usr/sbin:/usr/bin:/sbin:/bin", "SECRET_ID_TIMEOUT=0", "STORE_TIMEOUT=0"}, g.env...)

	return cmd
}

// run the program once. It says whether it succeeded.
func (g *guest) run(args ...string) bool {
	g.t.Helper()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cmd := g.command(append([]string{"/usr/bin/python3", "-I", "/run/fetch-secrets"}, args...)...)
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	out, err := cmd.CombinedOutput()

	stop()
	g.said(string(out))

	return err == nil
}

// said checks that an output has no secret.
func (g *guest) said(out string) {
	g.t.Helper()
	g.out = out

	all := out + g.read("var/lib/machine-secrets/last-run")
	for _, s := range append([]string{vault.Token}, g.secrets...) {
		if s != "" && strings.Contains(all, s) {
			g.t.Errorf("the output has a secret:\n%s", all)
		}
	}

	if strings.Contains(all, "Traceback") || strings.Contains(all, "line ") && strings.Contains(all, "failed:") {
		g.t.Errorf("the program has a fault:\n%s", all)
	}
}

// wants the last output to have some words.
func (g *guest) wants(words ...string) {
	g.t.Helper()

	for _, w := range words {
		if !strings.Contains(g.out, w) {
			g.t.Errorf("the output lacks %q:\n%s", w, g.out)
		}
	}
}

// succeeds runs the program, which has to succeed, and checks what it leaves.
func (g *guest) succeeds() {
	g.t.Helper()

	if !g.run() {
		g.t.Fatalf("the run failed:\n%s", g.out)
	}

	for _, left := range []string{"/etc/machine-secrets/secret-id", "/var/lib/machine-secrets/secret-id", "/var/lib/machine-secrets/token", "/var/lib/machine-secrets/unwrapping"} {
		if _, err := os.Stat(filepath.Join(g.root, left)); err == nil {
			g.t.Errorf("%s is still there", left)
		}
	}

	if g.read("var/lib/machine-secrets/done") == "" {
		g.t.Errorf("the run left no mark that it is done:\n%s", g.out)
	}
}

// fails runs the program, which has to fail and to say why.
func (g *guest) fails(words ...string) {
	g.t.Helper()

	if g.run() {
		g.t.Fatalf("the run succeeded:\n%s", g.out)
	}

	g.wants(append([]string{"FATAL: "}, words...)...)

	for _, f := range g.config.Files {
		if g.read(f.Path) != "" {
			g.t.Errorf("%s is there after a run that failed", f.Path)
		}
	}
}
