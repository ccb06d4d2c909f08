package compose

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// catalogue is what claims can name: what is built in, the Input's over it, and the EnvironmentConfig's over both. fetched
// is false while Crossplane has not fetched the EnvironmentConfig yet.
func catalogue(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, in *v1beta1.Input) (c catalog.Catalog, fetched bool, err error) {
	env, fetched := require(req, rsp, catalogRequirement, &fnv1.ResourceSelector{
		ApiVersion: "apiextensions.crossplane.io/v1beta1",
		Kind:       "EnvironmentConfig",
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: in.Catalog.Name},
	})
	if !fetched {
		return catalog.Catalog{}, false, nil
	}

	if err := oneCatalogue(env, in.Catalog.Name); err != nil {
		return catalog.Catalog{}, true, err
	}

	from := catalogueSource{name: in.Catalog.Name, found: len(env) > 0, data: first(env).GetFields()["data"]}
	if in.Catalog.Inline != nil {
		from.inline = in.Catalog.Inline.Raw
	}

	return latestCatalogues.of(from), true, nil
}

// oneCatalogue refuses what a step of the Composition may fetch under the catalogue's name in place of it.
func oneCatalogue(found []*fnv1.Resource, name string) error {
	names := make([]string, 0, len(found))

	for _, f := range found {
		kind := f.GetResource().GetFields()["kind"].GetStringValue()
		if kind != "EnvironmentConfig" {
			return errors.Errorf("the catalogue is an EnvironmentConfig, and Crossplane found a %s %q", message.Excerpt(kind), message.Excerpt(nameOf(f.GetResource())))
		}

		names = append(names, message.Excerpt(nameOf(f.GetResource())))
	}

	if len(found) > 1 {
		slices.Sort(names)

		return errors.Errorf("there must be one catalogue, EnvironmentConfig %s, and Crossplane found %d: %s. "+
			"Remove requirement %s from the step of the Composition", message.Excerpt(name), len(found), strings.Join(names, ", "), catalogRequirement)
	}

	return nil
}

// A catalogueSource is all that a catalogue is made of, beside what is built in.
type catalogueSource struct {
	inline []byte          // The Input's, as JSON; nil where it has none.
	name   string          // Of the EnvironmentConfig.
	found  bool            // Whether there is one.
	data   *structpb.Value // The EnvironmentConfig's; nil where it has none.
}

func (s catalogueSource) equal(other catalogueSource) bool {
	return s.name == other.name && s.found == other.found && bytes.Equal(s.inline, other.inline) && structcodec.Equal(s.data, other.data)
}

// decode a catalogue. A fault is reported to the claims that use the faulty part.
func (s catalogueSource) decode() catalog.Catalog {
	c := catalog.BuiltIn()

	if s.inline != nil {
		const at = "Input: catalog.inline"

		inline, faults := catalog.Decode(s.inline, at)
		c = catalog.Merge(c, inline.WithFaults(faults, at))
	}

	source := "EnvironmentConfig " + s.name

	switch {
	case !s.found:
		c.Absent = source + " was not found"
	case s.data == nil:
		c.Absent = source + " has no data: the catalogue belongs under the key data"
	default:
		named, faults := catalog.FromValue(s.data.AsInterface(), source+": data")
		c = catalog.Merge(c, named.WithFaults(faults, source+": data"))
	}

	c.Hash = s.hash()

	return validate.Sound(c)
}

// hash of a catalogue: two machines with one hash have the same catalogue. What is built in is not part of it.
func (s catalogueSource) hash() string {
	var inline any

	if len(s.inline) > 0 {
		// However it is written. What cannot be read is a fault for the claims, and equal to itself.
		if err := json.Unmarshal(s.inline, &inline); err != nil {
			inline = string(s.inline)
		}
	}

	b, err := json.Marshal([]any{inline, s.name, s.found, s.data.AsInterface()})
	if err != nil {
		return ""
	}

	h := sha256.Sum256(b)

	return hex.EncodeToString(h[:])[:10]
}

// latestCatalogues are those of the last calls. All machines of a site have the same catalogue, and each calls once a minute.
var latestCatalogues catalogueCache //nolint:gochecknoglobals // It saves work and changes no answer.

// mostCatalogues that are remembered: a control plane has one, or one for each tenant or site.
const mostCatalogues = 8

// A catalogueCache holds some decoded catalogues, which nobody changes. It compares whole sources, no hashes: the catalogue
// that it returns is always the one that decoding would.
type catalogueCache struct {
	latest atomic.Pointer[[]decodedCatalogue] // The one that was decoded last is the first. Nobody changes the slice.
}

type decodedCatalogue struct {
	source  catalogueSource
	catalog catalog.Catalog
}

func (k *catalogueCache) of(source catalogueSource) catalog.Catalog {
	known := k.known()

	for i := range known {
		if known[i].source.equal(source) {
			return known[i].catalog
		}
	}

	c := source.decode()
	// Where two calls decode at once, the next call of one of them decodes again.
	now := append([]decodedCatalogue{{source: source, catalog: c}}, known[:min(len(known), mostCatalogues-1)]...)
	k.latest.Store(&now)

	return c
}

// known catalogues, the one that was decoded last first.
func (k *catalogueCache) known() []decodedCatalogue {
	if known := k.latest.Load(); known != nil {
		return *known
	}

	return nil
}
