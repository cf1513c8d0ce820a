package clients

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"nomograph/internal/disk"
)

// CodexUntrusted returns the events whose Nomograph hooks in a file Codex does not run, because the user has not
// trusted them as they are written there, or has switched them off. config is the user's config.toml, where Codex
// stores both.
func (h HookFile) CodexUntrusted(path, config string) ([]string, error) {
	f, err := open(path, false)
	if err != nil {
		return nil, err
	}
	plain, err := f.plain()
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	settings, _ := disk.Read(config, 1<<20) // without the file nothing is trusted
	tables := tomlTables(string(settings))
	untrusted := []string{}
	for event, list := range plain.Get("hooks").Map() {
		for _, at := range h.find(list) {
			label := snake(event)
			state := tables[fmt.Sprintf("hooks.state.%s:%s:%d:%d", path, label, at.entry, at.hook)]
			if state["enabled"] == "false" ||
				state["trusted_hash"] != codexHash(label, at.group.Get("matcher").String(), at.call) {
				untrusted = append(untrusted, event)
			}
		}
	}
	slices.Sort(untrusted)
	return slices.Compact(untrusted), nil
}

// codexHash is the hash by which Codex recognizes a hook: of its event, matcher and settings as JSON with sorted keys.
func codexHash(event, matcher string, hook gjson.Result) string {
	timeout := int64(600) // Codex's default, in seconds
	if given := hook.Get("timeout"); given.Exists() {
		timeout = max(given.Int(), 1)
	}
	made := map[string]any{"type": "command", "command": hook.Get("command").String(), "timeout": timeout,
		"async": hook.Get("async").Bool()}
	if said := hook.Get("statusMessage"); said.Exists() {
		made["statusMessage"] = said.String()
	}
	identity := map[string]any{"event_name": event, "hooks": []any{made}}
	if matcher != "" {
		identity["matcher"] = matcher
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(identity) // texts and numbers
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.TrimSuffix(text.String(), "\n"))))
}

// tomlTables returns the texts and switches of a TOML file as Codex writes it, by table and name: tables, dotted names
// and inline tables.
func tomlTables(text string) map[string]map[string]string {
	tables, table := map[string]map[string]string{}, ""
	set := func(table, name, value string) {
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][strings.Trim(name, ` "`)] = tomlText(value)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(line, "=")
		inline := strings.TrimSpace(value)
		switch dot := strings.LastIndex(name, "."); {
		case strings.HasPrefix(line, "["):
			table = line[1:]
			if at := strings.IndexAny(table, `"'`); at >= 0 {
				table = table[:at] + tomlText(table[at:])
			} else {
				table, _, _ = strings.Cut(table, "]")
			}
		case strings.HasPrefix(inline, "{"):
			for pair := range strings.SplitSeq(strings.Trim(inline, "{}"), ",") {
				inner, value, _ := strings.Cut(pair, "=")
				set(strings.Trim(name, ` "`), inner, value)
			}
		case dot > 0:
			set(strings.Trim(name[:dot], ` "`), name[dot+1:], value)
		default:
			set(table, name, value)
		}
	}
	return tables
}

// tomlText returns the quoted TOML string or the word at the start of a text, without what follows, such as a comment.
// A basic string has the escapes of JSON, a literal one none.
func tomlText(value string) string {
	value = strings.TrimSpace(value)
	var text string
	if literal, ok := strings.CutPrefix(value, "'"); ok {
		text, _, _ = strings.Cut(literal, "'")
	} else if json.NewDecoder(strings.NewReader(value)).Decode(&text) != nil { // ignores what follows the value
		text, _, _ = strings.Cut(value, "#")
	}
	return strings.TrimSpace(text)
}

// snake returns the name of an event in lower case with underscores: pre_tool_use for PreToolUse.
func snake(event string) string {
	var made strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			made.WriteByte('_')
		}
		made.WriteRune(unicode.ToLower(r))
	}
	return made.String()
}
