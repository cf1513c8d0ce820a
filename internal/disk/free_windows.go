package disk

import "golang.org/x/sys/windows"

func free(folder string) (int64, error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	var bytes uint64
	err = windows.GetDiskFreeSpaceEx(path, &bytes, nil, nil)
	return int64(bytes), err //nolint:gosec // no disk is that large
}
