package committer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// hasNoCode reports whether a store refused a request over HTTP and did not say
// why, as in any answer to HEAD.
func hasNoCode(err error) bool {
	var answer *backends.Error
	return errors.As(err, &answer) && answer.Status != 0 && answer.Code == ""
}

// tryPermissions finds out, after the probe had to end for want of a permission,
// what else is not allowed, so that all can be granted at once.
func (p *probe) tryPermissions(ctx context.Context) {
	if len(p.denied) == 0 || p.denied[mayDelete] != nil {
		return
	}
	if err := p.handle(0).Delete(ctx, p.name("absent", 0)); errors.Is(err, fs.ErrPermission) {
		p.denied[mayDelete] = err
	}
}

// lacking lists the permissions that are denied.
func (p *probe) lacking() []string {
	if p.absentDenied != nil && p.denied[mayList] == nil && p.denied[mayRead] == nil {
		p.denied[mayRead] = p.absentDenied
	}
	lacking := []string{}
	for _, permission := range []string{mayList, mayCreate, mayRead, mayDelete} {
		if p.denied[permission] != nil {
			lacking = append(lacking, permission)
		}
	}
	return lacking
}

// judgeRefusals tells refusals for the time of a request from those for want of a
// permission, where the store gave no reason.
func (p *probe) judgeRefusals() {
	refusals := maps.Clone(p.denied)
	if p.absentDenied != nil {
		refusals["absent"] = p.absentDenied
	}
	for _, kind := range slices.Sorted(maps.Keys(refusals)) {
		err := refusals[kind]
		if !hasNoCode(err) || !p.isClockOff() && !p.found(ProbeClockSkew) {
			continue
		}
		p.find(ProbeClockSkew, "The store refuses a request and gives no reason: %s.", saidBy(err))
		delete(p.denied, kind)
		if kind == "absent" {
			p.absentDenied = nil
		}
	}
}

// judgeDenied finds what the denied permissions mean. Only to delete is not
// needed for a commit.
func (p *probe) judgeDenied() {
	if slices.Equal(p.report.Denied, []string{mayDelete}) {
		p.find(probeDeleteDenied, "The store refuses to delete: %s.", saidBy(p.denied[mayDelete]))
		return
	}
	err := p.denied[p.report.Denied[0]]
	p.find(ProbeDenied, "The store refuses to %s: %s.", strings.Join(p.report.Denied, ", to "), saidBy(err))
	switch {
	case p.disk:
		p.advice[ProbeDenied] = "A folder " + ProbeFolder + " that another user's probe left can be in the way: remove it, if it is."
	case hasNoCode(err):
		p.advice[ProbeDenied] = "The refusal gives no reason, so look at the clocks of this machine and of the store, too."
	}
}
