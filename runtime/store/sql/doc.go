// Package sqlstore keeps in a SQL database what several instances of a server share. It
// works over database/sql and has no dependency of its own: the program brings the driver.
// It is made for PostgreSQL (tested with github.com/jackc/pgx/v5/stdlib) and SQLite (with
// modernc.org/sqlite).
//
// # Tables
//
// The command
//
//	holdfast schema --dialect postgres
//
// prints the tables, for psql or for a migration. [Store.Check] says at the start of a
// program whether they are there and as this version needs them.
//
// # One effect
//
// An operation with idempotency {within: transaction} runs in a transaction of this store:
// the claim of the key, what the method writes through [Tx] and the result to replay are
// committed together, before the answer is sent, or not at all. So within the time to live
// of a key there is exactly one effect in the database, also when the process is killed at
// any moment. What the method does elsewhere, in another database or at another service, is
// not part of it: hand the key on to the other service, or write an event in the same
// transaction.
//
//	func (s *service) CreatePayment(ctx context.Context, r api.CreatePaymentRequest) (*api.Payment, error) {
//		_, err := sqlstore.Tx(ctx).ExecContext(ctx, `INSERT INTO payment …`, …)
//		…
//	}
//
//	api.NewServer(s, server.IdempotencyStore(sqlstore.New(db, sqlstore.PostgreSQL)))
//
// The transaction is rolled back by any other result than 2xx, by a panic, by the timeout
// of the method and when the caller goes away. Where the database wants it to be repeated
// (SQLSTATE 40001, 40P01) it is, so the method may be called up to three times; a lock that
// was waited for too long (55P03) is answered with 409. A repeat that comes while it runs is answered
// at once with 409 and Retry-After on PostgreSQL; SQLite has one writer at a time, so there
// it waits for the first (see the driver's busy timeout) and then gets its result.
//
// Without it, under {within: lease}, the store promises what every store does: one run at a
// time, and a crash between the effect and the end of the run has it run again.
package sqlstore
