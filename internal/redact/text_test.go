package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Tokens that look real but are made up.
var (
	a1     = strings.Repeat("a1", 40)
	upper  = strings.Repeat("Q7", 8)
	github = "ghp_" + a1[:36]
	jwt    = "eyJ" + a1[:20] + ".eyJ" + a1[:30] + "." + a1[:43]
	basic  = base64.StdEncoding.EncodeToString([]byte("ada:" + secret))
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + a1 + "\n" + a1 + "\n-----END RSA " + "PRIVATE KEY-----"
)

// masked maps texts with a secret to their masked form.
var masked = []struct{ text, want string }{
	// shapes
	{"key " + github + ".", "key [redacted]."},
	{"(gho_" + a1[:36] + ")", "([redacted])"},
	{"ghu_" + a1[:36] + ",ghs_" + a1[:36] + " ghr_" + a1[:36], "[redacted],[redacted] [redacted]"},
	{"github_pat_" + a1[:22] + "_" + a1[:59], mask},
	{"AKIA" + upper + " in eu", "[redacted] in eu"},
	{"use ASIA" + upper, "use [redacted]"},
	{"glpat-" + a1[:20], mask},
	{"xoxb-" + "123456789012-" + a1[:24] + " xoxp-" + a1[:30], "[redacted] [redacted]"},
	{"sk-" + a1[:48] + " sk-ant-api03-" + a1 + "-" + a1 + " sk-proj-" + a1, "[redacted] [redacted] [redacted]"},
	{"sk_live_" + a1[:24] + " rk_live_" + a1[:24], "[redacted] [redacted]"},
	{"AIza" + a1[:35], mask},
	{"npm_" + a1[:36] + " pypi-AgEI" + a1, "[redacted] [redacted]"},
	{"jwt " + jwt + ". Then", "jwt [redacted]. Then"},
	{"hooks at https://hooks.slack.com/services/T01/B02/" + a1[:24],
		"hooks at https://hooks.slack.com/services/[redacted]"},
	{"before\n" + pem + "\nafter", "before\n[redacted]\nafter"},
	{"cut off " + pem[:60], "cut off [redacted]"},
	{strings.ReplaceAll("{"+pem+"}", "\n", `\n`), "{[redacted]}"},
	{`one\n` + github + `\n`, `one\n[redacted]\n`},
	// headers
	{"Authorization: Bearer abc", "Authorization: Bearer [redacted]"},
	{"authorization: bearer " + a1 + " to eu", "authorization: bearer [redacted] to eu"},
	{"Authorization: Basic " + basic, "Authorization: Basic [redacted]"},
	{"Authorization: token " + secret, "Authorization: token [redacted]"},
	{"Authorization: " + secret + " x", "Authorization: [redacted] x"},
	{"Authorization: Digest user=\"a\", response=\"" + secret + "\"\nHost: x", "Authorization: [redacted]\nHost: x"},
	{"curl -H 'Authorization: Bearer " + secret + "' https://x",
		"curl -H 'Authorization: Bearer [redacted]' https://x"},
	{`curl -H "X-Api-Key: ` + secret + `" https://x`, `curl -H "X-Api-Key: [redacted]" https://x`},
	{`curl -H "Cookie: a=` + secret + `; b=` + secret + `" https://x`, `curl -H "Cookie: [redacted]" https://x`},
	{"Set-Cookie: sid=" + secret + "; Path=/\nDate: x", "Set-Cookie: [redacted]\nDate: x"},
	{"they sent Bearer " + a1, "they sent Bearer [redacted]"},
	{"they sent Basic " + basic, "they sent Basic [redacted]"},
	// URLs
	{"postgres://ada:" + secret + "@db:5432/x?y=1", "postgres://ada:[redacted]@db:5432/x?y=1"},
	{"redis://:" + secret + "@cache", "redis://:[redacted]@cache"},
	{"https://ada:a@" + secret + "@host/a@b", "https://ada:[redacted]@host/a@b"},
	{"amqp://ada:a/" + secret + "@host", "amqp://ada:[redacted]@host"},
	{"https://proxy/https://ada:" + secret + "@host", "https://proxy/https://ada:[redacted]@host"},
	{"https://x.test/a?token=" + secret + "&b=1#c", "https://x.test/a?token=[redacted]&b=1#c"},
	{"https://" + github + "@github.com/x", "https://[redacted]@github.com/x"},
	// assignments
	{"deploy with password=" + secret + " to eu", "deploy with password=[redacted] to eu"},
	{"(password=" + secret + "), token: " + secret + ".", "(password=[redacted]), token: [redacted]."},
	{"export API_KEY=" + secret + "; run", "export API_KEY=[redacted]; run"},
	{"API key: " + secret, "API key: [redacted]"},
	{"the access key = " + secret, "the access key = [redacted]"},
	{"Server=db;User Id=sa;Password=" + secret + ";Encrypt=true",
		"Server=db;User Id=sa;Password=[redacted];Encrypt=true"},
	{"AccountName=x;AccountKey=" + a1 + "==;Suffix=y", "AccountName=x;AccountKey=[redacted];Suffix=y"},
	{"user=ada, password=ab,cd)" + secret + ", host=x", "user=ada, password=[redacted], host=x"},
	{"password = \"two " + secret + "\" # note", "password = \"[redacted]\" # note"},
	{"password='it''s " + secret + "' x", "password=[redacted] x"},
	{`password='a b'"'"'c ` + secret + `' x`, "password=[redacted] x"},
	{`password="a\"b ` + secret + `" x`, `password="[redacted]" x`},
	{`password="` + secret + " never closed\nnext", "password=[redacted]\nnext"},
	{`PASSWORD=my\ ` + secret + ` x`, "PASSWORD=[redacted] x"},
	{"token=$(cat x/" + secret + ") y", "token=[redacted] y"},
	{`config["password"] = "` + secret + `"`, `config["password"] = "[redacted]"`},
	{"user[password]=" + secret + "&a=b", "user[password]=[redacted]&a=b"},
	{`:password => "` + secret + `", :a => 1`, `:password => "[redacted]", :a => 1`},
	{`if password == "` + secret + `" {`, `if password == "[redacted]" {`},
	{"password:=" + secret, "password:=[redacted]"},
	{"//registry.test/:_authToken=" + secret, "//registry.test/:_authToken=[redacted]"},
	{"PIN password=12345 ok", "PIN password=[redacted] ok"},
	{"password=[redacted]" + secret, "password=[redacted]"},
	{"connection string: Server=a b;" + secret + " c", "connection string: [redacted]"},
	{`a\ntoken: ` + secret, `a\ntoken: [redacted]`},
	{"<p>password: " + secret + "</p>", "<p>password: [redacted]</p>"},
	// flags
	{"login --password " + secret + " --user ada", "login --password [redacted] --user ada"},
	{"login --api-key='" + secret + " x' -v", "login --api-key='[redacted]' -v"},
	{`login -token "` + secret + ` x" -v`, `login -token "[redacted]" -v`},
	{"curl -u ada:" + secret + " https://x", "curl -u ada:[redacted] https://x"},
	{"curl --user 'ada:" + secret + " x' https://x", "curl --user 'ada:[redacted]' https://x"},
	{"kubectl create secret generic x --from-literal=password=" + secret,
		"kubectl create secret generic x --from-literal=password=[redacted]"},
	// JSON and YAML within a text
	{`got {"user": "ada", "password": "` + secret + `", "n": 1} back`,
		`got {"user": "ada", "password": "[redacted]", "n": 1} back`},
	{`{"password":"` + secret + ` \"and\" more","n":1}`, `{"password":"[redacted]","n":1}`},
	{`{"accessToken":` + "\n" + `"` + secret + `"}`, `{"accessToken":` + "\n" + `"[redacted]"}`},
	{`{"body": "{\"password\": \"` + secret + ` \\\"x\\\" y\", \"n\": 1}"}`,
		`{"body": "{\"password\": \"[redacted]\", \"n\": 1}"}`},
	{`{"secrets": ["a", "` + secret + `]"], "n": 1}`, `{"secrets": [redacted], "n": 1}`},
	{`{"credentials": {"x": {"y": "` + secret + `"}}, "n": 1}`, `{"credentials": [redacted], "n": 1}`},
	{`{"credentials": {"x": {"y": "` + secret, `{"credentials": [redacted]`},
	{"{'password': '" + secret + "', 'n': None}", "{'password': '[redacted]', 'n': None}"},
	{"db:\n  password: " + secret + "\n  host: x\n", "db:\n  password: [redacted]\n  host: x\n"},
	{"user: ada\npassword: two " + secret + " words # note\r\nx: y", "user: ada\npassword: [redacted] # note\r\nx: y"},
	{"GET / HTTP/1.1\nAuthorization: Bearer " + secret + "\nHost: x",
		"GET / HTTP/1.1\nAuthorization: Bearer [redacted]\nHost: x"},
	{"- token: " + secret + "\n- token: null # note\n", "- token: [redacted]\n- token: null # note\n"},
	{"<a><dbPassword>" + secret + " &amp; x</dbPassword></a>", "<a><dbPassword>[redacted]</dbPassword></a>"},
	{"passphrase: correct " + secret + " staple\nnext: 1", "passphrase: [redacted]\nnext: 1"},
	{"a:\n  secret: |\n    one " + secret + "\n\n    two\n  b: c\n", "a:\n  secret: |\n    [redacted]\n  b: c\n"},
}

func TestText_Secret_LeavesTheRest(t *testing.T) {
	for _, c := range masked {
		got, changed := Text(c.text)
		if got != c.want || !changed {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		for _, gone := range []string{secret, a1[:16], upper, basic} {
			if strings.Contains(got, gone) {
				t.Errorf("%s survives in %s", gone, got)
			}
		}
		clean().Purge() // without the cache, a second call scans the text again
		if again, changed := Text(got); again != got || changed {
			t.Errorf("%s\nbecame %s in a second call", got, again)
		}
	}
}

// kept are harmless texts that resemble secrets.
var kept = []string{
	"", "the token bucket", "password reset flow", "basic authentication",
	"Basic understanding of bearer authentication",
	"a bearer of bad news", "the secret of success is to be basic about it", "count tokens: 512 of max_tokens=4096",
	"2f1c9d0a7b3e4c5d6f708192a3b4c5d6e7f80910", "commit 2f1c9d0", "0197c2b4-7e11-7c3e-9a51-0242ac120002",
	"sha256:" + strings.Repeat("0a", 32), strings.Repeat("0a", 32), "etag=" + strings.Repeat("0a", 32),
	"/etc/ssl/private/token.pem", "src/auth/token.go:12: undefined", "docker run -v /run/secrets:/mnt/x image",
	`C:\Users\secret: x`,
	"https://example.com/a/b?c=d#e", "https://example.com:8080/@ada/x@y", "http://[::1]:7687/x",
	"mailto:ada@example.com", "git@github.com:ada/x.git",
	"ssh://git@github.com:22/ada/x", "neo4j://localhost:7687", "primary key: id", "public_key=abc", "key: value",
	"author: Ada",
	"key=value, keyboard: us", "password_policy: strong", "token_count=5", "has password: true", "password=",
	"password: ", "token = null",
	"if token == nil {", `if password != "" {`, "Token::new(x)", "secret://vault/path", "--token-file /x/y",
	"--password-stdin < x", "- token bucket",
	"--no-password now", "--secret --next", "login --password | tee", "task-force-and-risk-management-1",
	"disk-usage-2024-01-01-of-all-hosts",
	"sk-learn", "sk-estonia-region-long-name-of-it", "npm_config_registry", "npm_lifecycle_event_of_a_long_script",
	"AKIA", "AKIAisawordofsomelength", "ghp_",
	"eyJust.a.word", "pypi-some-package-name-that-is-long", "-----BEGIN " + "CERTIFICATE-----\nabc\n-----END " +
		"CERTIFICATE-----",
	"-----BEGIN " + "PUBLIC KEY-----\nabc\n-----END " + "PUBLIC KEY-----", "PRIVATE KEY", "PWD=/home/ada ls",
	"arn:aws:secretsmanager:eu:123456789012:secret:prod/db",
	`{"password": "", "token": null, "has_secret": true}`, "at 12:30: done", "docker run -u 1000:1000 x",
	"get -u https://host:80/x",
	"login <user> <password> <token>", "<password/>", "<token><a>b</a></token>", "x=1&y=2;z=3", "a\nb: c\n- d",
	"\xff\xfe", "passwörd", "é=è: ü",
}

func TestText_HarmlessTexts_StayUnchanged(t *testing.T) {
	for _, text := range kept {
		if got, changed := Text(text); got != text || changed {
			t.Errorf("%q became %q", text, got)
		}
	}
}
