package payment

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
)

func TestParsePayers(t *testing.T) {
	got, err := ParsePayers("payer.toml", []byte(`# mine
[[payer]]
name = "wallet"
command = ["/usr/bin/payer", "--key", "a key"]
protocols = ["x402", "mpp"]
networks = ["eip155:84532", "example"]
schemes = ["exact", "session"]
timeout = "90s"

[[payer]]
name = 'all'
command = ["payer"]
networks = ["*"]
`))
	want := []Payer{
		{Name: "wallet", Command: []string{"/usr/bin/payer", "--key", "a key"}, Timeout: 90 * time.Second, Protocols: []string{"x402", "mpp"}, Networks: []string{"eip155:84532", "example"}, Schemes: []string{"exact", "session"}},
		{Name: "all", Command: []string{"payer"}, Timeout: time.Minute, Networks: []string{"*"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestFaultsOfPayers(t *testing.T) {
	good := "[[payer]]\nname = \"a\"\ncommand = [\"b\"]\nnetworks = [\"c\"]\n"
	for name, row := range map[string]struct{ text, want string }{
		"no name":                 {"[[payer]]\ncommand=[\"b\"]\nnetworks=[\"c\"]", "no name"},
		"no command":              {"[[payer]]\nname=\"a\"\nnetworks=[\"c\"]", "no command"},
		"an empty command":        {"[[payer]]\nname=\"a\"\ncommand=[]\nnetworks=[\"c\"]", "no command"},
		"no networks":             {"[[payer]]\nname=\"a\"\ncommand=[\"b\"]", "serves no networks"},
		"a command for a shell":   {good + "[[payer]]\nname=\"b\"\ncommand=\"b c\"\n", ":7: command must be a list"},
		"an empty word":           {"[[payer]]\ncommand=[\"\"]", ":2: command must be a string"},
		"a word that is none":     {"[[payer]]\ncommand=[7]", ":2: command must be a string"},
		"two of one name":         {good + good, "two payers of the name"},
		"a member twice":          {good + "name = \"b\"\n", ":5: \"name\" is given twice"},
		"a member that is none":   {good + "key = \"b\"\n", ":5: \"key\" is no member"},
		"an unknown protocol":     {good + "protocols = [\"cash\"]\n", ":5: protocols: \"cash\""},
		"a timeout that is none":  {good + "timeout = \"soon\"\n", ":5: timeout must be"},
		"a timeout of nothing":    {good + "timeout = \"0s\"\n", ":5: timeout must be"},
		"a timeout of a day":      {good + "timeout = \"24h\"\n", ":5: timeout must be"},
		"a timeout that is a sum": {good + "timeout = 60\n", ":5: timeout must be a string"},
		"something before it":     {"name = \"a\"\n", ":1: \"name\" stands before"},
		"another table":           {"[payer]\nname = \"a\"\n", "nothing but [[payer]]"},
		"no TOML":                 {good + "networks = [\n", "payer.toml:"},
		"a list that is long":     {"[[payer]]\nnetworks = [" + strings.Repeat(`"a",`, 65) + "]\n", "more than 64"},
	} {
		got, err := ParsePayers("payer.toml", []byte(row.text))
		if e := fault.From(err); err == nil || e.Code != "payer_invalid" || !strings.Contains(e.Message, row.want) || got != nil {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func TestManyPayers(t *testing.T) {
	var text strings.Builder
	for i := range maxPayers + 1 {
		text.WriteString("[[payer]]\nname = \"" + strings.Repeat("a", i+1) + "\"\ncommand = [\"b\"]\nnetworks = [\"c\"]\n")
	}
	if _, err := ParsePayers("payer.toml", []byte(text.String())); err == nil || !strings.Contains(err.Error(), "more than 32") {
		t.Error(err)
	}
}

func TestLoadPayers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "payer.toml")
	if list, err := LoadPayers(path); err != nil || list != nil {
		t.Errorf("where there is no file: %v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte("[[payer]]\nname = \"a\"\ncommand = [\"b\"]\nnetworks = [\"c\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := LoadPayers(path); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o602); err != nil { // anybody could name a program
		t.Fatal(err)
	}
	if _, err := LoadPayers(path); err == nil || fault.From(err).Code != "payer_invalid" {
		t.Error(err)
	}
}

func TestServes(t *testing.T) {
	x402 := &demand{Payment: policy.Payment{Protocol: X402, Network: "eip155:84532", Scheme: "exact"}}
	session := &demand{Payment: policy.Payment{Protocol: MPP, Network: "example", Scheme: "session"}}
	for name, test := range map[string]struct {
		payer Payer
		d     *demand
		want  bool
	}{
		"its network":              {Payer{Networks: []string{"eip155:84532"}}, x402, true},
		"by the name of version 1": {Payer{Networks: []string{"base-sepolia"}}, x402, true},
		"any network":              {Payer{Networks: []string{"*"}}, x402, true},
		"another network":          {Payer{Networks: []string{"eip155:8453"}}, x402, false},
		"another protocol":         {Payer{Networks: []string{"*"}, Protocols: []string{MPP}}, x402, false},
		"another scheme":           {Payer{Networks: []string{"*"}, Schemes: []string{"upto"}}, x402, false},
		"a session, not said so":   {Payer{Networks: []string{"*"}}, session, false},
		"a session, said so":       {Payer{Networks: []string{"*"}, Schemes: []string{"session"}}, session, true},
	} {
		if got := test.payer.serves(test.d); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
