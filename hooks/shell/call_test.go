package shell

import (
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestEachOption_FormsOfOptions_GiveTheirValues(t *testing.T) {
	for command, want := range map[string]string{
		"curl -sSfo x https://h.example":             "-s -S -f -o=x; https://h.example",
		"curl -ox --output=y -- -z":                  "-o=x --output=y; -z",
		"curl --data-bin @a h":                       "--data-binary=@a; h",
		"curl --data a --compressed h":               "--data=a --compressed; h",
		"rsync --backup --backup-dir b -e ssh a h:b": "--backup --backup-dir=b -e=ssh; a h:b",
		"tar -C / -cf -":                             "-C=/ -c -f=-; ",
		"wget -O":                                    "-O; ",
	} {
		words := strings.Fields(command)
		c := &call{name: words[0]}
		for _, word := range words[1:] {
			c.args = append(c.args, known(word))
		}
		var got []string
		rest := c.eachOption(func(option string, v value) {
			if v.text != "" {
				option += "=" + v.text
			}
			got = append(got, option)
		})
		golden.Equal(t, command, strings.Join(got, " ")+"; "+joinArgs(rest).text, want)
	}
}

func TestWithDashes_LettersOfTar_TakeTheirValuesInOrder(t *testing.T) {
	for given, want := range map[string]string{"xfz a.tgz b": "-x -f a.tgz -z b", "cfC a / b": "-c -f a -C / b",
		"-xf a": "-xf a", "": ""} {
		var args []value
		for word := range strings.FieldsSeq(given) {
			args = append(args, known(word))
		}
		golden.Equal(t, given, joinArgs(withDashes(args)).text, want)
	}
}

func TestParse_XargsWithAPlace_FillsIt(t *testing.T) {
	e := Parse("echo /etc/hosts | xargs -I% sed -i 's/a/b/' %", "/w")
	if len(e.Writes) != 1 || e.Writes[0] != "/etc/hosts" {
		t.Errorf("got writes %v, want /etc/hosts", e.Writes)
	}
}
