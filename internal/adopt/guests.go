package adopt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Script prints what [Read] reads of all guests. It is for a shell on a Proxmox node, which has pvesh, and changes nothing there:
//
//	kubectl machine adopt --script | ssh root@pve sh > guests.json
const Script = `ask() { printf '{"path":"%s","answer":' "$1"; pvesh get "$1" --output-format json 2>/dev/null || printf null; printf '}\n'; }
ask /cluster/resources
for file in /etc/pve/nodes/*/qemu-server/*.conf /etc/pve/nodes/*/lxc/*.conf; do
  [ -e "$file" ] || continue
  node=${file#/etc/pve/nodes/}; node=${node%%/*}; id=${file##*/}; id=${id%.conf}
  case $file in */lxc/*) kind=lxc ;; *) kind=qemu ;; esac
  ask "/nodes/$node/$kind/$id/config"
done
`

// A State says whether a guest runs.
type State string

const (
	// StateUnknown is that of a guest of which only the configuration is known.
	StateUnknown State = ""
	// StateRunning is that of a guest that runs.
	StateRunning State = "running"
	// StateStopped is that of a guest that is stopped.
	StateStopped State = "stopped"
)

// A Guest is a VM or a container that somebody made by hand.
type Guest interface {
	// About says which guest it is.
	About() About
	// Unfit says why the guest cannot be adopted as it is, and what to do; empty where it can.
	Unfit() string
	// Cautions are what a person should know before the adoption, a sentence each.
	Cautions() []string
	// Claim that adopts the guest, with comments.
	Claim(o Options) ([]byte, error)
}

// A Kind of guests.
type Kind string

const (
	// KindVM is that of VMs.
	KindVM Kind = "VM"
	// KindContainer is that of containers.
	KindContainer Kind = "Container"
)

// About says which guest it is.
type About struct {
	ID   int64
	Kind Kind
	Name string // In Proxmox; empty where it has none.
}

// String names the guest in a message.
func (a About) String() string {
	if a.Name == "" {
		return fmt.Sprintf("%s %d", a.Kind, a.ID)
	}

	return fmt.Sprintf("%s %d (%s)", a.Kind, a.ID, message.Key(a.Name))
}

// Guests are what was read, by their VMIDs.
type Guests struct {
	All []Guest
	// Unread are the VMIDs of guests of which Proxmox did not say the configuration, with the node of each.
	Unread map[int64]string
}

// An answer of pvesh, with the path that was asked.
type answer struct {
	Path   string          `json:"path"`
	Answer json.RawMessage `json:"answer"`
}

const whatToRead = "must be what `pvesh get /nodes/NODE/qemu/VMID/config --output-format json` prints, or lxc for a container; or, for several guests, what " +
	"`kubectl machine adopt --script` prints on a node"

// Read what [Script] printed, or what `pvesh get /nodes/NODE/qemu/VMID/config --output-format json` prints of one guest, or the same with lxc: that
// answer has neither VMID nor node, which are alone's then.
func Read(from io.Reader, alone Alone) (Guests, error) {
	out := Guests{Unread: map[int64]string{}}
	states := map[int64]State{}

	var all []answer

	for decoder := json.NewDecoder(from); ; {
		var raw json.RawMessage

		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}

		var a answer
		if err == nil {
			err = json.Unmarshal(raw, &a)
		}

		switch {
		case err != nil:
			return out, errors.New("cannot read the configuration: it " + whatToRead)
		case a.Path != "" && a.Answer != nil:
			all = append(all, a)
			continue
		case len(all) > 0:
			return out, errors.New("cannot read the configuration: it " + whatToRead)
		}

		g, err := guest(raw, alone)

		return Guests{All: []Guest{g}}, err
	}

	if len(all) == 0 {
		return out, errors.New("cannot read the configuration, there is none: it " + whatToRead)
	}

	for _, a := range all {
		if a.Path == "/cluster/resources" {
			states = statesOf(a.Answer)
		}
	}

	for _, a := range all {
		if err := out.add(a, states); err != nil {
			return out, err
		}
	}

	slices.SortStableFunc(out.All, func(a, b Guest) int { return cmp.Compare(a.About().ID, b.About().ID) })

	return out, nil
}

// Alone is what the configuration of a single guest does not say.
type Alone struct {
	ID   int64 // The VMID; 0 where nobody said one.
	Node string
}

var configPath = regexp.MustCompile(`^/nodes/([^/]+)/(?:qemu|lxc)/([1-9][0-9]{2,8})/config$`)

// add the guest of an answer; nothing of another answer.
func (g *Guests) add(a answer, states map[int64]State) error {
	m := configPath.FindStringSubmatch(a.Path)
	if m == nil {
		return nil
	}

	id, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return errors.Wrapf(err, "cannot read the path %s", message.Excerpt(a.Path))
	}

	if string(a.Answer) == "null" {
		g.Unread[id] = m[1]
		return nil
	}

	one, err := guest(a.Answer, Alone{ID: id, Node: m[1]})
	if err != nil {
		return errors.Wrapf(err, "%s", message.Excerpt(a.Path))
	}

	switch one := one.(type) {
	case VM:
		one.State = states[id]
		g.All = append(g.All, one)
	case Container:
		one.State = states[id]
		g.All = append(g.All, one)
	}

	return nil
}

// statesOf guests, as /cluster/resources says them. Of an answer that is none, nothing is known.
func statesOf(raw json.RawMessage) map[int64]State {
	var all []struct {
		VMID   int64 `json:"vmid"`
		Status State `json:"status"`
	}

	out := map[int64]State{}
	if err := json.Unmarshal(raw, &all); err != nil {
		return out
	}

	for _, r := range all {
		if r.Status == StateRunning || r.Status == StateStopped {
			out[r.VMID] = r.Status
		}
	}

	return out
}

// settings of which every guest has some; Proxmox itself writes the digest into each answer.
var settings = []string{ //nolint:gochecknoglobals // A constant list.
	"digest", "name", "hostname", "cores", "memory", "net0", "boot", "rootfs", "template",
}

// guest of a configuration: a flat object. Only a container has a root file system.
func guest(raw json.RawMessage, at Alone) (Guest, error) {
	values := map[string]any{}

	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()

	if err := decoder.Decode(&values); err != nil {
		return nil, errors.New("cannot read the configuration: it " + whatToRead)
	}

	config := map[string]string{}

	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, list := values[name].([]any)

		switch text := values[name].(type) {
		case string:
			config[name] = text
		case json.Number:
			config[name] = text.String()
		case bool:
			config[name] = map[bool]string{false: "0", true: "1"}[text]
		default:
			if name != "lxc" || !list {
				return nil, errors.Errorf("cannot read the configuration: it has %s, which is no setting of a guest: it %s", message.Excerpt(name), whatToRead)
			}

			config[name] = fmt.Sprintf("%d settings", len(v)) // Of LXC itself.
		}
	}

	if !slices.ContainsFunc(settings, func(name string) bool { return config[name] != "" }) {
		return nil, errors.New("cannot read the configuration: it has no setting of a guest: it " + whatToRead)
	}

	if _, container := config["rootfs"]; container {
		return Container{ID: at.ID, Node: at.Node, Config: config}, nil
	}

	return VM{ID: at.ID, Name: config["name"], Config: config}, nil
}
