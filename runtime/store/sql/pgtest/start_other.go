//go:build !linux

package pgtest

import "errors"

func start() (url string, stop func(), err error) {
	return "", nil, errors.New("it is started on Linux only")
}
