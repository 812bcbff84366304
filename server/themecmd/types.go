package themecmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"squelch/themes/types"
)

func typesCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Write the declarations with which editors check scripts of themes",
		Long: "Write " + types.Name + ", with which editors complete and check the scripts of\n" +
			"themes. It is never part of what is installed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := writeTypes(out)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", name)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", ".", "`folder` to write to")
	return cmd
}

func writeTypes(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(folder, types.Name)
	return name, os.WriteFile(name, types.Declarations, 0o644)
}
