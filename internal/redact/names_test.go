package redact

import (
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestSecretName_NamesOfSecrets_AreKnown(t *testing.T) {
	for _, name := range strings.Fields(`
		password PASSWORD Password passwd pwd passphrase secret token credential credentials authorization cookie dsn
		client_secret clientSecret client-secret CLIENT_SECRET ClientSecret clientsecret access_token accessToken refresh_token
		refreshToken id_token idToken IDToken session_token api_key apikey apiKey API_KEY APIKey APIkey x-api-key X-Api-Key
		openaiApiKey OPENAI_API_KEY access_key aws_secret_access_key secret_key secretKey private_key privateKey PrivateKeyPem
		private_key_pem auth_header authHeader Authorization-Header Proxy-Authorization set-cookie Set-Cookie setCookie Cookies
		connection_string connectionString ConnectionString db_password dbPassword DBPassword PGPASSWORD userpassword
		password2 password_1 new_password passwordConfirmation password_base64 secret_value SecretString api_keys apiKeys
		access_tokens passwords secrets npm_config__authToken spring.datasource.password --password smtp_pass passWord
		client-key-data oauth2_token JWT_SECRET password_hash AccountKey Ocp-Apim-Subscription-Key _authToken`) {
		if !secretName(name) {
			t.Errorf("%s is secret", name)
		}
	}
	for _, name := range []string{"API key", "access token", "the password", "private key (PEM)"} {
		if !secretName(name) {
			t.Errorf("%s is secret", name)
		}
	}
}

func TestSecretName_OtherNames_AreNotSecret(t *testing.T) {
	for _, name := range append(strings.Fields(`
		token_count max_tokens maxTokens tokens tokens_used input_tokens total_tokens tokenizer token_type token_url
		password_policy passwordless password_length password_file secret_santa secret_name secretary keyboard author authority
		authorizer auth_method monkey turkey key keys primary_key primaryKey public_key publicKey foreign_key partition_key
		cache_key sort_key facet_key idempotency_key access_key_id key_id keyword cookie_policy cookie_name credential_type
		next_token nextPageToken page_token progressToken eos_token session_id monkeys mon_key compass bypass pass_rate
		passenger value string data name base64 description pwdx`), "", "1", "__", "é") {
		if secretName(name) {
			t.Errorf("%s is not secret", name)
		}
	}
}

func TestValue_SecretFieldName_MasksWholeValue(t *testing.T) {
	for _, value := range []any{"x", "two words", int64(1), 1.5, []any{"x", "y"}, map[string]any{"user": "bob"},
		[]string{"x"}} {
		got, changed := Value(map[string]any{"Client-Secret": value})
		if got.(map[string]any)["Client-Secret"] != mask || !changed {
			t.Errorf("%v became %v, changed %v", value, got, changed)
		}
	}
	for _, value := range []any{true, false, nil, "", mask} {
		got, changed := Value(map[string]any{"Client-Secret": value})
		if got.(map[string]any)["Client-Secret"] != value || changed {
			t.Errorf("%v became %v, changed %v", value, got, changed)
		}
	}
}

func TestValue_WorkingDirectoryInPWD_StaysUnchanged(t *testing.T) {
	got, _ := Value(map[string]any{"PWD": "/home/ada", "pwd": "/abc", "DB_PWD": "/abc"})
	want := map[string]any{"PWD": "/home/ada", "pwd": mask, "DB_PWD": mask}
	for name := range want {
		if got.(map[string]any)[name] != want[name] {
			t.Errorf("%s became %v", name, got)
		}
	}
}

func TestValue_FieldPass_MasksOnlyText(t *testing.T) {
	got, _ := Value(map[string]any{"auth": map[string]any{"user": "ada", "pass": secret},
		"tests": map[string]any{"pass": int64(12)}})
	golden.Equal(t, "as json", asJSON(t, got), `{"auth":{"pass":"[redacted]","user":"ada"},"tests":{"pass":12}}`)
}
