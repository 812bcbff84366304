package table_test

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// A picture that has followed every change answers like one made from the last
// snapshot, whatever was laid over it meanwhile.
func TestAPictureThatFollowsAgreesWithASnapshot(t *testing.T) {
	for seed := 1; seed <= 4; seed++ {
		L := lua.NewState()
		fn, err := L.LoadFile("testdata/picture.lua")
		if err != nil {
			t.Fatal(err)
		}
		L.Push(fn)
		L.Push(lua.LString("../radio/"))
		L.Push(lua.LString("testdata/"))
		L.Push(lua.LNumber(seed * 7919))
		L.Push(lua.LNumber(300))
		if err := L.PCall(4, 1, nil); err != nil {
			t.Fatal(err)
		}
		if wrong := L.ToString(-1); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
		L.Close()
	}
}
