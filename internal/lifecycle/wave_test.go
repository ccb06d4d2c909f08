package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestCheckWave: whether a machine of wave 2 may begin, by the others of its group and by what it said before.
func TestCheckWave(t *testing.T) {
	const catalogue = "cccccccccc"

	member := func(wave int64, state v1alpha1.WaveState) OtherMember {
		return OtherMember{Machine: "other", Wave: wave, State: state, Claim: "aaaaaaaaaa", Intent: "aaaaaaaaaa", Catalogue: catalogue}
	}
	edited, old, silent := member(1, v1alpha1.WaveFinished), member(1, v1alpha1.WaveFinished), OtherMember{Machine: "other", Wave: 1, Intent: "aaaaaaaaaa"}
	edited.Intent, old.Catalogue = "bbbbbbbbbb", "dddddddddd"

	waits := func(wave int64, reason WaveReason) Decision {
		return refuse(Blocker{Reason: BlockedByWave, Waves: []WaveWait{{Machine: "other", Wave: wave, Reason: reason}}})
	}
	has := func(revision string, wave int64, state v1alpha1.WaveState) OtherMember {
		m := member(wave, state)
		m.Revision = revision

		return m
	}
	waitsFor := func(has, wants string) Decision {
		return refuse(Blocker{Reason: BlockedByWave, Waves: []WaveWait{{Machine: "other", Wave: 1, Reason: WaveOtherRevision, Has: has, Wants: wants}}})
	}
	granted, announces := Decision{Permission: PermissionGranted}, Decision{Permission: PermissionAwaited}

	cases := map[string]struct {
		reason   string
		revision string
		before   v1alpha1.WaveState
		edited   bool
		others   []OtherMember
		want     Decision
	}{
		"Announces":         {reason: "Others may begin in this moment.", before: v1alpha1.WaveFinished, others: []OtherMember{member(1, v1alpha1.WaveFinished)}, want: announces},
		"AnnouncesAlone":    {reason: "Somebody may join the group.", want: announces},
		"AnnouncesAgain":    {reason: "It waited before, and nobody knows that it waits no more.", before: v1alpha1.WaveWaiting, want: announces},
		"Begins":            {reason: "The others could see that it is about to.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(1, v1alpha1.WaveFinished)}, want: granted},
		"GoesOn":            {reason: "What has begun does not stop.", before: v1alpha1.WaveBegun, others: []OtherMember{member(1, v1alpha1.WaveUnfinished)}, want: granted},
		"LowerUnfinished":   {reason: "Something keeps it from being finished.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(1, v1alpha1.WaveUnfinished)}, want: waits(1, WaveNotFinished)},
		"LowerWaits":        {reason: "It has its turn before.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(1, v1alpha1.WaveWaiting)}, want: waits(1, WaveAlsoWaits)},
		"LowerAnnounces":    {reason: "The lower one goes first.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(1, v1alpha1.WaveAnnounced)}, want: waits(1, WaveAlsoWaits)},
		"LowerAway":         {reason: "It is not back.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(1, v1alpha1.WaveBegun)}, want: waits(1, WaveAway)},
		"LowerEdited":       {reason: "It was finished with another claim.", before: v1alpha1.WaveAnnounced, others: []OtherMember{edited}, want: waits(1, WaveNotSeen)},
		"LowerOldCatalogue": {reason: "It was finished with another catalogue.", before: v1alpha1.WaveAnnounced, others: []OtherMember{old}, want: waits(1, WaveNotSeen)},
		"LowerSilent":       {reason: "It has said nothing yet.", before: v1alpha1.WaveAnnounced, others: []OtherMember{silent}, want: waits(1, WaveNotSeen)},
		"SameWave":          {reason: "Machines of one wave restart together.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(2, v1alpha1.WaveBegun), member(2, "")}, want: granted},
		"HigherUnfinished":  {reason: "A higher wave has not to be finished.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(3, v1alpha1.WaveUnfinished)}, want: granted},
		"HigherWaits":       {reason: "It waits for this one.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(3, v1alpha1.WaveWaiting)}, want: granted},
		"HigherAnnounces":   {reason: "It may not have seen that this one has announced, too.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(3, v1alpha1.WaveAnnounced)}, want: waits(3, WaveAbout)},
		"HigherAway":        {reason: "Two waves are never away.", before: v1alpha1.WaveAnnounced, others: []OtherMember{member(3, v1alpha1.WaveBegun)}, want: waits(3, WaveAway)},

		"EditedAfterItBegan": {reason: "Nobody waited for what the edit asks for.", before: v1alpha1.WaveBegun, edited: true, others: []OtherMember{member(1, v1alpha1.WaveUnfinished)}, want: waits(1, WaveNotFinished)},
		"BeginsAgain":        {reason: "The others wait for what has begun as for what is announced.", before: v1alpha1.WaveBegun, edited: true, others: []OtherMember{member(1, v1alpha1.WaveFinished)}, want: granted},
		"EditedAfterItSpoke": {reason: "It announced itself, whatever for.", before: v1alpha1.WaveAnnounced, edited: true, others: []OtherMember{member(1, v1alpha1.WaveFinished)}, want: granted},

		"LowerHasRevision":    {reason: "All have the commit.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v2", 1, v1alpha1.WaveFinished)}, want: granted},
		"LowerUnfinishedWith": {reason: "It has the commit, and is not finished with it.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v2", 1, v1alpha1.WaveUnfinished)}, want: waits(1, WaveNotFinished)},
		"LowerOtherRevision":  {reason: "The commit has not arrived.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v1", 1, v1alpha1.WaveFinished)}, want: waitsFor("v1", "v2")},
		"LowerNewerRevision":  {reason: "Nobody knows which is newer.", revision: "v1", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v2", 1, v1alpha1.WaveFinished)}, want: waitsFor("v2", "v1")},
		"LowerNoRevision":     {reason: "Its edit may still come.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("", 1, v1alpha1.WaveFinished)}, want: waitsFor("", "v2")},
		"LowerOtherAndAway":   {reason: "That it is away ends first.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v1", 1, v1alpha1.WaveBegun)}, want: waits(1, WaveAway)},
		"NoRevision":          {reason: "It asks for none.", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v1", 1, v1alpha1.WaveFinished)}, want: granted},
		"SameWaveRevision":    {reason: "Machines of one wave do not wait for each other.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v1", 2, v1alpha1.WaveFinished)}, want: granted},
		"HigherRevision":      {reason: "A higher wave comes later.", revision: "v2", before: v1alpha1.WaveAnnounced, others: []OtherMember{has("v1", 3, v1alpha1.WaveFinished)}, want: granted},
		"RevisionGoesOn":      {reason: "What has begun does not stop.", revision: "v2", before: v1alpha1.WaveBegun, others: []OtherMember{has("v1", 1, v1alpha1.WaveFinished)}, want: granted},
		"RevisionAfterBegun":  {reason: "Another commit came meanwhile.", revision: "v2", before: v1alpha1.WaveBegun, edited: true, others: []OtherMember{has("v1", 1, v1alpha1.WaveFinished)}, want: waitsFor("v1", "v2")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := v1alpha1.MachineRollout{Group: "edge", Wave: 2, Revision: tc.revision}
			got := CheckWave(own, Rollout{Catalogue: catalogue, Before: tc.before, Edited: tc.edited, Known: true, Members: tc.others})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhatAWaveHasBegunWith: which claim and catalogue the state of a machine is about whose replacement is under way, and which boot ID it remembers.
func TestWhatAWaveHasBegunWith(t *testing.T) {
	begun := Turn{State: v1alpha1.WaveBegun, BootID: "boot"}
	earlier, granted, forgets := begun, begun, begun
	earlier.Earlier = true
	granted.Decision = Decision{Permission: PermissionGranted}
	forgets.BootID = ""

	cases := map[string]struct {
		reason  string
		rollout Rollout
		turn    Turn
		want    Turn
	}{
		"Begins":    {reason: "What it said before was about something else.", rollout: Rollout{Before: v1alpha1.WaveAnnounced, Edited: true, BootID: "boot"}, want: forgets},
		"GoesOn":    {reason: "Nothing was edited.", rollout: Rollout{Before: v1alpha1.WaveBegun, BootID: "boot"}, want: begun},
		"Edited":    {reason: "It is known as an edit until the VM is back.", rollout: Rollout{Before: v1alpha1.WaveBegun, Edited: true, BootID: "boot"}, want: earlier},
		"Permitted": {reason: "The edit had its turn.", rollout: Rollout{Before: v1alpha1.WaveBegun, Edited: true, BootID: "boot"}, turn: Turn{Decision: granted.Decision}, want: granted},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Turn: tc.turn, Situation: Situation{Request: Request{
				Machine: &machine.Machine{Rollout: &v1alpha1.MachineRollout{Group: "edge", Wave: 2}}, Rollout: tc.rollout,
				Roles: Roles{Active: "vm", Candidate: "vm-b", Begun: true},
			}}}

			if diff := cmp.Diff(tc.want, waver{&p.Situation}.settle(p.outcome())); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRefuseForWave: a replacement begins when it is the machine's turn, and others could see that it is about to.
func TestRefuseForWave(t *testing.T) {
	lower := func(state v1alpha1.WaveState) []OtherMember {
		return []OtherMember{{Machine: "other", Wave: 1, State: state}}
	}

	cases := map[string]struct {
		reason  string
		before  v1alpha1.WaveState
		others  []OtherMember
		want    Decision
		refuses bool
	}{
		"Waits": {
			reason: "A lower wave is not finished.", before: v1alpha1.WaveAnnounced, others: lower(v1alpha1.WaveUnfinished), refuses: true,
			want: refuse(Blocker{Reason: BlockedByWave, Waves: []WaveWait{{Machine: "other", Wave: 1, Reason: WaveNotFinished}}}),
		},
		"Announces": {reason: "Others may begin in this moment.", before: v1alpha1.WaveFinished, others: lower(v1alpha1.WaveFinished), want: refuse(Blocker{Reason: BlockedByWave}), refuses: true},
		"Begins":    {reason: "It is its turn.", before: v1alpha1.WaveAnnounced, others: lower(v1alpha1.WaveFinished)},
		"GoesOn":    {reason: "What has begun goes on.", before: v1alpha1.WaveBegun, others: lower(v1alpha1.WaveUnfinished)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, refuses := RefuseForWave(v1alpha1.MachineRollout{Group: "edge", Wave: 2}, Rollout{Before: tc.before, Members: tc.others})
			if diff := cmp.Diff([]any{tc.want, tc.refuses}, []any{got, refuses}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
