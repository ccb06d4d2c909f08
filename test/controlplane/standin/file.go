package standin

import (
	"fmt"
	"path"
	"slices"
)

// Files are EnvironmentFiles: snippets.
type files struct{}

// volumeOf a file or an image.
func (files) volumeOf(r request) string {
	name := text(r.fields["fileName"])
	if raw := block(r.fields["sourceRaw"]); raw != nil {
		name = text(raw["fileName"])
	}

	return fmt.Sprintf("%s:%s/%s", text(r.fields["datastoreId"]), text(r.fields["contentType"]), name)
}

func (f files) find(r request) *Volume {
	if r.id == "" {
		return nil
	}

	return r.world.volumes[text(r.fields["nodeName"])+" "+r.id]
}

func (f files) look(r request) values {
	v := f.find(r)
	if v == nil {
		return nil
	}

	out := r.fields.clone()
	out["id"], out["fileName"], out["fileSize"] = v.ID, path.Base(v.ID), int64(len(v.Content))

	return out
}

func (files) hangs(request) bool { return false }

func (files) begin(request) (string, error) { return "", nil }

func (f files) finish(r request) error {
	node := text(r.fields["nodeName"])
	if err := r.world.reachable(node); err != nil {
		return err
	}

	v := &Volume{Node: node, ID: f.volumeOf(r), Content: text(block(r.fields["sourceRaw"])["data"]), owner: r.uid}
	r.world.volumes[node+" "+v.ID] = v
	r.world.note("write %s on %s", v.ID, node)

	return nil
}

func (f files) replaced(r request) string {
	if v := f.find(r); v != nil && v.owner == r.uid && v.Content != text(block(r.fields["sourceRaw"])["data"]) {
		return "source_raw"
	}

	return ""
}

// current: what stands in a file is never read again.
func (files) current(request) bool { return true }

func (files) change(request) error { return nil }

func (f files) destroy(r request) error {
	if v := f.find(r); v != nil {
		delete(r.world.volumes, v.Node+" "+v.ID)
		r.world.note("remove %s from %s", v.ID, v.Node)
	}

	return nil
}

// Images are EnvironmentDownloadFiles.
type images struct{}

func (images) find(r request) *Volume { return files{}.find(r) }

func (i images) look(r request) values {
	v := i.find(r)
	if v == nil {
		return nil
	}

	out := r.fields.clone()
	out["id"], out["fileName"], out["size"] = v.ID, path.Base(v.ID), int64(1<<20)

	return out
}

func (images) hangs(request) bool { return false }

func (images) begin(request) (string, error) { return "", nil }

func (i images) finish(r request) error {
	node, id := text(r.fields["nodeName"]), files{}.volumeOf(r)
	if err := r.world.reachable(node); err != nil {
		return err
	}

	if _, exists := r.world.volumes[node+" "+id]; exists && !flag(r.fields["overwriteUnmanaged"]) {
		return fmt.Errorf("file already exists: File already exists in the datastore, it was created outside of Terraform or is managed by another resource.") //nolint:revive,staticcheck // Its words.
	}

	r.world.volumes[node+" "+id] = &Volume{Node: node, ID: id, owner: r.uid, url: text(r.fields["url"])}
	r.world.note("download %s to %s", id, node)

	return nil
}

func (i images) replaced(r request) string {
	if v := i.find(r); v != nil && v.owner == r.uid && v.url != text(r.fields["url"]) {
		return "url"
	}

	return ""
}

func (images) current(request) bool    { return true }
func (images) change(request) error    { return nil }
func (images) destroy(r request) error { return files{}.destroy(r) }

// reachable says whether a node is one of the cluster.
func (w *World) reachable(node string) error {
	if slices.Contains(w.nodes, node) {
		return nil
	}

	return fmt.Errorf("received an HTTP 500 response - Reason: hostname lookup '%s' failed - failed to get address info for: %s: Name or service not known", node, node)
}
