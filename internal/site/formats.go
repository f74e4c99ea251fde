package site

// Formats are the names of the formats that are looked for, in the order in which they win a clash.
func Formats() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.format)
	}
	return names
}
