package nomograph_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rs/zerolog"

	"nomograph/internal/config"
	"nomograph/server"
)

// TestDeploymentFiles_NamesInThem_Exist reads the files in deploy/ like the tools that run them, and checks their
// variables, flags, commands and paths against the program. It starts no container.
func TestDeploymentFiles_NamesInThem_Exist(t *testing.T) {
	t.Run("Dockerfile", func(t *testing.T) {
		text := read(t, "deploy/Dockerfile")
		ours := false // the stage that becomes the image
		for _, line := range strings.Split(regexp.MustCompile(`\\\n`).ReplaceAllString(text, " "), "\n") {
			instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch instruction {
			case "", "#":
			case "FROM":
				ours = rest == "scratch"
				if version, ok := strings.CutPrefix(rest, "golang:"); ok &&
					!strings.Contains(read(t, "go.mod"), "\ngo "+strings.Fields(version)[0]) {
					t.Errorf("the image builds with %s, go.mod requires another version", rest)
				}
			case "COPY":
				for _, from := range strings.Fields(rest)[:len(strings.Fields(rest))-1] {
					if _, err := os.Stat(from); err != nil && !strings.HasPrefix(rest, "--from=") {
						t.Errorf("%s copies a missing file", line)
					}
				}
			case "ENV":
				for _, pair := range strings.Fields(rest) {
					if name, _, _ := strings.Cut(pair, "="); !slices.Contains([]string{"PATH", "HOME", "ZONEINFO"},
						name) {
						isVariable(t, name)
					}
				}
			case "CMD":
				areArguments(t, words(rest))
			case "HEALTHCHECK":
				if _, command, _ := strings.Cut(rest, "CMD "); !slices.Equal(words(command),
					[]string{"nomograph", "health"}) {
					t.Errorf("the health check runs %s", command)
				}
			case "USER":
				if !regexp.MustCompile(`^[1-9]\d*:`).MatchString(rest) { // Kubernetes cannot tell whether a user name is root
					t.Errorf("the image runs as %s", rest)
				}
			case "WORKDIR", "RUN", "ARG", "EXPOSE", "ENTRYPOINT":
			default:
				t.Errorf("the instruction %s is missing", instruction)
			}
		}
		if !ours {
			t.Error("the image contains more than the program")
		}
	})
	t.Run("compose.yaml", func(t *testing.T) {
		var file struct {
			Services map[string]struct {
				Build       struct{ Context, Dockerfile string }
				Environment map[string]string
				DependsOn   map[string]any `yaml:"depends_on"`
				Volumes     []string
			}
			Volumes map[string]any
		}
		if err := yaml.UnmarshalWithOptions([]byte(read(t, "deploy/compose.yaml")), &file); err != nil {
			t.Fatal(err)
		}
		ours := file.Services["nomograph"]
		for name := range ours.Environment {
			isVariable(t, name)
		}
		for service := range ours.DependsOn {
			if _, ok := file.Services[service]; !ok {
				t.Errorf("the service waits for %s", service)
			}
		}
		if _, err := os.Stat(ours.Build.Dockerfile); err != nil || ours.Build.Context != ".." {
			t.Errorf("the image is built from %+v", ours.Build)
		}
		for _, mount := range file.Services["neo4j"].Volumes {
			name, _, _ := strings.Cut(mount, ":")
			if _, declared := file.Volumes[name]; !declared {
				t.Errorf("the volume %s is missing", name)
			}
		}
	})
	t.Run("kubernetes.yaml", func(t *testing.T) {
		var secret, deployment map[string]any
		documents := yaml.NewDecoder(strings.NewReader(read(t, "deploy/kubernetes.yaml")))
		for {
			var document map[string]any
			err := documents.Decode(&document)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch document["kind"] {
			case "Secret":
				secret = document
			case "Deployment":
				deployment = document
			}
		}
		for name := range secret["stringData"].(map[string]any) {
			isVariable(t, name)
		}
		spec := deployment["spec"].(map[string]any)
		container := spec["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		for _, one := range container["env"].([]any) {
			isVariable(t, one.(map[string]any)["name"].(string))
		}
		var args []string
		for _, arg := range container["args"].([]any) {
			args = append(args, arg.(string))
		}
		areArguments(t, args)
		routes := server.New(server.Options{Log: zerolog.Nop()}).Handler()
		for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			path := container[probe].(map[string]any)["httpGet"].(map[string]any)["path"].(string)
			answer := httptest.NewRecorder()
			request := httptest.NewRequest(http.MethodGet, path, nil)
			request.Host = "localhost"
			if routes.ServeHTTP(answer, request); answer.Code != 200 {
				t.Errorf("the %s asks %s: %d", probe, path, answer.Code)
			}
		}
	})
	t.Run("nomograph.service", func(t *testing.T) {
		for _, line := range strings.Split(read(t, "deploy/nomograph.service"), "\n") {
			key, value, _ := strings.Cut(line, "=")
			switch key {
			case "ExecStart":
				areArguments(t, strings.Fields(value)[1:])
			case "Environment":
				for _, pair := range strings.Fields(value) {
					if name, _, _ := strings.Cut(pair, "="); name != "HOME" && !strings.HasPrefix(name, "XDG_") {
						isVariable(t, name)
					}
				}
			}
		}
	})
	for _, file := range []string{"grafana.json", "alerts.yaml"} {
		t.Run(file, func(t *testing.T) {
			text := read(t, "deploy/"+file)
			var parsed any
			if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
				t.Fatal(err)
			}
			source := read(t, "server/metrics.go")
			for _, name := range regexp.MustCompile(`nomograph_[a-z_]+`).FindAllString(text, -1) {
				if !strings.Contains(source, `"`+strings.TrimSuffix(name, "_bucket")+`"`) {
					t.Errorf("there is no metric %s", name)
				}
			}
			labels := regexp.MustCompile(`[{,]([a-z]+)=~?\\?"([a-z_|]*)`)
			for _, label := range labels.FindAllStringSubmatch(text, -1) {
				if label[1] != "job" && !strings.Contains(source, `"`+label[1]+`"`) {
					t.Errorf("there is no label %s", label[1])
				}
				for _, value := range strings.Split(label[2], "|") {
					known := []string{"", "ok", "error", "allowed", "denied", "check_action", "pre_action", "nomograph"}
					if !slices.Contains(known, value) && !strings.Contains(read(t, "internal/apperr/error.go"), `"`+value+`"`) {
						t.Errorf("no %s is %s", label[1], value)
					}
				}
			}
		})
	}
	t.Run("goreleaser.yaml", func(t *testing.T) {
		var file struct{ Builds []struct{ Main string } }
		if err := yaml.UnmarshalWithOptions([]byte(read(t, "deploy/goreleaser.yaml")), &file,
			yaml.AllowDuplicateMapKey()); err != nil {
			t.Fatal(err)
		}
		for _, build := range file.Builds {
			if _, err := os.Stat(build.Main + "/main.go"); err != nil {
				t.Error(err)
			}
		}
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// words returns the strings of a JSON list.
func words(list string) (out []string) {
	for _, one := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(list, -1) {
		out = append(out, one[1])
	}
	return out
}

func isVariable(t *testing.T, name string) {
	t.Helper()
	if !slices.ContainsFunc(config.Settings, func(s config.Setting) bool { return s.Env == name }) {
		t.Errorf("%s is not the variable of a setting", name)
	}
}

// areArguments checks arguments of serve.
func areArguments(t *testing.T, args []string) {
	t.Helper()
	if len(args) == 0 || args[0] != "serve" || !slices.Contains(args,
		"--auth") { // beyond loopback, serve does not start without it
		t.Errorf("%v starts no server that may be reached", args)
	}
	for _, arg := range args {
		flag, ok := strings.CutPrefix(arg, "--")
		if ok && !slices.ContainsFunc(config.Settings,
			func(s config.Setting) bool { return s.Flag == flag && s.Of == "serve" }) {
			t.Errorf("%s is not a flag of serve", arg)
		}
	}
}
