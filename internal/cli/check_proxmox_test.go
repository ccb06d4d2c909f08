package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// proxmoxToken is one that this test's Proxmox takes.
const proxmoxToken = "crossplane@pve!provider=5d0c6e0e-3f5c-4f0f-8f3e-0a1b2c3d4e5f"

// installed is a healthy cluster whose Secret has credentials.
func installed(t *testing.T, credentials map[string]string) string {
	t.Helper()

	healthy, err := os.ReadFile(filepath.Join("..", "installation", "testdata", "healthy.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	content, err := json.Marshal(credentials)
	if err != nil {
		t.Fatal(err)
	}

	text := strings.Replace(string(healthy), `credentials: ""`, `credentials: "`+base64.StdEncoding.EncodeToString(content)+`"`, 1)

	return filepath.Join(writeTree(t, map[string]string{"cluster.yaml": text}), "cluster.yaml")
}

// refusing is an address that refuses connections: its port is taken, so that nobody else can listen there meanwhile, and nobody listens.
func refusing(t *testing.T) string {
	t.Helper()

	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = syscall.Close(socket) })

	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}

	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}

	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// TestCheckOfProxmox asks an API over TLS, with the credentials of the Secret. No part of them is printed, whatever goes wrong.
func TestCheckOfProxmox(t *testing.T) {
	var asked []string

	answers := map[string]string{
		"/version": `{"version": "9.0.11"}`, "/access/permissions": `{"/vms": {"VM.Audit": 1}}`, "/nodes": `[{"node": "pve", "status": "online"}]`,
		"/storage/local": `{"path": "/var/lib/vz"}`, "/nodes/pve/network": `[{"address": "127.0.0.1", "gateway": "127.0.0.2"}]`,
		"/nodes/pve/storage": `[{"storage": "local", "content": "iso"}, {"storage": "local-lvm", "content": "images"}]`,
	}

	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)

		switch said := r.Header.Get("Authorization"); {
		case r.URL.Path == "/moved/api2/json/version":
			http.Redirect(w, r, "/api2/json/version", http.StatusFound)
		case said != "PVEAPIToken="+proxmoxToken:
			http.Error(w, "no such token "+said, http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"data": ` + answers[strings.TrimPrefix(r.URL.Path, "/api2/json")] + `}`))
		}
	}))
	api.Config.ErrorLog = nil
	api.StartTLS()
	defer api.Close()

	for name, tc := range map[string]struct {
		reason                    string
		endpoint, token, insecure string
		code                      ExitCode
		says                      []string
		calls                     int
	}{
		"Asked": {
			reason: "each call, and the command that mends what is not there", endpoint: api.URL + "/", token: proxmoxToken, insecure: "true", code: ExitFound, calls: 6,
			says: []string{
				"✔ proxmox: ClusterProviderConfig default: Proxmox VE 9.0.11 takes the token\n", "✗ proxmox: site home: the token lacks Datastore.AllocateSpace",
				"✗ proxmox: site home: node pve: datastore local lacks the content types import, snippets\n    pvesm set local --content import,iso,snippets, as root on a node\n",
				"✗ proxmox: ClusterProviderConfig default: ssh_private_key of the Secret is no private key, or has a passphrase\n",
			},
		},
		"Token": {
			reason: "Proxmox may repeat what was sent", endpoint: api.URL, token: strings.Replace(proxmoxToken, "5d", "5e", 1), insecure: "true", code: ExitFound, calls: 1,
			says: []string{"✗ proxmox: ClusterProviderConfig default: Proxmox does not take the token (401)"},
		},
		"Certificate": {
			reason: "a certificate of Proxmox' own, and a configuration that does not take it", endpoint: api.URL, token: proxmoxToken, code: ExitFound,
			says: []string{"✗ proxmox: ClusterProviderConfig default: the certificate of Proxmox is none that this computer trusts\n    set insecure"},
		},
		"Refused": {
			reason: "Go's error has the address", endpoint: "https://" + refusing(t), token: proxmoxToken, insecure: "true", code: ExitFound,
			says: []string{"✗ proxmox: ClusterProviderConfig default: nothing listens at the endpoint\n"},
		},
		"Redirect": {
			reason: "the token is for nobody else", endpoint: api.URL + "/moved", token: proxmoxToken, insecure: "true", calls: 1,
			says: []string{"? proxmox: ClusterProviderConfig default: Proxmox answers /version with HTTP status 302\n"},
		},
		"Endpoint": {
			reason: "Go's error has the whole URL", endpoint: "https://127.0.0.1:80:80 6", token: proxmoxToken, insecure: "true",
			says: []string{"? proxmox: ClusterProviderConfig default: this computer does not reach the endpoint"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			cluster := installed(t, map[string]string{
				"endpoint": tc.endpoint, "api_token": tc.token, "insecure": tc.insecure, "ssh_username": "hunter2", "ssh_private_key": "-----BEGIN PRIVATE KEY-----\nMHVudGVyMg==\n-----END PRIVATE KEY-----\n",
			})

			for _, output := range []string{formatText, formatJSON} {
				code, out, said := runAt(t, "", "check", "--observed", cluster, "--proxmox", "-o", output)
				if code != tc.code || said != "" {
					t.Errorf("%s: want exit code %d, got %d and %s", tc.reason, tc.code, code, said)
				}

				if n := strings.Count(out, "kubectl machine privileges --proxmox"); output == formatText && n > 1 {
					t.Errorf("%s: prints one command %d times:\n%s", tc.reason, n, out)
				}

				_, secret, _ := strings.Cut(tc.token, "=")
				for _, kept := range []string{secret, "crossplane@pve!", "hunter2", strings.TrimPrefix(strings.TrimSuffix(tc.endpoint, "/"), "https://")} {
					if strings.Contains(out+said, kept) {
						t.Errorf("%s: prints %q of the Secret:\n%s", tc.reason, kept, out+said)
					}
				}

				for _, want := range tc.says {
					if output == formatText && !strings.Contains(out, want) {
						t.Errorf("%s: want %q in\n%s", tc.reason, want, out)
					}
				}
			}

			if len(asked) != 2*tc.calls { // Once for each output.
				t.Errorf("%s: asks %v", tc.reason, asked)
			}

			for _, call := range asked {
				if !strings.HasPrefix(call, "GET ") {
					t.Errorf("a check only reads: %s", call)
				}
			}
		})
	}

	asked = nil

	if runAt(t, "", "check", "--observed", installed(t, map[string]string{"endpoint": api.URL, "api_token": proxmoxToken, "insecure": "true"})); len(asked) > 0 {
		t.Errorf("nobody said --proxmox: %v", asked)
	}
}

// TestFailureOf a connection that only a slow network has.
func TestFailureOf(t *testing.T) {
	ctx := t.Context()
	slow := &http.Client{Timeout: time.Nanosecond}

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://192.0.2.1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}

	answer, err := slow.Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}

	if got := failureOf(err); got != "timeout" {
		t.Errorf("want timeout, got %s of %v", got, err)
	}

	if got := failureOf(&net.DNSError{IsNotFound: true}); got != "name" {
		t.Errorf("want name, got %s", got)
	}
}
