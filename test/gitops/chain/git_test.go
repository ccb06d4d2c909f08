package chain

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repositories are Git's own smart HTTP server on loopback.
type repositories struct {
	root string
	url  string
}

// serveGit serves the bare repositories in a folder until the test ends.
func serveGit(t *testing.T, root string) *repositories {
	t.Helper()
	must(t, os.MkdirAll(root, 0o700))

	path, err := exec.Command("git", "--exec-path").Output()
	must(t, err)

	s := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=test"},
		// It finds its other programs itself.
		InheritEnv: []string{"PATH", "HOME"},
		Stderr:     httpNoise{},
	})
	t.Cleanup(s.Close)

	return &repositories{root: root, url: s.URL}
}

// httpNoise is what the backend says of requests that it refuses; Flux says it, too.
type httpNoise struct{}

func (httpNoise) Write(p []byte) (int, error) { return len(p), nil }

// A checkout is a clone with which commits are made.
type checkout struct {
	t   *testing.T
	dir string
	url string
}

// create a repository, and a clone of it.
func (g *repositories) create(t *testing.T, name, dir string) *checkout {
	t.Helper()

	c := &checkout{t: t, dir: dir, url: g.url + "/" + name + ".git"}
	must(t, os.MkdirAll(dir, 0o700))

	bare := filepath.Join(g.root, name+".git")
	run(t, "", nil, "git", "init", "-q", "--bare", "-b", "main", bare)
	run(t, bare, nil, "git", "config", "http.receivepack", "true")
	c.git("init", "-q", "-b", "main", ".")
	c.git("config", "user.name", "test")
	c.git("config", "user.email", "test@example.org")
	c.git("remote", "add", "origin", c.url)

	return c
}

func (c *checkout) git(args ...string) string {
	c.t.Helper()
	return run(c.t, c.dir, nil, "git", args...)
}

// push everything that was changed, and return the revision as Flux writes it.
func (c *checkout) push(message string) string {
	c.t.Helper()

	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", message)
	c.git("push", "-q", "-u", "origin", "main")

	return "main@sha1:" + c.git("rev-parse", "HEAD")
}

func (c *checkout) read(path string) string {
	c.t.Helper()

	content, err := os.ReadFile(filepath.Join(c.dir, path))
	must(c.t, err)

	return string(content)
}

func (c *checkout) write(path, content string) {
	c.t.Helper()
	must(c.t, os.MkdirAll(filepath.Dir(filepath.Join(c.dir, path)), 0o700))
	must(c.t, os.WriteFile(filepath.Join(c.dir, path), []byte(content), 0o600))
}

// edit a file; what is replaced must be there.
func (c *checkout) edit(path string, oldNew ...string) {
	c.t.Helper()

	content := c.read(path)

	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(content, oldNew[i]) {
			c.t.Fatalf("%s has no %q", path, oldNew[i])
		}

		content = strings.ReplaceAll(content, oldNew[i], oldNew[i+1])
	}

	c.write(path, content)
}

func (c *checkout) remove(path string) {
	c.t.Helper()
	must(c.t, os.Remove(filepath.Join(c.dir, path)))
}

// run a program and return what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()

	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)

	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}

	return strings.TrimSpace(string(out))
}
