package k3s

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A Pace is how long things take. Those of reality are in the comments.
type Pace struct {
	Look      time.Duration // Between two looks at VMs and Nodes.
	Boot      time.Duration // From the start of a VM until its K3s runs, and its etcd answers: 20 seconds, and some minutes the first time.
	Register  time.Duration // From the registration of a Node until its kubelet is Ready: 10 seconds.
	Learn     time.Duration // Until a learner votes: 10 seconds.
	Manage    time.Duration // Between two looks of K3s at the members of etcd: 15 seconds.
	Grace     time.Duration // Until a kubelet that does not report makes its Node Unknown: 40 seconds.
	Heartbeat time.Duration // Between two writes of a Node's status that changes nothing: 5 minutes.

	// Tells says that each guest tells when it has joined, as the function's bootstrap does with a link: the guest agent lists it.
	Tells bool
	// Elsewhere says that the servers are not in Proxmox: agents join them.
	Elsewhere bool
}

// Quick is a pace for tests.
var Quick = Pace{
	Look: 200 * time.Millisecond, Boot: 2500 * time.Millisecond, Register: 500 * time.Millisecond, Learn: 700 * time.Millisecond,
	Manage: 4 * time.Second, Grace: 8 * time.Second, Heartbeat: 5 * time.Minute,
}

// A Cluster of K3s, whose API server is the one that its Nodes are written to. All methods may be called at any time.
type Cluster struct {
	client client.Client
	world  *standin.World
	has    func(node string) bool
	pace   Pace

	cancel context.CancelFunc
	ended  chan struct{}

	mu         sync.Mutex
	systems    map[string]*system // By disk.
	etcd       etcd
	owners     map[string]string // The disk of the VM that registered a Node, by the Node's name.
	allowed    map[types.UID]bool
	leaving    map[types.UID]bool
	refused    map[string][]string // What K3s said to VMs that it refused, by node.
	readySince map[string]time.Time
	managed    time.Time // When K3s looked at the members last.
	journal    []string
	violations []string
	byHand     bool // A person took the majority away, and it is not back.
	fewest     int
	upgrades   *controller // Nil: system-upgrade-controller is not installed.
}

// A system is K3s on the disk of a VM.
type system struct {
	install

	guest standin.Guest
	runs  bool
	// silent is since when its VM does not run.
	silent time.Time
	// registered says that its kubelet has registered a Node since the VM was started.
	registered time.Time
	// removed says that its member was taken out of etcd.
	removed bool
	// sick says that its kubelet is not ready.
	sick bool
}

// Start a cluster of the VMs whose node names it has, at a pace.
func Start(cfg *rest.Config, world *standin.World, pace Pace, has func(node string) bool) (*Cluster, error) {
	cl, err := client.New(cfg, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return nil, fmt.Errorf("cannot start the stand-in for K3s: %w", err)
	}

	c := newCluster(cl, world, pace, has)
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.ended = cancel, make(chan struct{})

	go func() {
		defer close(c.ended)

		for ctx.Err() == nil {
			c.look(ctx)

			select {
			case <-ctx.Done():
			case <-time.After(pace.Look):
			}
		}
	}()

	return c, nil
}

// Serve the cluster's API by another API server: the nodes that run register there, with the machines that they are. What the one before has is left
// as it is.
func Serve(c *Cluster, cfg *rest.Config) error {
	cl, err := client.New(cfg, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return fmt.Errorf("cannot serve K3s' API elsewhere: %w", err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	c.client = cl

	for _, s := range c.systems {
		s.registered = time.Time{}
	}

	return nil
}

func newCluster(cl client.Client, world *standin.World, pace Pace, has func(node string) bool) *Cluster {
	return &Cluster{
		client: cl, world: world, pace: pace, has: has, etcd: etcd{boot: pace.Boot, learn: pace.Learn},
		systems: map[string]*system{}, owners: map[string]string{}, allowed: map[types.UID]bool{}, leaving: map[types.UID]bool{},
		refused: map[string][]string{}, readySince: map[string]time.Time{}, fewest: math.MaxInt,
	}
}

// Stop the cluster. Its Nodes stay as they are.
func (c *Cluster) Stop() {
	c.cancel()
	<-c.ended
}

// look at VMs and Nodes once, and do what K3s does then. What cannot be written is tried again with the next look, as K3s does.
func (c *Cluster) look(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.observe()
	c.check()

	l := &corev1.NodeList{}
	if err := c.client.List(ctx, l); err != nil {
		return
	}

	nodes := map[string]*corev1.Node{}

	for i := range l.Items {
		if n := &l.Items[i]; c.has(n.Name) {
			nodes[n.Name] = n
		}
	}

	for _, n := range nodes {
		c.finalize(ctx, n)
	}

	for _, s := range c.systems {
		if s.runs && !s.removed && s.registered.IsZero() && time.Since(s.guest.Booted) > c.pace.Boot {
			c.join(ctx, s, nodes[s.name])
		}
	}

	manages := time.Since(c.managed) >= c.pace.Manage
	if manages {
		c.managed = time.Now()

		for _, m := range c.etcd.promote() {
			c.note("member of %s votes", m.node)
		}
	}

	c.upgrades.upgrade(ctx, nodes)

	for _, n := range nodes {
		c.report(ctx, n, manages)
	}

	if c.pace.Tells {
		tellJoined(c)
	}

	c.check()
}

// observe which VMs run.
func (c *Cluster) observe() {
	guests := map[string]standin.Guest{}

	for _, g := range c.world.Guests() {
		guests[g.Disk] = g

		s := c.systems[g.Disk]
		if s == nil {
			in, ok := installOf(g)
			if !ok || !c.has(in.name) {
				continue
			}

			s = &system{install: in}
			c.systems[g.Disk] = s
		}

		if !s.guest.Booted.Equal(g.Booted) {
			s.registered = time.Time{}
		}

		s.guest, s.runs, s.silent = g, true, time.Time{}
	}

	for disk, s := range c.systems {
		if _, there := guests[disk]; !there && s.runs {
			s.runs, s.silent = false, time.Now()
		}
	}
}

// check that the members that answer are a majority.
func (c *Cluster) check() {
	switch fault := c.etcd.fault(); {
	case fault == "":
		c.byHand = false
	case !c.byHand:
		c.violate(fault)
	}

	_, answer, _ := c.etcd.votes()
	c.fewest = min(c.fewest, answer)
}

// violate writes down that something must never happen, once for each stretch of time in which it lasts.
func (c *Cluster) violate(what string) {
	if len(c.violations) == 0 || c.violations[len(c.violations)-1] != what {
		c.violations = append(c.violations, what)
		c.note("VIOLATION: %s", what)
	}
}

func (c *Cluster) note(format string, args ...any) {
	c.journal = append(c.journal, fmt.Sprintf(format, args...))
}
