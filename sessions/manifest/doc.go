// Package manifest reads and writes atlases in the format Atlas/1.0, and folders of Markdown with front matter, which
// are atlases too. It reads no graph: the result is a pack of contexts, rules and one atlas, which package change
// applies like any other.
//
//	read, err := manifest.ParseAll(ctx, []pack.Source{{Name: "billing.json", Text: text}})
//
// Shipped and ShippedText return the atlases that come with Nomograph.
package manifest
