// Package secrets runs the program that fetches secrets in a guest against the real server: the code of HashiCorp Vault 1.14, whose API OpenBao
// has, too. See README.md.
package secrets

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the guests fetch.
const (
	k3sToken  = "K10" + "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" + "::server:6f3a9c1e5b7d2f48a0c4"
	tokenFile = "/etc/rancher/k3s/token"
	password  = "ein Passwort\nmit zwei Zeilen: \u00e4\u20ac\n"
	appFile   = "/etc/myapp/password"
)

// aGuest has all that it needs in the store, and no secret id yet.
func aGuest(t *testing.T, address string, uses int) (*guest, *role) {
	t.Helper()

	r := newRole(t, uses)
	r.stores("home", map[string]any{"token": k3sToken})
	r.stores("app", map[string]any{"password": password, "number": 3, "empty": ""})

	g := newGuest(t, address, r)
	g.secrets = append(g.secrets, k3sToken, "ein Passwort")

	return g, r
}

func (g *guest) has(path, content string, mode os.FileMode) {
	g.t.Helper()

	if got := g.read(path); got != content {
		g.t.Errorf("%s has %d bytes, want %d", path, len(got), len(content))
	}

	info, err := os.Stat(filepath.Join(g.root, path))
	if err != nil {
		g.t.Error(err)
	} else if info.Mode().Perm() != mode {
		g.t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), mode)
	}
}

func (g *guest) hasAll() {
	g.t.Helper()
	g.has(tokenFile, k3sToken, 0o600)
	g.has(appFile, password, 0o640)
	g.has("/var/lib/machine-secrets", "", 0o700)
}

// TestFetch is the usual first boot, without anything between guest and server.
func TestFetch(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	g.place(r.wrapped("30m"))
	g.succeeds()
	g.hasAll()
	g.wants("has unwrapped", "has logged in", "has written "+tokenFile, "has revoked the token", "done: 2 files")

	// Whoever runs it again finds it done, and files that somebody changed stay.
	g.write(appFile, "mine", 0o600)
	g.place(r.wrapped("30m"))

	if !g.run() {
		t.Errorf("the second run failed:\n%s", g.out)
	}

	g.has(appFile, "mine", 0o640)
}

// TestTokenIsRevoked: what a copy of the guest's disk would have.
func TestTokenIsRevoked(t *testing.T) {
	gate := newGate(t)
	g, r := aGuest(t, gate.URL, 1)
	wrapped := r.wrapped("30m")
	g.place(wrapped)
	gate.lose, gate.answer = 6, false

	cmd := g.command("/usr/bin/python3", "-I", "/run/fetch-secrets")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	<-gate.lost

	token, secretID := strings.TrimSpace(g.read("var/lib/machine-secrets/token")), strings.TrimSpace(g.read("var/lib/machine-secrets/secret-id"))
	g.secrets = append(g.secrets, token, secretID)
	g.has("/var/lib/machine-secrets/token", token+"\n", 0o600)
	g.has("/var/lib/machine-secrets/secret-id", secretID+"\n", 0o600)

	if token == "" || secretID == "" {
		t.Fatal("nothing is kept until all is written")
	}

	// No process has a secret in its arguments or in its environment.
	for _, kind := range []string{"cmdline", "environ"} {
		all, err := filepath.Glob("/proc/[0-9]*/" + kind)
		if err != nil {
			t.Fatal(err)
		}

		for _, file := range all {
			data, _ := os.ReadFile(file)
			for _, s := range []string{token, secretID, wrapped, k3sToken} {
				if strings.Contains(string(data), s) {
					t.Errorf("%s has a secret", file)
				}
			}
		}
	}

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gate.lose = 0

	g.succeeds()
	g.hasAll()

	if _, err := vault.call("GET", "auth/token/lookup-self", token, nil, nil); err == nil {
		t.Error("the token is still valid")
	}

	if _, err := vault.call("POST", "auth/approle/login", "", map[string]string{"role_id": r.id, "secret_id": secretID}, nil); err == nil {
		t.Error("the secret id is still good for a login")
	}
}

// TestPowerCut cuts the power at each request, before the server gets it, and after it has answered.
func TestPowerCut(t *testing.T) {
	const requests = 8

	names := []string{"lookup", "unwrap", "login", "version", "read", "version2", "read2", "revoke"}

	for n := 1; n <= requests; n++ {
		for _, answered := range []bool{false, true} {
			t.Run(fmt.Sprint(names[n-1], map[bool]string{false: "-before", true: "-after"}[answered]), func(t *testing.T) {
				gate := newGate(t)
				g, r := aGuest(t, gate.URL, 1)
				g.place(r.wrapped("30m"))
				gate.lose, gate.answer = n, answered

				cmd := g.command("/usr/bin/python3", "-I", "/run/fetch-secrets")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}

				select {
				case <-gate.lost:
				case <-time.After(30 * time.Second):
					t.Fatalf("the program made no request %d: %q", n, gate.calls())
				}

				_ = cmd.Process.Signal(syscall.SIGKILL)
				_ = cmd.Wait()

				if !answered || n != 2 && n != 3 {
					g.succeeds()
					g.hasAll()

					return
				}

				// A secret id that was unwrapped, or used, and that nobody has got an answer for, is lost. The next one does it.
				if n == 2 {
					g.fails("is not valid or does not exist", "was interrupted", "place a new one")
				} else {
					g.fails("refuses the login", "was used before (also by a run that was interrupted)", "place a new one")
				}

				if strings.Contains(g.out, "ALARM") {
					t.Errorf("there is no reason for an alarm:\n%s", g.out)
				}

				g.place(r.wrapped("30m"))
				g.succeeds()
				g.hasAll()
			})
		}
	}
}

// TestUnwrappedBySomebodyElse is what wrapping is for.
func TestUnwrappedBySomebodyElse(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	wrapped := r.wrapped("30m")

	stolen, err := vault.call("POST", "sys/wrapping/unwrap", wrapped, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	g.place(wrapped)
	g.fails("ALARM", "not valid or does not exist", "SOMEBODY ELSE HAS UNWRAPPED IT", "audit log")
	// It is said again and again, and not once.
	g.fails("ALARM")

	if out, _ := g.command("/usr/bin/python3", "-I", "/run/fetch-secrets", "status").CombinedOutput(); !strings.Contains(string(out), "ALARM") {
		t.Errorf("status does not have the alarm: %s", out)
	}

	// Wrapping what was stolen, or anything else, again does not hide it.
	again := at(vault.must(t, "POST", "sys/wrapping/wrap", map[string]string{"secret_id": at(stolen, "data", "secret_id")}, map[string]string{"X-Vault-Wrap-TTL": "30m"}),
		"wrap_info", "token")
	g.place(again)
	g.fails("ALARM", "was not made as a secret id of auth/approle")

	g.place(r.wrapped("30m"))
	g.succeeds()
	g.hasAll()
}

// TestOtherTokenStolen: a run that was interrupted while it unwrapped one token does not hide that somebody has unwrapped the next one.
func TestOtherTokenStolen(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	g.write("var/lib/machine-secrets/unwrapping", "2026-11-20T10:00:00Z="+strings.Repeat("0", 64)+"\n", 0o600)

	wrapped := r.wrapped("30m")
	if _, err := vault.call("POST", "sys/wrapping/unwrap", wrapped, nil, nil); err != nil {
		t.Fatal(err)
	}

	g.place(wrapped)
	g.fails("ALARM", "SOMEBODY ELSE HAS UNWRAPPED IT")
}

// TestUsedTokenStays: the power was cut after the secret id was kept, and before the used wrapping token was removed.
func TestUsedTokenStays(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	wrapped := r.wrapped("30m")

	answer, err := vault.call("POST", "sys/wrapping/unwrap", wrapped, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	hash := sha256.Sum256([]byte(wrapped))
	g.write("var/lib/machine-secrets/unwrapping", "2026-11-20T10:00:00Z="+hex.EncodeToString(hash[:])+"\n", 0o600)
	g.write("var/lib/machine-secrets/secret-id", at(answer, "data", "secret_id")+"\n", 0o600)
	g.place(wrapped)

	if err := os.Chmod(filepath.Join(g.root, "var/lib/machine-secrets"), 0o700); err != nil {
		t.Fatal(err)
	}

	g.succeeds()
	g.hasAll()
}

// TestSecretIDBehindALink: what the link leads to is removed, too.
func TestSecretIDBehindALink(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	g.write("srv/secret-id", r.wrapped("30m")+"\n", 0o600)

	if err := os.Symlink("/srv/secret-id", filepath.Join(g.root, g.config.SecretIDFile)); err != nil {
		t.Fatal(err)
	}

	g.succeeds()
	g.hasAll()

	if _, err := os.Stat(filepath.Join(g.root, "srv/secret-id")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the secret id is still there: %v", err)
	}
}

func TestExpired(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	wrapped := r.wrapped("1s")
	g.place(wrapped)

	// Until the server has forgotten it.
	for look := time.NewTicker(100 * time.Millisecond); ; <-look.C {
		if _, err := vault.call("POST", "sys/wrapping/lookup", "", map[string]string{"token": wrapped}, nil); err != nil {
			break
		}
	}

	g.fails("ALARM", "it has expired, or SOMEBODY ELSE")
	g.place(r.wrapped("30m"))
	g.succeeds()
}

// TestStateThatExpired: somebody repairs the store days later, and the token of the first run is not valid any more.
func TestStateThatExpired(t *testing.T) {
	gate := newGate(t)
	g, r := aGuest(t, gate.URL, 2)
	g.config.Files[0].Field = "missing"
	g.configure()
	g.place(r.wrapped("30m"))
	g.fails("has no field missing")

	token := strings.TrimSpace(g.read("var/lib/machine-secrets/token"))
	if _, err := vault.call("POST", "auth/token/revoke-self", token, map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}

	r.stores("app", map[string]any{"missing": password})
	g.succeeds()
	g.wants("the token of an earlier run is not valid any more; logs in again")
	g.has(appFile, password, 0o640)
}

func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(t *testing.T, g *guest, r *role)
		want   []string
	}{
		"NoSecretID": {
			reason: "The snippet is missing on this Proxmox node.",
			change: func(_ *testing.T, g *guest, _ *role) { _ = os.Remove(filepath.Join(g.root, g.config.SecretIDFile)) },
			want:   []string{"there is no secret id in /etc/machine-secrets/secret-id"},
		},
		"Placeholder": {
			reason: "Somebody copied the example.",
			change: func(_ *testing.T, g *guest, _ *role) { g.write(g.config.SecretIDFile, "<wrapping token>\n", 0o600) },
			want:   []string{"has a placeholder"},
		},
		"TwoWords": {
			reason: "A header with a line end would be quoted in an error.",
			change: func(_ *testing.T, g *guest, _ *role) { g.write(g.config.SecretIDFile, "one\ntwo\n", 0o600) },
			want:   []string{"must have one word"},
		},
		"NoWrappingToken": {
			reason: "A secret id is not a wrapping token.",
			change: func(_ *testing.T, g *guest, r *role) { g.place(r.plain()) },
			want:   []string{"ALARM", "not valid or does not exist"},
		},
		"WrongRole": {
			reason: "The secret id belongs to another role.",
			change: func(_ *testing.T, g *guest, _ *role) { g.config.RoleID = "3b1d0ed1-4c2f-6a0b-93d8-3a7e5a0f2c11" },
			want:   []string{"refuses the login at auth/approle", "roleID is wrong"},
		},
		"WrongMount": {
			reason: "It was wrapped for another auth method.",
			change: func(_ *testing.T, g *guest, _ *role) { g.config.Mount = "other" },
			want:   []string{"was not made as a secret id of auth/other"},
		},
		"OtherAddress": {
			reason: "The role is bound to the addresses of the machines.",
			change: func(t *testing.T, _ *guest, r *role) {
				vault.must(t, "POST", "auth/approle/role/"+r.name, map[string]any{"secret_id_bound_cidrs": []string{"192.0.2.0/24"}, "token_policies": []string{r.name}}, nil)
			},
			want: []string{"refuses the login"},
		},
		"AllAtOnce": {
			reason: "All that is wrong with the secrets is said, and no file is written.",
			change: func(_ *testing.T, g *guest, r *role) {
				g.config.Files[0].Field = "missing"
				g.config.Files = append(g.config.Files,
					file{Path: "/etc/a", Mount: "secret", Secret: r.name + "/none", Field: "x", Mode: "0600", Owner: "root:root"},
					file{Path: "/etc/b", Mount: "secret", Secret: "elsewhere", Field: "x", Mode: "0600", Owner: "root:root"},
					file{Path: "/etc/c", Mount: "secret", Secret: r.name + "/app", Field: "number", Mode: "0600", Owner: "root:root"},
					file{Path: "/etc/d", Mount: "secret", Secret: r.name + "/app", Field: "empty", Mode: "0600", Owner: "root:root"},
					file{Path: "/etc/e", Mount: "secret", Secret: r.name + "/app", Field: "password", Mode: "0600", Owner: "nobody-yet:root"},
				)
			},
			want: []string{
				"/etc/myapp/password: secret/data/", "has no field missing", "/etc/a: there is no secret", "/etc/b: the role's policy does not allow",
				"/etc/c: ", "/etc/d: ", "/etc/e: there is no user or group nobody-yet:root yet",
			},
		},
		"WrongCA": {
			reason: "Whoever answers with another certificate gets nothing.",
			change: func(t *testing.T, g *guest, _ *role) {
				other, err := newAuthority(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}

				g.config.CACertificate = other.pem
			},
			want: []string{"no answer from https://127.0.0.1:", "the certificate or TLS is refused"},
		},
		"SystemCA": {
			reason: "Without caCertificate, the authorities of the guest count.",
			change: func(_ *testing.T, g *guest, _ *role) { g.config.CACertificate = "" },
			want:   []string{"the certificate or TLS is refused"},
		},
		"WrongName": {
			reason: "A certificate of the right authority for another name is refused.",
			change: func(_ *testing.T, g *guest, _ *role) {
				g.write("etc/hosts", "127.0.0.1 bao.home.arpa\n", 0o644)
				g.config.Address = strings.Replace(g.config.Address, "127.0.0.1", "bao.home.arpa", 1)
			},
			want: []string{"the certificate or TLS is refused"},
		},
		"DamagedCA": {
			reason: "It is said which field.",
			change: func(_ *testing.T, g *guest, _ *role) { g.config.CACertificate = "-----BEGIN CERTIFICATE-----\nx" },
			want:   []string{"caCertificate in /etc/machine-secrets/config.json"},
		},
		"Down": {
			reason: "Nobody listens.",
			change: func(t *testing.T, g *guest, _ *role) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}

				g.config.Address = "https://" + l.Addr().String()
				_ = l.Close()
			},
			want: []string{"no answer from https://127.0.0.1:", "Connection refused"},
		},
		"Unknown": {
			reason: "No DNS record.",
			change: func(_ *testing.T, g *guest, _ *role) { g.config.Address = "https://bao.invalid:8200" },
			want:   []string{"no answer from https://bao.invalid:8200"},
		},
		"Redirect": {
			reason: "A token does not follow to another address.",
			change: func(t *testing.T, g *guest, _ *role) {
				g.config.Address = stranger(t, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, "https://"+vault.Address+r.URL.Path, http.StatusTemporaryRedirect)
				})
			},
			want: []string{"redirects: set bootstrap.secretStore.address"},
		},
		"Stranger": {
			reason: "A web page is no answer.",
			change: func(t *testing.T, g *guest, _ *role) {
				g.config.Address = stranger(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello</html>") })
			},
			want: []string{"does not answer as OpenBao or Vault does"},
		},
		"Large": {
			reason: "The guest's memory has an end.",
			change: func(t *testing.T, g *guest, _ *role) {
				g.config.Address = stranger(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 5<<20)) })
			},
			want: []string{"does not answer as OpenBao or Vault does"},
		},
		"FolderInTheWay": {
			reason: "The path is a folder.",
			change: func(t *testing.T, g *guest, _ *role) {
				if err := os.MkdirAll(filepath.Join(g.root, appFile), 0o755); err != nil {
					t.Fatal(err)
				}
			},
			want: []string{"cannot write /etc/myapp/password: Is a directory"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, r := aGuest(t, "https://"+vault.Address, 1)
			g.place(r.wrapped("30m"))
			tc.change(t, g, r)
			g.configure()

			t.Log(tc.reason)
			g.fails(tc.want...)
		})
	}
}

// stranger answers with the certificate of the server. It reads the request first: a server that closes a connection with unread data resets it, and
// the guest loses the rest of the answer.
func stranger(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()

	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)

		answer(w, r)
	}))
	s.TLS = newGate(t).TLS.Clone()
	s.StartTLS()
	t.Cleanup(s.Close)

	return s.URL
}

// TestDamagedConfig is a power cut while cloud-init wrote it.
func TestDamagedConfig(t *testing.T) {
	g, _ := aGuest(t, "https://"+vault.Address, 1)
	g.write("etc/machine-secrets/config.json", "", 0o600)
	g.fails("config.json is missing or damaged")
}

// TestRepaired: what is missing in the store can be added, with the same secret id that can be used once.
func TestRepaired(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	g.config.Files[0].Field = "later"
	g.configure()
	g.place(r.wrapped("30m"))
	g.fails("has no field later")
	g.fails("has no field later")
	r.stores("app", map[string]any{"later": password})
	g.succeeds()
	g.hasAll()
}

// TestLockedRole: five wrong logins, of whichever machine, lock a role for 15 minutes. A right secret id, which is refused then, too, is kept, and is
// not shown to the server again before the lock may be over.
func TestLockedRole(t *testing.T) {
	gate := newGate(t)
	g, r := aGuest(t, gate.URL, 1)
	g.place(r.wrapped("30m"))

	for range 5 {
		if _, err := vault.call("POST", "auth/approle/login", "", map[string]string{"role_id": r.id, "secret_id": "wrong"}, nil); err == nil {
			t.Fatal("the server took a wrong secret id")
		}
	}

	g.fails("allows no login at auth/approle (status 403): the role is locked after logins that failed, of other machines too")
	g.fails("tried again after")

	logins := 0
	for _, call := range gate.calls() {
		if strings.HasSuffix(call, "/login") {
			logins++
		}
	}

	if logins != 1 {
		t.Errorf("the guest has logged in %d times while the role was locked, want once: %v", logins, gate.calls())
	}

	mounts := vault.must(t, "GET", "sys/auth", nil, nil)
	vault.must(t, "POST", "sys/locked-users/"+at(mounts, "data", "approle/", "accessor")+"/unlock/"+r.id, map[string]any{}, nil)

	g.env = []string{"LOCKED_SECONDS=0"}
	g.succeeds()
	g.hasAll()
}

// TestServerComesLater: the server is away, then sealed, then there, in one run.
func TestServerComesLater(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := l.Addr().String()
	_ = l.Close()

	g, r := aGuest(t, "https://"+address, 1)
	g.env = []string{"STORE_TIMEOUT=30"}
	g.place(r.wrapped("30m"))
	vault.must(t, "POST", "sys/seal", map[string]any{}, nil)

	cmd := g.command("/usr/bin/python3", "-I", "/run/fetch-secrets")

	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	var all strings.Builder

	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")

		switch {
		case strings.Contains(lines.Text(), "Connection refused"):
			forward(t, address)
		case strings.Contains(lines.Text(), "sealed"):
			if _, err := vault.call("POST", "sys/unseal", "", map[string]string{"key": vault.Key}, nil); err != nil {
				t.Error(err)
			}
		}
	}

	if err := cmd.Wait(); err != nil {
		t.Errorf("the run failed: %v", err)
	}

	g.said(all.String())
	g.wants("yet: Connection refused", "yet: the server is sealed")
	g.hasAll()
}

// forward the connections of an address to the server.
func forward(t *testing.T, address string) {
	t.Helper()

	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = l.Close() })

	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}

			out, err := net.Dial("tcp", vault.Address)
			if err != nil {
				_ = in.Close()

				continue
			}

			go pipe(in, out)
			go pipe(out, in)
		}
	}()
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
}

// TestNotWrapped: a secret id for several machines, and an engine of version 1.
func TestNotWrapped(t *testing.T) {
	for _, machine := range []string{"a", "b"} {
		g, r := aGuest(t, "https://"+vault.Address, 0)
		vault.must(t, "POST", "old/"+r.name+"/app", map[string]string{"password": password}, nil)

		g.config.Wrapped = false
		g.config.Files[0].Mount = "old"
		g.config.Files[1].Owner = "root:daemon"
		g.configure()
		g.place(r.plain())
		g.succeeds()
		g.hasAll()

		info, err := os.Stat(filepath.Join(g.root, tokenFile))
		if err != nil {
			t.Fatal(err)
		}

		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 0 || stat.Gid != 1 {
			t.Errorf("machine %s: the file does not belong to root:daemon", machine)
		}
	}
}

// TestProxy: the proxies of the environment, as curl reads them, with networks in NO_PROXY.
func TestProxy(t *testing.T) {
	var asked []string

	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))

		out, err := net.Dial("tcp", vault.Address)
		if err != nil {
			return
		}

		in, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}

		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")

		go pipe(in, out)
		pipe(out, in)
	}))
	t.Cleanup(proxy.Close)

	address := strings.TrimPrefix(proxy.URL, "http://")

	for name, tc := range map[string]struct {
		env  []string
		used bool
	}{
		"HTTPS":    {env: []string{"HTTPS_PROXY=http://me:geheim@" + address}, used: true},
		"All":      {env: []string{"ALL_PROXY=" + address, "NO_PROXY=localhost,10.0.0.0/8"}, used: true},
		"Network":  {env: []string{"HTTPS_PROXY=http://" + address, "NO_PROXY=192.168.0.0/16,127.0.0.0/8"}},
		"Address":  {env: []string{"https_proxy=http://" + address, "no_proxy=127.0.0.1"}},
		"OnlyHTTP": {env: []string{"HTTP_PROXY=http://" + address}},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			g, r := aGuest(t, "https://"+vault.Address, 1)
			g.env = tc.env
			g.secrets = append(g.secrets, "geheim")
			g.place(r.wrapped("30m"))
			g.succeeds()

			if used := len(asked) > 0; used != tc.used {
				t.Errorf("the proxy was used: %t", used)
			}

			if name == "HTTPS" && !slices.Contains(asked, "CONNECT "+vault.Address+" Basic "+base64.StdEncoding.EncodeToString([]byte("me:geheim"))) {
				t.Errorf("the proxy was asked %q", asked)
			}
		})
	}
}

// TestK3s: the bootstrap of a K3s node waits for its token, and goes on when the guest has fetched it.
func TestK3s(t *testing.T) {
	g, r := aGuest(t, "https://"+vault.Address, 1)
	g.copy(bootstrap, "run/k3s-bootstrap")
	g.write("etc/rancher/k3s/config.yaml", "token-file: "+tokenFile+"\n", 0o600)

	for _, stub := range []string{"systemctl", "modprobe", "sysctl", "timedatectl", "ip", "journalctl"} {
		g.write("stubs/"+stub, "#!/bin/sh\necho yes\n", 0o755)
	}

	g.write("stubs/hostname", "#!/bin/sh\necho agent-1\n", 0o755)
	// No API answers: that is the step after the token.
	g.write("stubs/curl", "#!/bin/sh\necho 'curl: (7) nobody' >&2\nexit 7\n", 0o755)

	g.env = []string{
		"NODE_ROLE=agent", "NODE_NAME=agent-1", "RELEASE=v1.34.1+k3s1", "INSTALL_URL=file:///none", "JOIN_URL=https://192.0.2.1:6443", "TOKEN_FILE=" + tokenFile,
		"REPORT=None", "TOKEN_TIMEOUT=60", "JOIN_TIMEOUT=0",
	}

	cmd := g.command("/bin/bash", "/run/k3s-bootstrap")

	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	var all strings.Builder

	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")

		if strings.Contains(lines.Text(), "waits for the token in "+tokenFile) {
			g.place(r.wrapped("30m"))
			g.succeeds()
		}
	}

	_ = cmd.Wait()

	g.said(all.String())
	g.wants("waits for the token in "+tokenFile, "waits for https://192.0.2.1:6443", "did not answer within 0s")
}
