package pages

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tokens"
)

// TestOwnServerProof_OtherKeyOrAddress_Fails: the server of another user has another key, and could relay a challenge
// to a server at another address.
func TestOwnServerProof_OtherKeyOrAddress_Fails(t *testing.T) {
	d := &Server{options: Options{Key: NewKey()}}
	s := httptest.NewServer(http.HandlerFunc(d.own))
	defer s.Close()
	ask := func(challenge string) (int, string) {
		answer, err := http.Get(s.URL + OwnPath + "?challenge=" + challenge)
		graphtest.OK(t, err)
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	address, challenge := s.Listener.Addr().String(), strings.Repeat("c", 26)
	_, got := ask(challenge)
	if got != Proof(d.options.Key, address, challenge) {
		t.Errorf("got %q, want got=Proof(d.options.Key, address, challenge)", got)
	}
	for name, other := range map[string]string{"another key": Proof(NewKey(), address, challenge),
		"another address":   Proof(d.options.Key, "127.0.0.1:1", challenge),
		"another challenge": Proof(d.options.Key, address, challenge+"x")} {
		if got == other {
			t.Errorf("%s has the same proof", name)
		}
	}
	for _, challenge := range []string{"", "short", strings.Repeat("c", 1000)} {
		if status, _ := ask(challenge); status != http.StatusNotFound {
			t.Errorf("%d bytes: %d", len(challenge), status)
		}
	}
}

// TestTokens_ListFails_SecretIsShown: the page that answers the form is the only one with the secret.
func TestTokens_ListFails_SecretIsShown(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/tokens", nil)
	v := &Visit{Request: r, server: &Server{}, page: &Page{Name: "tokens"},
		query: url.Values{}} // this server has no operations, so listing tokens fails
	if shown, err := showTokens(v); err == nil {
		t.Fatalf("got %+v, want the error of list_tokens", shown)
	}
	v.secret = &tokens.Rotated{Name: "bot", Token: "nmg_x"}
	shown, err := showTokens(v)
	if out, ok := shown.(tokensShown); err != nil || !ok || out.Secret != v.secret {
		t.Errorf("got %+v %v, want the secret", shown, err)
	}
}
