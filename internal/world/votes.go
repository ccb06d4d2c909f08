package world

import "slices"

// Votes are those of the servers of K3s clusters: which of them a call takes away, and which something else.
type Votes struct {
	had  map[string]bool // After the call before.
	lost map[string]int  // What something else than a call took away, until it is back, with the round in which it went.
}

// NewVotes of nobody.
func NewVotes() Votes { return Votes{had: map[string]bool{}, lost: map[string]int{}} }

// Note who of some servers has a vote.
func (v Votes) Note(servers []string, has func(server string) bool) {
	for _, server := range servers {
		v.had[server] = has(server)
	}
}

// Lose the votes of those of some servers that have none any more, in a round: no call took them.
func (v Votes) Lose(servers []string, has func(server string) bool, round int) {
	for _, server := range servers {
		if v.had[server] && !has(server) {
			v.lost[server] = round
		}
	}

	v.Note(servers, has)
}

// Had says whether a server had a vote after the call before.
func (v Votes) Had(server string) bool { return v.had[server] }

// Voters are the servers that had a vote after the call before, sorted.
func (v Votes) Voters() []string {
	return slices.DeleteFunc(Keys(v.had), func(server string) bool { return !v.had[server] })
}

// Forget a server that is no member any more.
func (v Votes) Forget(server string) { delete(v.had, server) }

// LostIn is the round in which something else than a call took a server away that is not back yet.
func (v Votes) LostIn(server string) (round int, lost bool) {
	round, lost = v.lost[server]

	return round, lost
}

// A Count of the members of an etcd after a call.
type Count struct {
	Members, Votes int
	// Unseen are without a vote, and no call can know of that yet.
	Unseen int
	// Ours are without a vote, and nothing but a call took it.
	Ours []string
	// Taken are those of Ours that had one after the call before.
	Taken []string
}

// Count the votes of the members of an etcd. unseen says whether no call can know yet that a member has none.
func (v Votes) Count(members []string, has, unseen func(server string) bool) Count {
	out := Count{Members: len(members)}

	for _, server := range members {
		votes := has(server)
		_, lost := v.lost[server]

		switch {
		case votes:
			out.Votes++

			delete(v.lost, server)
		case unseen(server):
			out.Unseen++
		case !lost:
			out.Ours = append(out.Ours, server)

			if v.had[server] {
				out.Taken = append(out.Taken, server)
			}
		}

		v.had[server] = votes
	}

	return out
}

// HasMajority says whether the members have one, as far as a call can know.
func (c Count) HasMajority() bool { return c.Votes+c.Unseen > c.Members/2 }

// TakesMajority says whether the call took a server away without which the others are no majority. The only server of an etcd has nobody to be outvoted by.
func (c Count) TakesMajority() bool { return len(c.Taken) > 0 && c.Members > 1 && !c.HasMajority() }
