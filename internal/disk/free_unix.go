//go:build unix

package disk

import "golang.org/x/sys/unix"

func free(folder string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:gosec,unconvert // the types differ by system
}
