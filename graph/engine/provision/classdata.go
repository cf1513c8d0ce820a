package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/internal/disk"
)

// A class-data archive halves the start time. Java writes one when a run without archive ends cleanly. It is written to
// a temporary file, renamed when complete, and deleted if it may be damaged. With a damaged archive, Java 17 aborts and
// Java 25 continues slowly at every start; -Xshare:on makes both abort, so that the archive is created again.

// classData returns the archive path for this Java, these jars and these flags, because Java refuses an archive of
// others. The name starts with the Neo4j series, so that two alternating versions keep their archives.
func (p Programs) classData() string {
	hash := sha256.New()
	fmt.Fprintln(hash, p.javaVersion, p.Java, fingerprint(p.jars), filepath.Dir(p.jars[0]), strings.Join(javaFlags, " "))
	return filepath.Join(p.cache, "classes-"+p.series()+"-"+hex.EncodeToString(hash.Sum(nil))[:16]+".jsa")
}

// series returns the version without its last number.
func (p Programs) series() string {
	if last := strings.LastIndexByte(p.Version, '.'); last > 0 {
		return p.Version[:last]
	}
	return p.Version
}

// ClassData returns the Java flags that use the archive. If there is none, or it must not be used, the flags make Java write
// one to aside when it ends. A Java without an archive of its own classes, such as each one that jlink made, can do neither.
func (p Programs) ClassData(use bool) (flags []string, used, aside string) {
	if !strings.Contains(p.javaVersion, "sharing") {
		return nil, "", ""
	}
	archive := p.classData()
	if _, err := os.Stat(archive); err == nil && use {
		return []string{"-XX:SharedArchiveFile=" + archive, "-Xshare:on"}, archive, ""
	}
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		return nil, "", ""
	}
	aside = fmt.Sprintf("%s.%d", archive, os.Getpid())
	_ = os.Remove(aside)
	// Java warns about every class that it leaves out, in thousands of lines.
	return []string{"-XX:ArchiveClassesAtExit=" + aside, "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"}, "", aside
}

// KeepClassData moves a finished archive to its final path. It deletes an archive of a run that did not end cleanly.
func (p Programs) KeepClassData(aside string, clean bool) {
	if aside == "" {
		return
	}
	if !clean || disk.Replace(aside, p.classData()) != nil {
		_ = os.Remove(aside)
		return
	}
	// Archives have a hundred megabytes each. Delete those of earlier Java or Neo4j versions and unfinished ones of
	// killed engines.
	others, _ := filepath.Glob(filepath.Join(p.cache, "classes-"+p.series()+"-*.jsa*"))
	nameless, _ := filepath.Glob(filepath.Join(p.cache, "classes-????????????????.jsa")) // older names without a series
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
