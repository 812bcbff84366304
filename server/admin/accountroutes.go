package admin

import (
	"context"
	"errors"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

func (h *Handler) accounts(w http.ResponseWriter, _ *http.Request) error {
	all := h.o.Accounts.List()
	for i := range all {
		all[i].Logins = h.logins.count(all[i].Name)
	}
	reply.JSON(w, http.StatusOK, wire.AdminAccountList{Accounts: all})
	return nil
}

// accountChange reads the body of a change of accounts.
func (h *Handler) accountChange(w http.ResponseWriter, r *http.Request, into any) (ctx context.Context, done func(), err error) {
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return nil, nil, err
	}
	if err := wire.Decode(b, into); err != nil {
		return nil, nil, err
	}
	ctx, done = context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
	return ctx, done, nil
}

func (h *Handler) makeAccount(w http.ResponseWriter, r *http.Request) error {
	var in wire.AdminAccountMake
	ctx, done, err := h.accountChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	password, made, err := h.o.Accounts.Make(ctx, string(in.Name), in.Role)
	if err != nil {
		return err
	}
	if err := h.noteAbout(r, "admin.account.create", made.Name, map[string]any{"role": string(made.Role)}); err != nil {
		return errors.Join(err, h.o.Accounts.Remove(ctx, made.Name)) // nobody has seen the password
	}
	reply.JSON(w, http.StatusOK, wire.AdminAccountMade{Success: true, Account: made, Password: password})
	return nil
}

func (h *Handler) changeAccount(w http.ResponseWriter, r *http.Request) error {
	var in wire.AdminAccountChange
	ctx, done, err := h.accountChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	if in.Role == "" && !in.NewPassword {
		return &core.Error{Kind: core.Invalid, Field: "role", Message: "role or newPassword must be given"}
	}
	password, changed, err := h.o.Accounts.Change(ctx, string(in.Name), in.Role, in.NewPassword)
	if err != nil {
		return err
	}
	h.logins.endOf(changed.Name, loginOf(r).key)
	h.noteDone(r, "admin.account.change", changed.Name, map[string]any{"role": string(changed.Role), "newPassword": in.NewPassword})
	reply.JSON(w, http.StatusOK, wire.AdminAccountChanged{Success: true, Account: changed, Password: password})
	return nil
}

func (h *Handler) removeAccount(w http.ResponseWriter, r *http.Request) error {
	var in wire.AdminAccountRemove
	ctx, done, err := h.accountChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	one, err := h.o.Accounts.find(string(in.Name))
	if err != nil {
		return err
	}
	if one.Name != wire.OwnerName && fold(one.Name) == fold(loginOf(r).name) {
		return &core.Error{Kind: core.Conflict, Field: "name", Message: "This is your own account: another owner can remove it"}
	}
	if err := h.o.Accounts.Remove(ctx, one.Name); err != nil {
		return err
	}
	h.logins.endOf(one.Name, "")
	h.noteDone(r, "admin.account.remove", one.Name, nil)
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}

// password changes the caller's own. A wrong old one is a guess like any other.
func (h *Handler) password(w http.ResponseWriter, r *http.Request) error {
	if wait := h.o.Lockout.Wait(r.RemoteAddr); wait > 0 {
		return reply.TooMany(wait)
	}
	var in wire.AdminPassword
	ctx, done, err := h.accountChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	me := loginOf(r)
	var busy error
	guess := h.o.Lockout.Judge(r.RemoteAddr, func() bool {
		_, right, err := h.o.Accounts.check(ctx, me.name, string(in.Old))
		busy = err
		return right || err != nil
	})
	switch {
	case busy != nil:
		return busy
	case !guess.Judged:
		return reply.TooMany(guess.Locked)
	case !guess.Right:
		return errOld
	}
	if err := h.o.Accounts.SetPassword(ctx, me.name, string(in.New)); err != nil {
		return err
	}
	h.logins.endOf(me.name, me.key)
	h.noteDone(r, "admin.password", me.name, nil)
	reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	return nil
}
