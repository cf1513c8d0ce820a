package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
)

// source is a record from which decisions are made.
type source struct {
	ID, Title, Description, Abstract string
	Links                            []struct{ Type, Target string }
	requires                         []int // indexes of other sources
}

// corpus holds real records, or generated records if the real ones are missing.
type corpus []source

func readCorpus(dir string) (corpus, error) {
	sources, err := readLines[source](filepath.Join(dir, "eips.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return madeSources(), nil
	}
	places := map[string]int{}
	for i, s := range sources {
		places[s.ID] = i
	}
	for i, s := range sources {
		for _, link := range s.Links {
			if target, ok := places[link.Target]; ok && target != i && link.Type == "requires" {
				sources[i].requires = append(sources[i].requires, target)
			}
		}
	}
	return sources, err
}

// readLines reads a file of JSON lines.
func readLines[T any](file string) (all []T, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	for decoder := json.NewDecoder(bufio.NewReader(in)); decoder.More(); {
		var one T
		if err := decoder.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// madeSources generates as many records as the real ones, with the same lengths and numbers of links, but random words.
func madeSources() []source {
	words := strings.Fields(`account address agent answer approval archive asset audit backup batch block bridge broker budget cache chain channel
		check client clock cluster code commit consensus contract cost credential data deadline decision default deploy document endpoint engine error
		event failure feature fee field file filter format function gateway graph header history identity index interface issue key latency layer ledger
		library license limit link list lock log memory message method metric migration model module network node object operator order owner package
		parameter partner path pattern payment permission policy port price process proof protocol proxy query queue rate record region registry release
		replica report request reserve resource response retry review risk role rollback route rule schema search secret server service session signature
		size standard state storage stream supply support table target team test threshold token trace transaction transfer update upgrade user validator
		value vector version wallet window worker accept allow avoid choose combine compress copy delay drop encrypt expose extend fix group hold keep
		limit merge move prefer replace require return share split store support verify adaptive cheap constant direct early exact fast large late local
		optional partial remote safe short single small stable static strict temporary unique`)
	random := rand.New(rand.NewPCG(1, 2))
	sentence := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[random.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	sources := make([]source, 1195)
	for i := range sources {
		sources[i] = source{ID: fmt.Sprintf("MADE-%d", i), Title: sentence(5), Description: sentence(12),
			Abstract: sentence(80)}
		for n := random.IntN(4); n > 0 && i > 0; n-- {
			sources[i].requires = append(sources[i].requires, random.IntN(i))
		}
	}
	return sources
}

// texts combines the title, description and abstract of three records. Each generation combines different records, so
// that no two decisions are equal.
func (c corpus) texts(i int) (title, description, abstract string) {
	n := len(c)
	generation := i / n
	second, third := c[(i+generation*7)%n], c[(i+generation*131)%n]
	if description = second.Description; description == "" {
		description = second.Title
	}
	return c[i%n].Title, description, third.Abstract
}

// question returns a query for decision i: its title and description.
func (c corpus) question(i int) string {
	title, description, _ := c.texts(i)
	return title + ". " + description
}

const (
	rareCategory = "security" // category of one in 100
	commonStakes = "critical" // stakes of one in 5
	uidPrefix    = "019a0000-0000-7000-8000-"
	minutes      = 3 * 365 * 24 * 60 // time span of the decisions
)

func uidOf(i int) string { return fmt.Sprintf("%s%012x", uidPrefix, i) }

// idOf spreads ids like random ones. Multiplication by an odd number never repeats.
func idOf(i int) string { return fmt.Sprintf("%08x", uint32(i)*2654435761) }

var began = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

// row returns decision i for the loading statement, with all properties that recording would have written except
// vectors.
func (c corpus) row(i int) map[string]any {
	title, description, abstract := c.texts(i)
	project, category, stakes := fmt.Sprintf("bench/project-%d", i%50),
		[]string{"architecture", "process", "integration", "tooling"}[i%4], []string{"low", "medium", "high"}[i%3]
	if i%100 == 3 {
		category = rareCategory
	}
	if i%5 == 0 {
		stakes = commonStakes
	}
	at := graph.UTC(began.Add(time.Duration(i*7919%minutes) * time.Minute))
	tags := []string{fmt.Sprintf("tag-%d", i%20), fmt.Sprintf("tag-%d", 20+i%97), fmt.Sprintf("tag-%d", 200+i%1009)}
	agent := fmt.Sprintf("agent-%d", i%100)
	p := map[string]any{"uid": uidOf(i), "id": idOf(i), "schema_version": 1, "decision": title + "\n" + description,
		"context": abstract, "category": category,
		"stakes": stakes, "confidence": float64(50+i%50) / 100, "status": "pending", "agent": agent,
		"agent_asserted": true, "project": project, "visibility": "private",
		"feature": fmt.Sprintf("feature-%d", i%300), "pr": int64(i%5000 + 1), "tags": tags, "quality_score": 0.65,
		"revision": 0, "bridge_method": "rule",
		"structure": title, "function": description, "created_at": at, "recorded_at": at, "updated_at": at}
	review := ""
	if i%3 == 1 {
		review = "It went as " + description
		p["status"], p["outcome"], p["reviewed_at"] = "reviewed",
			[]string{"success", "partial", "failure", "abandoned"}[i/12%4], at // i%12 would tie outcomes to categories
	}
	reasons := []string{"Others decided so before: " + description, "It costs less than the alternative"}
	p["terms"], p["facets"] = decisions.Terms(p, reasons, review), decisions.Facets(p, at)
	return map[string]any{"agent": agent, "project": project, "tags": tags, "decision": p, "reasons": reasons,
		"review": review}
}

// links returns the links among as many decisions. Both ends are in the same generation.
func (c corpus) links(size int) []any {
	out := []any{}
	for i := range size {
		for _, target := range c[i%len(c)].requires {
			if other := i - i%len(c) + target; other < size {
				out = append(out, map[string]any{"from": uidOf(i), "to": uidOf(other)})
			}
		}
	}
	return out
}
