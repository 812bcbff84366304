package wire

import (
	"math/rand"
	"reflect"
	"strconv"
	"testing"

	"squelch/core"
)

// leaves visits every part of a value that can be changed, with its path.
func leaves(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		visit(path+"[]", v)
		for i := range v.Len() {
			leaves(v.Index(i), path+"["+strconv.Itoa(i)+"]", visit)
		}
	case reflect.Pointer:
		visit(path, v)
		leaves(v.Elem(), path, visit)
	default:
		visit(path, v)
	}
}

// change gives a leaf another value, in each of several ways, and puts the old one
// back after each.
func change(v reflect.Value, look func(how string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	try := func(how string, to reflect.Value) {
		if reflect.DeepEqual(v.Interface(), to.Interface()) {
			return
		}
		v.Set(to)
		look(how)
		v.Set(old)
	}
	if v.Kind() != reflect.Bool { // its one change comes below
		try("emptied", reflect.Zero(v.Type()))
	}
	other := reflect.New(v.Type()).Elem()
	other.Set(old)
	switch v.Kind() {
	case reflect.String:
		other.SetString(old.String() + "x")
		odd := reflect.New(v.Type()).Elem()
		odd.SetString("\xfe")
		try("no UTF-8", odd)
	case reflect.Bool:
		other.SetBool(!old.Bool())
	case reflect.Float64:
		other.SetFloat(old.Float() + 0.5)
	case reflect.Slice:
		if old.Len() < 2 {
			return
		}
		other.Set(old.Slice(0, old.Len()-1))
	case reflect.Pointer:
		return
	default:
		other.SetInt(old.Int() + 1)
	}
	try("changed", other)
}

func everyFieldCounts(t *testing.T, v reflect.Value, hash func() (string, error), least int) {
	fill(v, rand.New(rand.NewSource(3)), func() string { return "x" })
	before, err := hash()
	if err != nil || len(before) != 64 {
		t.Fatalf("hash %q: %v", before, err)
	}
	seen := map[string]string{before: "the value as it was"}
	changed := 0
	leaves(v, "", func(path string, leaf reflect.Value) {
		change(leaf, func(how string) {
			changed++
			h, err := hash()
			if err != nil {
				t.Fatalf("%s %s: %v", path, how, err)
			}
			if as, same := seen[h]; same {
				t.Errorf("%s %s has the hash of %s", path, how, as)
			}
			seen[h] = path + " " + how
		})
	})
	if again, _ := hash(); again != before {
		t.Error("the same value has another hash")
	}
	if changed < least {
		t.Fatalf("only %d changes were tried", changed)
	}
}

// TestHashCoversEveryField changes each field of the state, one by one.
func TestHashCoversEveryField(t *testing.T) {
	var d core.Data
	everyFieldCounts(t, reflect.ValueOf(&d).Elem(), func() (string, error) { return Hash(d) }, 300)
}

// TestHashCoversTheConfiguration does the same with the configuration.
func TestHashCoversTheConfiguration(t *testing.T) {
	var c core.Config
	everyFieldCounts(t, reflect.ValueOf(&c).Elem(), func() (string, error) { return HashConfig(c) }, 200)
}
