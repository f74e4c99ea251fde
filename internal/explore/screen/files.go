package screen

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// newFiles lists a directory, to pick a file from.
func newFiles(m *Model, dir string, pick func(path string)) *list {
	l := &list{heading: "files", intro: oneLine(dir), empty: "There is nothing here."}
	entries, err := m.world.ReadDir(dir)
	if err != nil {
		l.failure = oneLine(err.Error())
		return l
	}
	into := func(path string) func() tea.Cmd {
		return func() tea.Cmd {
			m.remove(l)
			m.push(newFiles(m, path, pick))
			return nil
		}
	}
	rows := []row{{name: "..", what: "the directory above", open: into(filepath.Join(dir, ".."))}}
	var files []row
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			rows = append(rows, row{name: oneLine(e.Name()) + string(filepath.Separator), open: into(path)})
		default:
			files = append(files, row{name: oneLine(e.Name()), open: func() tea.Cmd {
				m.remove(l)
				pick(path)
				return nil
			}})
		}
	}
	l.set(append(rows, files...))
	return l
}
