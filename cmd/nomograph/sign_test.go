package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

const teamPack = "pack: team\nversion: 1.0.0\nthresholds:\n  - name: lines_max\n    value: 400.0\n"

// keyAndPack writes a key and a pack, and returns both paths and the setting that trusts the key.
func keyAndPack(t *testing.T, environ []string) (key, pack, setting string) {
	t.Helper()
	dir := t.TempDir()
	key, pack = filepath.Join(dir, "team.key"), filepath.Join(dir, "team.yaml")
	graphtest.OK(t, os.WriteFile(pack, []byte(teamPack), 0o644))
	setting = printed(t, environ, "policy", "keygen", strings.TrimSuffix(key, ".key"), "--field", "setting")
	if !strings.HasPrefix(setting, "NOMOGRAPH_PACK_KEYS=") {
		t.Fatalf("keygen prints %s", setting)
	}
	return key, pack, setting
}

func TestPackSign_NoGraph_SignsAndVerifies(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	key, pack, setting := keyAndPack(t, environ)
	public := strings.TrimSuffix(key, ".key") + ".pub"
	secret := graphtest.Must(os.ReadFile(key))(t)
	if info, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the private key has the mode %v (%v)", info.Mode(), err)
	}
	_, otherPack, otherSetting := keyAndPack(t, environ)
	write := func(path, text string) {
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	environ = append(environ, "KEY="+key, "NAME="+strings.TrimSuffix(key, ".key"), "PUBLIC="+public, "PACK="+pack,
		"OTHER="+otherPack, "KNOWN="+otherSetting, "TRUST="+setting, "SECRET="+strings.Split(string(secret), "\n")[1])
	session(t, environ, `
$ policy keygen $NAME # 1
err team.key already exists
not $SECRET
$ policy keygen $NAME/none/x # 2
err Cannot write
$ policy keygen # 2
err NAME is missing
$ policy verify $PACK --key $PUBLIC # 1
err team.yaml is not signed
$ policy sign $PACK # 2
err --key is missing
$ policy sign --key $KEY # 2
err FILE is missing
$ policy sign $PACK --key $PUBLIC # 2
err type PUBLIC KEY
$ policy sign $PACK --key ${KEY}s # 3
err Cannot read
$ policy sign $PACK ${OTHER}s --key $KEY # 3
err Cannot read
$ policy verify $PACK --key $PUBLIC # 1
err team.yaml is not signed
$ policy sign $PACK --key $KEY
= $PACK.sig
not $SECRET
$ policy verify $PACK --key $PUBLIC
out team.yaml: signed by a trusted key
$ $TRUST policy verify $PACK
out signed by a trusted key
$ policy verify $PACK # 2
err No key is configured
$ $KNOWN policy verify $PACK # 1
err unknown key or another text
$ $TRUST policy verify $PACK $OTHER # 1
err is not signed
$ NOMOGRAPH_PACK_KEYS=, policy verify $PACK # 2
err must name at least one
$ policy verify $PACK --key $KEY # 2
err contains a private key
not $SECRET
$ $TRUST policy verify ${PACK}s # 3
err Cannot read`)
	for _, tt := range []struct{ path, text, output string }{
		{pack, strings.ReplaceAll(teamPack, "\n", "\r\n"), "# 1\nerr covers line ends"},
		{pack, teamPack, "\nout signed"},
		{pack + ".sig", "not base64\n", "# 1\nerr is not the base64"},
		{pack + ".sig", strings.Repeat("\xff", 9000), "# 1\nerr is not the base64"},
	} {
		write(tt.path, tt.text)
		session(t, environ, "$ $TRUST policy verify $PACK "+tt.output)
	}
	graphtest.Equal(t, string(graphtest.Must(os.ReadFile(key))(t)), string(secret), "the key")
}

func TestPolicyApply_TrustedKeys_RequireSignatures(t *testing.T) {
	g := withPacks(t)
	key, pack, setting := keyAndPack(t, g.Environ(t))
	environ := append(g.Environ(t), setting, "PACK="+pack, "KEY="+key)
	before := fingerprint(t, g)
	session(t, environ, `
$ policy apply $PACK # 1
err team.yaml is not signed
$ policy apply $PACK --dry-run # 1
err team.yaml is not signed
$ policy apply - # 1
< pack: team
< version: 1.0.0
< thresholds: [{name: lines_max, value: 400.0}]
err nomograph policy sign FILE --key
$ policy apply core
out  unchanged
$ NOMOGRAPH_PACK_KEYS=$KEY policy apply $PACK # 2
err contains a private key
$ NOMOGRAPH_PACK_KEYS=$KEY policy apply core # 2
err contains a private key
$ NOMOGRAPH_PACK_KEYS=$KEY threshold get claim_promotion_confidence --value
out 0.9`)
	if fingerprint(t, g) != before {
		t.Fatal("a pack was applied")
	}
	session(t, environ, `
$ policy sign $PACK --key $KEY
out team.yaml.sig
$ policy apply $PACK
out team 1.0.0: 1 created`)
	signature := graphtest.Must(os.ReadFile(pack + ".sig"))(t)
	for text, want := range map[string]int{teamPack: 0, teamPack + "# more\n": 1} {
		arguments := graphtest.Must(json.Marshal(map[string]any{"packs": []any{map[string]any{"name": "team.yaml",
			"text":      text,
			"signature": string(signature)}}}))(t)
		session(t, append(environ, "JSON="+string(arguments)), fmt.Sprintf("$ call apply_packs \"$JSON\" # %d", want))
	}
	exported := "= " + strings.ReplaceAll(strings.TrimSpace(teamPack), "\n", "\n= ")
	session(t, environ, "$ policy export team\n"+exported)
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'lines_max'}) SET t.value = 500.0, t.since = date('2024-01-31')", nil)
	session(t, environ, "$ policy export team\n"+strings.Replace(exported, "400", "500", 1)+`
err note: thresholds 'lines_max': since is left out
$ policy export nothing # 3
err Use chrystallum, core, team
$ __complete policy export c
out chrystallum\t
out \ncore\t`)
}
