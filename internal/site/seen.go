package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// maxSeen is how many sites are told of; a shell lists no more in a useful way.
const maxSeen = 1000

// Seen returns the hosts of the sites whose trees a directory keeps, as one types them. It reads names only. Hosts of this
// machine are left out: which scheme they are asked by is not in a name.
func Seen(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	name := regexp.MustCompile(`^([a-z0-9.-]+\.[a-z0-9-]+)(?:_([0-9]+))?-[0-9a-f]{16}\.tree$`)
	var hosts []string
	for _, e := range entries {
		m := name.FindStringSubmatch(e.Name())
		if m == nil || strings.Trim(m[1], "0123456789.") == "" {
			continue
		}
		host := m[1]
		if m[2] != "" {
			host += ":" + m[2]
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
		if len(hosts) == maxSeen {
			break
		}
	}
	return hosts
}
