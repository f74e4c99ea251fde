package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/render/markdown"
)

// optionsFault answers a request for help, and makes a usage fault of any other error of [styleOptions].
func optionsFault(err error, env environment) error {
	if errors.Is(err, flag.ErrHelp) {
		return write(env.Out, usage)
	}
	return usageFault(err)
}

// styleOptions reads the flags of a command that paints.
func styleOptions(command string, args []string, env environment) (markdown.Options, error) {
	flags := newFlags(command)
	width := flags.Int("width", defaultWidth, "")
	style := flags.String("style", "auto", "")
	color := flags.String("color", "auto", "")
	if err := flags.Parse(args); err != nil {
		return markdown.Options{}, err
	}
	if flags.NArg() > 0 {
		return markdown.Options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o := markdown.Options{Width: *width, Depth: colorDepth(env.Getenv)}
	switch *style {
	case "auto":
		o.Background = background(env.Getenv("COLORFGBG"))
	case "dark":
	case "light":
		o.Background = markdown.Light
	case "notty":
		o.Depth = markdown.NoColor
	default:
		return o, fmt.Errorf("--style %q is none of auto, dark, light, notty", *style)
	}
	switch {
	case *color == "never" || *color == "auto" && !wantsColor(env.Getenv):
		o.Depth = markdown.NoColor
	case *color != "auto" && *color != "always":
		return o, fmt.Errorf("--color %q is none of auto, always, never", *color)
	}
	return o, nil
}

// wantsColor follows the conventions of contract section 3. Whether the output is a terminal does not count: painting for
// one is all that this program is for, and it does so through a pipe.
func wantsColor(getenv func(string) string) bool {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return getenv("TERM") != "dumb"
}

// colorDepth tells from the environment what the terminal can show, never by asking it: an answer that does not come
// would hang the call.
func colorDepth(getenv func(string) string) markdown.Depth {
	switch terminal := getenv("TERM"); {
	case getenv("COLORTERM") == "truecolor" || getenv("COLORTERM") == "24bit":
		return markdown.TrueColor
	case strings.HasSuffix(terminal, "-direct"):
		return markdown.TrueColor
	case strings.Contains(terminal, "256color") || getenv("COLORTERM") != "" || getenv("WT_SESSION") != "":
		return markdown.Color256
	}
	return markdown.Color16
}

// background reads COLORFGBG, "foreground;background" as indexes of the 16 colours: 7 and 9 to 15 are light. Without it
// the background counts as dark.
func background(colorfgbg string) markdown.Background {
	switch colorfgbg[strings.LastIndexByte(colorfgbg, ';')+1:] {
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return markdown.Light
	}
	return markdown.Dark
}
