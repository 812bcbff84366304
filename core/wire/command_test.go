package wire

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"squelch/core"
)

// TestEveryCommandHasACodec compares the list of commands with the core's source.
func TestEveryCommandHasACodec(t *testing.T) {
	var known, found []string
	for _, c := range Commands() {
		known = append(known, c.Name())
	}
	files, _ := filepath.Glob("../*.go")
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "apply" && fn.Recv != nil {
				found = append(found, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(known)
	slices.Sort(found)
	if len(found) < 40 || !slices.Equal(known, found) {
		t.Fatalf("there are codecs for %v\nof %v", known, found)
	}
}

// fill puts something into every field of a value.
func fill(v reflect.Value, r *rand.Rand, text func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Bool:
		v.SetBool(r.Intn(4) > 0)
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		if v.Type() == reflect.TypeFor[core.Frequency]() {
			v.SetInt(r.Int63n(999_999_999_998) + 1)
		} else {
			v.SetInt(int64(r.Intn(100) + 1))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.Intn(2), 2))
		for i := range v.Len() {
			fill(v.Index(i), r, text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r, text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r, text)
		}
	default:
		panic("the state has a " + v.Kind().String() + ", which nothing here encodes")
	}
}

// TestOrdersComeBack: every command, empty or full, also with texts that are not
// UTF-8, is the same after a round trip through JSON.
func TestOrdersComeBack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	texts := []string{"Adam-12", "", "Ünit \u2028 4", "Stra\xdfe", "\xff", `{"a":1}`, "a\x00b", "\ufffd"}
	text := func() string { return texts[r.Intn(len(texts))] }
	for _, typ := range Commands() {
		for n := range 30 {
			o := Order{At: int64(n), Command: reflect.Zero(typ).Interface().(core.Command)}
			if n > 0 {
				c := reflect.New(typ).Elem()
				fill(c, r, text)
				o.Command = c.Interface().(core.Command)
				fill(reflect.ValueOf(&o.By).Elem(), r, text)
			}
			b, err := json.Marshal(o)
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			var back Order
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if !reflect.DeepEqual(o, back) {
				t.Fatalf("%s came back different:\n%+v\n%+v", b, o, back)
			}
		}
	}
	tick, err := json.Marshal(Order{At: 7})
	if err != nil || string(tick) != `{"at":7}` {
		t.Fatalf("a tick is %s (%v)", tick, err)
	}
}

// TestStartComesBack: so are configuration and state.
func TestStartComesBack(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	texts := []string{"North", "Stra\xdfe", "", "\xff"}
	for range 30 {
		var s, back Start
		fill(reflect.ValueOf(&s).Elem(), r, func() string { return texts[r.Intn(len(texts))] })
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, back) {
			t.Fatalf("came back different:\n%+v\n%+v", s, back)
		}
	}
	var bare Start
	if err := json.Unmarshal([]byte(`{}`), &bare); err != nil || !reflect.DeepEqual(bare.Config, core.DefaultConfig()) {
		t.Fatalf("without a configuration the defaults are missing: %+v %v", bare.Config, err)
	}
}

// TestWrongOrdersAreNamed: an error says which field is wrong.
func TestWrongOrdersAreNamed(t *testing.T) {
	for _, c := range []struct{ in, field string }{
		{`{"at":-1}`, "at"},
		{`{"at":9e15}`, "at"},
		{`{"at":"now"}`, "at"},
		{`[]`, ""},
		{`{"at":1,"command":"Explode"}`, "command"},
		{`{"at":1,"command":"KeyUp","args":{"User":"north"}}`, "args.User"},
		{`{"at":1,"command":"KeyUp","args":[]}`, "args"},
		{`{"at":1,"command":"KeyUp","args":{"Frequency":"-3"}}`, "frequency"},
		{`{"at":1,"by":{"user":1.5},"command":"KeyUp"}`, "by.user"},
		{`{"at":1,"command":"SetNac","args":{},"bytes":{"90":"/w=="}}`, "bytes"},
	} {
		var o Order
		err := json.Unmarshal([]byte(c.in), &o)
		var refusal *core.Error
		if !errors.As(err, &refusal) || refusal.Field != c.field || refusal.Message == "" {
			t.Errorf("%s: %#v, want the field %q", c.in, err, c.field)
		}
	}
	nowhere := core.SetPositions{Positions: []core.PlayerPosition{{User: 1, At: core.Position{X: math.NaN()}}}}
	if _, err := json.Marshal(Order{Command: nowhere}); err == nil {
		t.Error("a position that is not a number was written")
	}
}

// FuzzOrder: no bytes make the decoder panic, and what it accepts can be written and
// read again.
func FuzzOrder(f *testing.F) {
	for _, c := range Commands() {
		b, err := json.Marshal(Order{At: 1, By: core.Actor{User: -1}, Command: reflect.Zero(c).Interface().(core.Command)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"at":1,"command":"SetNac","args":{"Nac":"?"},"bytes":{"2":"/w=="}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var o, back Order
		if json.Unmarshal(b, &o) != nil {
			return
		}
		again, err := json.Marshal(o)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", o, err)
		}
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("%s cannot be read again: %v", again, err)
		}
	})
}
