package privilege

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Without an option, Proxmox proposes the lowest free VMID of these: $next_id_format in PVE/DataCenterConfig.pm of pve-cluster.
const (
	firstProposed = 100
	// afterProposed is the first VMID that it never proposes.
	afterProposed = 1_000_000
)

// A Range of VMIDs, with both its ends.
type Range struct{ From, To int64 }

func (r Range) String() string { return fmt.Sprintf("%d-%d", r.From, r.To) }

// A NextID are the bounds of the VMIDs that Proxmox proposes, which is its option next-id: Lower is the first of them, and Upper the first that is none.
type NextID struct{ Lower, Upper int64 }

// NextIDBeside is the largest part of what Proxmox proposes that meets no range; of two of the same size, the lower one. ok is false where there is no
// range to keep clear of, or nothing left beside them.
func NextIDBeside(ranges []Range) (out NextID, ok bool) {
	if len(ranges) == 0 {
		return NextID{}, false
	}

	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	free := int64(firstProposed)

	for _, r := range append(sorted, Range{afterProposed, afterProposed}) {
		if end := min(r.From, afterProposed); end-free > out.Upper-out.Lower {
			out = NextID{free, end}
		}

		free = max(free, r.To+1)
	}

	return out, out != NextID{}
}

// Meets are the ranges of which Proxmox proposes VMIDs with these bounds.
func (n NextID) Meets(ranges []Range) []Range {
	var out []Range

	for _, r := range ranges {
		if r.From < n.Upper && r.To >= n.Lower {
			out = append(out, r)
		}
	}

	return out
}

// Command sets the bounds, on a node, as root.
func (n NextID) Command() string {
	return fmt.Sprintf("pvesh set /cluster/options --next-id lower=%d,upper=%d", n.Lower, n.Upper)
}

// NextIDAdvice says how Proxmox proposes no VMID of ranges, in lines; none where nothing is to be said.
func NextIDAdvice(ranges []Range) []string {
	n, ok := NextIDBeside(ranges)
	if !ok {
		return nil
	}

	return []string{
		fmt.Sprintf("So that Proxmox proposes no VMID of %s (vmIds of the catalogue) for a VM that a person makes, once in its cluster:", listed(ranges)),
		n.Command(),
	}
}

// listed ranges.
func listed(ranges []Range) string {
	var out []string
	for _, r := range ranges {
		out = append(out, r.String())
	}

	slices.Sort(out)

	return strings.Join(slices.Compact(out), ", ")
}

// ReadNextID reads the bounds from what pvesh get /cluster/options prints with --output-format json.
func ReadNextID(data []byte) (NextID, error) {
	var options map[string]json.RawMessage
	if err := json.Unmarshal(data, &options); err != nil {
		return NextID{}, errors.New("cannot read the options: they must be what `pvesh get /cluster/options --output-format json` prints")
	}

	out := NextID{firstProposed, afterProposed}

	said, err := nextIDFields(options["next-id"])
	if err != nil {
		return NextID{}, err
	}

	for name, bound := range map[string]*int64{"lower": &out.Lower, "upper": &out.Upper} {
		text, ok := said[name]
		if !ok {
			continue
		}

		if *bound, err = strconv.ParseInt(text, 10, 64); err != nil {
			return NextID{}, errors.Errorf("cannot read the options: next-id has %s=%q, which is no VMID: want such as 100", name, text)
		}
	}

	return out, nil
}

// nextIDFields are those of the option. Proxmox reports an object, with texts or numbers, or the text of the option.
func nextIDFields(raw json.RawMessage) (map[string]string, error) {
	out := map[string]string{}

	var (
		text   string
		object map[string]any
	)

	switch {
	case len(raw) == 0:
	case json.Unmarshal(raw, &text) == nil:
		for part := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(part, "=")
			out[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	case json.Unmarshal(raw, &object) == nil:
		for name, value := range object {
			// A number that JSON has as 1e+06 is none for Proxmox.
			if n, ok := value.(float64); ok {
				value = int64(n)
			}

			out[name] = fmt.Sprint(value)
		}
	default:
		return nil, errors.New("cannot read the options: next-id must be such as lower=100,upper=4000")
	}

	return out, nil
}

// CheckNextID says in a line whether Proxmox proposes VMIDs of the site's ranges, with the command for it to stop; right is false where it does. Empty
// for a site without ranges.
func (s Site) CheckNextID(has NextID) (line string, right bool) {
	if len(s.VMIDs) == 0 {
		return "", true
	}

	met := has.Meets(s.VMIDs)
	if len(met) == 0 {
		return "next-id: Proxmox proposes no VMID of " + listed(s.VMIDs) + " for a VM that a person makes.", true
	}

	line = fmt.Sprintf("next-id: Proxmox proposes VMIDs from %d to %d for a VM that a person makes, and %s are for machines (vmIds of the catalogue). ", has.Lower, has.Upper-1, listed(met))

	n, ok := NextIDBeside(s.VMIDs)
	if !ok {
		return line + "No VMID from 100 to 999999 is beside them: have vmIds leave some.", false
	}

	return line + "Run as root on one node: " + n.Command(), false
}
