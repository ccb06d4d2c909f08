package rehearse

import (
	"cmp"
	"fmt"
	"time"
)

// A Rehearsal is what becomes of an edit. The same edit of the same things has the same rehearsal, to the byte.
type Rehearsal struct {
	Before  Before  `json:"before"`
	Steps   []Step  `json:"steps"`
	Verdict Verdict `json:"verdict"`
	// Warnings of the function about the edited claims that it did not have before, each with its machine: what is accepted, and probably not meant.
	Warnings []string `json:"warnings,omitempty"`
	Sums     Sums     `json:"sums"`
	Assumed  Assumed  `json:"assumed"`
}

// Before is how the world is without the edit.
type Before struct {
	Born  bool     `json:"born"`            // Nothing was there: the machines are born.
	Rests bool     `json:"rests"`           // Whether it comes to rest by itself.
	Done  []string `json:"done,omitempty"`  // What is done to it before the edit, as if it were not edited.
	Waits []Wait   `json:"waits,omitempty"` // What waits for a person without the edit.
}

// A Step is a moment in which something is done, or a wait begins.
type Step struct {
	Number   int      `json:"number"` // From 1.
	Round    int      `json:"round"`  // Of Crossplane and the provider, from 1.
	At       Seconds  `json:"atSeconds"`
	Done     []string `json:"done,omitempty"`
	Away     []string `json:"away,omitempty"` // Machines and nodes that served before the edit, or since, and do not after this step.
	Etcd     []Etcd   `json:"etcd,omitempty"`
	Moves    []string `json:"moves,omitempty"`    // VMIDs, nodes and addresses that change.
	Waits    []Wait   `json:"waits,omitempty"`    // What begins to wait for a person, and does so in the end.
	Machines []State  `json:"machines,omitempty"` // As they are after the step.
}

// Etcd of a cluster. A majority of the members has to vote, or its API does not answer.
type Etcd struct {
	Cluster string `json:"cluster"`
	Members int    `json:"members"`
	Votes   int    `json:"votes"`
}

// HasMajority says whether the API answers.
func (e Etcd) HasMajority() bool { return 2*e.Votes > e.Members }

// spare are the votes that can be lost before there is no majority.
func spare(e Etcd) int { return e.Votes - e.Members/2 - 1 } //nolint:mnd // The half.

// isWorse says whether the votes are those that a person has to know of two moments: there are fewer to spare, or as few beside somebody who does not vote. A
// single member, which has none to spare either, is no worse than two.
func (e Etcd) isWorse(than Etcd) bool {
	return cmp.Or(cmp.Compare(spare(e), spare(than)), cmp.Compare(e.rank(), than.rank())) < 0
}

// rank of votes that are as many to spare: what a person is told of comes first.
func (e Etcd) rank() int {
	switch {
	case !e.isWhole():
		return 0
	case e.isPair():
		return 1
	}

	return 2 //nolint:mnd // The last one.
}

// isTold says whether a person is told of the votes: not all members vote, or none can be spared of two.
func (e Etcd) isTold() bool { return !e.isWhole() || e.isPair() }

// A State is what is to be seen of one VM or container.
type State struct {
	Machine string `json:"machine"`
	VMID    int    `json:"vmId"`
	Node    string `json:"node"`
	State   string `json:"state"` // Of the States.
	// Container says that it is none of a VM.
	Container bool `json:"container,omitempty"`
}

// guest is what it is called.
func (s State) guest() string {
	if s.Container {
		return "container"
	}

	return "VM"
}

// The States.
const (
	StateServes   = "serves"
	StateStarts   = "starts"
	StateDrains   = "drains"
	StateUpgrades = "upgrades"
	StateOff      = "off"
)

// A Wait is a condition that asks for a person.
type Wait struct {
	Machine   string `json:"machine"`
	Condition string `json:"condition"`
	Reason    string `json:"reason"`
	Message   string `json:"message,omitempty"`
	Todo      string `json:"todo,omitempty"` // Empty where the message says what to do.
}

// An Outcome is how a rehearsal ends.
type Outcome string

// The Outcomes.
const (
	Done    Outcome = "done"    // Nothing changes any more, and nobody is waited for.
	Waits   Outcome = "waits"   // Nothing changes until a person does something.
	Refused Outcome = "refused" // The function refuses a claim: nothing of it is done.
	Stuck   Outcome = "stuck"   // It does not come to rest, or what the world holds was broken.
	Stopped Outcome = "stopped" // At the step that was asked for.
)

// An Effect of an edit on what there is.
type Effect string

// EffectNone says that nothing is done to a machine, or written of one, that is not done without the edit.
const EffectNone Effect = "none"

// EffectUnwritten says that nothing is written of what runs: the edit spells the same otherwise, or is for later, such as a deletionProtection.
const EffectUnwritten Effect = "unwritten"

// A Verdict on an edit.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	Effect  Effect  `json:"effect,omitempty"` // Empty for any other than none.
	At      Seconds `json:"atSeconds"`
	// Without are the parts of the edit, with their machines, that nothing which runs has when all is done, and what would give each an effect. No condition
	// of the machine asks for that.
	Without []string `json:"withoutEffect,omitempty"`
	Lost    []string `json:"majorityLost,omitempty"` // Clusters whose etcd had a majority and, for a while or for good, has none: their API does not answer.
	Waits   []Wait   `json:"waits,omitempty"`        // For what, where it waits, is refused or is stuck.
	Harms   []Harm   `json:"harms,omitempty"`        // That an edit does which deletes claims. Of any other this says nothing.
	Faults  []string `json:"faults,omitempty"`       // What must never happen and did. There are none in a world without a mistake in it or in the function.
}

// Sums of a rehearsal.
type Sums struct {
	Restarts      int      `json:"restarts"` // Of VMs and containers that there were.
	Made          []string `json:"made,omitempty"`
	LetGo         []string `json:"letGo,omitempty"`         // That stay in Proxmox, and are nobody's.
	Destroyed     []string `json:"destroyed,omitempty"`     // Without data disks.
	DataDestroyed []string `json:"dataDestroyed,omitempty"` // With data disks.
	NoMajority    Seconds  `json:"noMajoritySeconds"`       // The longest time in which the API of a cluster does not answer.
	LowestVotes   []Etcd   `json:"lowestVotes,omitempty"`   // Of each cluster that was there.
	LongestAway   Seconds  `json:"longestAwaySeconds"`      // Of one machine or node.
	LongestWho    string   `json:"longestWho,omitempty"`
}

// Seconds since the edit is committed, or for how long.
type Seconds int64

// String such as 1m20s.
func (s Seconds) String() string {
	d := time.Duration(s) * time.Second
	if d >= time.Hour {
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60) //nolint:mnd // Minutes of an hour.
	}

	if d >= time.Minute {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60) //nolint:mnd // Seconds of a minute.
	}

	return fmt.Sprintf("%ds", s)
}

// Assumed is how long things take.
type Assumed struct {
	Download Seconds `json:"downloadSeconds"` // Of an image.
	Create   Seconds `json:"createSeconds"`   // Of a VM, before it is started.
	Boot     Seconds `json:"bootSeconds"`
	Join     Seconds `json:"joinSeconds"` // Of a booted K3s node.
	Shutdown Seconds `json:"shutdownSeconds"`
	Drain    Seconds `json:"drainSeconds"`
	Upgrade  Seconds `json:"upgradeSeconds"` // Of K3s in place.
	Move     Seconds `json:"moveSeconds"`    // Of a VM to another node.
}

// Usual is what is assumed where nobody says otherwise.
func Usual() Assumed {
	return Assumed{Download: 60, Create: 20, Boot: 40, Join: 60, Shutdown: 20, Drain: 60, Upgrade: 60, Move: 60}
}
