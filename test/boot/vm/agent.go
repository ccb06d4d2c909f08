package vm

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Link is a network link of the guest, as its guest agent lists it.
type Link struct {
	Name      string `json:"name"`
	MAC       string `json:"hardware-address"`
	Addresses []struct {
		IP string `json:"ip-address"`
	} `json:"ip-addresses"`
}

// reportName is how a link by which a guest reports on itself begins.
var reportName = regexp.MustCompile(`^(k3s|nix)-`)

// agentLooks are what the guest agent listed during a boot, as Proxmox asks it.
type agentLooks struct {
	mu    sync.Mutex
	links [][]Link
}

// watch the guest agent until the context ends. It answers nothing before its package is installed.
func (a *agentLooks) watch(ctx context.Context, dir string) {
	for ctx.Err() == nil {
		if links, err := askAgent(ctx, filepath.Join(dir, "agent")); err == nil {
			a.mu.Lock()
			a.links = append(a.links, links)
			a.mu.Unlock()
		}

		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

func askAgent(ctx context.Context, socket string) ([]Link, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // It was only asked.

	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, err
	}

	if _, err := conn.Write([]byte(`{"execute":"guest-network-get-interfaces"}` + "\n")); err != nil {
		return nil, err
	}

	line, err := bufio.NewReader(conn).ReadBytes('\n')
	if err != nil {
		return nil, err
	}

	var answer struct {
		Return []Link `json:"return"`
	}

	return answer.Return, json.Unmarshal(line, &answer)
}

// reported are the words that the guest reported, in order, each once in a row. A look with none says "".
func (a *agentLooks) reported() []string {
	a.mu.Lock()
	defer a.mu.Unlock()

	var out []string

	for _, links := range a.links {
		var names []string

		for _, l := range links {
			if reportName.MatchString(l.Name) {
				names = append(names, l.Name)
			}
		}

		word := strings.Join(names, " ")
		if len(out) == 0 || out[len(out)-1] != word {
			out = append(out, word)
		}
	}

	return out
}

// addressed are the words that ever had an IP address.
func (a *agentLooks) addressed() []string {
	a.mu.Lock()
	defer a.mu.Unlock()

	var out []string

	for _, links := range a.links {
		for _, l := range links {
			if reportName.MatchString(l.Name) && len(l.Addresses) > 0 && !slices.Contains(out, l.Name) {
				out = append(out, l.Name)
			}
		}
	}

	return out
}
