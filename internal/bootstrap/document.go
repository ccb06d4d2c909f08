package bootstrap

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/nixos"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/secretstore"
)

type snippets = v1alpha1.Snippets

// compose builds user-data and meta-data, in mode Rendered.
func (b *Bootstrap) compose(m *machine.Machine, token *string, secrets []Content) field.ErrorList {
	fqdn := m.FullHostname()
	hostname, _, _ := strings.Cut(fqdn, ".")
	b.metaData = cloudinit.MetaData{InstanceID: hostname + "-" + m.Identity.Hash("instance-id"), LocalHostname: fqdn}

	d := base(m, hostname, fqdn)
	rules := cloudinit.MachineRules // Of the claim's own cloud-config, which most claims do not have.

	var errs field.ErrorList

	switch {
	case m.K3s != nil:
		rules, errs = addK3s(&d, m, hostname, token)
	case m.Nix != nil:
		rules, errs = nixos.Rules, addNix(&d, m)
	}

	disks := mounts(m)
	addDisks(&d, disks, m.K3s != nil)
	errs = append(errs, addSecretStore(&d, m, disks, rules)...)

	if len(m.Secrets) > 0 {
		errs = append(errs, b.addSecrets(&d, m, disks.Reserve(rules()), secrets)...)
	}

	path := field.NewPath("spec", "bootstrap", "userData")

	if m.UserData != "" {
		extra, faults := cloudinit.ParseUserData(m.UserData, path)
		errs = append(errs, faults...)
		r := secretstore.Reserve(disks.Reserve(rules()), m.SecretStore)
		r.VendorBootcmd = m.Snippets.VendorData != ""
		r.Account = new(user(m))
		errs = append(errs, d.Merge(extra, r, path)...)
	}

	if m.K3s != nil {
		b.nodeUID, b.labelled = m.K3s.NodeUID, m.K3s.Observe.Reads()
		n := k3sNode(m, hostname)
		b.additions, b.interfaces = n.Additions(interfaces(m)), []string{""}

		// An existing VM may have had more interfaces.
		if n.NodeIP != "" {
			b.interfaces = append(b.interfaces, firstInterface)
		}
	}

	b.document = d
	if b.Lack == nil {
		b.Hash = hash(d.Fingerprint(), b.VendorDataID, b.MetaDataID)
	}

	return errs
}

// with returns the user-data with the file that labels the machine's Node, if it is to have one, and the file of additions to K3s' config.yaml, if
// there are any. The files are made only where user-data is written or compared.
func (b *Bootstrap) with(labelled bool, a k3s.Additions) (cloudinit.Document, error) {
	d := b.document
	d.WriteFiles = slices.Clip(d.WriteFiles)

	f, needed, err := a.File()
	if needed {
		d.WriteFiles = append(d.WriteFiles, f)
	}

	if !labelled || b.nodeUID == "" {
		return d, err
	}

	f, errLabel := k3s.UIDFile(node.UIDLabel, b.nodeUID)
	d.WriteFiles = append(d.WriteFiles, f)

	return d, errors.Join(err, errLabel)
}

// base returns the common part of all documents: host name, account with keys, and the guest agent.
func base(m *machine.Machine, hostname, fqdn string) cloudinit.Document {
	no, yes := false, true
	d := cloudinit.Document{
		Hostname: hostname, FQDN: fqdn,
		// Set although it is the default, because an image may set it to true, and cloud-init would then ignore the host name.
		PreserveHostname: &no,
	}

	if len(m.Access.SSHAuthorizedKeys) > 0 {
		d.Users = []cloudinit.User{user(m)}
	}

	if m.Boot.OS == machine.OSNixOS {
		// NixOS generates its host keys before cloud-init runs, and secrets may be encrypted for them.
		d.SSHDeleteKeys = &no
		d.SSHGenKeyTypes = []string{"ed25519", "rsa"}

		return d
	}

	d.ManageEtcHosts = "localhost"
	d.SSHPasswordAuth = &no
	d.DisableRoot = &yes

	if installsAgent(m) {
		installAgent(&d)
	}

	return d
}

// user returns the account adminUser, with login by key only.
func user(m *machine.Machine) cloudinit.User {
	yes := true
	u := cloudinit.User{
		Name: m.Access.AdminUser, LockPasswd: &yes, SSHAuthorizedKeys: m.Access.SSHAuthorizedKeys,
		Gecos: "Administrator", Groups: []string{"wheel"},
	}

	if m.Boot.OS.HasGroup(u.Name) {
		u.PrimaryGroup = u.Name // Else useradd refuses to create a group that exists.
	}

	switch m.Boot.OS {
	case machine.OSNixOS:
		// The flake sets shell and sudo; /bin/bash does not exist on NixOS.
		return u
	case machine.OSDebian, machine.OSUbuntu:
		u.Groups = []string{"adm", "sudo"}
	case machine.OSLinux, machine.OSWindows, machine.OSOther:
	}

	u.Shell = "/bin/bash"
	u.Sudo = "ALL=(ALL) NOPASSWD:ALL"

	return u
}

// addNix adds the files of a NixOS machine.
func addNix(d *cloudinit.Document, m *machine.Machine) field.ErrorList {
	t := nixos.Target{
		FlakeRef: m.Nix.FlakeRef, Schedule: m.Nix.Schedule, Reboot: m.Nix.Reboot, HealthCheck: m.Nix.HealthCheck,
		Silent: m.Silent, InImage: m.Boot.ConvergeUnit,
	}

	files, err := t.Files()
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "nix"), "", err.Error())}
	}

	d.WriteFiles = append(d.WriteFiles, files...)
	d.RunCmd = append(d.RunCmd, t.Commands()...)

	return nil
}

// addDisks adds what formats and mounts the data disks. A K3s node's bootstrap fails without them; any other machine says so with its
// last command.
func addDisks(d *cloudinit.Document, disks datadisks.Mounts, k3s bool) {
	d.Packages = append(d.Packages, disks.Packages()...)
	d.WriteFiles = append(d.WriteFiles, disks.Files(k3s)...)
	d.FirstCommands = disks.FirstCommands()

	if !k3s {
		d.RunCmd = append(d.RunCmd, disks.LastCommands()...)
	}
}

// addSecretStore adds what fetches files from a secret store. It comes after the disks, and a K3s node's bootstrap waits for its token; any other
// machine says with its last command whether it has its files.
func addSecretStore(d *cloudinit.Document, m *machine.Machine, disks datadisks.Mounts, rules func() cloudinit.Rules) field.ErrorList {
	if m.SecretStore == nil {
		return nil
	}

	var (
		errs field.ErrorList
		at   = field.NewPath("spec", "bootstrap", "secretStore")
	)

	files, err := secretstore.Files(m.SecretStore)
	if err != nil {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, err.Error())}
	}

	d.WriteFiles = append(d.WriteFiles, files...)
	errs = append(errs, loginFiles(d, m.SecretStore, at, disks, rules)...)
	r := secretstore.Reserve(disks.Reserve(rules()), m.SecretStore.WithoutFiles())

	for i, f := range m.SecretStore.Files {
		// The K3s token has its place, and no path in the claim.
		if i == len(m.SecretStore.Files)-1 && m.K3s != nil && m.K3s.TokenStored != nil {
			continue
		}

		if why := r.Refuse(*d, f.Path); why != "" {
			errs = append(errs, field.Forbidden(at.Child("files").Index(i).Child("path"), f.Path+" cannot be written here: "+why))
		}
	}

	d.FirstCommands = append(d.FirstCommands, secretstore.FirstCommands(m.SecretStore.Refresh > 0)...)

	switch {
	case m.K3s != nil:
	case len(disks) > 0:
		// cloud-init has the status of the last command alone.
		d.RunCmd = append(d.RunCmd[:len(d.RunCmd)-len(disks.LastCommands())], secretstore.LastCommandsAfter(disks.LastCommands())...)
	default:
		d.RunCmd = append(d.RunCmd, secretstore.LastCommands()...)
	}

	return errs
}

// loginFiles refuses files with which the guest cannot log in, because they are of something else. They may be in the folder of the program, and
// nowhere else of the function's.
func loginFiles(d *cloudinit.Document, s *machine.SecretStore, at *field.Path, disks datadisks.Mounts, rules func() cloudinit.Rules) field.ErrorList {
	var (
		errs   field.ErrorList
		fields = []*field.Path{at.Child("appRole", "secretIDFile")}
		others = disks.Reserve(rules())
		r      = secretstore.Reserve(disks.Reserve(rules()), s.WithoutFiles())
	)

	if s.TLS != nil {
		fields = []*field.Path{at.Child("tls", "certificateFile"), at.Child("tls", "keyFile")}
	}

	for i, path := range s.LoginFiles() {
		delete(r.Reserved, path)

		why := cmp.Or(others.Refuse(*d, path), r.Refuse(*d, path))
		if why != "" && !secretstore.Own(path) {
			errs = append(errs, field.Forbidden(fields[i], path+" cannot be the file: "+why))
		}
	}

	return errs
}

// addK3s adds the files of a K3s node, and returns its rules for the claim's own cloud-config.
func addK3s(d *cloudinit.Document, m *machine.Machine, hostname string, token *string) (rules func() cloudinit.Rules, errs field.ErrorList) {
	n := k3sNode(m, hostname)

	if token != nil {
		errs = k3s.ValidateToken(n.Role, n.TrustOnFirstUse, *token, field.NewPath("spec", "k3s", "token", "secretRef"))

		if len(errs) == 0 { // What is wrong with the token is said once, at its Secret.
			n.Token = k3s.Token(*token)
		}
	}

	files, err := n.Files()
	if err != nil {
		return n.Rules, append(errs, field.Invalid(field.NewPath("spec", "k3s"), "", err.Error()))
	}

	d.Packages = append(d.Packages, n.Packages()...)
	d.WriteFiles = slices.Insert(files, 0, d.WriteFiles...) // files has room for more.
	d.RunCmd = append(d.RunCmd, n.Commands()...)

	return n.Rules, errs
}

func k3sNode(m *machine.Machine, hostname string) k3s.Node {
	k := m.K3s
	n := k3s.Node{
		Role: k3s.RoleOf(k.Role, k.Init), NodeName: hostname, Version: k.Version, InstallURL: k.InstallURL, InstallSHA256: k.InstallSHA256,
		ReleaseURL: k.ReleaseURL, BinarySHA256: k.BinarySHA256, Proxy: k3s.Proxy(k.Proxy),
		ServerURL: k.ServerURL, TokenFile: k.TokenFile, Disable: k.Disable, TLSSANs: k.TLSSANs,
		Labels: k.Labels, Taints: k.Taints, Config: k.Config, Silent: m.Silent, TrustOnFirstUse: k.TrustOnFirstUse,
		Restore: k.Restore,
	}

	// Set the node's address explicitly, because K3s might choose another one, for instance a virtual IP.
	first := m.NICs[0]
	switch first.IPv4.Method {
	case machine.MethodStatic:
		n.NodeIP = first.IPv4.Address
	case machine.MethodDHCP:
		n.FlannelIface = firstInterface
	case machine.MethodNone, machine.MethodAuto:
	}

	// The first release told K3s the IPv4 address alone.
	if families := k3s.Families(map[string]any{"cluster-cidr": k.PodNetwork}, "cluster-cidr"); slices.Contains(families, k3s.IPv6) {
		n.Former = &k3s.Addresses{NodeIP: n.NodeIP, FlannelIface: n.FlannelIface}
		n.NodeIP, n.FlannelIface = nodeAddresses(first, families)
	}

	return n
}

// nodeAddresses returns the node's static addresses in the order of its cluster's families. If one of them is not static, K3s finds
// all of them on the first interface.
func nodeAddresses(n machine.NIC, families []k3s.Family) (nodeIP, flannelIface string) {
	var out []string

	for _, f := range families {
		a := n.IPv4
		if f == k3s.IPv6 {
			a = n.IPv6
		}

		if a.Method != machine.MethodStatic {
			return "", firstInterface
		}

		out = append(out, a.Address)
	}

	return strings.Join(out, ","), ""
}

// interfaces of a machine, with their fixed addresses.
func interfaces(m *machine.Machine) []k3s.Interface {
	out := make([]k3s.Interface, 0, len(m.NICs))

	for i, n := range m.NICs {
		of := k3s.Interface{Name: interfacePrefix + strconv.Itoa(i)}

		for _, a := range []machine.Addressing{n.IPv4, n.IPv6} {
			if a.Method == machine.MethodStatic {
				of.Addresses = append(of.Addresses, a.Address)
			}
		}

		out = append(out, of)
	}

	return out
}

// Names of the network interfaces in Proxmox's network-config.
const (
	interfacePrefix = "eth"
	firstInterface  = interfacePrefix + "0"
)

// sortErrors sorts faults by path, because the order of a map is random.
func sortErrors(errs field.ErrorList) field.ErrorList {
	slices.SortFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Field, b.Field) })
	return errs
}
