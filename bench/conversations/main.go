// Command conversations compares two builds of Nomograph. It sends the same requests to both, each with its own engine
// and the same imported graph, and prints where the answers differ. A difference is intended, or it is a defect.
//
//	make compare OLD=path/to/old/nomograph
//	go run ./bench/conversations -parts rest,cstp OLD NEW
//
// The requests are in data/, one on a line. The exit code is 1 if an answer differs and 2 if the comparison failed.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

var (
	only  = flag.String("parts", "", "comma-separated parts to play (default all)")
	out   = flag.String("out", "bin/conversations", "directory for all answers of both programs")
	shown = flag.Int("lines", 30, "maximum number of lines shown of a difference")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differing, err := run(ctx, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conversations:", err)
		os.Exit(2)
	case differing > 0:
		os.Exit(1)
	}
}

func run(ctx context.Context, paths []string) (differing int, err error) {
	if len(paths) != 2 {
		return 0, fmt.Errorf("got %d programs, want the old one and the new one", len(paths))
	}
	home, err := os.MkdirTemp("", "nmg")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(home) }()
	programs := make([]*program, len(paths))
	for i, name := range []string{"old", "new"} {
		if programs[i], err = newProgram(name, paths[i], filepath.Join(home, name)); err != nil {
			return 0, err
		}
	}
	parts, err := allParts()
	if err != nil {
		return 0, err
	}
	if *only != "" {
		parts = slices.DeleteFunc(parts, func(p part) bool {
			return !slices.Contains(strings.Split(*only, ","), p.name)
		})
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range programs {
		group.Go(func() error { return p.play(ctx, parts) })
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if err := os.RemoveAll(*out); err != nil {
		return 0, err
	}
	return compare(programs[0], programs[1])
}

// compare writes the answers to files and prints each kind of difference once, with the names of all requests that
// have it.
func compare(before, after *program) (differing int, err error) {
	names := map[string][]string{} // by difference
	var order []string
	requests := slices.Clone(before.asked)
	for _, name := range after.asked {
		if _, ok := before.answers[name]; !ok {
			requests = append(requests, name)
		}
	}
	for _, name := range requests {
		was, is := before.answers[name], alike(before.answers[name], after.answers[name])
		for of, text := range map[string]string{"old": was, "new": is} {
			file := filepath.Join(*out, of, name+".txt")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return 0, err
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return 0, err
			}
		}
		if was == is {
			continue
		}
		differing++
		text, err := difference(name + ".txt")
		if err != nil {
			return 0, err
		}
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], name)
	}
	for _, text := range order {
		same := names[text]
		fmt.Printf("== %s\n%s\n", strings.Join(same[:min(len(same), 5)],
			", ")+map[bool]string{true: fmt.Sprintf(" and %d more", len(same)-5)}[len(same) > 5], text)
	}
	fmt.Printf("%d requests: %d answers differ in %d ways (old %s, new %s; answers in %s)\n", len(requests), differing,
		len(order),
		before.took.Round(time.Second), after.took.Round(time.Second), *out)
	return differing, nil
}

var hunk = regexp.MustCompile(`(?m)^@@ .*\n`)

// difference returns the changed lines of an answer, each with a line of context.
func difference(file string) (string, error) {
	command := exec.Command("git", "diff", "--no-index", "--no-color", "--no-ext-diff", "-U1",
		filepath.Join("old", file), filepath.Join("new", file))
	command.Dir = *out
	text, err := command.Output()
	if command.ProcessState == nil || command.ProcessState.ExitCode() != 1 {
		return "", fmt.Errorf("git diff of %s: %w", file, cmp.Or(err, fmt.Errorf("no difference")))
	}
	_, changes, _ := strings.Cut(string(text), "\n@@")
	lines := strings.SplitAfter(hunk.ReplaceAllString("@@"+changes, ""), "\n")
	if len(lines) > *shown {
		lines = append(lines[:*shown], fmt.Sprintf("... and %d more lines\n", len(lines)-*shown))
	}
	return strings.Join(lines, ""), nil
}
