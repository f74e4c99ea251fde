package schema

import "strings"

// isDateTime checks RFC 3339, section 5.6, as the other functions here do.
func isDateTime(s string) bool {
	return len(s) > 11 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, ok1 := number(s[:4])
	month, ok2 := number(s[5:7])
	day, ok3 := number(s[8:])
	return ok1 && ok2 && ok3 && 1 <= month && month <= 12 && 1 <= day && day <= daysIn(year, month)
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// number reads ASCII digits, and nothing else.
func number(s string) (n int, ok bool) {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, s != ""
}

// isTime allows second 60 at the end of a day of UTC only, where leap seconds are put in.
func isTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := number(s[:2])
	minute, ok2 := number(s[3:5])
	second, ok3 := number(s[6:8])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	rest := s[8:]
	if rest[0] == '.' {
		fraction := rest[1:]
		rest = strings.TrimLeft(fraction, "0123456789")
		if rest == fraction {
			return false
		}
	}
	offset, ok := zone(rest)
	if !ok {
		return false
	}
	const day = 24 * 60
	utc := (hour*60 + minute - offset + day) % day
	return second < 60 || utc == day-1
}

// zone reads "Z" or "+01:30", in minutes.
func zone(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, ok1 := number(s[1:3])
	minute, ok2 := number(s[4:])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return 0, false
	}
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, true
}

// isDuration checks ISO 8601 as RFC 3339, appendix A, has it: weeks alone, or units in their order.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && strings.Trim(weeks, "0123456789") == ""
	}
	date, time, timed := strings.Cut(s, "T")
	return amounts(date, "YMD") && amounts(time, "HMS") && timed == (time != "")
}

// amounts checks numbers, each before one of the units; units neither repeat nor change their order.
func amounts(s, units string) bool {
	for s != "" {
		rest := strings.TrimLeft(s, "0123456789")
		if rest == s || rest == "" {
			return false
		}
		i := strings.IndexByte(units, rest[0])
		if i < 0 {
			return false
		}
		units, s = units[i+1:], rest[1:]
	}
	return true
}
