package clients

import (
	"crypto/sha256"
	"encoding/hex"
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
	states := codexStates(string(settings))
	untrusted := []string{}
	for event, list := range plain.Get("hooks").Map() {
		for _, at := range h.find(list) {
			label := snake(event)
			state := states[fmt.Sprintf("%s:%s:%d:%d", path, label, at.entry, at.hook)]
			if state.off || state.hash != codexHash(label, at.group.Get("matcher").String(), at.call) {
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
	sum := sha256.Sum256([]byte(strings.TrimSuffix(text.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

type codexState struct {
	hash string
	off  bool
}

// codexStates reads the tables [hooks.state."KEY"] of config.toml, as Codex writes them.
func codexStates(settings string) map[string]codexState {
	states, key := map[string]codexState{}, ""
	for line := range strings.Lines(settings) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			key = ""
			if quoted, ok := strings.CutPrefix(line, "[hooks.state."); ok {
				key = tomlText(quoted)
			}
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || key == "" {
			continue
		}
		state := states[key]
		switch name, value = strings.TrimSpace(name), strings.TrimSpace(value); name {
		case "trusted_hash":
			state.hash = tomlText(value)
		case "enabled":
			value, _, _ = strings.Cut(value, "#")
			state.off = strings.TrimSpace(value) == "false"
		}
		states[key] = state
	}
	return states
}

// tomlText returns the quoted TOML string at the start of a text, without what follows, such as a comment. A basic
// string has the escapes of JSON, a literal one none.
func tomlText(quoted string) string {
	if literal, ok := strings.CutPrefix(quoted, "'"); ok {
		literal, _, _ = strings.Cut(literal, "'")
		return literal
	}
	var text string
	_ = json.NewDecoder(strings.NewReader(quoted)).Decode(&text) // Decode ignores what follows the value
	return text
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
