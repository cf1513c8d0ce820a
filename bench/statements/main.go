// Command statements reads which statements the tests ran. It fails and lists those that no test ran. With -plans it
// lists those whose planning took an engine the most time. The tests write the file if TESTED_STATEMENTS names it:
//
//	go run ./bench/statements [-plans] FILE
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
)

func main() {
	plans := flag.Bool("plans", false, "list the statements with the longest planning")
	flag.Parse()
	ran, err := read(flag.Arg(0))
	if err == nil && *plans {
		err = longest(os.Stdout, ran)
	} else if err == nil {
		err = missing(ran)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read returns the statements that ran, by first line.
func read(path string) (map[string]graphtest.Ran, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	sums := map[string]graphtest.Ran{}
	for from := json.NewDecoder(bufio.NewReader(file)); ; {
		var one graphtest.Ran
		if err := from.Decode(&one); errors.Is(err, io.EOF) {
			return sums, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sum := sums[one.Line]
		sums[one.Line] = graphtest.Ran{Line: one.Line, Runs: sum.Runs + one.Runs, Plans: sum.Plans + one.Plans,
			PlanningMS: sum.PlanningMS + one.PlanningMS}
	}
}

// patterns lists the statements that are sent as patterns of rules, without the comment in their first line.
var patterns = []cypher.Statement{cypher.CircuitState, cypher.CircuitStates, cypher.LimitState}

// unrecorded are statements that an engine does not list, because they ask for its own statistics.
var unrecorded = []cypher.Statement{cypher.Counts}

// names returns the names of all statements by first line. It leaves out those that the default version
// of Neo4j does not support, and named queries, which are sent without comments and have their own test.
func names() map[string]string {
	all := map[string]string{}
	for name, statement := range cypher.Catalog {
		if !strings.Contains(statement.Text(), "\nCYPHER 25") {
			all[firstLine(statement.Text())] = name
		}
	}
	for _, pattern := range patterns {
		line, rest, _ := strings.Cut(pattern.Text(), "\n")
		delete(all, line)
		all[firstLine(rest)] = pattern.Name
	}
	for _, statement := range unrecorded {
		delete(all, firstLine(statement.Text()))
	}
	return all
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// missing returns an error that lists the statements that no test ran.
func missing(ran map[string]graphtest.Ran) error {
	unrun := names()
	maps.DeleteFunc(unrun, func(line, _ string) bool { return ran[line].Runs > 0 })
	if len(unrun) == 0 {
		return nil
	}
	return fmt.Errorf("no test ran these statements; add a test, or delete them:\n%s",
		strings.Join(slices.Sorted(maps.Values(unrun)), "\n"))
}

// longest lists the ten statements whose planning took longest.
func longest(w io.Writer, ran map[string]graphtest.Ran) error {
	const most = 10
	named := names()
	maps.DeleteFunc(ran, func(line string, _ graphtest.Ran) bool { return named[line] == "" })
	sorted := slices.SortedFunc(maps.Values(ran),
		func(a, b graphtest.Ran) int { return cmp.Compare(b.PlanningMS, a.PlanningMS) })
	fmt.Fprintln(w, "planning ms\tplans\truns\tstatement")
	for _, one := range sorted[:min(most, len(sorted))] {
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\n", one.PlanningMS, one.Plans, one.Runs, named[one.Line])
	}
	return nil
}
