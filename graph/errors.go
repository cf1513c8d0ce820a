package graph

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/engine"
	"nomograph/internal/apperr"
)

// AsError converts an error of the driver to an *apperr.Error. Such errors stay unchanged.
func AsError(err error) error {
	var already *apperr.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return already
	case errors.Is(err, context.DeadlineExceeded), hasCode(err, "Neo.ClientError.Transaction.TransactionTimedOut",
		"Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
		"Neo.ClientError.Transaction.LockClientStopped"):
		return apperr.New(apperr.QueryTimeout, "The database did not answer in time").
			WithHint("Try again, or request less").Because(err)
	case errors.Is(err, context.Canceled):
		return apperr.New(apperr.Unavailable, "The call was canceled").
			WithHint("Call again if you still need the answer").Because(err)
	case hasCode(err, "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"):
		return apperr.New(apperr.Unavailable, "The database is read-only. Neo4j does this when its disk is full").
			WithHint("Free disk space, then restart the server or stop the managed engine, which starts again by itself").Because(err)
	case hasCode(err, "Neo.ClientError.Security.Forbidden", "Neo.ClientError.Statement.AccessMode",
		"Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"):
		return apperr.New(apperr.PermissionDenied, "The database user lacks the permission").
			WithHint("Ask an administrator of the database, or use another NEO4J_USERNAME").Because(err)
	case engine.Broken(err):
		return apperr.New(apperr.Unavailable, "Neo4j stopped its database after a critical error, such as a full disk").
			WithHint("Free disk space. The managed engine then restarts by itself; restart another server").Because(err)
	case connectivity(err):
		return apperr.New(apperr.Unavailable, "The database does not answer").
			WithHint("It may be restarting: try again. `run_doctor` tests each step").Because(err)
	case transient(err):
		return apperr.New(apperr.Unavailable, "The database is busy").WithHint("Try again").Because(err)
	}
	return apperr.From(err)
}

// ProcedureFailed reports whether a procedure of the server failed, such as a query of a missing index.
func ProcedureFailed(err error) bool {
	return hasCode(err, "Neo.ClientError.Procedure.ProcedureCallFailed")
}

// IsUniqueViolation reports whether a write failed because another node has the same unique key.
func IsUniqueViolation(err error) bool {
	return hasCode(err, "Neo.ClientError.Schema.ConstraintValidationFailed")
}

func hasCode(err error, codes ...string) bool {
	var server *neo4j.Neo4jError
	return errors.As(err, &server) && slices.Contains(codes, server.Code)
}

func transient(err error) bool {
	var server *neo4j.Neo4jError
	return errors.As(err, &server) && strings.HasPrefix(server.Code, "Neo.TransientError.")
}

func connectivity(err error) bool {
	var lost *neo4j.ConnectivityError
	return errors.As(err, &lost) || neo4j.IsConnectivityError(err) || wasReplaced(err) ||
		hasCode(err, "Neo.TransientError.General.DatabaseUnavailable", "Neo.ClientError.General.DatabaseUnavailable")
}

// wasReplaced reports whether the driver was closed before the statement was sent, because another call found the
// connection dead. The driver reports this as a usage error that only its message identifies.
func wasReplaced(err error) bool {
	var usage *neo4j.UsageError
	return errors.As(err, &usage) && slices.Contains([]string{"Pool closed",
		"Trying to create session on closed driver"}, usage.Message)
}
