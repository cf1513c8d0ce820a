package records

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/memory"
)

// OpenADR reads records from a folder of Markdown files, or from one file. An empty source means SourceOf. It returns
// not_found.
func OpenADR(place, source string) (Sequence, error) {
	info, err := stat(place)
	if err != nil {
		return nil, err
	}
	folder, only := place, ""
	if !info.IsDir() {
		folder, only = filepath.Dir(place), filepath.Base(place)
		if ext := path.Ext(only); ext != ".md" && ext != ".markdown" {
			return nil, apperr.Newf(apperr.Validation, "%s is not a Markdown file", place).
				WithHint("Name a folder or a .md file")
		}
	}
	if source == "" {
		source = SourceOf(folder)
	}
	return ADR(os.DirFS(folder), only, source), nil
}

// OpenJSONL reads records from a file, one per line. An empty source means the file's name without its extension.
func OpenJSONL(place, source string) (Sequence, error) {
	if info, err := stat(place); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, apperr.Newf(apperr.Validation, "%s is a folder", place).
			WithHint("Name a file with one record per line")
	}
	source = cmp.Or(source, strings.TrimSuffix(filepath.Base(place), filepath.Ext(place)))
	return func(yield func(Entry, error) bool) {
		file, err := disk.Open(place)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer func() { _ = file.Close() }()
		JSONL(file, filepath.Base(place), source)(yield)
	}, nil
}

// OpenCSTP reads a folder of CSTP's decisions. An empty source means "cstp".
func OpenCSTP(place, source string) (Sequence, error) {
	if info, err := stat(place); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, apperr.Newf(apperr.Validation, "%s is not a folder", place).
			WithHint("Name the folder that contains decisions/YYYY/MM")
	}
	return CSTP(os.DirFS(place), cmp.Or(source, CSTPSource)), nil
}

func stat(place string) (os.FileInfo, error) {
	info, err := os.Stat(place)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = disk.ErrNotRegular
	}
	if err != nil {
		return nil, apperr.Newf(apperr.NotFound, "Cannot read %s", place).
			WithHint("Name a file or folder on the machine where Nomograph runs").Because(err)
	}
	return info, nil
}

// SourceOf names a folder independently of the machine: the repository and the path in it, as in acme/shop/docs/adr.
// The repository is the one of the remote origin, else the folder that contains .git. Outside of a repository it is the
// folder and its parent.
func SourceOf(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		absolute = folder
	}
	for at := absolute; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			inside, _ := filepath.Rel(at, absolute)
			return path.Join(memory.ProjectOf(at), filepath.ToSlash(inside))
		}
		if at == filepath.Dir(at) {
			return path.Join(filepath.Base(filepath.Dir(absolute)), filepath.Base(absolute))
		}
	}
}
