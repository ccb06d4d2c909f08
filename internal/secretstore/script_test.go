package secretstore

import (
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fakeStore is as much of OpenBao and Vault as the program asks for: a wrapping token and a secret id can be used once, and five logins that
// failed lock the role for all. test/secrets has the real server.
type fakeStore struct {
	*httptest.Server

	t       *testing.T
	mu      sync.Mutex
	wrapped map[string]string // Secret ids by their wrapping tokens.
	ids     map[string]bool
	failed  int
	down    bool // It is sealed.
	calls   []string
	secrets []string // What no process may have in its arguments.
	// What a login with a certificate needs.
	trusted map[string]bool // Certificates, as DER.
	role    string          // The role that a login must name.
	rotated int             // How often the password was changed.
	denied  bool            // The policy allows to read nothing.
}

const (
	fakeToken    = "hvs.token-of-the-login"
	fakePassword = "the-password-of-the-application"
)

func newStore(t *testing.T) *fakeStore {
	t.Helper()

	s := &fakeStore{t: t, wrapped: map[string]string{}, ids: map[string]bool{}, trusted: map[string]bool{}, secrets: []string{fakeToken, fakePassword}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.answer))
	// As the listener of the real server: it asks for a certificate, and the auth method says whether it is good.
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)

	return s
}

// wrap makes a secret id, and returns the token that it is wrapped in.
func (s *fakeStore) wrap(name string) string {
	token, id := "hvs.wrapping-"+name, "secret-id-"+name
	s.wrapped[token], s.ids[id] = id, true
	s.secrets = append(s.secrets, token, id)

	return token
}

func (s *fakeStore) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()

	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	s.calls = append(s.calls, path)
	s.checkArguments()

	var body map[string]string

	_ = json.NewDecoder(r.Body).Decode(&body)

	say := func(status int, answer string) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, answer)
	}

	switch {
	case s.down:
		say(http.StatusServiceUnavailable, "")
	case path == "sys/wrapping/lookup" && s.wrapped[body["token"]] != "":
		say(http.StatusOK, `{"data":{"creation_path":"auth/approle/role/app/secret-id"}}`)
	case path == "sys/wrapping/unwrap" && s.wrapped[r.Header.Get("X-Vault-Token")] != "":
		token := r.Header.Get("X-Vault-Token")
		say(http.StatusOK, fmt.Sprintf(`{"data":{"secret_id":%q}}`, s.wrapped[token]))
		delete(s.wrapped, token)
	case path == "auth/approle/login" && s.failed >= 5:
		say(http.StatusForbidden, "")
	case path == "auth/approle/login" && body["role_id"] == "role" && s.ids[body["secret_id"]]:
		delete(s.ids, body["secret_id"])
		say(http.StatusOK, fmt.Sprintf(`{"auth":{"client_token":%q}}`, fakeToken))
	case path == "auth/approle/login":
		s.failed++
		say(http.StatusBadRequest, "")
	case path == "auth/cert/login" && len(r.TLS.PeerCertificates) > 0 && s.trusted[string(r.TLS.PeerCertificates[0].Raw)] && body["name"] == s.role:
		say(http.StatusOK, fmt.Sprintf(`{"auth":{"client_token":%q}}`, fakeToken))
	case path == "auth/cert/login":
		s.failed++
		say(http.StatusBadRequest, "")
	case r.Header.Get("X-Vault-Token") != fakeToken:
		say(http.StatusBadRequest, "")
	case strings.HasPrefix(path, "sys/internal/"):
		say(http.StatusOK, `{"data":{"options":{"version":"2"}}}`)
	case s.denied:
		say(http.StatusForbidden, "")
	case strings.HasPrefix(path, "secret/data/"):
		say(http.StatusOK, fmt.Sprintf(`{"data":{"data":{"password":%q, "token":"K10token%d"}}}`, s.password(), s.rotated))
	case path == "auth/token/lookup-self":
		say(http.StatusOK, `{"data":{}}`)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// password is what the store has now.
func (s *fakeStore) password() string {
	if s.rotated == 0 {
		return fakePassword
	}

	return fmt.Sprint(fakePassword, "-", s.rotated)
}

// checkArguments looks at all processes of the machine while the program waits for an answer.
func (s *fakeStore) checkArguments() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")

	for _, file := range all {
		data, _ := os.ReadFile(file)

		for _, secret := range s.secrets {
			if strings.Contains(string(data), secret) {
				s.t.Errorf("a secret is in the arguments of a process: %q", data)
			}
		}
	}
}

// took returns the requests since the last call of took.
func (s *fakeStore) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	calls := s.calls
	s.calls = nil

	return calls
}

// A fakeGuest is a folder in place of /.
type fakeGuest struct {
	t     *testing.T
	root  string
	store *fakeStore
	env   []string
	path  string // Before the folders of programs, with a colon.
}

// driver runs the program, and ends the process if it starts another one, so that there are no arguments, or at the write that CUT_AT says.
const driver = `
import os, runpy, signal, sys
cut, writes = int(os.environ.get("CUT_AT", "0")), 0
def hook(event, args):
    global writes
    if event == "subprocess.Popen" and list(args[1])[:4] == ["systemctl", "try-restart", "--no-block", "--"]:
        return
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn"):
        sys.stderr.write("STARTS ANOTHER PROCESS: %s\n" % event)
        os._exit(99)
    writing = event in ("os.rename", "os.remove", "os.mkdir", "os.truncate")
    writing = writing or event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR) != 0
    if writing:
        writes += 1
        if writes == cut:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
path = sys.argv.pop(1)
sys.argv[0] = path
sys.dont_write_bytecode = True
runpy.run_path(path, run_name="__main__")
`

// python runs the program as its first line says. One of $PATH could be pyenv's, or that of a virtual environment, which looks for its library there.
const python = "/usr/bin/python3"

func skipWithoutPython(t *testing.T) {
	t.Helper()

	if _, err := os.Stat(python); err != nil && os.Getenv("CI") != "true" {
		t.Skip(python + " is missing")
	}
}

func newFakeGuest(t *testing.T) *fakeGuest {
	t.Helper()

	skipWithoutPython(t)

	g := &fakeGuest{t: t, root: t.TempDir(), store: newStore(t)}

	g.configure("role")

	g.write("fetch-secrets", strings.NewReplacer(`"/etc/machine-secrets/`, `"`+g.root+"/etc/", `"/var/lib/machine-secrets"`, `"`+g.root+`/state"`).Replace(script))

	return g
}

func (g *fakeGuest) configure(roleID string) {
	g.t.Helper()

	s := store()
	s.Address, s.Namespace, s.RoleID, s.Files = g.store.URL, "", roleID, s.Files[:1]
	s.CACertificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.store.Certificate().Raw}))
	s.SecretIDFile, s.Files[0].Path = g.root+"/etc/secret-id", g.root+"/app/password"

	files, err := Files(s)
	if err != nil {
		g.t.Fatal(err)
	}

	g.write("etc/config.json", files[0].Content)
}

func (g *fakeGuest) write(path, content string) {
	g.t.Helper()

	file := filepath.Join(g.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		g.t.Fatal(err)
	}

	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *fakeGuest) read(path string) string {
	data, _ := os.ReadFile(filepath.Join(g.root, path))

	return string(data)
}

// run says what the program said, and whether it succeeded. Neither its output nor what it remembers has a secret.
func (g *fakeGuest) run(args ...string) (string, bool) {
	g.t.Helper()

	cmd := exec.Command(python, append([]string{"-I", "-c", driver, filepath.Join(g.root, "fetch-secrets")}, args...)...)
	cmd.Env = append([]string{"PATH=" + g.path + "/usr/bin:/bin", "STORE_TIMEOUT=0", "SECRET_ID_TIMEOUT=0"}, g.env...)
	out, err := cmd.CombinedOutput()

	for _, secret := range g.store.secrets {
		if strings.Contains(string(out)+g.read("state/refused")+g.read("state/last-run"), secret) {
			g.t.Errorf("the output, or what is remembered, has a secret:\n%s%s", out, g.read("state/refused"))
		}
	}

	if strings.Contains(string(out), "Traceback") || strings.Contains(string(out), "PROCESS") || strings.Contains(string(out), "FATAL: line") {
		g.t.Errorf("the program has a fault:\n%s", out)
	}

	return string(out), err == nil
}

// A step is a run of the program after something has happened.
type step struct {
	after string
	do    func(g *fakeGuest)
	calls []string // What the server was asked; nil for nothing.
	says  string
	ends  bool // The run succeeds.
}

// TestRefusedIsNotTriedAgain: OpenBao and Vault lock a role after five logins that failed, and the unit starts the program each minute.
func TestRefusedIsNotTriedAgain(t *testing.T) {
	var (
		place = func(credential string) func(g *fakeGuest) {
			return func(g *fakeGuest) { g.write("etc/secret-id", credential+"\n") }
		}
		good    = func(g *fakeGuest) { place(g.store.wrap("good"))(g) }
		stolen  = func(g *fakeGuest) { place(g.store.wrap("stolen"))(g); clear(g.store.wrapped) }
		expired = func(g *fakeGuest) { place(g.store.wrap("expired"))(g); clear(g.store.ids) }
		nothing = func(*fakeGuest) {}
		lookup  = []string{"sys/wrapping/lookup"}
		login   = []string{"auth/approle/login"}
		unwrap  = []string{"sys/wrapping/lookup", "sys/wrapping/unwrap", "auth/approle/login"}
		fetch   = []string{"sys/internal/ui/mounts/secret/app", "secret/data/app", "auth/token/revoke-self"}
	)

	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Login": {
			reason: "A secret id that has expired is no better a minute later; a new one is.",
			steps: []step{
				{after: "an expired secret id", do: expired, calls: unwrap, says: "refuses the login"},
				{after: "a minute", do: nothing, says: "not tried again; to try the same once more, remove"},
				{after: "another minute", do: nothing, says: "refuses the login"},
				{after: "a new one", do: good, calls: append(append([]string{}, unwrap...), fetch...), says: "done: 1 files", ends: true},
			},
		},
		"WrappingToken": {
			reason: "A wrapping token that was used is refused for good. The alarm is repeated.",
			steps: []step{
				{after: "a stolen token", do: stolen, calls: lookup, says: "SOMEBODY ELSE HAS UNWRAPPED IT"},
				{after: "a minute", do: nothing, says: "SOMEBODY ELSE HAS UNWRAPPED IT"},
				{after: "a new one", do: good, calls: append(append([]string{}, unwrap...), fetch...), says: "done: 1 files", ends: true},
			},
		},
		"Role": {
			reason: "Another role is something new, with the same secret id.",
			steps: []step{
				{after: "a wrong role", do: func(g *fakeGuest) { good(g); g.configure("other") }, calls: unwrap, says: "refuses the login"},
				{after: "a minute", do: nothing, says: "not tried again"},
				{after: "the right role", do: func(g *fakeGuest) { g.configure("role") }, calls: append(append([]string{}, login...), fetch...), says: "done: 1 files", ends: true},
			},
		},
		"SecretIDAgain": {
			reason: "Who places what was refused has placed nothing new.",
			steps: []step{
				{after: "a stolen token", do: stolen, calls: lookup, says: "ALARM"},
				{after: "the same once more", do: place("hvs.wrapping-stolen"), says: "not tried again"},
			},
		},
		"ByHand": {
			reason: "Somebody has corrected the role's addresses on the server, and says so.",
			steps: []step{
				{after: "an expired secret id", do: expired, calls: unwrap, says: "refuses the login"},
				{
					after: "the file is gone", calls: append(append([]string{}, login...), fetch...), says: "done: 1 files", ends: true,
					do: func(g *fakeGuest) { g.store.ids["secret-id-expired"] = true; _ = os.Remove(g.root + "/state/refused") },
				},
			},
		},
		"Locked": {
			reason: "Others have locked the role: a right secret id is refused for some minutes, and good afterwards.",
			steps: []step{
				{after: "others failed", do: func(g *fakeGuest) { good(g); g.store.failed = 5 }, calls: unwrap, says: "the role is locked"},
				{after: "a minute", do: nothing, says: "tried again after"},
				{
					after: "sixteen minutes", calls: append(append([]string{}, login...), fetch...), says: "done: 1 files", ends: true,
					do: func(g *fakeGuest) {
						g.store.failed = 0
						g.write("state/refused", strings.ReplaceAll(g.read("state/refused"), `"until": `, `"until": 1`)) // Far in the future: the clock was wrong.
					},
				},
			},
		},
		"Sealed": {
			reason: "No answer is no refusal.",
			steps: []step{
				{after: "a seal", do: func(g *fakeGuest) { good(g); g.store.down = true }, calls: lookup, says: "the server is sealed"},
				{after: "a minute", do: nothing, calls: lookup, says: "the server is sealed"},
				{after: "it is unsealed", do: func(g *fakeGuest) { g.store.down = false }, calls: append(append([]string{}, unwrap...), fetch...), says: "done: 1 files", ends: true},
			},
		},
		"Damaged": {
			reason: "A file that nobody can read says nothing, and is no obstacle.",
			steps: []step{
				{after: "it is damaged", do: func(g *fakeGuest) { good(g); g.write("state/refused", "\x00\x00") }, calls: append(append([]string{}, unwrap...), fetch...), says: "done", ends: true},
			},
		},
		"Full": {
			reason: "Who cannot remember a refusal asks for none.",
			steps: []step{
				{after: "nothing can be written", do: func(g *fakeGuest) { good(g); _ = os.MkdirAll(g.root+"/state/refused/x", 0o700) }, says: "could not remember that it was refused"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			g := newFakeGuest(t)

			for _, s := range tc.steps {
				s.do(g)

				out, ended := g.run()
				if diff := cmp.Diff(s.calls, g.store.took()); diff != "" || ended != s.ends || !strings.Contains(out, s.says) {
					t.Fatalf("%s\nafter %s: succeeds %t, want %q:\n%s\nrequests: -want, +got:\n%s", tc.reason, s.after, ended, s.says, out, diff)
				}

				status, _ := g.run("status")
				if !s.ends && !strings.Contains(status, s.says) {
					t.Errorf("%s\nafter %s: the status lacks %q:\n%s", tc.reason, s.after, s.says, status)
				}

				if info, err := os.Stat(g.root + "/state/refused"); err == nil && !info.IsDir() && (s.ends || info.Mode().Perm() != 0o600) {
					t.Errorf("%s\nafter %s: what was refused has mode %o", tc.reason, s.after, info.Mode().Perm())
				}
			}
		})
	}
}

// every cut of the power, which takes minutes where a process takes long to start: make test-nix. Without it, each fourth one.
var every = flag.Bool("every", false, "cut the power at every write")

func stride() int {
	if *every {
		return 1
	}

	return 4
}

// TestPowerCutAtEachWrite kills the program at each write, and starts it again: it ends with the file, or says what to do. Whatever it does,
// it lets no login fail twice.
func TestPowerCutAtEachWrite(t *testing.T) {
	t.Parallel()

	cuts := 0

	const most = 400 // Writes of a run. It has some thirty.

	for cut := 1; ; cut += stride() {
		if cut > most {
			t.Fatalf("no run ends, also where the power is cut at write %d", cut)
		}

		g := newFakeGuest(t)
		g.write("etc/secret-id", g.store.wrap("first")+"\n")

		g.env = []string{fmt.Sprint("CUT_AT=", cut)}
		if _, ended := g.run(); ended {
			break
		}

		cuts++
		g.env = nil

		var (
			out   string
			ended bool
		)

		for range 3 {
			if out, ended = g.run(); ended {
				break
			}
		}

		if !ended {
			if !strings.Contains(out, "place a new one") || strings.Contains(out, "ALARM") || g.store.failed > 1 {
				t.Errorf("power cut at write %d: %d logins failed, and the run says\n%s", cut, g.store.failed, out)
			}

			g.write("etc/secret-id", g.store.wrap("second")+"\n")

			if out, ended = g.run(); !ended {
				t.Errorf("power cut at write %d: a new wrapping token does not help:\n%s", cut, out)
			}
		}

		if got := g.read("app/password"); got != fakePassword {
			t.Errorf("power cut at write %d: the file is %q", cut, got)
		}
	}

	if cuts < 15/stride() {
		t.Errorf("the power was cut at %d places only", cuts)
	}
}

// TestScriptCutOff: what a power cut leaves of the program does not end well.
func TestScriptCutOff(t *testing.T) {
	g := newFakeGuest(t)
	whole := g.read("fetch-secrets")

	for _, end := range []int{4096, 8192, 16384, strings.Index(whole, "# The steps."), strings.Index(whole, "if __name__"), len(whole) - 5} {
		g.write("fetch-secrets", whole[:end])

		cmd := exec.Command(python, "-I", g.root+"/fetch-secrets")
		if out, err := cmd.CombinedOutput(); err == nil || len(g.store.took()) > 0 {
			t.Errorf("%d bytes of the program end well:\n%s", end, out)
		}
	}
}
