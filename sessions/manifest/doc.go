// Package manifest reads and writes atlases in the form Atlas/1.0, and folders of Markdown with front matter that are atlases
// as well. It knows no graph: what it reads is a pack of contexts, rules and one atlas, which package change brings into the
// graph as it brings any other.
//
//	read, err := manifest.ParseAll(ctx, []pack.Source{{Name: "billing.json", Text: text}})
//
// Shipped and ShippedText give the atlases that come with Nomograph.
package manifest
