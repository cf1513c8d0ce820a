package provision

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pinned has the lists of scripts/pin-engine.sh.
//
//go:embed pinned
var pinned embed.FS

// file is a file to download, pinned by its digest. It may come from any server.
type file struct {
	sha256   string // in hexadecimal
	size     int64
	path     string // below the URL of a repository
	platform string // operating system and architecture; empty: any
}

// list returns the files of a list, in class path order; nil if there is no such list.
func list(name string) (files []file) {
	text, err := pinned.ReadFile("pinned/" + name + ".tsv")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var f file
		_, _ = fmt.Sscan(line, &f.sha256, &f.size, &f.path, &f.platform) // the last one may be missing
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name(), b.name()) })
	return files
}

// jarsOf returns the jars of a Neo4j version; nil if they are not pinned.
func jarsOf(version string) []file { return list("neo4j-" + version) }

// javaOf returns the archive with a Java runtime for a platform, such as linux/amd64; nil if there is none.
func javaOf(platform string) []file {
	return slices.DeleteFunc(list("java"), func(f file) bool { return f.platform != platform })
}

// versions lists the Neo4j versions that have pinned jars.
func versions() (all []string) {
	lists, _ := pinned.ReadDir("pinned")
	for _, entry := range lists {
		if version, ok := strings.CutPrefix(strings.TrimSuffix(entry.Name(), ".tsv"), "neo4j-"); ok {
			all = append(all, version)
		}
	}
	return all
}

// platforms lists the platforms that have a pinned Java.
func platforms() (all []string) {
	for _, f := range list("java") {
		all = append(all, f.platform)
	}
	slices.Sort(all)
	return all
}

func megabytes(files []file) string {
	size := int64(0)
	for _, f := range files {
		size += f.size
	}
	return fmt.Sprintf("%d MB", size/1_000_000)
}

func (f file) name() string { return path.Base(f.path) }

// in returns the paths of all files in a directory; nil if one is missing or has another size. Files were verified
// when they were written.
func in(dir string, files []file) (paths []string) {
	for _, f := range files {
		at := filepath.Join(dir, f.name())
		if info, err := os.Stat(at); err != nil || info.Size() != f.size {
			return nil
		}
		paths = append(paths, at)
	}
	return paths
}

var errDigest = errors.New("the content differs from the pinned SHA-256")

// copyVerified copies content, and returns errDigest if it is not that of f.
func (f file) copyVerified(to io.Writer, content io.Reader) error {
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(content, f.size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != f.sha256 {
		return errDigest
	}
	return nil
}

// verified reports whether a file has the pinned content.
func (f file) verified(path string) bool {
	content, err := os.Open(path)
	if err != nil {
		return false
	}
	defer content.Close()
	return f.copyVerified(io.Discard, content) == nil
}
