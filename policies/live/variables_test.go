package live_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/joho/godotenv"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

// TestEnv_Values_AreUnchanged reads each format with its consumer.
func TestEnv_Values_AreUnchanged(t *testing.T) {
	g, env := toolstest.Open(t)
	values := map[string]any{"plain": "gold", "empty": "", "spaces": "two words", "quotes": `it's "so"`,
		"dollar": "$HOME `id` $(id) ${HOME}", "newline": "a\nb", "backslash": `a\nb\`,
		"umlaut": "Kompaß 🧭", "tilde": "~", "star": "*", "semicolon": "a; rm -rf b", "dash": "-n", "equals": "A=b",
		"bang": "a!b", "hash": "#no", "zeros": "007",
		"heredoc": "a<<b\nend_1\nEOF\nX=y", "return": "a\r\nb", "edges": " a ", "fish": "(id) {a,b} %self \\'",
		"ending": "a\n"}
	for name, value := range values {
		g.Exec(t, "CREATE (:SYS_Threshold {name: $name, value: $value, decision_table: 'D1'})",
			map[string]any{"name": "v_" + name, "value": value})
	}
	if _, err := env.Live.ExportThresholds(t.Context(),
		live.ExportQuery{Format: "dotenv", LineBreaks: true}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("got %v, want a conflict for a value that .env readers would change", err)
	}
	for _, reader := range []struct{ format, shell, script string }{
		{"", "sh", `eval "$1"; eval "printf %s \"\$$2\""`}, {"sh", "bash", `eval "$1"; eval "printf %s \"\$$2\""`},
		{"sh", "zsh", `eval "$1"; eval "printf %s \"\$$2\""`},
		{"fish", "fish", `echo $argv[1] | source; printf %s "$$argv[2]"`}, {"dotenv", "", ""}, {"github", "", ""},
	} {
		t.Run(reader.format+" "+reader.shell, func(t *testing.T) {
			asked := live.ExportQuery{Format: reader.format, LineBreaks: true}
			for name := range values {
				if reader.format != "dotenv" || name != "backslash" && name != "quotes" && name != "fish" {
					asked.Names = append(asked.Names, "v_"+name)
				}
			}
			export, err := env.Live.ExportThresholds(t.Context(), asked)
			if err != nil || len(export.Variables) != len(asked.Names) {
				t.Fatalf("%d variables of %d: %v", len(export.Variables), len(asked.Names), err)
			}
			var read func(name string) (string, error)
			switch reader.format {
			case "dotenv":
				all, err := godotenv.Unmarshal(export.Script)
				read = func(name string) (string, error) { return all[name], err }
			case "github":
				all := githubEnv(t, export.Script)
				read = func(name string) (string, error) { return all[name], nil }
			default:
				if _, err := exec.LookPath(reader.shell); err != nil {
					t.Skipf("LEFT OUT: there is no %s on this machine", reader.shell)
				}
				read = func(name string) (string, error) {
					args := []string{"-c", reader.script, "sh", export.Script, name}
					if reader.shell == "fish" {
						args = []string{"-c", reader.script, export.Script, name}
					}
					out, err := exec.CommandContext(t.Context(), reader.shell, args...).CombinedOutput()
					return string(out), err
				}
			}
			for _, v := range export.Variables {
				want := values[strings.TrimPrefix(v.Threshold, "v_")]
				if got, err := read(v.Name); err != nil || got != want || v.Value != want {
					t.Errorf("%s: it has %q, want %q (%v)", v.Name, got, want, err)
				}
			}
		})
	}
}

// githubEnv parses the file like the GitHub Actions runner: NAME=value, or NAME<<END, lines, END.
func githubEnv(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		equals, heredoc := strings.Index(lines[i], "="), strings.Index(lines[i], "<<")
		if equals >= 0 && (heredoc < 0 || equals < heredoc) {
			all[lines[i][:equals]] = lines[i][equals+1:]
			continue
		}
		name, end, found := strings.Cut(lines[i], "<<")
		if !found {
			t.Fatalf("line %d is %q", i, lines[i])
		}
		var value []string
		for i++; lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		all[name] = strings.Join(value, "\n")
	}
	return all
}

func TestVariables_Names_FitAShell(t *testing.T) {
	g, env := toolstest.Open(t)
	tests := []struct {
		threshold, prefix string
		value             any
		want              string
	}{
		{"claim_promotion_confidence", "", 0.9, "export CLAIM_PROMOTION_CONFIDENCE=0.9\n"},
		{"p95-latency.ms", "", int64(300), "export P95_LATENCY_MS=300\n"},
		{"2fa", "", true, "export _2FA=true\n"},
		{"2fa", "X", true, "export X2FA=true\n"},
		{"größe", "", 1.0, "export GR__E=1.0\n"},
		{"drift", "nomo-", 1e21, "export NOMO_DRIFT=1e+21\n"},
		{"tiers", "", []any{"a", "b"}, "export TIERS='[\"a\",\"b\"]'\n"},
		{"x; rm -rf /", "", "y", "export X__RM__RF__=y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.prefix+tt.threshold, func(t *testing.T) {
			g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t;\nCREATE (:SYS_Threshold {name: $name, value: $value})",
				map[string]any{"name": tt.threshold, "value": tt.value})
			export, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{Prefix: &tt.prefix})
			if err != nil || !strings.HasSuffix(export.Script, tt.want) {
				t.Errorf("got %q, want %q (%v)", export.Script, tt.want, err)
			}
			if text, _ := json.Marshal(export); !strings.Contains(string(text), `"threshold":`) {
				t.Errorf(`got %s, want text with "threshold":`, text)
			}
		})
	}
}

func TestExport_UnsuitableThreshold_IsRefused(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'a-b', value: 1, decision_table: 'D1'}), (:SYS_Threshold {name: 'a_b', value: 2, decision_table: 'D1'}),
		(:SYS_Threshold {name: 'twice', value: 7, decision_table: 'D2'}), (:SYS_Threshold {name: 'twice', value: 8, decision_table: 'D2'}),
		(:SYS_Threshold {name: 'path', value: '/tmp', decision_table: 'D5'}), (:SYS_Threshold {name: 'lines', value: 'a\nb', decision_table: 'D6'}),
		(:SYS_Threshold {name: 'empty', decision_table: 'D3'}), (:SYS_Threshold {name: 'fine', value: 1, decision_table: 'D4'})`, nil)
	none := ""
	tests := map[string]struct {
		query    live.ExportQuery
		code     apperr.Code
		message  string
		proposed string
	}{
		"two names of one variable": {live.ExportQuery{DecisionTable: "D1"}, apperr.Conflict,
			"The thresholds 'a-b' and 'a_b' would both set NOMOGRAPH_T_A_B", "prefix"},
		"two nodes, named": {live.ExportQuery{Names: []string{"twice"}}, apperr.Conflict,
			"2 SYS_Threshold nodes are called 'twice'", "value 7"},
		"two nodes, of all": {live.ExportQuery{DecisionTable: "D2"}, apperr.Conflict,
			"2 SYS_Threshold nodes are called 'twice'", "value 8"},
		"what finds programs": {live.ExportQuery{DecisionTable: "D5", Prefix: &none}, apperr.Conflict,
			"'path' would set the variable PATH", "NOMOGRAPH_T_"},
		"a line break": {live.ExportQuery{DecisionTable: "D6"}, apperr.Conflict,
			"'lines' has a line break", "line_breaks"},
		"no value": {live.ExportQuery{DecisionTable: "D3"}, apperr.Conflict,
			"SYS_Threshold node 'empty' has no value", ""},
		"a name that is missing": {live.ExportQuery{Names: []string{"fine", "fin"}}, apperr.NotFound,
			"SYS_Threshold node 'fin' not found", "'fine'"},
		"a table without any": {live.ExportQuery{DecisionTable: "D9"}, apperr.NotFound,
			"No SYS_Threshold node belongs to decision table 'D9'", ""},
		"a name of another table": {live.ExportQuery{DecisionTable: "D1", Names: []string{"fine"}}, apperr.NotFound,
			"'fine'", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := env.Live.ExportThresholds(t.Context(), tt.query)
			got := toolstest.ErrorWithCode(t, err, tt.code)
			if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, tt.proposed) {
				t.Errorf("got %s. %s, want Message with %v, Hint with %v", got.Message, got.Hint, tt.message,
					tt.proposed)
			}
		})
	}
	t.Run("an empty graph says so", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t", nil)
		_, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{})
		if got := toolstest.ErrorWithCode(t, err, apperr.NotFound); strings.Contains(got.Message, "''") {
			t.Errorf("the message names no table: %s", got.Message)
		}
	})
}

// dangerous lists variables that make other programs run code or contact servers.
const dangerous = `TEXEDIT TEXINPUTS GRAPHVIZ_DOT MAILCAPS SQLPATH GROFF_COMMAND_PREFIX GS_LIB MAGICK_CODER_MODULE_PATH GDAL_DRIVER_PATH WINEPREFIX SBATCH_WRAP
	NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NPM_CONFIG_SCRIPT_SHELL NPM_CONFIG_NODE_OPTIONS YARN_RC_FILENAME BUN_INSTALL DENO_DIR
	PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONWARNINGS PYTHONBREAKPOINT PIP_INDEX_URL PIP_CONFIG_FILE UV_INDEX_URL CONDA_EXE
	PERL5LIB PERL5OPT PERLLIB PERL5DB RUBYOPT RUBYLIB GEM_PATH GEM_HOME BUNDLE_GEMFILE RAKEOPT PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_PATH LUA_CPATH R_PROFILE_USER R_ENVIRON JULIA_LOAD_PATH
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS JAVA_HOME CLASSPATH MAVEN_OPTS GRADLE_OPTS SBT_OPTS CATALINA_OPTS DOTNET_STARTUP_HOOKS COR_PROFILER CORECLR_PROFILER_PATH
	GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_ASKPASS GIT_PROXY_COMMAND GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_TEMPLATE_DIR SSH_ASKPASS SSH_AUTH_SOCK SVN_SSH RSYNC_RSH HGRCPATH CVS_RSH
	EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE LESS VIMINIT EXINIT EMACSLOADPATH INPUTRC
	PATH IFS ENV BASH_ENV BASH_FUNC_LS SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR CDPATH HOME SHELL TMPDIR HISTFILE GLOBIGNORE FPATH TERMINFO
	LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH HOSTALIASES RES_OPTIONS LIBPATH
	GOFLAGS GOPROXY GOTOOLCHAIN GOENV GOROOT GOPATH GOCACHEPROG CGO_CFLAGS CC CXX LDFLAGS CFLAGS MAKEFLAGS MAKEFILES RUSTFLAGS RUSTC_WRAPPER CARGO_HOME CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH CCACHE_PREFIX
	ERL_FLAGS ERL_LIBS ELIXIR_ERL_OPTIONS GHCRTS OCAMLRUNPARAM GUILE_LOAD_PATH TCLLIBPATH AWKPATH BC_ENV_ARGS
	HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF OPENSSL_ENGINES CURL_HOME CURL_CA_BUNDLE WGETRC REQUESTS_CA_BUNDLE GNUPGHOME SSLKEYLOGFILE
	DOCKER_HOST DOCKER_CONFIG KUBECONFIG HELM_PLUGINS TF_CLI_CONFIG_FILE ANSIBLE_CONFIG AWS_CONFIG_FILE AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS BOTO_CONFIG CLOUDSDK_PYTHON VAULT_ADDR
	PSQLRC PGSYSCONFDIR PGHOST PGSERVICEFILE MYSQL_HOME TAR_OPTIONS GREP_OPTIONS GZIP XZ_OPT RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND
	COMSPEC PATHEXT PSMODULEPATH SYSTEMROOT APPDATA USERPROFILE XDG_CONFIG_HOME XDG_DATA_DIRS DBUS_SESSION_BUS_ADDRESS GTK_MODULES GTK_PATH QT_PLUGIN_PATH GIO_EXTRA_MODULES
	GITHUB_PATH GITHUB_ENV GITHUB_TOKEN RUNNER_TEMP ACTIONS_RUNTIME_URL CI ANTHROPIC_BASE_URL OPENAI_BASE_URL OTEL_EXPORTER_OTLP_ENDPOINT
	NOMOGRAPH_URL NOMOGRAPH_CONFIG NEO4J_URI SOMETOOL_OPTIONS OTHER_OPTS ANY_TOOL_FLAGS UNHEARD_EDITOR`

// TestExport_DangerousNames_NeverReachTheEnvironment: a person who may create thresholds chooses their names and
// values.
func TestExport_DangerousNames_NeverReachTheEnvironment(t *testing.T) {
	g, env := toolstest.Open(t)
	names := strings.Fields(dangerous)
	for _, name := range names {
		g.Exec(t, "CREATE (:SYS_Threshold {name: $name, value: '/evil', decision_table: 'D1'})",
			map[string]any{"name": strings.ToLower(name)})
	}
	none, node := "", "node-"
	for _, format := range []string{"sh", "fish", "dotenv", "github"} {
		for _, q := range []live.ExportQuery{{}, {DecisionTable: "D1"}} {
			q.Format = format
			export, err := env.Live.ExportThresholds(t.Context(), q)
			if err != nil || len(export.Variables) != len(names) {
				t.Fatalf("%s: %d variables of %d: %v", format, len(export.Variables), len(names), err)
			}
			for _, v := range export.Variables {
				if !strings.HasPrefix(v.Name, live.DefaultPrefix) {
					t.Errorf("%s: got %s, want starting with %v", format, v.Name, live.DefaultPrefix)
				}
			}
		}
		if _, err := env.Live.ExportThresholds(t.Context(),
			live.ExportQuery{DecisionTable: "D1", Prefix: &none, Format: format}); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("%s without a prefix: %v", format, err)
		}
		if _, err := env.Live.ExportThresholds(t.Context(),
			live.ExportQuery{Names: []string{"path"}, Prefix: &node, Format: format}); !apperr.Is(err,
			apperr.Conflict) {
			t.Errorf("%s with a prefix that makes NODE_PATH: %v", format, err)
		}
	}
	for _, name := range names {
		if _, err := env.Live.ExportThresholds(t.Context(),
			live.ExportQuery{Names: []string{strings.ToLower(name)}}); !apperr.Is(err, apperr.Conflict) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("got %s, %v, want %s, error with %v", name, err, apperr.Conflict, name)
		}
	}
}

// TestExport_HonestNames_KeepTheirNames: the names in packs and documentation.
func TestExport_HonestNames_KeepTheirNames(t *testing.T) {
	g, env := toolstest.Open(t)
	names := strings.Fields("error_budget_left_min rollout_percent_first claim_promotion_confidence coverage_min agent_confidence_min code_review_days prompt_tokens_max age_days_max snapshot_days history_days stack_depth perf_budget_ms")
	for _, name := range names {
		g.Exec(t, "CREATE (:SYS_Threshold {name: $name, value: 1})", map[string]any{"name": name})
	}
	none := ""
	for _, q := range []live.ExportQuery{{Names: names}, {Prefix: &none}} {
		export, err := env.Live.ExportThresholds(t.Context(), q)
		if err != nil || len(export.Variables) != len(names) {
			t.Fatalf("got %v %v, want len(Variables)=%d", export, err, len(names))
		}
		for _, v := range export.Variables {
			golden.Equal(t, "name", v.Name, strings.ToUpper(v.Threshold))
		}
	}
}

// TestRecheck_UnsafeServerAnswer_IsRefused: a shell evaluates the text.
func TestRecheck_UnsafeServerAnswer_IsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		asked  string
		answer live.Export
		fine   bool
	}{
		"as asked": {`{"names": ["a"]}`, live.Export{Variables: []live.Variable{{"A", "1", "a"}},
			Script: "export A=1\n"}, true},
		"a table": {`{"decision_table": "D1", "format": "github"}`,
			live.Export{Variables: []live.Variable{{"NOMOGRAPH_T_A", "1", "a"}}, Script: "NOMOGRAPH_T_A=1\n"}, true},
		"another name": {`{"decision_table": "D1"}`,
			live.Export{Variables: []live.Variable{{"A", "1", "a"}}, Script: "export A=1\n"}, false},
		"another threshold": {`{"names": ["a"]}`, live.Export{Variables: []live.Variable{{"B", "1", "b"}},
			Script: "export B=1\n"}, false},
		"an interpreted name": {`{"prefix": ""}`, live.Export{Variables: []live.Variable{{"NODE_OPTIONS", "1",
			"node_options"}}, Script: "export NODE_OPTIONS=1\n"}, false},
		"another text": {`{"names": ["a"]}`, live.Export{Variables: []live.Variable{{"A", "1", "a"}},
			Script: "export A=1; id\n"}, false},
	} {
		golden.Equal(t, name, tt.answer.Recheck(json.RawMessage(tt.asked)) == nil, tt.fine)
	}
}
