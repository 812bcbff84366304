//go:build !race

package radios_test

const racing = false
