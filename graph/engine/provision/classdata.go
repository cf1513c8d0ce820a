package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/graph/engine/files"
)

// A class-data archive halves the time to start. Java writes one when a run that had none ends cleanly; it is written aside,
// renamed when whole, and deleted at the first doubt. Given one that is damaged, Java 17 aborts, and Java 25 would go on, slowly,
// at every start: -Xshare:on has it end too, so that the archive is made anew.

// classData is the path for this Java, these jars where they are, and these flags: Java refuses it for any others. The series
// of the Neo4j stands in front, so that two that are used in turn both keep theirs.
func (p Programs) classData() string {
	hash := sha256.New()
	fmt.Fprintln(hash, p.javaVersion, p.Java, fingerprint(p.jars), filepath.Dir(p.jars[0]), strings.Join(javaFlags, " "))
	return filepath.Join(p.cache, "classes-"+p.series()+"-"+hex.EncodeToString(hash.Sum(nil))[:16]+".jsa")
}

// series is a version without its last number.
func (p Programs) series() string {
	if last := strings.LastIndexByte(p.Version, '.'); last > 0 {
		return p.Version[:last]
	}
	return p.Version
}

// ClassData gives the Java flags that use the archive if there is one, and else have it written to aside when Java ends.
func (p Programs) ClassData() (flags []string, used, aside string) {
	archive := p.classData()
	if _, err := os.Stat(archive); err == nil {
		return []string{"-XX:SharedArchiveFile=" + archive, "-Xshare:on"}, archive, ""
	}
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		return nil, "", ""
	}
	aside = fmt.Sprintf("%s.%d", archive, os.Getpid())
	_ = os.Remove(aside)
	// Java warns of every class that it leaves out, thousands of lines.
	return []string{"-XX:ArchiveClassesAtExit=" + aside, "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"}, "", aside
}

// KeepClassData puts a finished archive in its place; without a clean end there is nothing to keep.
func (p Programs) KeepClassData(aside string, clean bool) {
	if aside == "" {
		return
	}
	if !clean || files.Replace(aside, p.classData()) != nil {
		_ = os.Remove(aside)
		return
	}
	// A hundred megabytes each: those of an earlier Java or Neo4j go, as does what a killed engine left unfinished.
	others, _ := filepath.Glob(filepath.Join(p.cache, "classes-"+p.series()+"-*.jsa*"))
	nameless, _ := filepath.Glob(filepath.Join(p.cache, "classes-????????????????.jsa")) // from when no series stood in the name
	others = append(others, nameless...)
	for _, other := range others {
		info, err := os.Stat(other)
		unfinished := !strings.HasSuffix(other, ".jsa")
		if err != nil || other == p.classData() || unfinished && time.Since(info.ModTime()) < time.Hour {
			continue
		}
		_ = os.Remove(other)
	}
}
