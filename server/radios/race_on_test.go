//go:build race

package radios_test

// racing says that the race detector is on: many radios are fewer then.
const racing = true
