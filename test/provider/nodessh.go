package provider

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// NodeSSH is the SSH daemon of a simulated node, on a free loopback port. It runs no shell. It knows the two commands
// that the plugin sends when it writes a snippet, writes below one directory only, and refuses all else, so that a new
// command in a newer plugin, or a file name that a shell would take apart, fails a test and runs nowhere.
type NodeSSH struct {
	Port int
	// User and Key, a private key in PEM, are the only login.
	User, Key string

	listener net.Listener
	config   *ssh.ServerConfig
	root     *os.Root
	prefix   string

	mu      sync.Mutex
	refused []string
	shut    bool
}

// StartNodeSSH serves dir until Close.
func StartNodeSSH(ctx context.Context, dir string) (*NodeSSH, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot resolve %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("cannot open the host directory: %w", err)
	}
	hostSigner, _, err := newKey()
	if err != nil {
		return nil, err
	}
	clientSigner, clientKey, err := newKey()
	if err != nil {
		return nil, err
	}
	s := &NodeSSH{User: "root", Key: clientKey, root: root, prefix: abs + string(filepath.Separator)}
	allowed := string(clientSigner.PublicKey().Marshal())
	s.config = &ssh.ServerConfig{
		PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if c.User() != s.User || string(key.Marshal()) != allowed || s.isShut() {
				return nil, errors.New("unknown key")
			}
			return &ssh.Permissions{}, nil
		},
	}
	s.config.AddHostKey(hostSigner)
	if s.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	if a, ok := s.listener.Addr().(*net.TCPAddr); ok {
		s.Port = a.Port
	}

	go s.accept()
	return s, nil
}

// newKey makes a key pair; the second result is the private key in PEM.
func newKey() (ssh.Signer, string, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("cannot make an SSH key: %w", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, "", fmt.Errorf("cannot use an SSH key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, "", fmt.Errorf("cannot marshal an SSH key: %w", err)
	}
	return signer, string(pem.EncodeToMemory(block)), nil
}

// Close stops the daemon.
func (s *NodeSSH) Close() error {
	return errors.Join(s.listener.Close(), s.root.Close())
}

// Shut lets nobody log in, or everybody again who may.
func (s *NodeSSH) Shut(shut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = shut
}

func (s *NodeSSH) isShut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.shut
}

// Refused are the commands that were not among those known.
func (s *NodeSSH) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refused...)
}

func (s *NodeSSH) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.serve(c)
	}
}

func (s *NodeSSH) serve(c net.Conn) {
	conn, channels, requests, err := ssh.NewServerConn(c, s.config)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // The client has what it wanted.
	go ssh.DiscardRequests(requests)
	for ch := range channels {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		session, reqs, err := ch.Accept()
		if err != nil {
			return
		}
		go s.session(session, reqs)
	}
}

func (s *NodeSSH) session(ch ssh.Channel, reqs <-chan *ssh.Request) {
	defer ch.Close() //nolint:errcheck // Nobody is left to tell.
	for r := range reqs {
		payload := struct{ Text string }{}
		if r.Type != "exec" && r.Type != "subsystem" || ssh.Unmarshal(r.Payload, &payload) != nil {
			_ = r.Reply(false, nil)
			continue
		}
		_ = r.Reply(true, nil)
		if r.Type == "subsystem" && payload.Text == "sftp" {
			f := sftpFiles{s}
			_ = sftp.NewRequestServer(ch, sftp.Handlers{FileGet: f, FilePut: f, FileCmd: f, FileList: f}).Serve()
			return
		}
		status := s.exec(ch, payload.Text)
		_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
		return
	}
}

// What the plugin sends, proxmox/ssh/client.go of v0.111.1: a question whether sudo is needed, and tee into a file whose
// name it does not quote.
var (
	probeSudo = regexp.MustCompile(`^/bin/bash -c 'if \[ "\$\(id -u\)" = "0" \]; then echo "0"; elif .*`)
	teeInto   = regexp.MustCompile(`^/bin/bash -c 'export TRY_SUDO_USE_SUDO=0; _try_sudo_check\(\)\{.*; try_sudo /usr/bin/tee ([A-Za-z0-9/._-]+)'$`)
)

func (s *NodeSSH) exec(ch ssh.Channel, command string) uint32 {
	if probeSudo.MatchString(command) {
		_, _ = io.WriteString(ch, "0\n")
		return 0
	}
	m := teeInto.FindStringSubmatch(command)
	if m == nil {
		s.mu.Lock()
		s.refused = append(s.refused, command)
		s.mu.Unlock()
		_, _ = io.WriteString(ch.Stderr(), "command not known to this node")
		return 127
	}
	if err := s.write(m[1], ch); err != nil {
		_, _ = io.WriteString(ch.Stderr(), err.Error())
		return 1
	}
	return 0
}

func (s *NodeSSH) write(path string, from io.Reader) error {
	name, err := s.inside(path)
	if err != nil {
		return err
	}
	f, err := s.root.Create(name)
	if err != nil {
		return fmt.Errorf("cannot write snippet: %w", err)
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// inside turns an absolute path into one relative to the served directory.
func (s *NodeSSH) inside(path string) (string, error) {
	name, ok := strings.CutPrefix(path, s.prefix)
	if !ok {
		return "", fmt.Errorf("%s is outside of the host directory", path)
	}
	return name, nil
}

// sftpFiles is the SFTP side: the plugin opens a file it has written to see its size, and sets its mode. With uploadMode
// sftp it writes this way, too.
type sftpFiles struct{ s *NodeSSH }

func (f sftpFiles) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	name, err := f.s.inside(r.Filepath)
	if err != nil {
		return nil, err
	}
	return f.s.root.Open(name)
}

func (f sftpFiles) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	name, err := f.s.inside(r.Filepath)
	if err != nil {
		return nil, err
	}
	return f.s.root.Create(name)
}

func (f sftpFiles) Filecmd(r *sftp.Request) error {
	name, err := f.s.inside(r.Filepath)
	if err != nil {
		return err
	}
	switch r.Method {
	case "Setstat":
		if r.AttrFlags().Permissions {
			return f.s.root.Chmod(name, r.Attributes().FileMode().Perm())
		}
		return nil
	case "Mkdir":
		return f.s.root.MkdirAll(name, 0o755)
	default:
		return sftp.ErrSSHFxOpUnsupported
	}
}

func (f sftpFiles) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if r.Method != "Stat" {
		return nil, sftp.ErrSSHFxOpUnsupported
	}
	name, err := f.s.inside(r.Filepath)
	if err != nil {
		return nil, err
	}
	i, err := f.s.root.Stat(name)
	if err != nil {
		return nil, err
	}
	return oneFile{i}, nil
}

type oneFile [1]os.FileInfo

func (l oneFile) ListAt(to []os.FileInfo, offset int64) (int, error) {
	if offset > 0 {
		return 0, io.EOF
	}
	return copy(to, l[:]), nil
}
