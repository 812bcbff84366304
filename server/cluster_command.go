package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"squelch/core/wire"
)

// Bounds of asking a service.
const (
	clusterTime  = 20 * time.Second // for an answer: a radio has 10 s to move
	clusterBytes = 16 << 20         // of an answer: some hundred radios on some nodes
)

// clusterAsk are the flags of the commands that ask a running node.
type clusterAsk struct {
	server, token string
	asJSON        bool
}

func clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Show the nodes that share a radio, and choose which one decides",
	}
	cmd.AddCommand(clusterStatusCommand(), clusterMoveCommand())
	return cmd
}

func clusterStatusCommand() *cobra.Command {
	var f clusterAsk
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the nodes, who decides about each radio, and how far each node is",
		Long: "Ask any node of a cluster how all of them are: who decides about each radio (its owner),\n" +
			"since which epoch, how many orders each node is behind, whether its state has the same\n" +
			"hash, and with how many others it is connected. Exit code 1 if something is wrong: a node\n" +
			"is missing, a radio has no owner, hashes differ, or the service is alone.",
		Example: "  squelch cluster status --server https://a.example.org\n" +
			"  squelch cluster status --json | jq '.problems'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.status(cmd.Context())
			if err != nil {
				return err
			}
			if f.asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(c)
			} else {
				err = printCluster(cmd.OutOrStdout(), c)
			}
			if err == nil && len(c.Problems) > 0 {
				err = errors.New("the cluster is not well: " + strings.Join(c.Problems, "; "))
			}
			return err
		},
	}
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func clusterMoveCommand() *cobra.Command {
	var f clusterAsk
	cmd := &cobra.Command{
		Use:   "move RADIO NODE",
		Short: "Have another node decide about a radio",
		Long: "Have another node decide about a radio, and wait until it does. Nobody who talks is cut\n" +
			"off, and nobody's link ends. A host with one radio calls it default. Any node of the\n" +
			"cluster may be asked.",
		Example: "  squelch cluster move default n2 --server https://a.example.org",
		Args:    cobra.ExactArgs(2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return f.complete(cmd.Context(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var moved wire.ClusterMoved
			if err := f.call(cmd.Context(), http.MethodPost, "/api/cluster/move", wire.ClusterMove{Radio: args[0], Node: args[1]}, &moved); err != nil {
				return err
			}
			if moved.From == moved.Owner {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "node %s decides about radio %s already (epoch %d)\n", moved.Owner, moved.Radio, moved.Epoch)
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "radio %s went from node %s to node %s in %d ms (epoch %d)\n", moved.Radio, moved.From, moved.Owner, moved.TookMs, moved.Epoch)
			return err
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *clusterAsk) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.server, "server", "http://"+defaultListen, "base `URL` of any node")
	cmd.Flags().StringVar(&f.token, "token", "", "master `token`; better in SQUELCH_AUTH_TOKEN, or its file in SQUELCH_AUTH_TOKEN_FILE")
}

// status asks for the whole cluster.
func (f *clusterAsk) status(ctx context.Context) (wire.Cluster, error) {
	var is wire.ClusterStatus
	if err := f.call(ctx, http.MethodGet, "/api/cluster", nil, &is); err != nil {
		return wire.Cluster{}, err
	}
	if is.Cluster == nil {
		return wire.Cluster{}, fmt.Errorf("the service at %s is alone: it belongs to no cluster (Config.cluster, or serve --cluster)", f.server)
	}
	return *is.Cluster, nil
}

// complete are the radios or the nodes, as far as the service says.
func (f *clusterAsk) complete(ctx context.Context, args []string) (names []string) {
	c, err := f.status(ctx)
	if err != nil {
		return nil
	}
	switch len(args) {
	case 0:
		for _, r := range c.Radios {
			names = append(names, r.Radio)
		}
	case 1:
		for _, n := range c.Nodes {
			if n.Lives && !n.Leaving {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// call calls a route of the service with the master token.
func (f *clusterAsk) call(ctx context.Context, method, path string, body, out any) error {
	u, err := url.Parse(f.server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usageError{fmt.Errorf("--server: %q is not of the form https://radio.example.org", f.server)}
	}
	token, err := f.master()
	if err != nil {
		return err
	}
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(ctx, clusterTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(f.server, "/")+path, send)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, clusterBytes))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		var refused wire.Failure
		if json.Unmarshal(text, &refused) != nil {
			refused.Error = ""
		}
		return fmt.Errorf("%s: %s", f.server, cmp.Or(refused.Error, answer.Status))
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s: the answer is not one of this service: %w", f.server, err)
	}
	return nil
}

// master is the master token of the flag or the environment.
func (f *clusterAsk) master() (string, error) {
	const name = prefix + "AUTH_TOKEN"
	if token := cmp.Or(f.token, os.Getenv(name)); token != "" {
		return token, nil
	}
	file := os.Getenv(name + "_FILE")
	if file == "" {
		return "", usageError{errors.New("--token or SQUELCH_AUTH_TOKEN is missing: the master token, Config.authToken (squelch secrets shows a generated one)")}
	}
	token, err := secretFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(token), nil
}

// printCluster prints a cluster for people.
func printCluster(out io.Writer, c wire.Cluster) error {
	fmt.Fprintf(out, "cluster %s, asked at node %s\n\n", c.Name, c.Node)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RADIO\tOWNER\tEPOCH\tORDERS")
	for _, r := range c.Radios {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\n", r.Radio, cmp.Or(r.Owner, "-"), r.Epoch, r.Seq)
	}
	fmt.Fprintln(w, "\nNODE\tBUILD\tSTATE\tROUTES\tMAJORITY\tSTORE\tURL")
	for _, n := range c.Nodes {
		state := "lives"
		switch {
		case !n.Lives && n.Leaving:
			state = "has left"
		case !n.Lives:
			state = "missing"
		case !n.Answers:
			state = "silent"
		case n.Leaving:
			state = "leaving"
		}
		routes, majority, took := "-", "-", "-"
		if n.Answers {
			majority, took = map[bool]string{true: "yes", false: "no"}[n.Quorum], strconv.FormatInt(n.StoreMs, 10)+" ms"
			if n.Routes != nil {
				routes = strconv.Itoa(*n.Routes)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, cmp.Or(n.Build, "-"), state, routes, majority, took, cmp.Or(n.URL, "-"))
	}
	fmt.Fprintln(w, "\nRADIO\tNODE\tEPOCH\tORDER\tLAG\tHASH\tWAITING\tGAPS\tRESYNCS\tDIFFERED\tTAKEOVERS\tSTALE\tVOICE OUT\tIN\tDROPPED")
	for _, radio := range c.Radios {
		for _, n := range c.Nodes {
			for _, r := range n.Radios {
				if r.Radio == radio.Radio {
					fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Radio, n.Name, r.Epoch, r.Seq, r.Lag, hashOf(r),
						r.Pending, r.Gaps, r.Resyncs, r.Mismatches, r.Takeovers, r.Stale, r.Voice.Sent, r.Voice.Received, r.Voice.Dropped)
				}
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if len(c.Problems) == 0 {
		fmt.Fprintln(out, "all is well")
	}
	for _, p := range c.Problems {
		fmt.Fprintln(out, "problem:", p)
	}
	return nil
}

// hashOf is the beginning of a replica's hash and after which order it was.
func hashOf(r wire.ClusterReplica) string {
	switch {
	case r.Differs:
		return "differs"
	case r.Hash == "":
		return "-"
	}
	return fmt.Sprintf("%.8s@%d", r.Hash, r.HashSeq)
}
