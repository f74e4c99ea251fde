package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/render"
)

const identityLong = `Keys of yours, with which calls are signed instead of carrying a stored token.

The private key stays in the keyring of this machine. A site that knows the public key
(agentctl identity jwks) can verify each call; agentctl auth login SITE --identity makes
calls to it carry a token that is signed at that moment and good for two minutes.`

// newIdentity makes "agentctl identity".
func (r *run) newIdentity() *cobra.Command {
	command := func(use, short string, do func(ctx context.Context, name string) error) *cobra.Command {
		return &cobra.Command{
			Use: use + " [NAME]", Short: short, Args: optionalName, ValidArgsFunction: r.completeIdentities,
			RunE: func(cmd *cobra.Command, args []string) error {
				return do(cmd.Context(), slices.Concat(args, []string{auth.DefaultIdentity})[0])
			},
		}
	}
	var subject text
	create := command("create", "Make a key", func(ctx context.Context, name string) error { return r.identityCreate(ctx, name, string(subject)) })
	create.Flags().Var(&subject, "subject", "what calls say of who sends them; without it, a `URI` made of the first key")
	group := group(&cobra.Command{Use: "identity", Short: "Keys of yours that sign calls", Long: identityLong},
		create,
		command("show", "Tell what is known of an identity", r.identityShow),
		command("jwks", "Print the public keys, for the service that verifies calls", r.identityKeys),
		command("rotate", "Replace the key; the one before stays among the public keys", r.identityRotate),
		command("delete", "Delete the key", r.identityDelete))
	return group
}

// optionalName takes at most one argument, the name of an identity.
func optionalName(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := takes("NAME")(cmd, args); err != nil {
		return err
	}
	return auth.CheckName("an identity", args[0])
}

func (r *run) completeIdentities(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if store, err := r.store(); err == nil && len(args) == 0 {
		identities, _ := store.Identities()
		for _, identity := range identities {
			names = append(names, identity.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (r *run) identityCreate(ctx context.Context, name, subject string) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	identity, err := store.CreateIdentity(ctx, name, subject)
	if err != nil {
		return err
	}
	return r.showIdentity(identity)
}

func (r *run) identityShow(_ context.Context, name string) error {
	identity, err := r.identity(name)
	if err != nil {
		return err
	}
	return r.showIdentity(identity)
}

func (r *run) identity(name string) (auth.Identity, error) {
	store, err := r.store()
	if err != nil {
		return auth.Identity{}, err
	}
	return store.Identity(name)
}

// identityReport is "agentctl identity show" as a document. Nothing in it is secret.
type identityReport struct {
	Name     string     `json:"name"`
	Subject  string     `json:"subject"`
	Keyring  auth.Place `json:"keyring"`
	KeyID    string     `json:"kid"`
	Created  time.Time  `json:"created"`
	Previous string     `json:"previous_kid,omitempty"`
}

func (r *run) showIdentity(identity auth.Identity) error {
	report := identityReport{
		Name: identity.Name, Subject: identity.Subject, Keyring: identity.Keyring,
		KeyID: identity.Keys[0].KeyID(), Created: identity.Keys[0].Created,
	}
	rows := [][]string{
		{"identity", report.Name},
		{"subject", report.Subject},
		{"key", report.KeyID},
		{"created", r.moment(&report.Created)},
	}
	if len(identity.Keys) > 1 {
		report.Previous = identity.Keys[1].KeyID()
		rows = append(rows, []string{"key before", report.Previous})
	}
	return r.print(report, func() error { return render.Columns(r.Out, rows, r.columns()) })
}

// identityKeys prints the JWK Set: a document in every mode, since a service reads it.
func (r *run) identityKeys(_ context.Context, name string) error {
	identity, err := r.identity(name)
	if err != nil {
		return err
	}
	document, err := json.Marshal(identity.JWKSet())
	if err != nil {
		return err
	}
	return r.printJSON(document)
}

func (r *run) identityRotate(ctx context.Context, name string) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	identity, err := store.RotateIdentity(ctx, name)
	if err != nil {
		return err
	}
	_ = r.say("services that verify calls need the new public keys: agentctl identity jwks %s", name)
	return r.showIdentity(identity)
}

func (r *run) identityDelete(ctx context.Context, name string) error {
	store, err := r.store()
	if err != nil {
		return err
	}
	if _, err := store.Identity(name); err != nil {
		return err
	}
	users, err := usersOf(store, name)
	if err != nil {
		return err
	}
	deed := "delete the key of the identity " + name
	if len(users) > 0 {
		deed += ", which signs calls to " + strings.Join(users, ", ")
	}
	if err := r.confirm(ctx, deed); err != nil {
		return err
	}
	if err := store.DeleteIdentity(ctx, name); err != nil {
		return err
	}
	return r.say("the identity %s is deleted", name)
}

// usersOf lists the sites whose calls an identity signs.
func usersOf(store *auth.Store, name string) (sites []string, err error) {
	entries, err := store.Entries()
	for _, e := range entries {
		if e.Identity == name {
			sites = append(sites, e.Site())
		}
	}
	return sites, err
}
