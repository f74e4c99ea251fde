package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// fileAttacks lead what the program writes and reads astray.
func fileAttacks() []attack {
	const precious = "precious\n"
	// linked puts a symbolic link to a precious file where the program keeps one of its own.
	linked := func(name, line string) func(*world) {
		return func(w *world) {
			w.write("precious", precious)
			w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
			w.must(os.Symlink(w.path("precious"), w.path(name)))
			w.call(line)
			w.call(line)
			if got := w.read("precious"); got != precious {
				w.Errorf("it was overwritten: %q", got)
			}
		}
	}
	const untouched = "the file behind the link is untouched"
	return []attack{
		{"puts a link in place of the audit log", untouched, linked("state/audit/audit.jsonl", "create")},
		{"puts a link in place of the lock of the audit log", untouched, linked("state/audit/audit.jsonl.lock", "create")},
		{"puts a link in place of the record of what was spent", untouched, linked("state/spending.json", "pay --yes")},
		{"puts a link in place of an approval", untouched, func(w *world) {
			digest := w.offer("pay")
			linked("state/approvals/"+digest+".json", "pay")(w.without("state/approvals/" + digest + ".json"))
			w.nothingSent()
		}},
		{"puts a link into a directory that the victim sends", "refused; nothing is sent", func(w *world) {
			w.site.change("create", "files", detail{"bodyKey": "files", "format": detail{"path": "string", "content": "base64DataString"}, "dirs": true, "multiple": true})
			w.write("album/photo.txt", "photo")
			w.must(os.Symlink("/etc/passwd", w.path("album/readme.txt")))
			w.call("create --file album").is(2, "no")
			w.nothingSent()
		}},
		{"has others look into what is kept", "directories are 0700 and files 0600, whatever the umask", func(w *world) {
			w.env["AGENTCTL_KEYRING"] = "file"
			w.finish(w.command("sh", "-c", `umask 0; agentctl shop.example create --json && agentctl shop.example pay --yes --json && echo tok | agentctl auth login shop.example --with-token
				agentctl site add shop https://shop.example && ! agentctl shop.example pay --json`)).succeeds()
			w.private("config", "cache", "state")
		}},
		{"leaves a file of a hundred megabytes where arguments are read", "refused", func(w *world) {
			file, err := os.Create(w.path("input.json"))
			w.must(err)
			w.must(file.Truncate(100 << 20))
			w.must(file.Close())
			w.call("create --input input.json").is(2, "no")
			w.nothingSent()
		}},
		{"damages the cache", "it is made again", func(w *world) {
			w.call("create").succeeds()
			w.must(filepath.WalkDir(w.path("cache"), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				return os.WriteFile(path, []byte(evilText), 0o600)
			}))
			w.call("create").succeeds()
			w.saw(2, "POST /create")
		}},
	}
}

// without removes a file, and returns the world.
func (w *world) without(name string) *world {
	w.Helper()
	w.must(os.Remove(w.path(name)))
	return w
}

// private wants everything in directories to be for its owner alone.
func (w *world) private(dirs ...string) {
	w.Helper()
	for _, dir := range dirs {
		w.must(filepath.WalkDir(w.path(dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				w.Errorf("others can get at %s: %s", path, info.Mode())
			}
			return err
		}))
	}
}

// absent wants that nobody made a file.
func (w *world) absent(name string) {
	w.Helper()
	if _, err := os.Lstat(w.path(name)); !errors.Is(err, fs.ErrNotExist) {
		w.Errorf("%s is there (%v)", name, err)
	}
}
