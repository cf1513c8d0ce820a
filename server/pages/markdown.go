package pages

import (
	"bytes"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"nomograph/internal/render"
)

// formatted renders stored text as CommonMark with tables and strikethrough. Raw HTML is disabled: tags are escaped as
// text. Links and images go through safeLinks.
var formatted = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(without[parser.BlockParser](parser.DefaultBlockParsers(),
				parser.NewHTMLBlockParser())...),
			parser.WithInlineParsers(without[parser.InlineParser](parser.DefaultInlineParsers(),
				parser.NewRawHTMLParser())...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))),
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(safeLinks{}, 1))),
	)
})

// without removes one of the CommonMark parsers.
func without[P comparable](parsers []util.PrioritizedValue, out P) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool { return p.Value == any(out) })
}

// markdown renders a stored text as HTML.
func markdown(value any) template.HTML {
	source := []byte(strings.ReplaceAll(shownValue(value), "\x00", ""))
	var out bytes.Buffer
	if err := formatted().Convert(source, &out); err != nil { // writing to a buffer cannot fail
		return template.HTML(template.HTMLEscapeString(string(source))) //nolint:gosec // escaped
	}
	return safeHTML(`<div class="md" dir="auto">` + out.String() + `</div>`) // the renderer escapes every text
}

// plain returns one line of Markdown, such as a title, without its formatting characters.
func plain(title string) string {
	if !strings.ContainsAny(title, "`*_[~\\&<") {
		return title
	}
	source := []byte(title)
	var b strings.Builder
	_ = ast.Walk(formatted().Parser().Parse(gmtext.NewReader(source)),
		func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Text:
				value := n.Value(source)
				if n.Parent().Kind() != ast.KindCodeSpan {
					value = resolved(value)
				}
				b.Write(value)
			case *ast.String:
				b.Write(n.Value)
			case *ast.AutoLink:
				b.Write(n.Label(source))
			}
			return ast.WalkContinue, nil
		})
	if found := render.OneLine(b.String()); found != "" {
		return found
	}
	return title // the line consists of formatting only
}

// resolved replaces escapes and entities with their characters.
func resolved(source []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source)))
}

// safeLinks renders links that safeLink accepts, and the text of all others. Images become links, because pages load
// nothing that a text names. Headings are moved below those of the page.
type safeLinks struct{}

// RegisterFuncs replaces the renderers of goldmark.
func (safeLinks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return writeLink(w, string(n.(*ast.Link).Destination), entering)
	})
	to.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return writeLink(w, string(n.(*ast.Image).Destination), entering)
	})
	to.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus,
		error) {
		link := n.(*ast.AutoLink)
		to := string(link.URL(source))
		if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
			to = "mailto:" + to
		}
		status, err := writeLink(w, to, entering)
		if entering {
			_, _ = w.WriteString(template.HTMLEscapeString(string(link.Label(source))))
		}
		return status, err
	})
	to.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		const below = 2 // below the title of the page and the headings of its sections
		level := strconv.Itoa(min(6, n.(*ast.Heading).Level+below))
		if entering {
			_, _ = w.WriteString("<h" + level + ">")
		} else {
			_, _ = w.WriteString("</h" + level + ">\n")
		}
		return ast.WalkContinue, nil
	})
}

func writeLink(w util.BufWriter, to string, entering bool) (ast.WalkStatus, error) {
	to, safe := safeLink(to)
	switch {
	case !safe:
	case entering:
		_, _ = w.WriteString(`<a href="` + template.HTMLEscapeString(to) + `" rel="nofollow noopener">`)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// linkable lists the pages that a text may link to. They only read: a link to a query would run it, one to the sign-in
// would start it.
var linkable = strings.Fields("today graph decisions verdicts policies policy thresholds threshold calibration " +
	"search agent project sessions session feedback docs")

// safeLink returns the URL for a link in a text. It accepts web addresses, mail addresses and pages of this server.
func safeLink(to string) (string, bool) {
	to = string(resolved([]byte(strings.TrimSpace(to))))
	if strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return "", false
	}
	at, err := url.Parse(to)
	if err != nil || at.User != nil {
		return "", false
	}
	switch at.Scheme {
	case "http", "https":
		return at.String(), at.Host != "" && at.Opaque == ""
	case "mailto":
		return at.String(), at.Opaque != ""
	case "":
		page, _, _ := strings.Cut(strings.TrimPrefix(at.Path, "/"), "/")
		own := at.Host == "" && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") &&
			(page == "" || slices.Contains(linkable, page)) && !at.Query().Has(invitationField) &&
			!at.Query().Has("view") && !strings.Contains(at.Path, "..")
		return at.String(), own
	}
	return "", false
}
