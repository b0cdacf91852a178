package all_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/lancecommit/lancecommit/"

// importable are the packages that snippets of the README may name.
var importable = []string{
	"bytes", "context", "encoding/json", "errors", "fmt", "io", "log", "net/http", "os", "time",
	module + "backends", module + "backends/all", module + "backends/azure", module + "backends/backendtest", module + "backends/file",
	module + "backends/gcs", module + "backends/memory", module + "backends/s3",
	module + "committer", module + "committer/manifest", module + "naming",
}

// assumed is what snippets use and the README leaves to the reader.
const assumed = `
// nextManifest is the reader's own.
func nextManifest(current []byte, next uint64) ([]byte, error) { return current, nil }
`

// A snippet is a piece of Go in the README.
type snippet struct {
	section, text string
}

// snippets are the blocks of the README that are fenced as Go, and those of its
// section about stores that are indented.
func snippets(readme string) (found []snippet) {
	var section, block []string // titles by their level
	var fenced bool
	end := func() {
		if len(block) > 0 {
			found = append(found, snippet{strings.Join(section, " / "), strings.Join(block, "\n")})
		}
		block = nil
	}
	for line := range strings.Lines(readme) {
		line = strings.TrimSuffix(line, "\n")
		code, indented := strings.CutPrefix(line, "    ")
		level := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case fenced && line == "```":
			fenced = false
			end()
		case fenced:
			block = append(block, line)
		case line == "```go":
			end()
			fenced = true
		case indented && slices.Contains(section, "Stores"):
			block = append(block, code)
		case level > 0:
			end()
			section = append(section[:min(level-1, len(section))], strings.TrimSpace(line[level:]))
		default:
			end()
		}
	}
	end()
	return found
}

// declared finds the names that a snippet declares with :=.
func declared(source string) (names []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		return nil // the compiler says it
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE {
			return true
		}
		for _, left := range assign.Lhs {
			if name, ok := left.(*ast.Ident); ok && name.Name != "_" {
				names = append(names, name.Name)
			}
		}
		return true
	})
	return names
}

// program makes a file of Go out of a snippet: declarations as they are, and
// statements in a function that has a context.
func program(s snippet, number int) string {
	body := s.text
	if !regexp.MustCompile(`(?m)^(func|type|var|const) `).MatchString(body) {
		open := fmt.Sprintf("func snippet%d(ctx context.Context) {\n", number)
		used := ""
		for _, name := range declared("package p\n" + open + body + "\n}\n") {
			used += "_ = " + name + "\n"
		}
		body = open + body + "\n" + used + "}\n"
	}
	var imports strings.Builder
	for _, path := range importable {
		name := path[strings.LastIndexByte(path, '/')+1:]
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	return "package readme\n\n" + imports.String() + "\n" + body
}

// compile compiles files of Go as one package of the module, without writing
// into it.
func compile(t *testing.T, files []string) ([]byte, error) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for i, source := range files {
		name := fmt.Sprintf("snippet%d.go", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o666))
		overlay.Replace[filepath.Join(root, "readme", name)] = filepath.Join(dir, name)
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	path := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(path, text, 0o666))
	// With the race detector's packages where the tests have them: they are
	// compiled already.
	args := []string{"build", "-overlay", path}
	if withRace {
		args = append(args, "-race")
	}
	build := exec.CommandContext(t.Context(), "go", append(args, "./readme")...)
	build.Dir = root
	return build.CombinedOutput()
}

func TestEverySnippetOfTheREADMECompiles(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	found := snippets(string(readme))
	var sections []string
	files := []string{"package readme\n" + assumed}
	for i, s := range found {
		sections = append(sections, s.section)
		files = append(files, program(s, i))
	}
	for _, section := range []string{"In a program", "Specification", "Disk", "S3", "Google Cloud Storage", "Azure Blob Storage"} {
		require.True(t, slices.ContainsFunc(sections, func(s string) bool {
			return strings.Contains(strings.ToLower(s), strings.ToLower(section))
		}), "a snippet in %q among %q", section, sections)
	}
	require.Equal(t, strings.Count(string(readme), "\n```go\n"), strings.Count(strings.Join(sections, "\n"), "In a program"))
	out, err := compile(t, files)
	require.NoError(t, err, "%s", out)
}

func TestASnippetThatDoesNotCompileIsSeen(t *testing.T) {
	for _, broken := range []string{
		"store, err := file.Open(42)", "store, err := file.Open(",
	} {
		out, err := compile(t, []string{program(snippet{text: broken}, 1)})
		require.Error(t, err, broken)
		require.Contains(t, string(out), "snippet", broken)
	}
}
