package k3s

import "testing"

// TestTakenPort: HAProxy on a server, as guides for a highly available K3s have it, beside the API.
func TestTakenPort(t *testing.T) {
	const haproxy = "/etc/haproxy/haproxy.cfg"

	for name, tc := range map[string]struct {
		reason, file, content string
		config                map[string]any
		want                  string
	}{
		"All":       {"K3s listens there, too.", haproxy, "frontend k3s\n  bind *:6443\n", nil, haproxy},
		"Address":   {"All addresses have this one among them.", haproxy, "  bind 192.168.4.79:6443 transparent\n", nil, haproxy},
		"Six":       {"So does IPv6.", haproxy, "  bind [::]:6443 v4v6\n", nil, haproxy},
		"Stream":    {"nginx passes it on.", "/etc/nginx/stream.conf", "server {\n  listen 6443;\n}\n", nil, "/etc/nginx/stream.conf"},
		"OtherPort": {"As it should be.", haproxy, "  bind *:7443\n  server a 192.168.4.61:6443\n", nil, ""},
		"MovedAPI":  {"K3s listens elsewhere.", haproxy, "  bind *:6443\n", map[string]any{"https-listen-port": int64(7443)}, ""},
		"Moved":     {"And meets it there.", haproxy, "  bind *:7443\n", map[string]any{"https-listen-port": int64(7443)}, haproxy},
		"Bound":     {"K3s has an address of its own.", haproxy, "  bind 192.168.4.79:6443\n", map[string]any{"bind-address": "192.168.4.61"}, ""},
		"Named":     {"A name that begins with a port.", haproxy, "listen 6443-api\n  bind *:7443\n", nil, ""},
		"Two":       {"One of two.", haproxy, "  bind *:6443,*:80\n", nil, haproxy},
		"Comment":   {"It is off.", haproxy, "  # bind *:6443\n", nil, ""},
		"Elsewhere": {"A file of nobody who listens.", "/etc/app.conf", "listen 6443\n", nil, ""},
	} {
		if got, _ := TakenPort(tc.config, map[string]string{tc.file: tc.content}); got != tc.want {
			t.Errorf("%s: %s\ngot %q, want %q", name, tc.reason, got, tc.want)
		}
	}
}
