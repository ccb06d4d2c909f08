package plane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// grows is a mover: the log of a process.
func (p *Process) grows() Mover {
	was := int64(-1)

	return func(context.Context) (string, error) {
		info, err := os.Stat(p.log)
		if err != nil || info.Size() == was {
			return "", err
		}

		was = info.Size()

		return "the log of " + p.Name, nil
	}
}

// Keys of the API server in etcd, as a range of etcd's.
const (
	firstKey = "/registry/"
	afterKey = "/registry0"
)

// stored is a mover: the objects of an API server, in an etcd at a URL. Logs are none, since Crossplane's grows while all is still.
func stored(url string) Mover {
	revision, count := int64(0), ""

	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()

		now, err := writtenSince(ctx, url, revision)
		if err != nil {
			return "", err
		}

		what := now.newest()
		if what == "" && now.Count != count {
			what = "the number of objects"
		}

		revision, count = now.Header.Revision, now.Count

		return what, nil
	}
}

// written is etcd's answer, of its gateway: keys are texts in base64, numbers are texts.
type written struct {
	Header struct {
		Revision int64 `json:"revision,string"`
	} `json:"header"`
	Keys []struct {
		Key      []byte `json:"key"`
		Revision int64  `json:"mod_revision,string"`
		Version  int64  `json:"version,string"`
	} `json:"kvs"`
	// Count of all keys, whenever they were written.
	Count string `json:"count"`
}

func writtenSince(ctx context.Context, url string, revision int64) (out written, err error) {
	body, err := json.Marshal(map[string]any{"key": []byte(firstKey), "range_end": []byte(afterKey), "keys_only": true, "min_mod_revision": revision + 1})
	if err != nil {
		return out, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v3/kv/range", bytes.NewReader(body))
	if err != nil {
		return out, err
	}

	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		return out, err
	}
	defer rsp.Body.Close()

	if rsp.StatusCode != http.StatusOK {
		return out, fmt.Errorf("etcd says %s", rsp.Status)
	}

	return out, json.NewDecoder(rsp.Body).Decode(&out)
}

// newest key that was written because something moved; empty if there is none. A Lease is renewed for ever, and an Event counts how often
// something was tried in vain.
func (w written) newest() string {
	key, revision := "", int64(0)

	for _, k := range w.Keys {
		name := strings.TrimPrefix(string(k.Key), firstKey)
		if strings.HasPrefix(name, "leases/") || strings.HasPrefix(name, "events/") && k.Version > 1 {
			continue
		}

		if k.Revision > revision {
			key, revision = name, k.Revision
		}
	}

	return key
}
