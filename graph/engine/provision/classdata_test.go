package provision

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeJava writes the archive that -XX:SharedArchiveFile names, or fails.
func fakeJava(t *testing.T, exit string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "java")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n[ "+exit+" = 0 ] || exit "+exit+
		"\necho dumped >\"${2#-XX:SharedArchiveFile=}\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

func TestClassData_Java_GetsOnlyFlagsThatItKnows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake java is a shell script")
	}
	for name, tt := range map[string]struct {
		version, exit string
		written, base bool // Java writes an archive at its end, or first one of its own classes
	}{
		"Debian":        {"openjdk version \"17.0.15\"\nOpenJDK 64-Bit Server VM (build 17.0.15+6-Debian, mixed mode, sharing)", "1", true, false},
		"Temurin":       {"openjdk version \"25.0.1\"\nOpenJDK 64-Bit Server VM Temurin-25.0.1+8 (build 25.0.1+8-LTS, mixed mode, sharing)", "1", true, false},
		"made by jlink": {"openjdk version \"21.0.9\"\nOpenJDK 64-Bit Server VM Temurin-21.0.9+10 (build 21.0.9+10-LTS, mixed mode)", "0", true, true},
		"interpreter": {"openjdk version \"21.0.9\"\nOpenJDK 64-Bit Zero VM (build 21.0.9+10, interpreted mode)", "1",
			false, false},
	} {
		p := Programs{Version: Version, Java: fakeJava(t, tt.exit), javaVersion: tt.version,
			jars: []string{"/lib/a.jar"}, cache: t.TempDir()}
		flags, _, aside := p.ClassData(t.Context())
		written := slices.ContainsFunc(flags, func(flag string) bool {
			return strings.HasPrefix(flag, "-XX:ArchiveClassesAtExit=")
		})
		if written != tt.written || (aside != "") != tt.written {
			t.Errorf("%s: got flags %v and %q, want an archive: %v", name, flags, aside, tt.written)
		}
		if got := slices.Contains(flags, "-XX:SharedArchiveFile="+p.classData("base")); got != tt.base ||
			missing(p.classData("base")) == tt.base {
			t.Errorf("%s: got flags %v, want a base archive: %v", name, flags, tt.base)
		}
		if err := os.WriteFile(p.classData("classes"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, used, _ := p.ClassData(t.Context()); (used != "") != tt.written {
			t.Errorf("%s: got the archive %q, want one: %v", name, used, tt.written)
		}
	}
}

func TestKeepClassData_OldArchives_AreDeleted(t *testing.T) {
	p := Programs{Version: Version, Java: "/usr/bin/java", javaVersion: "21", jars: []string{"/lib/a.jar"},
		cache: t.TempDir()}
	other, earlier := p, p
	other.Java, earlier.javaVersion = "/opt/java/bin/java", "20"
	for path, tt := range map[string]struct {
		age  time.Duration
		kept bool
	}{
		p.classData("base"):               {0, true},
		other.classData("classes"):        {time.Hour, true},
		other.classData("base"):           {31 * 24 * time.Hour, false},
		earlier.classData("classes"):      {0, false},
		other.classData("classes") + ".7": {time.Minute, true},
		other.classData("classes") + ".8": {2 * time.Hour, false},
	} {
		at := time.Now().Add(-tt.age)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		aside := p.classData("classes") + ".1"
		if err := os.WriteFile(aside, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		p.KeepClassData(aside, true)
		if missing(p.classData("classes")) || missing(path) == tt.kept {
			t.Errorf("%s: deleted: %v, want kept: %v", filepath.Base(path), missing(path), tt.kept)
		}
	}
}
