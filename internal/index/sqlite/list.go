package sqlite

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/agentctl/agentctl/internal/index"
)

// Sites lists what is known.
func (s *Store) Sites(ctx context.Context) ([]index.SiteInfo, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT origin, name, formats, actions, unusable, sum, seen FROM sites ORDER BY origin")
	if err != nil {
		return nil, s.fault(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	list := []index.SiteInfo{}
	for rows.Next() {
		var i index.SiteInfo
		var formats string
		var seen int64
		if err := rows.Scan(&i.Origin, &i.Name, &formats, &i.Actions, &i.Unusable, &i.Sum, &seen); err != nil {
			return nil, s.fault(err)
		}
		_ = json.Unmarshal([]byte(formats), &i.Formats) // we wrote it; a damaged one has no formats
		i.Seen = time.UnixMilli(seen).UTC()
		list = append(list, i)
	}
	return list, s.fault(rows.Err())
}

// Stats returns the figures of the whole index.
func (s *Store) Stats(ctx context.Context) (index.Stats, error) {
	stats := index.Stats{Where: s.path}
	var oldest, newest int64
	err := s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(actions), 0), coalesce(sum(unusable), 0), coalesce(min(seen), 0), coalesce(max(seen), 0)
		FROM sites`).Scan(&stats.Sites, &stats.Actions, &stats.Unusable, &oldest, &newest)
	if err != nil {
		return stats, s.fault(err)
	}
	if stats.Sites > 0 {
		stats.Oldest, stats.Newest = time.UnixMilli(oldest).UTC(), time.UnixMilli(newest).UTC()
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			stats.Bytes += info.Size()
		}
	}
	return stats, nil
}
