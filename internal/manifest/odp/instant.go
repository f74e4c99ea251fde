package odp

import (
	"cmp"
	"strings"
	"time"
)

// instant is a point in time by UTC, leap seconds included, exact to any fraction. Equal instants are equal with ==.
type instant struct {
	minute   int64  // since 1970
	second   int    // 0 to 60
	fraction string // digits, without zeros at the end
}

const dateLayout = "2006-01-02"

// parseDate reads an RFC 3339 full-date; the day must exist.
func parseDate(s string) (day time.Time, ok bool) {
	day, err := time.Parse(dateLayout, s)
	return day, err == nil && len(s) == len(dateLayout)
}

// parseInstant reads an RFC 3339 date-time. Second 60 is taken where leap seconds are put in: in the last minute of a day
// of UTC.
func parseInstant(s string) (at instant, ok bool) {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) <= seconds || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return at, false
	}
	day, ok := parseDate(s[:10])
	hour, ok1 := twoDigits(s[11:13], 23)
	minute, ok2 := twoDigits(s[14:16], 59)
	second, ok3 := twoDigits(s[17:seconds], 60)
	if !ok || !ok1 || !ok2 || !ok3 {
		return at, false
	}
	rest := s[seconds:]
	if digits, found := strings.CutPrefix(rest, "."); found {
		rest = strings.TrimLeft(digits, "0123456789")
		at.fraction = digits[:len(digits)-len(rest)]
		if at.fraction == "" {
			return at, false
		}
		at.fraction = strings.TrimRight(at.fraction, "0")
	}
	offset, ok := parseOffset(rest)
	at.minute, at.second = day.Unix()/60+int64(hour*60+minute-offset), second
	const minutesOfDay = 24 * 60
	leap := (at.minute%minutesOfDay+minutesOfDay)%minutesOfDay == minutesOfDay-1
	return at, ok && (second < 60 || leap)
}

// parseOffset reads "Z" or "+01:30", in minutes.
func parseOffset(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, ok1 := twoDigits(s[1:3], 23)
	minute, ok2 := twoDigits(s[4:], 59)
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, ok1 && ok2
}

func twoDigits(s string, most int) (n int, ok bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	n = int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n <= most
}

func (at instant) compare(other instant) int {
	return cmp.Or(cmp.Compare(at.minute, other.minute), cmp.Compare(at.second, other.second),
		strings.Compare(at.fraction, other.fraction))
}
