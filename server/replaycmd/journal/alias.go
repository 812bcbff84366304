package journal

import (
	"crypto/rand"
	"reflect"
	"strings"
)

// alias is the name that a journal has in place of the dispatch login. NAC ids are
// only ever compared, so a radio in which one of them has another name does the same
// things, and a journal without the login still plays back. The name is random:
// nobody has it as a NAC id.
type alias struct {
	secret string // "": there is nothing to hide
	name   string
}

func newAlias(secret string) *alias {
	return &alias{secret, "dispatch-login-" + strings.ToLower(rand.Text()[:16])}
}

// without returns v with the other name for every NAC id that is the login. It does
// not change v itself, and shares with it what needs no change.
func without[T any](a *alias, v T) T {
	out := &v
	a.hide(reflect.ValueOf(out).Elem(), "")
	return *out
}

// hide renames in v, which must be settable and a copy on its first level; field is
// the name of the field that v is, or is in.
func (a *alias) hide(v reflect.Value, field string) {
	if a.secret == "" || !a.within(v, field) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(a.renamed(v.String(), field))
	case reflect.Struct:
		for i := range v.NumField() {
			a.hide(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		for i := range fresh.Len() {
			a.hide(fresh.Index(i), field)
		}
		v.Set(fresh)
	case reflect.Pointer, reflect.Interface:
		fresh := reflect.New(v.Elem().Type())
		fresh.Elem().Set(v.Elem())
		a.hide(fresh.Elem(), field)
		if v.Kind() == reflect.Interface {
			fresh = fresh.Elem()
		}
		v.Set(fresh)
	}
}

// within says whether there is anything to rename in v.
func (a *alias) within(v reflect.Value, field string) bool {
	switch v.Kind() {
	case reflect.String:
		return a.renamed(v.String(), field) != v.String()
	case reflect.Struct:
		for i := range v.NumField() {
			if a.within(v.Field(i), v.Type().Field(i).Name) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if a.within(v.Index(i), field) {
				return true
			}
		}
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && a.within(v.Elem(), field)
	}
	return false
}

// renamed returns a text of a field, renamed if it has to be. Only fields that hold
// NAC ids count, so that a callsign that happens to be the same is kept: the job of a
// codeplug, objects of access control entries (radio.nac.<id>), and every field with
// Nac in its name.
func (a *alias) renamed(text, field string) string {
	switch {
	case strings.Contains(field, "Nac") || field == "Job":
		if strings.TrimSpace(text) == a.secret { // the core trims what clients send
			return strings.Replace(text, a.secret, a.name, 1)
		}
	case field == "Object":
		at := len(text) - len(a.secret)
		if at > 0 && strings.EqualFold(text[at:], a.secret) && strings.HasSuffix(strings.ToLower(text[:at]), ".nac.") {
			return text[:at] + a.name
		}
	}
	return text
}
