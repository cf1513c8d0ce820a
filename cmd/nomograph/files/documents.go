package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
)

// Documents reads arguments that are files, folders or file patterns, with their signature files. - is standard input,
// and other words are names. In folders, files with one of the extensions are read (default YAML).
func Documents(args []string, extensions ...string) ([]map[string]string, error) {
	documents := []map[string]string{}
	if len(extensions) == 0 {
		extensions = []string{".yaml", ".yml"}
	}
	for _, arg := range args {
		if arg != "-" && !strings.ContainsAny(arg, `./\`) {
			documents = append(documents, map[string]string{"name": arg})
			continue
		}
		files, err := filesOf(arg, extensions)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if slices.ContainsFunc(documents, func(d map[string]string) bool { return d["name"] == file }) { // a folder and a file in it
				continue
			}
			read, err := readDocument(file)
			if err != nil {
				return nil, err
			}
			documents = append(documents, read)
		}
	}
	return documents, nil
}

// filesOf returns the files of an argument, in order: the file itself, matches of a pattern such as packs/*.yaml, or
// all files of a folder and its subfolders. Names that start with a dot are skipped in folders.
func filesOf(arg string, extensions []string) ([]string, error) {
	info, err := os.Stat(arg)
	var files []string
	switch {
	case err == nil && info.IsDir():
		err = filepath.WalkDir(arg, func(path string, item fs.DirEntry, err error) error {
			hidden := path != arg && strings.HasPrefix(item.Name(), ".")
			switch {
			case err != nil:
				return err
			case hidden && item.IsDir():
				return fs.SkipDir
			case !hidden && !item.IsDir() && slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, Unreadable(arg, err)
		}
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?["):
		if files, err = filepath.Glob(arg); err != nil {
			return nil, apperr.Newf(apperr.Validation, "%s is not a file pattern", arg).
				WithHint("Use a pattern such as 'packs/*.yaml'")
		}
	default:
		return []string{arg}, nil
	}
	if len(files) == 0 {
		return nil, apperr.Newf(apperr.NotFound, "%s: file not found", arg).
			WithHint("Name a file, a folder of %s files, or a pattern such as 'packs/*.yaml'",
				strings.Join(extensions, ", "))
	}
	return files, nil
}

// readDocument reads one file, up to the size limit of documents.
func readDocument(name string) (map[string]string, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := read(name, file, document.DefaultLimits().Bytes)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, apperr.Newf(apperr.Validation, "%s:1:1: the file is empty", name).
			WithHint("Start a pack with `pack: NAME` and an atlas with `atlas_id: NAME`, followed by `version: 1.0.0`")
	}
	found := map[string]string{"name": name, "text": string(text)}
	if name == "-" {
		return found, nil
	}
	signature, err := Signature(name)
	if err != nil {
		return nil, err
	}
	if signature != "" {
		found["signature"] = signature
	}
	return found, nil
}
