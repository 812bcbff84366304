package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/config"
	"squelch/server/filelock"
	"squelch/server/store"
)

// maxPasswordInput is how many bytes of standard input are read for a password.
const maxPasswordInput = 1 << 10

// adminCommand changes who may use the administration, in the folder of a service that is
// stopped: for the night on which nobody knows the password.
func adminCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "Accounts of the administration: list, add, reset a password, remove",
		Long: "Accounts of the administration, in the data folder of a service that is stopped.\n" +
			"While it runs, an owner does the same at /admin, Accounts and roles.",
	}
	cmd.PersistentFlags().String("data", "./data", "data `folder` of the service")
	cmd.PersistentFlags().String("radio", config.MainRadio, "`name` of the radio, where a host has several")
	cmd.PersistentFlags().Bool("json", false, "print JSON")
	_ = cmd.MarkPersistentFlagDirname("data")
	cmd.AddCommand(adminList(), adminAdd(), adminReset(), adminRemove())
	return cmd
}

// vault is the open data folder.
type vault struct {
	accounts *admin.Accounts
	audit    *audit.Log
	json     bool
	out      io.Writer
}

// inVault runs work on the accounts of the folder that the flags name.
func inVault(cmd *cobra.Command, work func(context.Context, *vault) error) (err error) {
	data, _ := cmd.Flags().GetString("data")
	asJSON, _ := cmd.Flags().GetBool("json")
	keepPrivate()
	if err := filelock.AsOwner(data); err != nil {
		return err
	}
	s, err := store.Open(cmd.Context(), data, store.Options{MustExist: true, AuditMaxAge: -1, AuditMaxBytes: -1, TimelineMaxAge: -1, TimelineMaxBytes: -1})
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("%w: stop it first (systemctl stop squelch), or let an owner do it at /admin", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	name, _ := cmd.Flags().GetString("radio")
	storage, done, err := kept(cmd.Context(), s, data, name)
	if err != nil {
		return err
	}
	defer done()
	accounts, err := admin.OpenAccounts(storage.Accounts, "", time.Now)
	if err != nil {
		return err
	}
	return work(cmd.Context(), &vault{accounts, audit.New(storage.Audit, time.Now), asJSON, cmd.OutOrStdout()})
}

// note audits what was done.
func (v *vault) note(ctx context.Context, action, target string) error {
	return v.audit.Append(ctx, audit.Entry{Actor: audit.Actor{Name: "command line"}, Surface: audit.Admin, Action: action, Target: target})
}

// tell prints what was done, and the password that was made.
func (v *vault) tell(a wire.AdminAccount, password, sentence string) error {
	if v.json {
		return json.NewEncoder(v.out).Encode(wire.AdminAccountChanged{Success: true, Account: a, Password: password})
	}
	if password != "" {
		sentence += "; the password, which is shown only now: " + password
	}
	_, err := fmt.Fprintln(v.out, sentence)
	return err
}

func adminList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List the accounts", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return inVault(cmd, func(_ context.Context, v *vault) error {
			all := v.accounts.List()
			if v.json {
				return json.NewEncoder(v.out).Encode(wire.AdminAccountList{Accounts: all})
			}
			for _, a := range all {
				set := "the configuration's, or the generated one"
				if !a.File {
					set = "its own, since " + time.UnixMilli(a.Changed).Format(time.DateTime)
				}
				fmt.Fprintf(v.out, "%-32s %-7s password: %s\n", a.Name, a.Role, set)
			}
			return nil
		})
	}}
}

func adminAdd() *cobra.Command {
	var role string
	cmd := &cobra.Command{Use: "add NAME", Short: "Make an account and print its password", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		return inVault(cmd, func(ctx context.Context, v *vault) error {
			password, made, err := v.accounts.Make(ctx, args[0], wire.Role(role))
			if err != nil {
				return err
			}
			if err := v.note(ctx, "admin.account.create", made.Name); err != nil {
				return errors.Join(err, v.accounts.Remove(ctx, made.Name))
			}
			return v.tell(made, password, fmt.Sprintf("the account %s has the role %s", made.Name, made.Role))
		})
	}}
	cmd.Flags().StringVar(&role, "role", string(wire.RoleAdmin), "`role`: owner, admin or viewer")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"owner", "admin", "viewer"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func adminReset() *cobra.Command {
	var stdin bool
	cmd := &cobra.Command{Use: "reset-password [NAME]", Short: "Give an account, the first owner without a name, a new password", Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		name := wire.OwnerName
		if len(args) > 0 {
			name = args[0]
		}
		return inVault(cmd, func(ctx context.Context, v *vault) error {
			if stdin {
				text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxPasswordInput))
				if err != nil {
					return err
				}
				if err := v.accounts.SetPassword(ctx, name, strings.TrimRight(string(text), "\r\n")); err != nil {
					return err
				}
				if err := v.note(ctx, "admin.account.change", name); err != nil {
					return err
				}
				return v.tell(wire.AdminAccount{Name: name}, "", "the account "+name+" has the password from standard input")
			}
			password, changed, err := v.accounts.Change(ctx, name, "", true)
			if err != nil {
				return err
			}
			if err := v.note(ctx, "admin.account.change", changed.Name); err != nil {
				return err
			}
			return v.tell(changed, password, "the account "+changed.Name+" has a new password")
		})
	}}
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input instead of making one")
	return cmd
}

func adminRemove() *cobra.Command {
	return &cobra.Command{Use: "remove NAME", Short: "Remove an account", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		return inVault(cmd, func(ctx context.Context, v *vault) error {
			if err := v.accounts.Remove(ctx, args[0]); err != nil {
				return err
			}
			if err := v.note(ctx, "admin.account.remove", args[0]); err != nil {
				return err
			}
			return v.tell(wire.AdminAccount{Name: args[0]}, "", "the account "+args[0]+" is removed")
		})
	}}
}
