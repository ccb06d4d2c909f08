package bootstrap

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/memo"
	"github.com/homelab-io/function-proxmox-machine/internal/nixos"
	"github.com/homelab-io/function-proxmox-machine/internal/secretstore"
)

// A Made is what a VM was created with, as far as it is known.
type Made struct {
	// UserData is the text of the snippet that the function rendered; empty if it is not known.
	UserData string
	// Volume IDs of snippets that the user placed on the node; empty if there are none.
	UserDataID, VendorDataID, MetaDataID string
	// Native is true if Proxmox generated the user-data.
	Native bool
}

// A DifferenceKind says what a difference asks for.
type DifferenceKind string

// The kinds of differences.
const (
	// DifferenceField: only a new VM gets what the claim says.
	DifferenceField DifferenceKind = "Field"
	// DifferenceToken: the K3s token. A node needs it to join, and not afterwards.
	DifferenceToken DifferenceKind = "Token"
	// DifferenceVersion: the release of K3s. An existing node is upgraded in its cluster.
	DifferenceVersion DifferenceKind = "Version"
	// DifferenceSecret: the content of a file from a Secret.
	DifferenceSecret DifferenceKind = "Secret"
	// DifferenceCluster: a setting of the cluster, or of the Node in it, which a new VM alone does not change, or must not: see [k3s.SettledBy].
	DifferenceCluster DifferenceKind = "Cluster"
	// DifferenceDisk: the file system and the mount path of a data disk. A person sets up the disk in the guest, because a new VM would
	// have empty disks.
	DifferenceDisk DifferenceKind = "Disk"
)

// A Difference is one thing that the claim, or its catalogue, describes otherwise than a VM was created with.
type Difference struct {
	Kind DifferenceKind
	// Field is the path in the claim, or the key of the user-data, for instance spec.k3s.labels.
	Field string
	// Has and Wanted are the two releases of K3s; empty for all other kinds, because values can be secret.
	Has, Wanted string
	// Advice is what to do: in the guest, as sentences, of kind Disk; in the cluster, as a clause, of kind Cluster; empty for all other kinds.
	Advice string
}

// Differences names what of the bootstrap data differs from what a VM was created with, sorted by field. It is empty if nothing is
// known of the VM's bootstrap data, or if only the function's own part differs.
func (b *Bootstrap) Differences(made Made) []Difference {
	var out []Difference

	for name, differs := range map[string]bool{
		"userData": made.UserDataID != b.UserDataID, "vendorData": made.VendorDataID != b.VendorDataID, "metaData": made.MetaDataID != b.MetaDataID,
	} {
		if differs {
			out = append(out, inField("spec.bootstrap.snippets."+name))
		}
	}

	switch {
	case b.Mode == ModeNative && made.UserData != "":
		if rendered := b.asRendered(); rendered != nil {
			out = append(out, rendered.userDataDifferences(made.UserData)...)
		}
	case b.Mode != ModeRendered:
	case made.UserData != "":
		out = append(out, b.userDataDifferences(made.UserData)...)
	case made.Native:
		for _, d := range b.disks {
			out = append(out, Difference{Kind: DifferenceDisk, Field: diskField(d.Name), Advice: datadisks.ByHand(d)})
		}
	}

	slices.SortFunc(out, func(x, y Difference) int { return strings.Compare(x.Field, y.Field) })

	return slices.Compact(out)
}

// mostDifferences of VMs are remembered at once: some paths for each.
const mostDifferences = 4096

// What follows from texts, by their checksum. Neither has a value of the texts that is secret.
var (
	differences = memo.New[checksum, []Difference](mostDifferences) //nolint:gochecknoglobals // The key decides the value.
	k3sVersions = memo.New[checksum, string](mostDifferences)       //nolint:gochecknoglobals // Likewise.
	k3sShared   = memo.New[checksum, *k3s.Shared](mostDifferences)  //nolint:gochecknoglobals // Likewise. Nil: it installs no server.
)

type checksum [sha256.Size]byte

func checksumOf(texts ...[]byte) checksum {
	sum := sha256.New()

	for _, text := range texts {
		// A hash never fails.
		_, _ = fmt.Fprintln(sum, len(text))
		_, _ = sum.Write(text)
	}

	return checksum(sum.Sum(nil))
}

// userDataDifferences compares with the document of the release that is nearest to what the VM has: a release adds files, and no
// claim asked for those. A VM differs for good after a key was rotated, so the answer is remembered by all that it follows from.
func (b *Bootstrap) userDataDifferences(made string) []Difference {
	digest := b.document.Digest()
	key := checksumOf([]byte(made), digest[:], []byte(b.nodeUID), strconv.AppendBool(nil, b.labelled), fmt.Appendf(nil, "%q", b.additions))

	nearest, _ := differences.Of(key, func() ([]Difference, error) {
		written, err := b.with(b.labelled, b.additions)
		if err != nil {
			return nil, err
		}

		var texts [][]byte

		for _, d := range append([]cloudinit.Document{written}, b.former()...) {
			text, err := d.Marshal()
			if err != nil {
				return nil, err
			}

			texts = append(texts, text)
		}

		return b.nearest(made, texts, constantFiles(written)), nil
	})

	// Who gets them may sort them and add to them.
	return slices.Clone(nearest)
}

// nearest are the differences of what was made from that of some documents from which it differs least.
func (b *Bootstrap) nearest(made string, documents [][]byte, constant map[string]bool) []Difference {
	was, err := readDocument(made)
	if err != nil {
		return nil
	}

	var nearest []Difference

	for i, text := range documents {
		is, err := readDocument(string(text))
		if err != nil {
			return nil
		}

		if found := b.secrets(was, is, compare(was, is, constant)); i == 0 || len(found) < len(nearest) {
			nearest = found
		}
	}

	return nearest
}

// secrets names the differences in files from Secrets.
func (b *Bootstrap) secrets(was, is document, all []Difference) []Difference {
	for _, f := range b.document.WriteFiles {
		if !f.Secret {
			continue
		}

		for i, d := range all {
			if d != fileDifference(f.Path) {
				continue
			}

			all[i] = inField("spec.bootstrap.secrets[" + f.Path + "]")

			// Where one of the two has no such file, the claim was edited.
			_, had := was.files[f.Path]
			if _, has := is.files[f.Path]; had && has {
				all[i].Kind = DifferenceSecret
			}
		}
	}

	return all
}

func fileDifference(path string) Difference {
	return inField("spec.bootstrap.userData (write_files " + path + ")")
}

func (b *Bootstrap) former() []cloudinit.Document {
	var out []cloudinit.Document
	for _, r := range cloudinit.FormerReleases() {
		out = append(out, b.document.As(r))
	}

	return out
}

// constantFiles are the paths of files whose content is the function's own.
func constantFiles(d cloudinit.Document) map[string]bool {
	out := map[string]bool{}

	for _, f := range d.WriteFiles {
		if f.Constant {
			out[f.Path] = true
		}
	}

	return out
}

// K3sVersion returns the release of K3s that a rendered user-data installs; empty if there is none.
func K3sVersion(userData string) string {
	version, err := k3sVersions.Of(checksumOf([]byte(userData)), func() (string, error) {
		d, err := readDocument(userData)

		return variables(d.files[k3s.EnvPath])[k3s.EnvVersion], err
	})
	if err != nil {
		return ""
	}

	return version
}

// K3sServerToken returns the password in the token that a rendered user-data has in clear text, without the hash of the cluster's certificate; empty if there
// is none, and for a token that only agents join with.
func K3sServerToken(userData string) string {
	d, err := readDocument(userData)
	if err != nil {
		return ""
	}

	return k3s.ServerPassword(strings.TrimSpace(d.files[tokenPath(d)]))
}

// K3sShared returns what a rendered user-data says of the settings that all servers of a K3s cluster have alike; known is false where it installs no server.
func K3sShared(userData string) (shared k3s.Shared, known bool) {
	// What is returned beside an error is not remembered.
	made, _ := k3sShared.Of(checksumOf([]byte(userData)), func() (*k3s.Shared, error) {
		d, err := readDocument(userData)

		var config map[string]any
		if text, written := d.files[k3s.ConfigPath]; err != nil || !written || yaml.Unmarshal([]byte(text), &config) != nil {
			return nil, err
		}

		made := k3s.SharedOf(config)
		if made.HasSecret() {
			err = errors.New("a secret is not remembered")
		}

		return &made, err
	})
	if made == nil {
		return k3s.Shared{}, false
	}

	return *made, true
}

// A document is a cloud-config as it is read.
type document struct {
	keys  map[string]any    // Without write_files.
	files map[string]string // Content by path; parts of one file together.
}

func readDocument(text string) (document, error) {
	c, err := cloudinit.Read(text)
	if err != nil {
		return document{}, err
	}

	out := document{keys: c.Keys, files: c.Files}

	// No claim asked for them.
	delete(out.files, k3s.UIDPath)
	delete(out.files, k3s.AdditionsPath)
	out.dropSecretStore()
	out.dropDisks()

	return out, nil
}

// dropSecretStore drops what follows from the configuration of the secret store, which stays.
func (d document) dropSecretStore() {
	if _, ok := d.files[secretstore.ConfigPath]; !ok {
		return
	}

	for path := range d.files {
		if secretstore.Owned(path) {
			delete(d.files, path)
		}
	}

	var (
		disks       = datadisks.Mounts{{}}
		last        = list(secretstore.LastCommands())
		commands, _ = d.keys["runcmd"].([]any)
		before      int // The commands of the data disks come first.
	)

	if of := list(disks.FirstCommands()); hasAt(commands, 0, of) {
		before = len(of)
	}

	for _, refreshes := range []bool{true, false} {
		if first := list(secretstore.FirstCommands(refreshes)); hasAt(commands, before, first) {
			commands = slices.Delete(slices.Clone(commands), before, before+len(first))
		}
	}

	if end := len(commands) - len(last); hasAt(commands, end, last) {
		commands = commands[:end]
	}

	if both := list(secretstore.LastCommandsAfter(disks.LastCommands())); hasAt(commands, len(commands)-len(both), both) {
		commands = append(slices.Clone(commands[:len(commands)-len(both)]), list(disks.LastCommands())...)
	}

	setList(d.keys, "runcmd", commands)
}

// hasAt says whether a list has another one at an index.
func hasAt(all []any, i int, part []any) bool {
	return i >= 0 && len(all) >= i+len(part) && reflect.DeepEqual(all[i:i+len(part)], part)
}

// dropDisks drops what follows from the table of data disks, which stays.
func (d document) dropDisks() {
	table, ok := d.files[datadisks.TablePath]
	if !ok {
		return
	}

	for path := range d.files {
		if datadisks.Owned(path) && path != datadisks.TablePath {
			delete(d.files, path)
		}
	}

	one := datadisks.Mounts{{}}
	commands, _ := d.keys["runcmd"].([]any)

	if first := list(one.FirstCommands()); len(commands) >= len(first) && reflect.DeepEqual(commands[:len(first)], first) {
		commands = commands[len(first):]
	}

	if last := list(one.LastCommands()); len(commands) > 0 && reflect.DeepEqual(commands[len(commands)-1:], last) {
		commands = commands[:len(commands)-1]
	}

	setList(d.keys, "runcmd", commands)

	if strings.Contains(table, " xfs ") {
		packages, _ := d.keys["packages"].([]any)
		setList(d.keys, "packages", slices.DeleteFunc(slices.Clone(packages), func(p any) bool { return p == "xfsprogs" }))
	}
}

func setList(keys map[string]any, key string, values []any) {
	if keys[key] = values; len(values) == 0 {
		delete(keys, key)
	}
}

// list is a list of commands as YAML is read.
func list(commands [][]string) []any {
	out := make([]any, 0, len(commands))

	for _, c := range commands {
		words := make([]any, 0, len(c))
		for _, w := range c {
			words = append(words, w)
		}

		out = append(out, words)
	}

	return out
}

func compare(was, is document, constant map[string]bool) []Difference {
	var out []Difference

	for _, key := range differing(was.keys, is.keys) {
		out = append(out, keyDifference(key, was.keys[key], is.keys[key]))
	}

	for _, path := range differing(was.files, is.files) {
		if !constant[path] {
			out = append(out, fileDifferences(path, was, is)...)
		}
	}

	return out
}

// differing are the keys of two maps whose values differ, sorted.
func differing[V any](was, is map[string]V) []string {
	all := maps.Clone(was)
	maps.Copy(all, is)

	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(key string) bool {
		w, inWas := was[key]
		i, inIs := is[key]

		return inWas == inIs && reflect.DeepEqual(w, i)
	})
}

// domainOf a fully qualified name; empty without one.
func domainOf(fqdn any) string {
	name, _ := fqdn.(string)
	_, domain, _ := strings.Cut(name, ".")

	return domain
}

// keyDifference names the field of the claim behind a key of the cloud-config.
func keyDifference(key string, was, is any) Difference {
	switch key {
	case "hostname":
		return inField("spec.hostname")
	case "fqdn":
		// It begins with the host name.
		if domainOf(was) == domainOf(is) {
			return inField("spec.hostname")
		}

		return inField("spec.network.domain")
	case "users":
		if !reflect.DeepEqual(withoutKeys(was), withoutKeys(is)) {
			return inField("spec.bootstrap.adminUser")
		}

		return inField("spec.bootstrap.sshAuthorizedKeys")
	}

	return inField("spec.bootstrap.userData (" + key + ")")
}

// withoutKeys are the accounts of a cloud-config without their SSH keys.
func withoutKeys(users any) []any {
	all, _ := users.([]any)
	out := slices.Clone(all)

	for i, u := range out {
		if user, ok := u.(map[string]any); ok {
			user = maps.Clone(user)
			delete(user, "ssh_authorized_keys")
			out[i] = user
		}
	}

	return out
}

// fileDifferences names the fields of the claim behind a file of the cloud-config.
func fileDifferences(path string, was, is document) []Difference {
	switch path {
	case tokenPath(was), tokenPath(is):
		return []Difference{{Kind: DifferenceToken, Field: FieldToken}}
	case k3s.EnvPath:
		return envDifferences(variables(was.files[path]), variables(is.files[path]))
	case k3s.ConfigPath:
		return configDifferences(was.files[path], is.files[path])
	case secretstore.ConfigPath:
		return storeDifferences(was, is)
	case datadisks.TablePath:
		return diskDifferences(was.files[path], is.files[path])
	case nixos.TargetPath:
		return []Difference{inField("spec.nix.flakeRef")}
	case nixos.EnvPath:
		return nixDifferences(variables(was.files[path]), variables(is.files[path]))
	}

	return []Difference{fileDifference(path)}
}

// storeDifferences compares what two guests fetch. Where one of them fetches nothing, its store is no difference of its own.
func storeDifferences(was, is document) []Difference {
	const at = "spec.bootstrap.secretStore"

	had, has := was.files[secretstore.ConfigPath], is.files[secretstore.ConfigPath]
	c := secretstore.Compare(had, has, tokenPath(is))

	var out []Difference

	if c.Token {
		out = append(out, Difference{Kind: DifferenceToken, Field: FieldToken})
	}

	for _, path := range c.Files {
		out = append(out, inField(at+".files["+path+"]"))
	}

	if c.Store && had != "" && has != "" {
		out = append(out, inField(at))
	}

	return out
}

// diskDifferences compares two tables of data disks. A guest with a table has the script, too.
func diskDifferences(was, is string) []Difference {
	had, has := lines(was), lines(is)

	var out []Difference

	for _, name := range differing(had, has) {
		d := Difference{Kind: DifferenceDisk, Field: diskField(name)}

		switch line, before := has[name], had[name]; {
		case before != "":
			d.Advice = datadisks.Correct(before)
		case was != "":
			d.Advice = datadisks.Apply(line)
		default:
			d.Advice = datadisks.ByHand(datadisks.Parse(line))
		}

		out = append(out, d)
	}

	return out
}

func diskField(name string) string { return "spec.disks[" + name + "]" }

// lines of a table of data disks, by name.
func lines(table string) map[string]string {
	out := map[string]string{}

	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		name, _, _ := strings.Cut(line, " ")
		out[name] = line
	}

	return out
}

// FieldToken is the field of the K3s token.
const FieldToken = "spec.k3s.token"

// FieldTrust is the field that says whether a node may join with a short token.
const FieldTrust = "spec.k3s.token.trustOnFirstUse"

// tokenPath is where a node has its K3s token; never a file of the claim's own.
func tokenPath(d document) string { return variables(d.files[k3s.EnvPath])[k3s.EnvTokenFile] }

// envDifferences are those of the parameters of the K3s bootstrap. The default installer is part of its release.
func envDifferences(was, is map[string]string) []Difference {
	var out []Difference

	for _, name := range differing(was, is) {
		switch name {
		case k3s.EnvVersion:
			out = append(out, Difference{Kind: DifferenceVersion, Field: "spec.k3s.version", Has: was[name], Wanted: is[name]})
		case k3s.EnvInstallURL:
			if was[name] != k3s.DefaultInstallURL(was[k3s.EnvVersion]) || is[name] != k3s.DefaultInstallURL(is[k3s.EnvVersion]) {
				out = append(out, inField("spec.k3s ("+name+")"))
			}
		case "NODE_ROLE":
			out = append(out, inField("spec.k3s.role"))
		case "NODE_NAME":
			out = append(out, inField("spec.hostname"))
		case "JOIN_URL":
			out = append(out, inField("spec.k3s.server"))
		case k3s.EnvTokenFile:
			out = append(out, inField("spec.k3s.token.file"))
		case k3s.EnvTrust:
			// It decides which token a node may join with, and a node that exists has joined, or joins with what it was made with.
			out = append(out, Difference{Kind: DifferenceToken, Field: FieldTrust})
		case k3s.EnvReport:
			out = append(out, inField("spec.bootstrap.report"))
		case k3s.EnvRestore:
			out = append(out, inField("spec.k3s.restore"))
		default:
			out = append(out, inField("spec.k3s ("+name+")"))
		}
	}

	return out
}

// nixDifferences are those of the parameters of a NixOS machine.
func nixDifferences(was, is map[string]string) []Difference {
	names := differing(was, is)
	rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == nixos.EnvReport })

	var out []Difference
	if len(rest) > 0 {
		out = append(out, inField("spec.nix"))
	}

	if len(rest) < len(names) {
		out = append(out, inField("spec.bootstrap.report"))
	}

	return out
}

// configFields are the fields of the claim behind settings of K3s that are not part of spec.k3s.config.
var configFields = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"cluster-init": "spec.k3s.init", "server": "spec.k3s.server", "token-file": "spec.k3s.token.file", "node-name": "spec.hostname",
	"tls-san": "spec.k3s.tlsSANs", "disable": "spec.k3s.disable", "node-label": "spec.k3s.labels", "node-taint": "spec.k3s.taints",
	"node-ip": "spec.network.ip", "flannel-iface": "spec.network.ip",
}

func configDifferences(was, is string) []Difference {
	var w, i map[string]any
	if yaml.Unmarshal([]byte(was), &w) != nil || yaml.Unmarshal([]byte(is), &i) != nil {
		return []Difference{inField("spec.k3s.config")}
	}

	var out []Difference

	for _, key := range differing(w, i) {
		name, ok := configFields[key]
		if !ok {
			name = "spec.k3s.config." + key
		}

		d := inField(name)
		if advice, settled := k3s.SettledBy(key); settled {
			d.Kind, d.Advice = DifferenceCluster, advice
		}

		out = append(out, d)
	}

	return out
}

// variables of an environment file, as they are written: quotes and all.
func variables(text string) map[string]string {
	out := map[string]string{}

	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			out[name] = value
		}
	}

	return out
}

// inField is a difference that only a new VM ends.
func inField(path string) Difference { return Difference{Kind: DifferenceField, Field: path} }
