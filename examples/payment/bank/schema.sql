-- The tables of the bank. A payment's reference is not unique: that a request that comes
-- twice has one effect is the work of its key, and the chaos test counts references.
CREATE TABLE IF NOT EXISTS account (
    id         text   PRIMARY KEY,
    balance    bigint NOT NULL,            -- in cents
    statements bigint NOT NULL DEFAULT 0,  -- how many were closed
    fence      bigint NOT NULL DEFAULT 0   -- the token of the last who closed one
);
CREATE TABLE IF NOT EXISTS payment (
    id        %s,
    payer     text   NOT NULL,
    payee     text   NOT NULL,
    amount    bigint NOT NULL,
    reference text   NOT NULL
);
