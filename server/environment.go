package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"squelch/server/config"
	"squelch/server/nearest"
)

// prefix is that of the environment variables that set flags and secrets.
const prefix = "SQUELCH_"

// maxSecretFile is how many bytes of a file with a secret are read.
const maxSecretFile = 4096

// variable is the environment variable of a flag: SQUELCH_LOG_LEVEL of --log-level.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that the command line does not give and the environment
// does. An empty variable counts as not given.
func fromEnvironment(cmd *cobra.Command, lookup func(string) string) error {
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := lookup(variable(f.Name))
		if wrong != nil || f.Changed || value == "" || !settable(f) {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			wrong = usageError{fmt.Errorf("%s: %w (it sets --%s, see %s --help)", variable(f.Name), err, f.Name, cmd.CommandPath())}
		}
	})
	return wrong
}

// settable leaves out what only makes sense on a command line.
func settable(f *pflag.Flag) bool { return f.Name != "help" && f.Name != "version" && !f.Hidden }

// secretVariables are the environment variables of the secrets. With _FILE behind it each
// names a file with the secret, as container platforms provide them.
var secretVariables = []struct {
	name, key string
	set       func(l *config.Loaded, secret string)
}{
	{prefix + "AUTH_TOKEN", "authToken", func(l *config.Loaded, s string) { l.Server.AuthToken = s }},
	{prefix + "DISPATCH_NAC_ID", "dispatchNacId", (*config.Loaded).SetDispatchNac},
	{prefix + "CLUSTER_SECRET", "cluster.secret", func(l *config.Loaded, s string) {
		if l.Server.Cluster != nil {
			l.Server.Cluster.Secret = s
		}
	}},
	{prefix + "ADMIN_PASSWORD", "adminPassword", func(l *config.Loaded, s string) { l.Server.AdminPassword = s }},
}

// secretsOf takes the secrets of the environment; they come before the file's.
func secretsOf(l *config.Loaded, lookup func(string) string) error {
	for _, v := range secretVariables {
		secret, file := lookup(v.name), lookup(v.name+"_FILE")
		switch {
		case secret != "" && file != "":
			return usageError{fmt.Errorf("%s and %s_FILE are both set: one of them is needed", v.name, v.name)}
		case file != "":
			text, err := secretFile(file)
			if err != nil {
				return fmt.Errorf("%s_FILE: %w", v.name, err)
			}
			secret = text
		}
		if secret = strings.TrimSpace(secret); secret == "" {
			continue
		}
		v.set(l, secret)
		l.Server.Missing = slices.DeleteFunc(l.Server.Missing, func(key string) bool { return key == v.key })
	}
	return nil
}

func secretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(string(text)) == "":
		return "", fmt.Errorf("%s is empty", path)
	case len(text) > maxSecretFile:
		return "", fmt.Errorf("%s has more than %d bytes, so it holds no secret", path, maxSecretFile)
	}
	return string(text), nil
}

// unknownVariables are doubts about variables with the prefix that set nothing.
func unknownVariables(root *cobra.Command, environ []string) (doubts []string) {
	known := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if settable(f) {
				known[variable(f.Name)] = true
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, v := range secretVariables {
		known[v.name], known[v.name+"_FILE"] = true, true
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || known[name] {
			continue
		}
		doubt := fmt.Sprintf("the environment variable %s sets nothing", name)
		if near := nearest.Name(name, names); near != "" {
			doubt += ", did you mean " + near + "?"
		}
		doubts = append(doubts, doubt)
	}
	slices.Sort(doubts)
	return doubts
}
