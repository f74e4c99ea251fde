package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/site"
)

// listedAlias is a short name as "site list" has it.
type listedAlias struct {
	Name         string      `json:"name"`
	Origin       site.Origin `json:"origin"`
	AllowPrivate bool        `json:"allow_private,omitempty"`
	OpenAPI      string      `json:"openapi,omitempty"` // where the document is that describes the site
	Server       string      `json:"server,omitempty"`
}

func listed(name string, alias site.Alias) listedAlias {
	l := listedAlias{Name: name, Origin: alias.Origin, AllowPrivate: alias.AllowPrivate}
	if d := alias.Described; d != nil {
		l.OpenAPI, l.Server = d.Location, d.Server
	}
	return l
}

const siteAddExample = `  agentctl site add club popcorn.club
  agentctl site add pets --openapi https://pets.example/openapi.json
  agentctl site add pets --openapi petstore.yaml --server https://pets.example/v1`

// newSiteAdd makes "agentctl site add".
func (r *run) newSiteAdd() *cobra.Command {
	var described struct{ location, server text }
	cmd := &cobra.Command{
		Use:     "add NAME ORIGIN | add NAME --openapi FILE|URL",
		Short:   "Give a site a short name, or an API that an OpenAPI document describes",
		Long:    "Give a site a short name, or an API that an OpenAPI document describes. --allow-private is kept with it.",
		Example: siteAddExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if described.location == "" {
				if described.server != "" {
					return fault.New(fault.Usage, "invalid_flag", "--server goes with --openapi")
				}
				if err := takes("NAME", "ORIGIN")(cmd, args); err != nil {
					return err
				}
				origin, err := site.ParseOrigin(args[1])
				if err != nil {
					return err
				}
				return r.siteAdd(cmd.Root(), args[0], site.Alias{Origin: origin})
			}
			if err := takes("NAME")(cmd, args); err != nil {
				return err
			}
			return r.siteDescribe(cmd.Context(), cmd.Root(), args[0], string(described.location), string(described.server))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&described.location, "openapi", "the site is what the OpenAPI document at `FILE|URL` describes")
	flags.Var(&described.server, "server", "send its operations to `URL` instead of the document's own server")
	_ = cmd.RegisterFlagCompletionFunc("openapi", fileNames)
	return cmd
}

// siteAdd keeps a name for a site.
func (r *run) siteAdd(root *cobra.Command, name string, alias site.Alias) error {
	if isBuiltin(root, name) || name == site.DemoWord {
		return fault.New(fault.Usage, "invalid_alias", "%q is built into agentctl and cannot be an alias", name)
	}
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return err
	}
	alias.AllowPrivate = r.AllowPrivate
	if err := aliases.Add(name, alias); err != nil {
		return err
	}
	return r.say("%s is now %s", name, alias.Origin)
}

// siteDescribe reads an OpenAPI document to learn which server it is about, and keeps a name for that.
func (r *run) siteDescribe(ctx context.Context, root *cobra.Command, name, location, server string) error {
	described, err := describedBy(location, server)
	if err != nil {
		return err
	}
	asked, err := site.OriginOf(described.Location)
	if err != nil && strings.Contains(described.Location, "://") {
		return err
	}
	conn, err := r.connect(ctx, asked, site.Alias{Described: described})
	if err != nil {
		return err
	}
	defer conn.close()
	var origin site.Origin
	if err := conn.timed(ctx, func(ctx context.Context) error {
		origin, err = conn.finder.ServerOf(ctx)
		return err
	}); err != nil {
		return err
	}
	return r.siteAdd(root, name, site.Alias{Origin: origin, Described: described})
}

// describedBy is the document at a location as it is kept: absolute.
func describedBy(location, server string) (*site.Described, error) {
	d := &site.Described{Location: location, Server: server}
	if server != "" {
		if _, err := site.OriginOf(server); err != nil {
			return nil, fault.New(fault.Usage, "invalid_flag", "--server: %w", err)
		}
	}
	if strings.Contains(location, "://") {
		if _, err := site.OriginOf(location); err != nil {
			return nil, fault.New(fault.Usage, "invalid_flag", "--openapi: %w", err)
		}
		return d, nil
	}
	path, err := filepath.Abs(location)
	if err != nil {
		return nil, fault.New(fault.Usage, "invalid_flag", "--openapi: %w", err)
	}
	d.Location = path
	return d, nil
}
