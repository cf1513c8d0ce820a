package pages

import (
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/timeparse"
	"nomograph/tokens"
)

// tokensShown is the data of the page of tokens.
type tokensShown struct {
	*listing
	Usage       []tokenDay // of the selected name
	More        bool       // there is more usage than the page reads
	Permissions []caller.Permission
	Secret      *tokens.Rotated // shown once
	Confirm     *tokens.Token   // token to rotate or revoke, which a form confirms
}

// tokenDay adds up the calls of one name on one day.
type tokenDay struct {
	Day                             string
	Calls, Denials, Refusals, Bytes int64
}

// Kilobytes returns the size of requests and responses.
func (d tokenDay) Kilobytes() float64 { return float64(d.Bytes) / 1000 }

const (
	usageRead = 1000
	usageDays = "90d"
)

func showTokens(v *Visit) (any, error) {
	out := tokensShown{Secret: v.secret, Permissions: caller.Permissions}
	err := out.read(v)
	if out.Secret != nil { // only this answer contains the secret
		return out, nil
	}
	return out, err
}

// read reads the tokens, and the usage of the selected name.
func (out *tokensShown) read(v *Visit) (err error) {
	if out.listing, err = v.list(tokensList); err != nil {
		return err
	}
	var usage tokens.Usage
	if name := v.Query("name"); name != "" {
		if usage, err = callIfMay[tokens.Usage](v, "get_token_usage",
			tokens.UsageQuery{Name: name, Limit: usageRead, Range: timeparse.Range{DateAfter: usageDays}}); err != nil {
			return err
		}
	}
	out.More = usage.NextCursor != ""
	for _, row := range usage.Usage { // newest day first
		if n := len(out.Usage); n == 0 || out.Usage[n-1].Day != row.Day {
			out.Usage = append(out.Usage, tokenDay{Day: row.Day})
		}
		day := &out.Usage[len(out.Usage)-1]
		day.Calls, day.Denials, day.Refusals, day.Bytes = day.Calls+row.Calls, day.Denials+row.Denials,
			day.Refusals+row.Refusals, day.Bytes+row.Bytes
	}
	if name := v.Query("rotate") + v.Query("revoke"); name != "" && v.secret == nil {
		list, err := Call[tokens.List](v, "list_tokens", tokens.Query{})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.Tokens, func(t tokens.Token) bool { return t.Name == name && t.InForce })
		if i < 0 {
			return apperr.Newf(apperr.NotFound, "'%s' has no active token", name).WithHint("Choose one from the list")
		}
		out.Confirm = &list.Tokens[i]
	}
	return nil
}

// createToken creates a token after its preview. The page that answers the form shows the secret, and no other does.
func createToken(v *Visit) (string, error) {
	request := tokens.CreateRequest{Name: v.Form("name"), Permissions: v.PostForm["permissions"],
		Projects: lines(v.Form("projects")), Expires: v.Form("expires")}
	made, err := Call[tokens.Created](v, "create_token", request)
	if err == nil {
		v.secret = &tokens.Rotated{Name: made.Name, Token: made.Token, ExpiresAt: made.ExpiresAt}
	}
	return unchanged, err
}

func rotateToken(v *Visit) (string, error) {
	made, err := Call[tokens.Rotated](v, "rotate_token",
		tokens.RotateRequest{Name: v.Form("name"), Overlap: v.Form("overlap")})
	if err == nil {
		v.secret = &made
	}
	return unchanged, err
}

func revokeToken(v *Visit) (string, error) {
	return v.do("/tokens", "revoke_token", tokens.RevokeRequest{Name: v.Form("name"), Reason: v.Form("reason")})
}

// lines splits text at commas and line breaks. A text without a name gives one empty name, which create_token refuses:
// an empty list would mean all projects.
func lines(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	if len(parts) == 0 && text != "" {
		return []string{""}
	}
	return parts
}
