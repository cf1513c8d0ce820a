package provision

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestClassData_Java_GetsOnlyFlagsThatItKnows(t *testing.T) {
	for name, tt := range map[string]struct {
		version string
		written bool // Java writes an archive at its end
	}{
		"Debian":        {"openjdk version \"17.0.15\"\nOpenJDK 64-Bit Server VM (build 17.0.15+6-Debian, mixed mode, sharing)", true},
		"Temurin":       {"openjdk version \"25.0.1\"\nOpenJDK 64-Bit Server VM Temurin-25.0.1+8 (build 25.0.1+8-LTS, mixed mode, sharing)", true},
		"made by jlink": {"openjdk version \"21.0.9\"\nOpenJDK 64-Bit Server VM Temurin-21.0.9+10 (build 21.0.9+10-LTS, mixed mode)", false},
		"interpreter":   {"openjdk version \"21.0.9\"\nOpenJDK 64-Bit Zero VM (build 21.0.9+10, interpreted mode)", false},
	} {
		p := Programs{Version: Version, Java: "/usr/bin/java", javaVersion: tt.version, jars: []string{"/lib/a.jar"}, cache: t.TempDir()}
		flags, _, aside := p.ClassData(true)
		written := slices.ContainsFunc(flags, func(flag string) bool { return strings.HasPrefix(flag, "-XX:ArchiveClassesAtExit=") })
		if written != tt.written || (aside != "") != tt.written {
			t.Errorf("%s: got flags %v and %q, want an archive: %v", name, flags, aside, tt.written)
		}
		if err := os.WriteFile(p.classData(), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, used, _ := p.ClassData(true); (used != "") != tt.written {
			t.Errorf("%s: got the archive %q, want one: %v", name, used, tt.written)
		}
	}
}
