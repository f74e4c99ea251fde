module github.com/agentctl/agentctl

go 1.26.0

require (
	charm.land/bubbles/v2 v2.2.1 // entry of text on the screen; linked by agentctl-ui alone
	charm.land/bubbletea/v2 v2.1.1 // the screen of "agentctl explore"; linked by agentctl-ui alone
	charm.land/lipgloss/v2 v2.1.1 // styles of the screen; linked by agentctl-ui alone
	github.com/JohannesKaufmann/html-to-markdown/v2 v2.5.2 // web pages on a terminal; linked by agentctl-ui alone
	github.com/adrg/xdg v0.5.3 // directories for configuration, cache and state on each platform
	github.com/agnivade/levenshtein v1.2.2 // near misses of commands and flags
	github.com/charmbracelet/colorprofile v0.4.3 // whether the screen has colours; linked by agentctl-ui alone
	github.com/charmbracelet/glamour v1.0.0 // markdown on a terminal; linked by agentctl-ui alone
	github.com/charmbracelet/x/ansi v0.11.9 // width and cutting of styled lines; linked by agentctl-ui alone
	github.com/creack/pty v1.1.24 // tests: a real pseudo-terminal
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1 // signatures of Ethereum; linked by examples/payer and tests alone
	github.com/dlclark/regexp2 v1.12.0 // ECMAScript patterns that Go refuses, such as look-ahead, with a time limit
	github.com/go-json-experiment/json v1.27.2 // JSON token by token: duplicates, raw numbers, positions
	github.com/goccy/go-yaml v1.19.2 // tests: a second reader of the YAML that we print
	github.com/gofrs/flock v0.13.2 // file locks among processes, on each platform
	github.com/golang-jwt/jwt/v5 v5.3.1 // tokens that an identity signs; reading the claims of others
	github.com/google/go-cmp v0.7.0 // tests: differences to read
	github.com/itchyny/gojq v0.12.20 // --jq
	github.com/kljensen/snowball v0.10.0 // stems of English words, for the index; linked by agentctl-index alone
	github.com/modelcontextprotocol/go-sdk v1.8.0 // MCP as a client, over streamable HTTP; linked by agentctl-mcp alone: 5 MB and 2 to 4 ms
	github.com/muesli/termenv v0.16.0 // colour depth for glamour; linked by agentctl-ui alone
	github.com/natefinch/atomic v1.0.1 // replacing a file in one step, on Windows too
	github.com/pelletier/go-toml/v2 v2.4.3 // policy.toml, with the line of each fault
	github.com/rivo/uniseg v0.4.7 // width of text on a terminal
	github.com/rogpeppe/go-internal v1.16.0 // tests: the scripts in testdata/script
	github.com/sahilm/fuzzy v0.1.3 // search in lists on the screen; linked by agentctl-ui alone
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests: a second opinion on JSON Schema; linked it would cost every start 8 ms
	github.com/shopspring/decimal v1.6.0 // amounts of money; starts in 0.3 ms, apd in 6
	github.com/spf13/cobra v1.10.2 // commands, help, completion
	github.com/spf13/pflag v1.1.0 // flags
	github.com/zalando/go-keyring v0.2.8 // the keyring of each system
	go.yaml.in/yaml/v3 v3.0.6 // OpenAPI documents in YAML: a third of the time of goccy/go-yaml and a fifth of its memory
	golang.org/x/crypto v0.59.0 // Keccak-256; linked by examples/payer and tests alone
	golang.org/x/net v0.62.0 // host names (idna), proxy variables, header rules, HTML
	golang.org/x/oauth2 v0.38.0 // tokens of authorization servers: client credentials, device code, refresh
	golang.org/x/sys v0.50.0 // discarding what was typed at a terminal before a question
	golang.org/x/term v0.48.0 // whether a stream is a terminal, and its size
	golang.org/x/text v0.44.0 // accents off letters (Unicode normal forms), for the index
	modernc.org/sqlite v1.62.0 // the index of actions (FTS5, no cgo); linked by agentctl-index alone, as it costs each start 1.5 ms
)

require (
	github.com/JohannesKaufmann/dom v0.3.1 // indirect
	github.com/alecthomas/chroma/v2 v2.20.0 // indirect
	github.com/atotto/clipboard v0.1.4 // indirect
	github.com/aymanbagabas/go-osc52/v2 v2.0.1 // indirect
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/charmbracelet/lipgloss v1.1.1-0.20250404203927-76690c660834 // indirect
	github.com/charmbracelet/ultraviolet v0.0.0-20261008173134-6b8d4baf91b4 // indirect
	github.com/charmbracelet/x/cellbuf v0.0.15 // indirect
	github.com/charmbracelet/x/exp/slice v0.0.0-20250327172914-2fdc97757edf // indirect
	github.com/charmbracelet/x/term v0.2.2 // indirect
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/cli/browser v1.3.0 // showing a page to the person, on each platform
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/danieljoos/wincred v1.2.3 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/godbus/dbus/v5 v5.2.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/itchyny/timefmt-go v0.1.9 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
	github.com/microcosm-cc/bluemonday v1.0.27 // indirect
	github.com/muesli/cancelreader v0.2.2 // indirect
	github.com/muesli/reflow v0.3.0 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/xo/terminfo v1.0.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	github.com/yuin/goldmark v1.8.2 // indirect
	github.com/yuin/goldmark-emoji v1.0.6 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
