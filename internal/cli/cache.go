package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
)

// newCache makes "agentctl cache": where discovered descriptions are kept, and how to forget them.
func (r *run) newCache() *cobra.Command {
	path := &cobra.Command{
		Use:   "path",
		Short: "Print the directory of the cache",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			return r.print(map[string]string{"path": r.CacheDir}, func() error {
				_, err := fmt.Fprintln(r.Out, r.CacheDir)
				return err
			})
		},
	}
	empty := &cobra.Command{
		Use:   "clear",
		Short: "Forget everything that was discovered",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			var failed error
			for _, part := range []string{httpCacheDir, treeCacheDir} { // only what is ours: the directory may be shared
				failed = errors.Join(failed, os.RemoveAll(filepath.Join(r.CacheDir, part)))
			}
			if failed != nil {
				return fault.New(fault.Internal, "write_failed", "clearing the cache: %w", failed)
			}
			return nil
		},
	}
	return group(&cobra.Command{Use: "cache", Short: "Where discovered descriptions are kept"}, path, empty)
}
