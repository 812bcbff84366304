//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// privileged says whether this process may change services.
func privileged() bool { return os.Geteuid() == 0 }

// folderOwner is the name of the account that a folder belongs to.
func folderOwner(folder string) (string, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return "", err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("the owner of %s is not known", folder)
	}
	account, err := user.LookupId(strconv.FormatUint(uint64(owner.Uid), 10))
	if err != nil {
		return "", fmt.Errorf("%s belongs to an account without a name: %w", folder, err)
	}
	return account.Username, nil
}

// packagedUnit is the unit that a package has installed, "": none.
func packagedUnit(name string) string {
	for _, unit := range unitPaths(name) {
		if _, err := os.Stat(unit); err == nil {
			return unit
		}
	}
	return ""
}

// makeLog makes the log file for the account of the service, which may not write in the
// folder.
func makeLog(file, account string) error {
	who, err := user.Lookup(account)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(who.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(who.Gid)
	if err != nil {
		return err
	}
	made, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	info, err := made.Stat()
	if err != nil {
		return errors.Join(err, made.Close())
	}
	// The account may have put a link there to a file of somebody else's.
	if is, ok := info.Sys().(*syscall.Stat_t); !ok || !info.Mode().IsRegular() || is.Nlink != 1 {
		return errors.Join(fmt.Errorf("%s is a link or no file", file), made.Close())
	}
	return errors.Join(made.Chown(uid, gid), made.Close())
}
