package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
)

// creation is what the flags of create say.
type creation struct {
	root, table, id, delimiter string
	idGiven                    func() bool
	keepStaged, catalogManaged bool
}

func (a *app) create() *cobra.Command {
	var c creation
	cmd := &cobra.Command{
		Use:   "create --root ROOT [REQUEST.json|-]",
		Short: "Create a version as the Lance Namespace specification has it",
		Long: `create executes a CreateTableVersion request of the Lance Namespace specification:
it reads the request as JSON, makes the staged manifest that it names a version,
and prints the response as JSON, or the specification's error body, also where
the command line is wrong.

ROOT is the folder of a database, and the request's id names a table in it. A
table that lies elsewhere is named by --table instead, and its id is not looked
at. The same request can be sent again until its answer is known.`,
		Example: `  lancecommit create --root db request.json
  echo '{"version":3,"manifest_path":"_versions/…"}' | lancecommit create --root s3://bucket/db --id images`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "-"
			if len(args) == 1 {
				file = args[0]
			}
			return a.runCreate(cmd.Context(), c, file)
		},
	}
	c.idGiven = func() bool { return cmd.Flags().Changed("id") }
	refuse := func(err error) error {
		return a.printRefusal(err, c.instance(new(committer.CreateTableVersionRequest)))
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return refuse(a.flagError(cmd, err)) })
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := c.checkUsage(cmd, args); err != nil {
			return refuse(err)
		}
		return nil
	}
	cmd.Flags().StringVar(&c.root, "root", "", "the folder of the database: a path or a URL")
	cmd.Flags().StringVar(&c.table, "table", "", "the table by its own location, in place of --root")
	cmd.Flags().StringVar(&c.id, "id", "", "the id of the table, where the request does not say it; both must be equal")
	cmd.Flags().StringVar(&c.delimiter, "delimiter", committer.DefaultDelimiter, "what joins the parts of --id")
	cmd.Flags().BoolVar(&c.keepStaged, "keep-staged", false, "leave the staged manifest where it is")
	cmd.Flags().BoolVar(&c.catalogManaged, "catalog-managed", false,
		"write the version although the database's catalog keeps the versions")
	return cmd
}

// checkUsage refuses arguments and flags that do not go together.
func (c creation) checkUsage(cmd *cobra.Command, args []string) error {
	switch {
	case c.root == "" && c.table == "":
		return usage(cmd, errors.New("one of --root and --table is needed: where the database is, or the table"))
	case c.root != "" && c.table != "":
		return usage(cmd, errors.New("--root and --table exclude each other: give where the database is, or the table"))
	case cmd.Flags().Changed("delimiter") && !c.idGiven():
		return usage(cmd, errors.New("--delimiter is for --id"))
	default:
		return arguments("[REQUEST.json|-]")(cmd, args)
	}
}

// runCreate prints the response, or the error body.
func (a *app) runCreate(ctx context.Context, c creation, file string) error {
	var req committer.CreateTableVersionRequest
	response, err := a.createVersion(ctx, c, file, &req)
	if err == nil {
		a.notPrinted(a.printJSON(response), "version %d is committed", response.Version.Version)
		return nil
	}
	return a.printRefusal(err, c.instance(&req))
}

// printRefusal prints the error body of an error, and returns the error.
func (a *app) printRefusal(err error, instance string) error {
	a.notPrinted(a.printJSON(committer.ErrorResponse(err, instance)), "the request ended with an error")
	return err
}

// createVersion reads a request into req and executes it.
func (a *app) createVersion(
	ctx context.Context, c creation, file string, req *committer.CreateTableVersionRequest,
) (*committer.CreateTableVersionResponse, error) {
	body, err := a.read(ctx, "request", file, maxRequest)
	if err != nil {
		return nil, err
	}
	refusal := json.Unmarshal(body, req)
	if len(bytes.TrimSpace(body)) == 0 {
		if file == "-" {
			file = "standard input"
		}
		refusal = fmt.Errorf("%w: there is no request in %s", committer.ErrInvalid, file)
	}
	if c.idGiven() {
		refusal = c.setID(req, refusal)
	}
	namespace, done, err := a.namespace(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	if refusal != nil {
		return nil, namespace.Refuse(ctx, req, refusal)
	}
	response, err := namespace.CreateTableVersion(ctx, req)
	return response, forCommands(err)
}

// setID gives a request the id of the flags, and adds it to why the request is
// refused where it cannot have that.
func (c creation) setID(req *committer.CreateTableVersionRequest, refusal error) error {
	id, err := committer.ParseID(c.id, c.delimiter)
	if err == nil {
		id, err = committer.MatchID(id, req.ID)
	}
	if err == nil {
		req.ID = id
		return refusal
	}
	var wrong *committer.InvalidRequestError
	if refusal != nil && !errors.As(refusal, &wrong) {
		return refusal
	}
	if wrong == nil {
		wrong = new(committer.InvalidRequestError)
	}
	wrong.Fields = append([]committer.FieldError{{
		Field:  "id",
		Reason: strings.TrimPrefix(err.Error(), committer.ErrInvalid.Error()+": "),
	}}, wrong.Fields...)
	return wrong
}

// instance is the path of the operation, as a server has it, empty where no id
// was asked for.
func (c creation) instance(req *committer.CreateTableVersionRequest) string {
	id := c.id
	if parts, err := committer.ParseID(c.id, c.delimiter); err == nil {
		id = committer.JoinID(parts, committer.DefaultDelimiter)
	}
	if !c.idGiven() {
		id = committer.JoinID(req.ID, committer.DefaultDelimiter)
	}
	if id == "" {
		return ""
	}
	return "/v1/table/" + url.PathEscape(id) + "/version/create"
}

// maxRequest is the largest request that is read, in bytes.
const maxRequest = 16 << 20

// namespace opens the namespace that the flags name.
func (a *app) namespace(ctx context.Context, c creation) (namespace *committer.Namespace, done func(), err error) {
	options, err := parseOptions(a.storageOptions)
	if err != nil {
		return nil, nil, err
	}
	var opts []committer.Option
	location := c.root
	if c.table != "" {
		location = c.table
		opts = append(opts, committer.AtTable())
	}
	if c.keepStaged {
		opts = append(opts, committer.KeepStaged())
	}
	if c.catalogManaged {
		opts = append(opts, committer.WithCatalogManaged())
	}
	store, key, err := all.Open(ctx, location, options)
	var absent *backends.Error
	if c.table != "" && errors.Is(err, backends.ErrNoBucket) && errors.As(err, &absent) {
		// The folder is the table, and no root that one could make.
		return nil, nil, fmt.Errorf("%w: there is nothing at %q; check --table", committer.ErrTableNotFound, absent.Key)
	}
	if err != nil {
		return nil, nil, err
	}
	return committer.NewNamespace(store, key, opts...), func() { _ = store.Close() }, nil
}
