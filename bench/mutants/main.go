// Command mutants measures what tests notice. It changes one condition or statement at a time and runs tests until one
// fails:
//
//	go run ./bench/mutants -list    choose the mutants and write mutants.tsv
//	go run ./bench/mutants          run those without a result in bin/mutants.jsonl, and print totals
//
// A mutant is stored by file, function and source text, so the list is still valid after code moves. Mutants whose
// text no longer exists are "gone".
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	list    = "bench/mutants/mutants.tsv"
	results = "bin/mutants.jsonl"
	amount  = 100
	seed    = 46

	limit     = 10 * time.Minute // of a test run, after which the mutant counts as killed
	importing = 3                // packages that are tested if a package's own tests pass
)

// result is what the tests of a mutant said.
type result struct {
	Mutant string `json:"mutant"`
	Result string `json:"result"`       // killed, survived, gone or does not build
	By     string `json:"by,omitempty"` // package whose tests failed
}

func main() {
	choose := flag.Bool("list", false, "write the list")
	storeless := flag.Bool("storeless", false, "run only tests of packages that need no engine")
	duration := flag.Duration("for", 24*time.Hour, "time after which no further mutant is started")
	flag.Parse()
	err := func() error {
		all, err := candidates()
		if err != nil {
			return err
		}
		p, err := load()
		if err != nil {
			return err
		}
		if *choose {
			return write(pick(all, p))
		}
		return runner{all, p, *storeless}.run(time.Now().Add(*duration))
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pick chooses mutants at random, at most one per function, those of packages without an engine first.
func pick(all []mutant, p packages) []mutant {
	chosen, used := []mutant{}, map[string]bool{}
	for _, i := range rand.New(rand.NewPCG(seed, seed)).Perm(len(all)) {
		m := all[i]
		if function := m.File + m.Function; !m.repeated && !used[function] && len(chosen) < amount {
			used[function] = true
			chosen = append(chosen, m)
		}
	}
	slices.SortFunc(chosen, func(a, b mutant) int {
		return cmp.Or(p.order(a.pkg(), b.pkg()), strings.Compare(a.key(), b.key()))
	})
	return chosen
}

func write(chosen []mutant) error {
	lines := ""
	for _, m := range chosen {
		lines += m.key() + "\n"
	}
	return os.WriteFile(list, []byte(lines), 0o600)
}

// runner runs the tests of mutants.
type runner struct {
	all       []mutant
	packages  packages
	storeless bool
}

func (r runner) run(end time.Time) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	done, err := stored()
	if err != nil {
		return err
	}
	keys := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, key := range keys {
		m, ok := parse(key)
		if !ok {
			return fmt.Errorf("%s: %q has not four columns", list, key)
		}
		if _, ok := done[key]; ok || time.Now().After(end) || r.storeless && r.packages.engine(m.pkg()) {
			continue
		}
		out, err := r.test(m)
		if err != nil {
			return err
		}
		out.Mutant = key
		if err := add(out); err != nil {
			return err
		}
		done[key] = out
		fmt.Println(out.Result, out.By, key)
	}
	report(keys, done)
	return nil
}

// test runs the tests of the mutant's package, then those of packages that import it, until one fails.
func (r runner) test(m mutant) (result, error) {
	found, ok := find(r.all, m)
	if !ok {
		return result{Result: "gone"}, nil
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return result{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := filepath.Abs(found.File)
	if err != nil {
		return result{}, err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return result{}, err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err = errors.Join(err, os.WriteFile(changed, found.apply(source), 0o600),
		os.WriteFile(overlay, replaced, 0o600)); err != nil {
		return result{}, err
	}
	importers := r.packages.importers(found.pkg())
	if r.storeless {
		importers = slices.DeleteFunc(importers, r.packages.engine)
	}
	for _, pkg := range append([]string{found.pkg()}, importers[:min(len(importers), importing)]...) {
		ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
		memory := "8000000" // KiB: a mutant can append to a list without end
		if r.packages.engine(pkg) {
			memory = "unlimited" // an engine that the test starts would inherit the limit
		}
		out, err := exec.CommandContext(ctx, "sh", "-c", `ulimit -v "$1"; shift; exec go test "$@"`, "sh", memory,
			"-overlay", overlay, "-short", "-failfast", "-vet=off", "-count=1", "-timeout", limit.String(), "./"+pkg).
			CombinedOutput()
		cancel()
		switch {
		case err == nil:
		case strings.Contains(string(out), "[build failed]"):
			return result{Result: "does not build"}, nil
		default:
			return result{Result: "killed", By: pkg}, nil
		}
	}
	return result{Result: "survived"}, nil
}

// stored returns the results of earlier runs, by mutant.
func stored() (map[string]result, error) {
	done := map[string]result{}
	text, err := os.ReadFile(results)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var one result
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, err
		}
		done[one.Mutant] = one
	}
	return done, nil
}

func add(one result) error {
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(results, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// report prints how many mutants have each result.
func report(keys []string, done map[string]result) {
	counts := map[string]int{}
	for _, key := range keys {
		counts[cmp.Or(done[key].Result, "not run")]++
	}
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		fmt.Println(counts[outcome], outcome)
	}
}

// packages maps the directory of a package to what its code and its tests import.
type packages map[string]struct{ code, tests []string }

func load() (packages, error) {
	out, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`, "./...").Output()
	if err != nil {
		return nil, err
	}
	all := packages{}
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.ReplaceAll(line, "nomograph/", ""), "|")
		one := all[columns[0]]
		one.code, one.tests = strings.Fields(columns[1]), strings.Fields(columns[2])
		all[columns[0]] = one
	}
	return all, nil
}

// engine reports whether the tests of a package may need a database.
func (p packages) engine(pkg string) bool {
	seen := map[string]bool{}
	var visit func([]string) bool
	visit = func(imports []string) bool {
		return slices.ContainsFunc(imports, func(one string) bool {
			if seen[one] {
				return false
			}
			seen[one] = true
			return one == "graph/graphtest" || visit(p[one].code)
		})
	}
	return visit(slices.Concat(p[pkg].code, p[pkg].tests))
}

// order sorts packages whose tests need no database first.
func (p packages) order(a, b string) int {
	first := map[bool]int{true: 1}
	return first[p.engine(a)] - first[p.engine(b)]
}

// importers returns the packages that import a package and have tests, those without an engine first.
func (p packages) importers(pkg string) []string {
	found := slices.DeleteFunc(slices.Sorted(maps.Keys(p)), func(other string) bool {
		return other == pkg || len(p[other].tests) == 0 ||
			!slices.Contains(slices.Concat(p[other].code, p[other].tests), pkg)
	})
	slices.SortStableFunc(found, p.order)
	return found
}

func (m mutant) pkg() string { return path.Dir(m.File) }
