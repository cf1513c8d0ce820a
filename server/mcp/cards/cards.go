// Package cards builds the HTML pages that hosts of MCP Apps show in a chat. Each is one file without outside
// addresses.
package cards

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"nomograph/server/pages/script"
)

//go:embed *.js *.css
var files embed.FS

// Names are the cards.
var Names = []string{"approval", "graph", "verdict"}

var made = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range Names {
		all[name] = build(name)
	}
	return all
})

// HTML returns a card, "" for an unknown name.
func HTML(name string) string { return made()[name] }

// build writes a card. Its own policy allows exactly its script and style, so that no text in it can ever be run, also
// in a host whose policy is wider.
func build(name string) string {
	styles := "\n" + read("card.css")
	code := "\n" + bundle(name+".js", &[]string{})
	return fmt.Sprintf(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'">
<title>Nomograph: %s</title><style>%s</style></head>
<body><main><p class="small">Waiting for the result.</p></main><p role="status"></p><script type="module">%s</script></body></html>
`, digest(code), digest(styles), name, styles, code)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var (
	imports  = regexp.MustCompile(`(?m)^import (?:\* as (\w+)|(\{[^}]*\})) from "\./(\w+)\.js";\n`)
	exported = regexp.MustCompile(`(?m)^export (?:async )?(?:function|const) (\w+)`)
)

// bundle returns a module after the modules that it imports, each as a constant with its exports, because a page
// without addresses cannot import.
func bundle(name string, done *[]string) string {
	text, before := read(name), ""
	for _, found := range imports.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(*done, found[3]) {
			before += bundle(found[3]+".js", done)
		}
	}
	text = imports.ReplaceAllString(text, "const $1$2 = module_$3;\n")
	var names []string
	for _, found := range exported.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	module := strings.TrimSuffix(name, path.Ext(name))
	*done = append(*done, module)
	text = strings.ReplaceAll(text, "\nexport ", "\n")
	return before + fmt.Sprintf("const module_%s = (() => {\n%sreturn { %s };\n})();\n", module, text,
		strings.Join(names, ", "))
}

// read returns a module of cards or of the pages.
func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		text, err = script.Files.ReadFile(name)
	}
	if err != nil { // embedded files cannot fail to read
		panic(err)
	}
	return string(text)
}
