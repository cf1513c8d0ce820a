package mcp

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/apperr"
)

// The skill says in one page how to use the server (extension io.modelcontextprotocol/skills).
//
//go:embed SKILL.md
var skillText string

const skillAddress = "skill://nomograph/SKILL.md"

// skill is the entry of the skill: its front matter verbatim, and the digest of its only file.
var skill = func() map[string]any {
	front := map[string]string{}
	_, text, _ := strings.Cut(skillText, "---\n")
	text, _, _ = strings.Cut(text, "---\n")
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		front[name] = value
	}
	sum := sha256.Sum256([]byte(skillText))
	return map[string]any{"uri": skillAddress, "frontmatter": front, "resources": []any{map[string]any{
		"uri": skillAddress, "digest": "sha256:" + hex.EncodeToString(sum[:]), "size": len(skillText)}}}
}()

func (d *Server) addSkill() {
	front := skill["frontmatter"].(map[string]string)
	d.mcp.AddResource(mcp.NewResource(skillAddress, front["name"], mcp.WithMIMEType("text/markdown"),
		mcp.WithResourceDescription(front["description"])),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: skillAddress, MIMEType: "text/markdown",
				Text: skillText}}, nil
		})
}

// Lists change with the rights of a caller, with atlases and with the program. Clients that listen are told when.
const (
	toolsTime  = 5 * time.Minute
	staticTime = time.Hour
)

// cacheable adds to a result how long a client may keep it.
func cacheable(result map[string]any) map[string]any {
	result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", staticTime.Milliseconds(),
		mcp.CacheScopePublic
	return result
}

func (d *Server) listSkills(context.Context, json.RawMessage) (map[string]any, error) {
	return cacheable(map[string]any{"skills": []any{skill}}), nil
}

func (d *Server) getSkill(_ context.Context, params json.RawMessage) (map[string]any, error) {
	var in struct{ URI string }
	if err := json.Unmarshal(params, &in); err != nil || in.URI != skillAddress {
		return nil, apperr.Newf(apperr.NotFound, "No skill is served at %q", cutName(in.URI)).
			WithHint("List skills with skills/list")
	}
	return cacheable(map[string]any{"skill": skill}), nil
}

// keepStatic says how long clients may keep files of the program. Policies and thresholds are live: they are read
// each time.
func keepStatic(_ context.Context, _ any, request *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
	if uri := request.Params.URI; uri == skillAddress || strings.HasPrefix(uri, cardAddress) {
		result.SetCacheHints(staticTime.Milliseconds(), mcp.CacheScopePublic)
	}
}
