package k3s

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// binaryName is the name of K3s for the processor of the tests.
func binaryName() string {
	if runtime.GOARCH == "arm64" {
		return "k3s-arm64"
	}

	return "k3s"
}

// TestBootstrapMirror: K3s comes from a mirror or from the image, is checked, and the installer downloads nothing.
func TestBootstrapMirror(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const mirror = "https://mirror.home.arpa/k3s"

	cases := map[string]struct {
		reason string
		change func(n *Node, sum string)
		world  func(r *rig, sum string)
		status int
		said   string
		// fetched are the addresses of K3s itself; downloads is whether the installer was to fetch it.
		fetched   []string
		downloads string
	}{
		"Mirror": {
			reason: "The list of checksums lies beside it, as in a release.",
			change: func(n *Node, _ string) { n.ReleaseURL = mirror },
			world:  func(r *rig, sum string) { r.write("world/sums", sum+"  "+binaryName()+"\n", 0o644) },
			said:   "done: k3s-cp-2", fetched: []string{mirror + "/v1.33.6%2Bk3s1/" + binaryName()}, downloads: "true",
		},
		"Folder": {
			reason: "A folder of the image; the checksum is in the catalogue.",
			change: func(n *Node, sum string) { n.ReleaseURL, n.BinarySHA256 = "file:///opt/k3s/", sum },
			said:   "done: k3s-cp-2", fetched: []string{"file:///opt/k3s/v1.33.6%2Bk3s1/" + binaryName()}, downloads: "true",
		},
		"ChecksumOnly": {
			reason: "The installer checks only against a list that whoever swaps K3s can swap, too.",
			change: func(n *Node, sum string) { n.BinarySHA256 = sum },
			said:   "done: k3s-cp-2", fetched: []string{DefaultReleaseURL + "/v1.33.6%2Bk3s1/" + binaryName()}, downloads: "true",
		},
		"Image": {
			reason: "The image brings the release.",
			change: func(n *Node, _ string) { n.ReleaseURL = mirror },
			world:  func(r *rig, _ string) { r.write("usr/local/bin/k3s", r.read("world/k3s"), 0o755) },
			said:   "K3s v1.33.6+k3s1 is there already: it is not downloaded", downloads: "true",
		},
		"ImageWithAnotherRelease": {
			reason: "The image brings an older one.",
			change: func(*Node, string) {},
			world: func(r *rig, _ string) {
				r.write("usr/local/bin/k3s", "#!/bin/sh\necho k3s version v1.32.0+k3s1\n", 0o755)
			},
			said: "done: k3s-cp-2", downloads: "false",
		},
		"ImageWithAnotherChecksum": {
			reason: "What the image brings is not what was asked for.",
			change: func(n *Node, sum string) { n.ReleaseURL, n.BinarySHA256 = mirror, sum },
			world: func(r *rig, _ string) {
				r.write("usr/local/bin/k3s", r.read("world/k3s")+"# another\n", 0o755)
			},
			said: "done: k3s-cp-2", fetched: []string{mirror + "/v1.33.6%2Bk3s1/" + binaryName()}, downloads: "true",
		},
		"WrongChecksum": {
			reason: "It is not installed.",
			change: func(n *Node, _ string) { n.ReleaseURL, n.BinarySHA256 = mirror, strings.Repeat("0", 64) },
			status: 1, said: "does not have the checksum " + strings.Repeat("0", 64) + "; it was not installed", fetched: []string{mirror + "/v1.33.6%2Bk3s1/" + binaryName()},
		},
		"WrongList": {
			reason: "Nor with a list that names others.",
			change: func(n *Node, _ string) { n.ReleaseURL = mirror },
			world:  func(r *rig, sum string) { r.write("world/sums", sum+"  k3s-airgap-images-amd64.tar\n", 0o644) },
			status: 1, said: " has no checksum of " + binaryName(), fetched: []string{mirror + "/v1.33.6%2Bk3s1/" + binaryName()},
		},
		"NoList": {
			reason: "What cannot be checked is not run.",
			change: func(n *Node, _ string) { n.ReleaseURL = mirror },
			status: 1, said: "binarySHA256 is not set, so K3s cannot be checked", fetched: []string{mirror + "/v1.33.6%2Bk3s1/" + binaryName()},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			n := joiner()
			r := newRig(t, n)

			hash := sha256.Sum256([]byte(r.read("world/k3s")))
			sum := hex.EncodeToString(hash[:])
			tc.change(&n, sum)

			// The checksum is of this rig's k3s, and the parameters are those of the changed node.
			env, err := n.env()
			r.try(err)
			r.setEnv(env)
			r.write("world/endpoint", "", 0o644)
			r.write("world/version", "v1.33.6+k3s1\n", 0o644)

			if tc.world != nil {
				tc.world(r, sum)
			}

			r.expect(tc.reason, tc.status, tc.said)

			fetched := slices.DeleteFunc(r.calls(), func(call string) bool { return !strings.HasSuffix(call, "/"+binaryName()) })
			for i := range fetched {
				fetched[i] = strings.TrimPrefix(fetched[i], "curl ")
			}

			if diff := cmp.Diff(tc.fetched, slices.Compact(fetched), cmp.Transformer("none", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("%s\nK3s was fetched: -want, +got:\n%s", tc.reason, diff)
			}

			if tc.status != 0 {
				if r.exists("usr/local/bin/k3s") {
					t.Errorf("%s\nK3s was installed", tc.reason)
				}

				return
			}

			if env := r.read("world/installer-env"); !strings.Contains(env, "INSTALL_K3S_SKIP_DOWNLOAD="+tc.downloads+"\n") {
				t.Errorf("%s\nthe installer's parameters are:\n%s", tc.reason, env)
			}

			if info, err := os.Stat(filepath.Join(r.root, "usr/local/bin/k3s")); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("%s\nK3s is %v (%v)", tc.reason, info, err)
			}
		})
	}
}

// TestBootstrapProxy: curl and the installer have it in their environment, and the installer's copy reaches K3s.
func TestBootstrapProxy(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := joiner()
	n.Proxy = Proxy{HTTP: "http://proxy.home.arpa:3128", HTTPS: "http://proxy.home.arpa:3129", No: []string{"192.168.4.0/24", ".home.arpa", "mirror.example.org"}}

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("The node is behind a proxy.", 0, "done")

	want := "HTTPS_PROXY=http://proxy.home.arpa:3129\nHTTP_PROXY=http://proxy.home.arpa:3128\n" +
		"NO_PROXY=localhost,127.0.0.0/8,k3s.home.arpa,192.168.4.12,192.168.4.0/24,.home.arpa,mirror.example.org\n"
	if diff := cmp.Diff(want, r.read("world/installer-proxy")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	file := fileOf(t, n, "/etc/apt/apt.conf.d/91-k3s-proxy")
	if file == nil {
		t.Fatal("apt has no proxy, and cloud-init installs packages with it")
	}

	want = "Acquire::http::Proxy \"http://proxy.home.arpa:3128\";\nAcquire::http::Proxy::mirror.example.org \"DIRECT\";\n" +
		"Acquire::https::Proxy \"http://proxy.home.arpa:3129\";\nAcquire::https::Proxy::mirror.example.org \"DIRECT\";\n"
	if diff := cmp.Diff(want, file.Content); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if fileOf(t, joiner(), "/etc/apt/apt.conf.d/91-k3s-proxy") != nil {
		t.Error("apt was given a proxy that is not there")
	}
}

func TestValidateProxy(t *testing.T) {
	cases := map[string]struct {
		reason string
		proxy  Proxy
		want   []string
	}{
		"None":     {"Most have none.", Proxy{}, nil},
		"Both":     {"All kinds of exceptions.", Proxy{HTTP: "http://10.0.0.1:3128", HTTPS: "https://proxy.home.arpa/", No: []string{".home.arpa", "10.0.0.0/8", "10.0.0.1", "fd00::/8", "host"}}, nil},
		"Password": {"Everybody who reads the catalogue would read it.", Proxy{HTTP: "http://u:secret@proxy:3128"}, []string{"proxy.http"}},
		"Scheme":   {"curl and Go differ in others.", Proxy{HTTPS: "socks5://proxy:1080"}, []string{"proxy.https"}},
		"NoScheme": {"It is not an address.", Proxy{HTTP: "proxy:3128"}, []string{"proxy.http"}},
		"Path":     {"A proxy has none.", Proxy{HTTP: "http://proxy:3128/pac"}, []string{"proxy.http"}},
		"Injected": {"A line of apt's settings is in quotes.", Proxy{HTTP: "http://proxy:3128\";Dpkg::x"}, []string{"proxy.http"}},
		"No":       {"A list is not one word; nothing twice.", Proxy{HTTP: "http://proxy:3128", No: []string{"a,b", "a b", "host", "host"}}, []string{"proxy.no[0]", "proxy.no[1]", "proxy.no[3]"}},
		"OnlyNo":   {"Exceptions from nothing.", Proxy{No: []string{"host"}}, []string{"proxy"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string

			for _, fault := range ValidateProxy(tc.proxy, field.NewPath("proxy")) {
				got = append(got, fault.Field)

				if strings.Contains(fault.Error(), "secret") {
					t.Errorf("%s\nthe password is in the message: %v", tc.reason, fault)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestProxyDoubts: ways past a proxy, or into it, that nobody means.
func TestProxyDoubts(t *testing.T) {
	cases := map[string]struct {
		reason string
		proxy  Proxy
		want   []Contradiction
	}{
		"None": {"Most have none.", Proxy{}, nil},
		"Both": {"As it should be.", Proxy{HTTP: "http://p:1", HTTPS: "http://p:1", No: []string{".home.arpa", "10.0.0.0/8", "host"}}, nil},
		"TLS":  {"The installer and all registries are reached over https.", Proxy{HTTPS: "http://p:1"}, nil},
		"HTTP": {
			"Nothing that a node fetches goes through it.",
			Proxy{HTTP: "http://p:1"},
			[]Contradiction{{"https", "is missing, and K3s and the images of containers come over https, which goes past the proxy then: set it, most often to the address of http"}},
		},
		"Star": {
			"K3s knows it, and curl does not.",
			Proxy{HTTPS: "http://p:1", No: []string{"*.home.arpa", "*lan"}},
			[]Contradiction{
				{"no", "*.home.arpa: curl, which fetches K3s and asks for the cluster, knows no * in a name, and takes the proxy: write .home.arpa"},
				{"no", "*lan: curl, which fetches K3s and asks for the cluster, knows no * in a name, and takes the proxy: write .lan"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ProxyDoubts(tc.proxy)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidateReleaseURL(t *testing.T) {
	for address, ok := range map[string]bool{
		DefaultReleaseURL: true, "https://mirror.home.arpa:8443/k3s/": true, "file:///opt/k3s": true, "file:///opt/k3s/": true,
		"http://mirror.home.arpa/k3s": false, "file://opt/k3s": false, "file:///": false, "file:///opt/../k3s": false, "file:///opt/k3s;x": true,
		"https://u:p@mirror/k3s": false, "https://mirror.home.arpa/k3s?a=b": false, "/opt/k3s": false, "": false,
	} {
		if faults := ValidateReleaseURL(address, field.NewPath("releaseURL")); (len(faults) == 0) != ok {
			t.Errorf("%q: %v, want accepted: %t", address, faults, ok)
		}
	}

	if faults := ValidateInstallURL("file:///opt/k3s/install.sh", field.NewPath("installURL")); len(faults) > 0 {
		t.Errorf("the installer may be in the image: %v", faults)
	}
}
