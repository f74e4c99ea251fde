package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/render/markdown"
)

const defaultWidth = 80

// paintMarkdown styles standard input. What is too long or cannot be styled comes out as it came, cleaned, with a line on
// standard error: the reader gets the text in any case.
func paintMarkdown(ctx context.Context, args []string, env environment) error {
	o, err := markdownOptions(args, env)
	if errors.Is(err, flag.ErrHelp) {
		return write(env.Out, usage)
	}
	if err != nil {
		return usageFault(err)
	}
	source, err := io.ReadAll(io.LimitReader(env.In, markdown.MaxSize+1))
	if err != nil {
		return fmt.Errorf("reading standard input: %w", err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	styled, err := markdown.Render(source, o)
	if err != nil {
		fmt.Fprintf(env.Err, "hint: shown as it came: %v\n", err)
		return copyClean(env.Out, io.MultiReader(bytes.NewReader(source), env.In))
	}
	return write(env.Out, string(styled))
}

func copyClean(w io.Writer, r io.Reader) error {
	clean := render.CleanWriter(w)
	if _, err := io.Copy(clean, r); err != nil {
		return render.OutputError(err)
	}
	return render.OutputError(clean.Close())
}

func markdownOptions(args []string, env environment) (markdown.Options, error) {
	flags := newFlags("markdown")
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
