package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"squelch/server/resource"
)

func resourceCommand() *cobra.Command {
	var address, out string
	var unpack bool
	cmd := &cobra.Command{
		Use:   "resource",
		Short: "Write the resource that game servers install",
		Long: "Write the resource for game servers as radio.zip, or with --unpack as the folder\n" +
			"radio. With --address it knows the service; otherwise set the convar radio_url.\n" +
			"A running service offers it too, with its own address: GET /radio/resource.zip.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := resource.Zip(address)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			made := filepath.Join(out, "radio.zip")
			if unpack {
				made = filepath.Join(out, "radio")
				err = unpackInto(out, data)
			} else {
				err = os.WriteFile(made, data, 0o644)
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), made)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&address, "address", "", "`address` of the service, such as http://10.0.0.2:7777")
	cmd.Flags().StringVar(&out, "out", ".", "`folder` to write to")
	cmd.Flags().BoolVar(&unpack, "unpack", false, "write the folder radio instead of the zip")
	return cmd
}

// unpackInto writes the files of our own zip. What else is in the folder stays.
func unpackInto(folder string, data []byte) error {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range r.File {
		if err := unpackFile(root, f); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(root *os.Root, f *zip.File) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(from); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(f.Name, data.Bytes(), 0o644)
}
