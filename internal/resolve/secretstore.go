package resolve

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/secretstore"
)

// Defaults of the secret store.
const (
	defaultAppRoleMount = "approle"
	defaultCertMount    = "cert"
	defaultEngine       = "secret"
	defaultOwner        = "root:root"
)

// storage resolves what the guest fetches from OpenBao or Vault.
type storage struct {
	g *given
	n *notes
	m *machine.Machine // All of the machine but this.
}

// resolve what the guest fetches, with the K3s token, which the cluster's entry of the catalogue can name. Nil where it fetches nothing.
func (r storage) resolve() *machine.SecretStore {
	s := r.g.spec.Bootstrap.SecretStore
	at := r.g.at.Child("bootstrap", "secretStore")

	token := r.storedToken()
	if s == nil {
		r.lacksStore(at, token)
		return nil
	}

	if r.g.existing.Adopting {
		r.n.warn("spec.bootstrap.secretStore: the VM was not created by the function, which changes nothing in its guest.")
		return nil
	}

	r.fetches(at)

	switch {
	case len(s.Files) > 0 || token != nil || r.tokenOfCluster():
	case r.g.k3s != nil && r.g.k3s.Init:
		// The servers of a K3sCluster have one template, and its first server makes the token that the others fetch.
		if !r.g.ofCluster {
			r.n.warn("spec.bootstrap.secretStore: the first server makes its token itself, and there are no files, so the guest fetches nothing.")
		}

		return nil
	default:
		r.n.add(field.Required(at.Child("files"), "must have at least one file, such as {path: /etc/myapp/password, secret: myapp, field: password}"))
	}

	storePaths(at, r.n, r.g.isNew(), s)

	out := machine.SecretStore{Address: strings.TrimSuffix(s.Address, "/"), CACertificate: s.CACertificate, Namespace: s.Namespace}
	r.login(&out, s)

	for _, f := range s.Files {
		out.Files = append(out.Files, machine.StoredFile{
			Path: f.Path, Mount: cmp.Or(f.Mount, defaultEngine), Secret: f.Secret, Field: f.Field,
			Mode: cmp.Or(f.Mode, defaultSecretMode), Owner: cmp.Or(f.Owner, defaultOwner), Restart: f.Restart,
		})
	}

	if token != nil {
		out.Files = append(out.Files, machine.StoredFile{
			Path: k3s.DefaultTokenFile, Mount: cmp.Or(token.Mount, defaultEngine), Secret: token.Secret, Field: token.Field,
			Mode: defaultSecretMode, Owner: defaultOwner,
		})
	}

	if out.Refresh > 0 {
		r.writeOnce(at, out.Files)
	}

	return &out
}

// login resolves how the guest logs in. Of a login that is not there, or of two, there is a fault.
func (r storage) login(out *machine.SecretStore, s *v1alpha1.SecretStore) {
	what := "secret id"

	switch {
	case s.TLS != nil:
		what = "certificate and its key"
		out.Mount = cmp.Or(s.TLS.Mount, defaultCertMount)
		out.TLS = &machine.CertificateLogin{
			Role: s.TLS.Role, CertificateFile: cmp.Or(s.TLS.CertificateFile, secretstore.DefaultCertificateFile),
			KeyFile: cmp.Or(s.TLS.KeyFile, secretstore.DefaultKeyFile),
		}
		out.Refresh, _ = time.ParseDuration(cmp.Or(s.Refresh, "0s"))
	case s.AppRole != nil:
		out.Mount, out.RoleID = cmp.Or(s.AppRole.Mount, defaultAppRoleMount), s.AppRole.RoleID
		out.SecretIDFile = cmp.Or(s.AppRole.SecretIDFile, secretstore.DefaultSecretIDFile)
		out.Wrapped = s.AppRole.Wrapped == nil || *s.AppRole.Wrapped
	default:
		return
	}

	lacking := slices.DeleteFunc(out.LoginFiles(), func(file string) bool {
		return slices.ContainsFunc(r.g.spec.Bootstrap.Secrets, func(f v1alpha1.SecretFile) bool { return f.Path == file })
	})

	if r.g.spec.Bootstrap.Snippets.VendorData == "" && len(lacking) > 0 {
		r.n.warn("spec.bootstrap.secretStore: nothing in the claim brings the %s. The guest waits for %s, until the image or somebody writes it; "+
			"a snippet can: set bootstrap.snippets.vendorData.", what, strings.Join(lacking, " and "))
	}
}

// writeOnce keeps a refresh from the token files of K3s, which reads its token to join, and does not start when a server's is another one later.
func (r storage) writeOnce(at *field.Path, files []machine.StoredFile) {
	for i := range files {
		files[i].Once = r.m.K3s != nil && r.ofToken(files[i].Path)

		if files[i].Once && len(files[i].Restart) > 0 {
			r.n.add(field.Forbidden(at.Child("files").Index(i).Child("restart"), "K3s reads its token from this file, which a refresh never writes again: remove restart"))
		}
	}

	if !slices.ContainsFunc(files, func(f machine.StoredFile) bool { return !f.Once }) {
		r.n.warn("%s: does nothing here: the K3s token is all that the guest fetches, and a refresh never writes it again.", at.Child("refresh"))
	}
}

// ofToken says whether K3s reads a token from a file.
func (r storage) ofToken(file string) bool {
	if file == r.m.K3s.TokenFile || file == k3s.DefaultTokenFile {
		return true
	}

	for _, key := range []string{"token-file", "agent-token-file"} {
		if r.m.K3s.Config[key] == file {
			return true
		}
	}

	return false
}

// lacksStore reports a K3s token that the guest would have to fetch from nowhere. What the catalogue says of the token is no reason to keep an
// existing VM from anything.
func (r storage) lacksStore(at *field.Path, token *v1alpha1.StoredSecret) {
	if token == nil || r.g.spec.Bootstrap.Snippets.UserData != "" {
		return
	}

	fault := field.Required(at, "the K3s token is in a secret store (token.secretStore of the claim, or of its cluster): say here where that is, and how the machine logs in")

	hadStore := r.g.existing.Applied != nil && fieldsOf(*r.g.existing.Applied).Bootstrap.SecretStore != nil

	if r.tokenOfCluster() && !hadStore && !r.g.tookAway(saidToken) {
		r.n.keeps(r.g, machine.PartToken, field.ErrorList{fault}, r.g.k3s.Cluster, appliedCluster)
	} else {
		r.n.add(fault)
	}
}

// tokenOfCluster says whether the catalogue names the source of the K3s token, or is to name it.
func (r storage) tokenOfCluster() bool {
	return r.g.k3s != nil && r.g.k3s.Cluster != "" && r.g.k3s.Token == nil && !r.g.k3s.Init
}

// storedToken is the K3s token that the guest fetches; nil if it fetches none.
func (r storage) storedToken() *v1alpha1.StoredSecret {
	if r.m.K3s == nil {
		return nil
	}

	return r.m.K3s.TokenStored
}

// fetches refuses guests that cannot fetch anything.
func (r storage) fetches(at *field.Path) {
	b := r.m.Boot

	switch {
	case r.g.spec.Bootstrap.Snippets.UserData != "":
		r.n.add(field.Forbidden(at, "bootstrap.snippets.userData is already the whole user-data: fetch the files there"))
	case b.OS == machine.OSNixOS:
		r.n.add(field.Forbidden(at, "a NixOS machine gets its services from its flake: import fetch-secrets of example/nix there, or use sops-nix"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		r.n.add(field.Forbidden(at, "only a Linux guest with systemd fetches files: name an image with os: debian, ubuntu or linux"))
	case b.CloudInit && lacksSnippets(r.g, r.m.Placement):
		r.n.add(field.Forbidden(at, "what fetches the files is part of a cloud-init snippet, and the catalogue names no datastore for snippets of node "+
			message.Excerpt(r.m.Placement.Node)+" (datastores.snippets): name it"))
	}
}

// storePaths warns of paths as the command line of OpenBao prints them: the guest writes auth/ and data/ itself, and finds nothing with two of them.
func storePaths(at *field.Path, n *notes, isNew bool, s *v1alpha1.SecretStore) {
	if !isNew {
		return
	}

	mounts := map[string]string{}
	if s.AppRole != nil {
		mounts["appRole"] = s.AppRole.Mount
	}

	if s.TLS != nil {
		mounts["tls"] = s.TLS.Mount
	}

	for _, login := range slices.Sorted(maps.Keys(mounts)) {
		if name, found := strings.CutPrefix(mounts[login], "auth/"); found {
			n.warn("%s: begins with auth/, which the guest writes itself, so that it logs in at auth/%s: write %s.", at.Child(login, "mount"), message.Excerpt(mounts[login]), message.Excerpt(name))
		}
	}

	// Vault's tokens begin so (its documentation, Tokens): no ID of a role does.
	if s.AppRole != nil && storeToken.MatchString(s.AppRole.RoleID) {
		n.warn("%s: is a token, and no ID of a role, so that no login succeeds: write what bao read auth/approle/role/NAME/role-id prints. What is in Git stays there: revoke the token.",
			at.Child("appRole", "roleID"))
	}

	for i, f := range s.Files {
		storedPath(at.Child("files").Index(i), n, f.StoredSecret)
	}
}

// storeToken is a service, batch or recovery token.
var storeToken = regexp.MustCompile(`^hv[sbr]\.`)

// storedPath warns of the path of a secret, wherever it is written: of a file, or of the token of K3s.
func storedPath(at *field.Path, n *notes, of v1alpha1.StoredSecret) {
	// As `bao kv get -output-curl-string` and the pages of the API have it.
	mount := cmp.Or(of.Mount, "secret") + "/"
	if name, found := strings.CutPrefix(of.Secret, mount); found && name != "" {
		name = strings.TrimPrefix(name, "data/")
		n.warn("%s: begins with %s, the path of the engine, which the guest writes itself: write %s, unless the secret is called so.",
			at.Child("secret"), message.Excerpt(mount), message.Excerpt(name))
	}

	if name, found := strings.CutPrefix(of.Secret, "data/"); found {
		n.warn("%s: begins with data/, which the guest writes itself for an engine KV of version 2: write %s, unless the secret is called so.",
			at.Child("secret"), message.Excerpt(name))
	}
}
