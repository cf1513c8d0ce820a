package records

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"nomograph/internal/document"
)

// namesIn lists the files under a folder with one of the endings, by path. Hidden folders are left out.
func namesIn(folder fs.FS, endings []string) (names []string, err error) {
	err = fs.WalkDir(folder, ".", func(name string, item fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case item.IsDir() && name != "." && strings.HasPrefix(path.Base(name), "."):
			return fs.SkipDir
		case item.Type().IsRegular() && slices.Contains(endings, strings.ToLower(path.Ext(name))):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// files reads every file under a folder with one of the endings, sorted by path.
func files(folder fs.FS, endings []string, read func(name, text string) ([]Entry, *Problem)) Sequence {
	return func(yield func(Entry, error) bool) {
		names, err := namesIn(folder, endings)
		for _, name := range names {
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
					return
				}
			}
		}
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
