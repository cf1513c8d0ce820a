package provision

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"nomograph/internal/disk"
)

// A class-data archive halves the start time. Java writes one when a run without archive ends cleanly. It is written to
// a temporary file, renamed when complete, and deleted if it may be damaged. With a damaged archive, Java 17 aborts and
// Java 25 continues slowly at every start; -Xshare:on makes both abort, so that the archive is created again.
//
// The archive extends the one of Java's own classes, which a Java made by jlink lacks. It gets one in the cache.

const (
	dumpTimeout = time.Minute
	// An archive has a hundred megabytes. It is deleted if its Java did not start Neo4j for this time.
	maxUnused = 30 * 24 * time.Hour
)

// classData returns the path of an archive for this Java, these jars and these flags, because Java refuses an archive
// of others. kind is classes or base. The name starts with the Neo4j series and the path of Java, so that two
// alternating ones keep their archives.
func (p Programs) classData(kind string) string {
	hash := sha256.New()
	if java, err := filepath.EvalSymlinks(p.Java); err == nil {
		if modules, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(java)), "lib",
			"modules")); err == nil { // another copy of the same version
			fmt.Fprintln(hash, modules.ModTime().UnixNano(), modules.Size())
		}
	}
	fmt.Fprintln(hash, p.javaVersion, fingerprint(p.jars), filepath.Dir(p.jars[0]), strings.Join(javaFlags, " "))
	return p.classDataPrefix(kind) + hex.EncodeToString(hash.Sum(nil))[:16] + ".jsa"
}

func (p Programs) classDataPrefix(kind string) string {
	java := sha256.Sum256([]byte(p.Java))
	return filepath.Join(p.cache, kind+"-"+p.series()+"-"+hex.EncodeToString(java[:])[:8]+"-")
}

// series returns the version without its last number.
func (p Programs) series() string {
	if last := strings.LastIndexByte(p.Version, '.'); last > 0 {
		return p.Version[:last]
	}
	return p.Version
}

// ClassData returns the Java flags that use the archive. If there is none, the flags make Java write one to aside when
// it ends.
func (p Programs) ClassData(ctx context.Context) (flags []string, used, aside string) {
	archive := p.classData("classes")
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		return nil, "", ""
	}
	if !strings.Contains(p.javaVersion, "sharing") {
		base, err := p.baseArchive(ctx)
		if err != nil {
			return nil, "", ""
		}
		flags = []string{"-XX:SharedArchiveFile=" + base}
	}
	if _, err := os.Stat(archive); err == nil {
		now := time.Now()
		_ = os.Chtimes(archive, now, now)
		return []string{"-XX:SharedArchiveFile=" + archive, "-Xshare:on"}, archive, ""
	}
	aside = fmt.Sprintf("%s.%d", archive, os.Getpid())
	_ = os.Remove(aside)
	// Java warns about every class that it leaves out, in thousands of lines.
	return append(flags, "-XX:ArchiveClassesAtExit="+aside, "-Xlog:cds=off", "-Xlog:cds+dynamic=off",
		"-Xlog:class+path=off"), "", aside
}

// baseArchive returns the archive of Java's own classes, and makes it first if it does not exist.
func (p Programs) baseArchive(ctx context.Context) (string, error) {
	base := p.classData("base")
	now := time.Now()
	if os.Chtimes(base, now, now) == nil {
		return base, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dumpTimeout)
	defer cancel()
	aside := fmt.Sprintf("%s.%d", base, os.Getpid())
	cmd := exec.CommandContext(ctx, p.Java, "-Xshare:dump", "-XX:SharedArchiveFile="+aside)
	cmd.Dir = neutralFolder
	if err := cmd.Run(); err != nil {
		return "", err
	}
	return base, disk.Replace(aside, base)
}

// DropClassData deletes an archive that may be damaged, with the one that it extends.
func (p Programs) DropClassData(archive string) {
	_ = os.Remove(archive)
	_ = os.Remove(p.classData("base"))
}

// KeepClassData moves a finished archive to its final path. It deletes an archive of a run that did not end cleanly,
// and those that are not needed any longer.
func (p Programs) KeepClassData(aside string, clean bool) {
	if aside == "" {
		return
	}
	if !clean || disk.Replace(aside, p.classData("classes")) != nil {
		_ = os.Remove(aside)
		return
	}
	all, _ := filepath.Glob(filepath.Join(p.cache, "*.jsa*"))
	for _, other := range all {
		info, err := os.Stat(other)
		if err != nil || other == p.classData("classes") || other == p.classData("base") {
			continue
		}
		age := time.Since(info.ModTime())
		unfinished := !strings.HasSuffix(other, ".jsa") // of a killed engine
		earlier := strings.HasPrefix(other, p.classDataPrefix("classes")) ||
			strings.HasPrefix(other, p.classDataPrefix("base"))
		if unfinished && age > time.Hour || !unfinished && (earlier || age > maxUnused) {
			_ = os.Remove(other)
		}
	}
}
