package sqlite

// version is of the schema and of how text becomes terms: a file that was made otherwise has to be rebuilt.
const version = 1

// schema is made for reading: what is searched is the table of words, and the other two are looked up by number.
//
// The table of words keeps neither its text, which the table of actions has, nor the length of each row: looking that up
// for every row that matches would take five times as long as all the rest of BM25. Without it BM25 takes every row for
// equally long (https://www.sqlite.org/fts5.html, xColumnSize), which is good enough to choose candidates; rank.go orders them.
//
// Terms come in as package terms makes them, so the tokenizer has nothing left to do but to find the spaces.
const schema = `
CREATE TABLE sites (
	id          INTEGER PRIMARY KEY,
	origin      TEXT NOT NULL UNIQUE,
	name        TEXT NOT NULL,
	description TEXT NOT NULL,
	formats     TEXT NOT NULL, -- JSON
	actions     INTEGER NOT NULL,
	unusable    INTEGER NOT NULL,
	sum         TEXT NOT NULL,
	seen        INTEGER NOT NULL -- milliseconds since 1970
) STRICT;
CREATE INDEX figures ON sites (actions, unusable, seen); -- what is added up without reading the sites
CREATE TABLE actions (
	id          INTEGER PRIMARY KEY, -- see actionID
	command     TEXT NOT NULL, -- words separated by spaces
	format      TEXT NOT NULL,
	description TEXT NOT NULL,
	effect      TEXT NOT NULL,
	cost        TEXT NOT NULL,
	scope       TEXT NOT NULL,
	params      TEXT NOT NULL -- JSON
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (
	command, description, params, site, effect,
	content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 0'
);
`

// siteBits is how many bits of an action's number count within its site: enough for index.MaxActions. So the actions of a
// site are a range, in the table as in the lists of rows that each term has.
const siteBits = 17

func actionID(site int64, n int) int64 { return site<<siteBits | int64(n) }
func siteID(action int64) int64        { return action >> siteBits }

// actionRange returns the numbers that the actions of a site can have, both ends included.
func actionRange(site int64) (first, last int64) {
	return actionID(site, 0), actionID(site, 1<<siteBits-1)
}
