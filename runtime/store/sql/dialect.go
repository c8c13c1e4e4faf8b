package sqlstore

import (
	"errors"
	"strings"
)

// Dialect is the SQL of one kind of database. The zero value is none, and refused.
type Dialect uint8

// Dialects.
const (
	// PostgreSQL is that of version 12 and later, through any driver whose errors have a
	// method SQLState, as those of pgx and lib/pq do.
	PostgreSQL Dialect = iota + 1
	// SQLite is that of version 3.42 and later, through a driver whose errors have a
	// method Code, as those of modernc.org/sqlite do. Give its connections a busy timeout.
	SQLite
)

// String is the name that `holdfast schema --dialect` takes.
func (d Dialect) String() string {
	switch d {
	case PostgreSQL:
		return "postgres"
	case SQLite:
		return "sqlite"
	}
	return "none"
}

// Clocks in microseconds since 1970. They are those of the database, so that instances need
// not agree on the time; and they go on within a transaction.
var clocks = [...]string{
	PostgreSQL: "(extract(epoch from clock_timestamp()) * 1000000)::bigint",
	SQLite:     "CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
}

// statement writes one in a dialect: NOW stands for its clock, $1 for its first parameter.
func (d Dialect) statement(text string) string {
	if d == SQLite {
		text = strings.ReplaceAll(text, "$", "?")
	}
	return strings.ReplaceAll(text, "NOW", clocks[d])
}

// fault is what an error of the database means to a store.
type fault uint8

const (
	otherFault fault = iota
	// conflict: repeat the transaction.
	conflict
	// busy: somebody else has it locked, for longer than one may wait.
	busy
	// schema: the tables are not as they should be, or not for this user.
	schema
)

// fault classifies an error by what the standard and the manuals of the databases say of
// its code: SQLSTATE 40001 serialization_failure, 40P01 deadlock_detected, 55P03
// lock_not_available, class 42 for objects and privileges; result codes 5 SQLITE_BUSY,
// 6 SQLITE_LOCKED, 1 SQLITE_ERROR.
func (d Dialect) fault(err error) fault {
	if err == nil {
		return otherFault
	}
	switch d {
	case PostgreSQL:
		var e interface{ SQLState() string }
		if !errors.As(err, &e) {
			return otherFault
		}
		switch state := e.SQLState(); {
		case state == "40001", state == "40P01":
			return conflict
		case state == "55P03":
			return busy
		case strings.HasPrefix(state, "42"):
			return schema
		}
	case SQLite:
		var e interface{ Code() int }
		if !errors.As(err, &e) {
			return otherFault
		}
		switch e.Code() & 0xff { // the rest of the code is a detail
		case 5, 6:
			return busy
		case 1:
			return schema
		}
	}
	return otherFault
}
