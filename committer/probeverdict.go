package committer

import (
	"fmt"
	"slices"
	"strings"
)

// A ProbeVerdict is what [Probe] says of a store, in one word.
type ProbeVerdict string

// The verdicts. Where several are true, the one that stands first here is given;
// the findings have all of them.
const (
	// ProbeIgnored means that a second create of a name succeeded, or said that
	// it lost and replaced the bytes.
	ProbeIgnored ProbeVerdict = "ignored"
	// ProbeInverted means that creates of absent names are refused as taken.
	ProbeInverted ProbeVerdict = "inverted"
	// ProbeRacy means that creates are right one after the other, and wrong when
	// they are sent at the same time.
	ProbeRacy ProbeVerdict = "racy"
	// ProbeRepeated means that a create was told that the name is taken, by its
	// own bytes: something between this process and the store repeats requests.
	ProbeRepeated ProbeVerdict = "repeated"
	// ProbeStaleReads means that what was created is not shown at once, or not
	// as it was created: with other bytes, another size or another ETag.
	ProbeStaleReads ProbeVerdict = "stale-reads"
	// ProbeWrongListing means that listings lose or repeat names, or are not in
	// the order that Capabilities says.
	ProbeWrongListing ProbeVerdict = "wrong-listing"
	// ProbeUnsupported means that the store cannot create conditionally, or lacks
	// a read or a listing that a commit needs.
	ProbeUnsupported ProbeVerdict = "unsupported"
	// ProbeClockSkew means that the store refuses the time of a request: its
	// clock, or that of what stands in front of it, and that of this machine
	// differ.
	ProbeClockSkew ProbeVerdict = "clock-skew"
	// ProbeUnauthenticated means that the store does not accept the credentials.
	ProbeUnauthenticated ProbeVerdict = "unauthenticated"
	// ProbeNoBucket means that the bucket, container or folder is not there.
	ProbeNoBucket ProbeVerdict = "no-bucket"
	// ProbeDenied means that the caller may not list, create or read.
	ProbeDenied ProbeVerdict = "no-permission"
	// ProbeInvalid means that the store refuses a request as malformed, as one
	// for a bucket of another region.
	ProbeInvalid ProbeVerdict = "invalid-request"
	// ProbeThrottled means that the store refuses requests for their rate, again
	// and again.
	ProbeThrottled ProbeVerdict = "throttled"
	// ProbeDisk means that a disk could not do what it was asked to: it is full,
	// it takes no files, or something is in the way.
	ProbeDisk ProbeVerdict = "disk-failed"
	// ProbeUnreachable means that the store could not be reached, or failed.
	ProbeUnreachable ProbeVerdict = "unreachable"
	// ProbeUnstable means that too many creates had no answer that proves
	// anything, or that the time was up.
	ProbeUnstable ProbeVerdict = "unstable"
	// ProbeUnfinished means that the context ended first.
	ProbeUnfinished ProbeVerdict = "unfinished"
	// ProbeEnforced means that the store enforces create-if-absent, and that its
	// reads and listings are what a table needs.
	ProbeEnforced ProbeVerdict = "enforced"
)

// A findingName is a verdict, or the name of a finding that is none.
type findingName = ProbeVerdict

// ProbeDeleteIgnored is the name of the warning that what is deleted stays. It is
// no verdict: commits are safe then, and nothing can be cleaned up.
const ProbeDeleteIgnored = "delete-ignored"

// Names of other findings that are no verdicts.
const (
	probeDeleteDenied = "delete-denied"
	probeMetadataLost = "metadata-lost"
	probeNoMetadata   = "no-metadata"
	probeUnordered    = "unordered"
	probeNotReusable  = "name-not-reusable"
	probeClockOff     = "clock-off"
	probeNoWinner     = "no-winner"
	probeUnknown      = "unknown-outcomes"
	probeLeftBehind   = "left-behind"
)

// A ProbeLevel says how grave a finding is.
type ProbeLevel string

// The levels, from the gravest on.
const (
	// ProbeUnsafe is proof that the store must not carry tables.
	ProbeUnsafe ProbeLevel = "unsafe"
	// ProbeError is why the store could not be judged, or cannot be used now.
	ProbeError ProbeLevel = "error"
	// ProbeWarning is a defect that tables survive.
	ProbeWarning ProbeLevel = "warning"
	// ProbeNote is worth knowing.
	ProbeNote ProbeLevel = "note"
	// ProbeOK is that of [ProbeEnforced].
	ProbeOK ProbeLevel = "ok"
)

// A ProbeFinding is one thing that a probe found out.
type ProbeFinding struct {
	Level ProbeLevel `json:"level"`
	// Name is a verdict, or the short name of a warning or a note.
	Name string `json:"name"`
	// Seen is what happened, Means what follows from it, Do what to do about it.
	// Each is whole sentences. Do is empty where there is nothing to do.
	Seen  string `json:"seen"`
	Means string `json:"means"`
	Do    string `json:"do,omitempty"`
}

// Text returns the finding in one paragraph.
func (f ProbeFinding) Text() string {
	return strings.Join(slices.DeleteFunc([]string{f.Seen, f.Means, f.Do}, func(s string) bool { return s == "" }), " ")
}

// A probeMeaning is what is said of every finding of a name.
type probeMeaning struct {
	level     ProbeLevel
	name      findingName
	means, do string
}

// keepOff is what to do about a store that loses versions.
const keepOff = "Keep no tables here that more than one process writes. "

// probeMeanings has all findings. The order is that of a report, and the first
// one of a report is its verdict.
var probeMeanings = []probeMeaning{
	{ProbeUnsafe, ProbeIgnored,
		"Two writers of one version would both be told that they committed, and the version of one of them would be lost.",
		keepOff + "Update the store or what stands in front of it, choose its native protocol, or use another store."},
	{ProbeUnsafe, ProbeInverted,
		"The condition is turned round: no version can be committed, and one that exists can be overwritten.",
		keepOff + "Update the store, or use another one."},
	{ProbeUnsafe, ProbeRacy,
		"Two processes that commit at the same moment could both be told that they have the version, and one would be lost.",
		keepOff + "Update the store, write through one endpoint of it only, or use another store."},
	{ProbeUnsafe, ProbeRepeated,
		"Something between this process and the store sends requests again by itself, so that a commit that succeeded reads as lost and is made twice.",
		"Switch off the retries of the client, the proxy or the load balancer for PUT requests."},
	{ProbeUnsafe, ProbeStaleReads,
		"A writer would not see the latest version, nor find out what became of its own commit.",
		keepOff + "Switch off caches in front of the store, ask one that is consistent, or use another store."},
	{ProbeUnsafe, ProbeWrongListing,
		"The latest version is learned from a listing, so a wrong one could be taken for it.",
		keepOff + "Update the store or what stands in front of it, or use another store."},
	{ProbeUnsafe, ProbeUnsupported,
		"A commit is a conditional create, with reads and listings beside it, and this store lacks one of these.",
		keepOff + "Update the store, choose its native protocol, or use another store."},
	{ProbeError, ProbeClockSkew,
		"A store refuses requests that are signed with another time than its own. One of the two clocks is wrong.",
		"Find out which clock is wrong, that of this machine, or that of the store or of what stands in front of it, set that one right, then ask again."},
	{ProbeError, ProbeUnauthenticated,
		"So nothing could be tried.",
		"Check the credentials and where they come from, then ask again."},
	{ProbeError, ProbeNoBucket,
		"There is nothing to keep tables in.",
		"Check the name of the bucket or folder, the account and the endpoint, or make it, then ask again."},
	{ProbeError, ProbeDenied,
		"To commit, a writer must list, create and read below the folder of its table.",
		"Grant these permissions, or check that the credentials are the right ones, then ask again."},
	{ProbeError, ProbeInvalid,
		"The store was asked for something that it does not take, so nothing could be tried.",
		"Check the location, the region and the endpoint, then ask again."},
	{ProbeError, ProbeThrottled,
		"So nothing could be tried: a commit would have to wait, too.",
		"Ask again later, or have the limit raised that the store sets for requests."},
	{ProbeError, ProbeDisk,
		"So it could not be judged.",
		"Make room, move away what is in the way, or take a folder of another file system: some, as /proc, take no files. Then ask again."},
	{ProbeError, ProbeUnreachable,
		"So it could not be judged.",
		"Check the endpoint, the network and the store itself, then ask again."},
	{ProbeError, ProbeUnstable,
		"Too little was decided to call the store safe, and nothing proves that it is not.",
		"Ask again when the store and the network are well, with more time or fewer rounds if need be."},
	{ProbeError, ProbeUnfinished,
		"The store is not judged.",
		"Ask again, and let it end."},
	{ProbeOK, ProbeEnforced,
		"The store decides between writers, and shows what it decided.",
		"Tables can be kept here."},
	{ProbeWarning, ProbeDeleteIgnored,
		"Commits are safe, but nothing can be cleaned up: old versions, staged manifests and dropped tables stay, and so do the objects of this probe.",
		"Find out what keeps them, as a hold, a retention or a proxy, and remove the folder of the probe."},
	{ProbeWarning, probeDeleteDenied,
		"Commits are safe, but old versions, staged manifests and the objects of this probe cannot be removed.",
		"Grant the permission to delete to those who clean up, and remove the folder of the probe."},
	{ProbeWarning, probeMetadataLost,
		"A commit whose answer was lost can be told only by reading the manifest, and Update cannot tell its own from an equal one of another writer: its outcome is then unknown.",
		"Let the store or what stands in front of it keep x-amz-meta or its like; writers that use Commit are served as they are."},
	{ProbeWarning, probeNotReusable,
		"A table that was dropped cannot be made again at the same place, as where delete markers count as objects.",
		"Make such tables at another place."},
	{ProbeWarning, probeClockOff,
		"Commits do not depend on clocks, but signed requests and the times that people read do.",
		"Set the clock that is wrong."},
	{ProbeWarning, probeNoWinner,
		"No version is lost by this, but writers that meet must try again.",
		""},
	{ProbeWarning, probeUnknown,
		"Without an answer nothing is proven or counted. A commit that meets such a create looks what is there.",
		"Look at the network and the load of the store if it happens again."},
	{ProbeWarning, probeLeftBehind,
		"What is left is no part of any table, and nothing reads it.",
		"Remove the folder of the probe."},
	{ProbeNote, probeNoMetadata,
		"A commit whose answer was lost is told by reading the manifest, and Update cannot tell its own from an equal one of another writer.",
		""},
	{ProbeNote, probeUnordered,
		"To learn the latest version, the whole folder of versions is listed.",
		"Delete old versions now and then, to keep that short."},
}

// finding returns what there is to say, with the place of its name in the order
// of a report.
func finding(name findingName, seen string) (ProbeFinding, int) {
	at := slices.IndexFunc(probeMeanings, func(m probeMeaning) bool { return m.name == name })
	m := probeMeanings[at]
	return ProbeFinding{Level: m.level, Name: string(name), Seen: seen, Means: m.means, Do: m.do}, at
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
