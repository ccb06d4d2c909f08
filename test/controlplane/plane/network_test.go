package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNetwork runs a program in a namespace. It reaches the one address that is forwarded, and two listen on one port in two namespaces.
func TestNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "from outside") }))
	t.Cleanup(server.Close)

	address := server.Listener.Addr().String()

	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)

	for i := range 2 {
		n, err := NewNetwork()
		if errors.Is(err, unix.EPERM) {
			t.Skip("this user may not make network namespaces")
		}

		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() { _ = n.Close() })

		forwarded, err := n.Forward(address)
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() { _ = forwarded.Close() })

		var out strings.Builder

		// The shell's own connections: an image for tests need not have curl.
		cmd := exec.CommandContext(t.Context(), "bash", "-c", `exec 3<>"/dev/tcp/${0/://}" && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && cat <&3; exec 4<>"/dev/tcp/${1/://}"`,
			address, other.Listener.Addr().String())
		cmd.Stdout = &out

		if err := n.do(cmd.Start); err != nil {
			t.Fatal(err)
		}

		if err := cmd.Wait(); err == nil {
			t.Errorf("the program reached an address that is not forwarded")
		}

		if !strings.HasSuffix(out.String(), "from outside") {
			t.Errorf("the program got %q", &out)
		}

		var same io.Closer

		err = n.do(func() (err error) {
			same, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", ":9443")
			return err
		})
		if err != nil {
			t.Fatalf("namespace %d: %v", i, err)
		}

		t.Cleanup(func() { _ = same.Close() })
	}
}
