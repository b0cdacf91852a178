package history

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

func commit(version uint64, content string, result Result) Operation {
	return Operation{Kind: Commit, Version: version, Content: content, Result: result}
}

func update(version uint64, content string, result Result) Operation {
	return Operation{Kind: Update, Version: version, Content: content, Result: result}
}

// refused is a commit that was refused for a winner that was seen.
func refused(version uint64, content string) Operation {
	return Operation{Kind: Commit, Version: version, Content: content, Result: Conflict, End: version, Winner: true}
}

// notNext is a commit that was refused since the chain ends elsewhere.
func notNext(version, end uint64) Operation {
	return Operation{Kind: Commit, Version: version, Content: "x", Result: Conflict, End: end}
}

func latest(end uint64) Operation { return Operation{Kind: Latest, Result: Done, End: end} }

func read(version uint64, content string) Operation {
	return Operation{Kind: Read, Version: version, Content: content, Result: Done}
}

func missing(version uint64) Operation {
	return Operation{Kind: Read, Version: version, Result: Absent}
}

func resolve(version uint64, content string, result Result) Operation {
	return Operation{Kind: Resolve, Version: version, Content: content, Result: result}
}

// from gives an operation its time.
func (o Operation) from(call, end time.Duration) Operation {
	o.Call, o.Return = call, end
	return o
}

// inTurn gives operations times one after the other.
func inTurn(operations ...Operation) []Operation {
	for i := range operations {
		at := time.Duration(10 * i)
		operations[i] = operations[i].from(at, at+5)
	}
	return operations
}

func TestHistories(t *testing.T) {
	type ops = []Operation
	for _, tc := range []struct {
		name       string
		operations ops
		right      bool
	}{
		{"no operation at all", nil, true},
		{"commits follow one another", inTurn(commit(1, "a", Done), update(2, "b", Done), latest(2), read(1, "a"), read(2, "b")), true},
		{"a commit leaves a gap", inTurn(commit(1, "a", Done), commit(3, "c", Done)), false},
		{"the chain begins at version 1", inTurn(latest(0), commit(2, "b", Done)), false},

		{"a commit is repeated with equal bytes", inTurn(commit(1, "a", Done), commit(1, "a", Done)), true},
		{"two commits win one version", inTurn(commit(1, "a", Done), commit(1, "b", Done)), false},
		{"two commits win one version at one time", ops{commit(1, "a", Done).from(0, 9), commit(1, "b", Done).from(0, 9)}, false},
		{"an update takes equal bytes of another for its own", inTurn(update(1, "a", Done), update(1, "a", Done)), false},
		{"an update takes a commit of equal bytes for its own", inTurn(commit(1, "a", Done), update(1, "a", Done)), false},
		{"a commit takes an update of equal bytes for its own", inTurn(update(1, "a", Done), commit(1, "a", Done)), true},

		{"a read sees a commit that is under way", ops{commit(1, "a", Done).from(0, 30), latest(1).from(10, 20)}, true},
		{"a read does not see it yet", ops{commit(1, "a", Done).from(0, 30), latest(0).from(10, 20)}, true},
		{"a later read does not see what an earlier saw", ops{commit(1, "a", Done).from(0, 50), latest(1).from(10, 20), latest(0).from(30, 40)}, false},
		{"a read is stale after a commit", inTurn(commit(1, "a", Done), latest(0)), false},
		{"a read sees what comes later", inTurn(latest(1), commit(1, "a", Done)), false},
		{"the latest jumps over a version that is under way", ops{
			commit(1, "a", Done).from(0, 10), commit(2, "b", Done).from(5, 30), commit(3, "c", Done).from(5, 30), latest(3).from(11, 12),
		}, true},
		{"a version is absent after its commit", inTurn(commit(1, "a", Done), missing(1)), false},
		{"a version is absent after a later one was seen", ops{
			commit(1, "a", Done).from(0, 50), commit(2, "b", Unknown).from(0, 50), latest(2).from(10, 20), missing(1).from(30, 40),
		}, false},
		{"a version has other bytes than were committed", inTurn(commit(1, "a", Done), read(1, "b")), false},
		{"a version changes", inTurn(commit(1, "a", Done), commit(1, "b", Unknown), read(1, "a"), read(1, "b")), false},
		{"bytes appear that nobody wrote", inTurn(latest(0), read(1, "a")), false},

		{"a commit is refused for another's bytes", inTurn(commit(1, "a", Done), refused(1, "b")), true},
		{"a commit is refused, and no other's bytes are there", inTurn(refused(1, "b"), latest(0)), false},
		{"a commit is refused for its own bytes", inTurn(refused(1, "a"), read(1, "a")), false},
		{"a commit is refused for bytes that come later", inTurn(refused(1, "b"), commit(1, "a", Done)), false},
		{"a commit is refused for an unknown writer's bytes", inTurn(commit(1, "a", Unknown), refused(1, "b"), read(1, "a")), true},
		{"a commit is refused for its own unknown bytes", inTurn(commit(1, "a", Unknown), refused(1, "a")), false},
		{"a commit of what is not next is refused", inTurn(commit(1, "a", Done), notNext(3, 1)), true},
		{"a commit of what is next is refused", inTurn(commit(1, "a", Done), notNext(2, 1)), false},
		{"a commit is refused with an end that never was", inTurn(commit(1, "a", Done), notNext(4, 2)), false},
		{"an update is refused", inTurn(commit(1, "a", Done), update(1, "b", Conflict)), false},
		{"an error that is definite has no effect", inTurn(commit(1, "a", Failed), latest(0)), true},
		{"bytes appear after a definite error", inTurn(commit(1, "a", Failed), read(1, "a")), false},

		{"an unknown commit takes effect at once", inTurn(commit(1, "a", Unknown), read(1, "a")), true},
		{"an unknown commit takes effect later", inTurn(commit(1, "a", Unknown), missing(1), latest(0), latest(1), read(1, "a")), true},
		{"an unknown commit never takes effect", inTurn(commit(1, "a", Unknown), missing(1), commit(1, "b", Done), read(1, "b")), true},
		{"an unknown commit takes effect and goes", inTurn(commit(1, "a", Unknown), latest(1), latest(0)), false},
		{"an unknown commit takes effect behind another", inTurn(commit(1, "a", Unknown), commit(1, "b", Done), read(1, "a")), false},
		{"an unknown commit takes effect before it was asked for", inTurn(latest(1), commit(1, "a", Unknown)), false},
		{"an unknown commit of a version that is never reached", inTurn(commit(5, "a", Unknown), latest(0)), true},
		{"of two unknown commits one takes effect", inTurn(commit(1, "a", Unknown), commit(1, "b", Unknown), latest(1), refused(1, "a")), true},
		{"of two unknown commits neither, yet the version is there", inTurn(
			commit(1, "a", Unknown), commit(1, "b", Unknown), latest(1), refused(1, "a"), refused(1, "b")), false},
		{"an unknown update", inTurn(update(1, "a", Unknown), latest(0), commit(2, "b", Done), latest(2)), true},

		{"resolved as committed", inTurn(commit(1, "a", Unknown), resolve(1, "a", Done)), true},
		{"resolved as committed, then gone", inTurn(commit(1, "a", Unknown), resolve(1, "a", Done), latest(0)), false},
		{"resolved as absent, then it appears", inTurn(commit(1, "a", Unknown), resolve(1, "a", Absent), read(1, "a")), true},
		{"resolved as absent after a success", inTurn(commit(1, "a", Done), resolve(1, "a", Absent)), false},
		{"resolved as a conflict", inTurn(commit(1, "a", Unknown), commit(1, "b", Done), resolve(1, "a", Conflict)), true},
		{"resolved as a conflict, then it appears", inTurn(commit(1, "a", Unknown), resolve(1, "a", Conflict), read(1, "a")), false},
		{"resolved as a conflict, and nobody is there", inTurn(commit(1, "a", Unknown), resolve(1, "a", Conflict)), false},
		{"not resolved", inTurn(commit(1, "a", Unknown), resolve(1, "a", Unknown), resolve(1, "a", Failed)), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := porcupine.Illegal
			if tc.right {
				want = porcupine.Ok
			}
			report := Check(tc.operations, time.Minute)
			require.Equal(t, want, report.Result)
			require.Equal(t, tc.right, report.OK())
			require.Equal(t, tc.right, explained(tc.operations), "by the model of a chain in which an unknown write may never happen")
		})
	}
}

// explained checks a whole history, nothing left out, against the plain rule for
// writes of unknown outcome: each has an effect, or none.
func explained(operations []Operation) bool {
	plain := model(0)
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{plain.Init()} },
		Step: func(state, input, _ any) []any {
			c, o := state.(chain), input.(Operation)
			if o.Result == Unknown && o.Kind.writes() {
				if c.end+1 == o.Version {
					return []any{c, c.with(o.Content)}
				}
				return []any{c}
			}
			if ok, next := c.step(o); ok {
				return []any{next}
			}
			return nil
		},
		Equal: plain.Equal,
	}
	return porcupine.CheckOperations(m.ToModel(), entries(operations))
}
