package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A class-data archive halves the time to start. Java writes one when a run that had none ends cleanly, and aborts when
// it is given one that is damaged; so it is written aside, renamed when whole, and deleted at the first doubt.

// fingerprint of jars: their names and sizes, in order.
func fingerprint(jars []string) string {
	hash := sha256.New()
	for _, jar := range jars {
		size := int64(-1)
		if info, err := os.Stat(jar); err == nil {
			size = info.Size()
		}
		fmt.Fprintf(hash, "%s %d\n", filepath.Base(jar), size)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// archive is the path for this Java, these jars where they are, and these flags: Java refuses it for any others.
func (in *installation) archive() string {
	hash := sha256.New()
	fmt.Fprintln(hash, in.javaVersion, in.java, fingerprint(in.jars), filepath.Dir(in.jars[0]), strings.Join(javaFlags, " "))
	return filepath.Join(in.o.Cache, "classes-"+hex.EncodeToString(hash.Sum(nil))[:16]+".jsa")
}

// archiveFlags uses the archive if there is one, and else has it written to aside when the engine ends.
func (in *installation) archiveFlags() (flags []string, used, aside string) {
	archive := in.archive()
	if _, err := os.Stat(archive); err == nil {
		return []string{"-XX:SharedArchiveFile=" + archive, "-Xshare:auto"}, archive, ""
	}
	if err := os.MkdirAll(in.o.Cache, 0o700); err != nil {
		return nil, "", ""
	}
	aside = fmt.Sprintf("%s.%d", archive, os.Getpid())
	_ = os.Remove(aside)
	// Java warns of every class that it leaves out, thousands of lines.
	return []string{"-XX:ArchiveClassesAtExit=" + aside, "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"}, "", aside
}

// keepArchive puts a finished archive in its place; without a clean end there is nothing to keep.
func (in *installation) keepArchive(aside string, clean bool) {
	if aside == "" {
		return
	}
	if !clean || replace(aside, in.archive()) != nil {
		_ = os.Remove(aside)
		return
	}
	// A hundred megabytes each: those of an earlier Java or Neo4j go, as does what a killed engine left unfinished.
	others, _ := filepath.Glob(filepath.Join(in.o.Cache, "classes-*.jsa*"))
	for _, other := range others {
		info, err := os.Stat(other)
		unfinished := !strings.HasSuffix(other, ".jsa")
		if err != nil || other == in.archive() || unfinished && time.Since(info.ModTime()) < time.Hour {
			continue
		}
		_ = os.Remove(other)
	}
}
