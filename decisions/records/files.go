package records

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"nomograph/internal/document"
)

// files reads every file under folder with one of the extensions, sorted by path.
func files(folder fs.FS, endings []string, read func(name, text string) ([]Entry, *Problem)) Sequence {
	return func(yield func(Entry, error) bool) {
		err := fs.WalkDir(folder, ".", func(name string, item fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if item.IsDir() && name != "." && strings.HasPrefix(path.Base(name), ".") {
				return fs.SkipDir
			}
			if !item.Type().IsRegular() || !slices.Contains(endings, strings.ToLower(path.Ext(name))) {
				return nil
			}
			text, problem := fileText(folder, name)
			var entries []Entry
			if problem == nil {
				entries, problem = read(name, text)
			}
			if problem != nil {
				entries = []Entry{{}}
			}
			for _, e := range entries {
				if !pass(yield, e, problem) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

func fileText(folder fs.FS, name string) (string, *Problem) {
	info, err := fs.Stat(folder, name)
	if err == nil && info.Size() > int64(document.DefaultLimits().Bytes) {
		return "", &Problem{Place: name, Why: tooLong("it")}
	}
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", &Problem{Place: name, Why: "it cannot be read"}
	}
	text, err := document.Text(name, raw)
	if err != nil {
		return "", &Problem{Place: name, Why: errors.Unwrap(err).Error()}
	}
	return text, nil
}
