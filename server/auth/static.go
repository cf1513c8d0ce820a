package auth

import (
	"context"
	"fmt"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/envvar"
	"nomograph/tokens"
)

// Static is a token from the configuration, not from the graph.
type Static struct {
	Name, Secret        string
	Permissions         []caller.Permission
	Projects, Databases []string
}

func (s Static) caller() caller.Caller {
	c := caller.Caller{Name: s.Name, Authenticated: true, Permissions: s.Permissions, Databases: s.Databases}
	if s.Projects != nil {
		c.Projects = []string{}
		for _, p := range s.Projects {
			c.Projects = append(c.Projects, caller.Key(p))
		}
	}
	return c
}

// May reports whether the token has a permission.
func (s Static) May(p caller.Permission) bool { return s.caller().May(p) }

// minSecretLength is the minimum length of a secret, to prevent guessing.
const minSecretLength = 16

// FromFile reads the tokens of a YAML file in the format of CSTP: auth.tokens is a list of {name, token}, where token
// is usually ${VARIABLE}. A token may also have permissions, projects and databases. The default permission is read.
// In a file with a section cstp, as in the CSTP design, tokens belong to other agents and default to federate. The
// file may be the configuration file itself.
func FromFile(ctx context.Context, path string) ([]Static, error) {
	text, err := disk.Read(path, document.DefaultBytes)
	if err != nil {
		return nil, apperr.Newf(apperr.Validation, "Cannot read the tokens file %s", path).
			WithHint("Check auth.tokens_file (--tokens)").Because(err)
	}
	wrong := func(problem string) error {
		return apperr.Newf(apperr.Validation, "Invalid tokens file %s: %s", path, problem).
			WithHint("Use the form auth: {tokens: [{name: ada, token: \"${ADA_TOKEN}\"}]}; see docs/guides/server.md")
	}
	if text, err = document.Decode(text); err != nil {
		return nil, wrong(err.Error())
	}
	root, err := document.YAML(ctx, string(text), document.DefaultLimits())
	if err != nil {
		return nil, wrong(err.Error())
	}
	whole, _ := root.Value().(map[string]any)
	section, _ := whole["auth"].(map[string]any)
	if enabled, ok := section["enabled"].(bool); ok && !enabled {
		return nil, nil
	}
	list, ok := section["tokens"].([]any)
	if !ok {
		return nil, wrong("it has no list auth.tokens")
	}
	for key := range section {
		if key != "enabled" && key != "tokens" && key != "tokens_file" && key != "oidc" {
			return nil, wrong("unknown key auth." + key)
		}
	}
	fallback := caller.Read
	if _, ok := whole["cstp"]; ok {
		fallback = caller.Federate
	}
	var out []Static
	for _, one := range list {
		fields, _ := one.(map[string]any)
		s, problem := staticOf(fields, fallback)
		if problem != "" {
			return nil, wrong(problem)
		}
		out = append(out, s)
	}
	return out, nil
}

// staticOf converts an entry. problem describes an invalid entry without its secret.
func staticOf(fields map[string]any, fallback caller.Permission) (s Static, problem string) {
	s.Name, _ = fields["name"].(string)
	if s.Name = strings.TrimSpace(s.Name); s.Name == "" {
		return s, "a token has no name"
	}
	if problem := caller.NameProblem(s.Name); problem != "" {
		return s, fmt.Sprintf("%q is not a valid caller name: %s", s.Name, problem)
	}
	secret, _ := fields["token"].(string)
	var unset string
	if s.Secret, unset = envvar.Expand(secret); unset != "" {
		problem = "the token of '" + s.Name + "' is " + unset + ", which is not set"
	}
	if problem == "" && len(s.Secret) < minSecretLength {
		problem = "the token of '" + s.Name + "' has fewer than 16 characters"
	}
	for key, value := range fields {
		switch key {
		case "name", "token":
		case "permissions":
			for _, p := range listOf(value, &problem, s.Name, key) {
				s.Permissions = append(s.Permissions, caller.Permission(caller.Key(p)))
			}
		case "projects":
			s.Projects = listOf(value, &problem, s.Name, key)
		case "databases":
			s.Databases = listOf(value, &problem, s.Name, key)
		default:
			problem = "the token of '" + s.Name + "' has no " + key
		}
	}
	if s.Permissions == nil {
		s.Permissions = []caller.Permission{fallback}
	}
	for _, p := range s.Permissions {
		if !tokens.IsPermission(p) {
			problem = "the token of '" + s.Name + "' has the unknown permission " + string(p)
		}
	}
	return s, problem
}

// listOf reads a list of strings; it is never nil.
func listOf(value any, problem *string, name, key string) []string {
	all, ok := value.([]any)
	out := []string{}
	for _, one := range all {
		text, isText := one.(string)
		ok = ok && isText
		out = append(out, text)
	}
	if !ok {
		*problem = "the token of '" + name + "' needs a list of names as " + key
	}
	return out
}

// FromEnvironment reads tokens in the format of CSTP_AUTH_TOKENS: agent:token,agent:token. They have the permissions of
// CSTP agents: read, decide and review.
func FromEnvironment(text string) ([]Static, error) {
	var out []Static
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		name, secret, both := strings.Cut(one, ":")
		name, secret = strings.TrimSpace(name), strings.TrimSpace(secret)
		if !both || name == "" || len(secret) < minSecretLength {
			return nil, apperr.New(apperr.Validation, "auth.tokens is not a list of agent:token with tokens of 16 characters or more").
				WithHint("Use a form such as CSTP_AUTH_TOKENS=emerson:SECRET,claude-ops:SECRET")
		}
		if problem := caller.NameProblem(name); problem != "" {
			return nil, apperr.Newf(apperr.Validation, "auth.tokens has an invalid name: %q", name).
				WithHint("Choose another: %s", problem)
		}
		out = append(out, Static{Name: name, Secret: secret,
			Permissions: []caller.Permission{caller.Read, caller.Decide, caller.Announce, caller.Review}})
	}
	return out, nil
}
