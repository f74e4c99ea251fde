package input

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// params declares parameters as "name=schema"; a "!" behind the name makes it required, no schema means anything.
func params(declarations ...string) []manifest.Param {
	var out []manifest.Param
	for _, declaration := range declarations {
		name, schema, _ := strings.Cut(declaration, "=")
		p := manifest.Param{Name: strings.TrimSuffix(name, "!"), Required: strings.HasSuffix(name, "!")}
		if schema != "" {
			p.Schema = jsontext.Value(schema)
		}
		out = append(out, p)
	}
	return out
}

func compile(t testing.TB, args []string, declarations ...string) *Set {
	t.Helper()
	set, err := Compile(params(declarations...), args)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return set
}

// flags reads "name=text" and "name.member=text".
func flags(words ...string) []Flag {
	var out []Flag
	for _, word := range words {
		name, text, _ := strings.Cut(word, "=")
		path := strings.Split(name, ".")
		out = append(out, Flag{Name: path[0], Path: path[1:], Text: text})
	}
	return out
}

// show puts values, or problems as "POINTER KEYWORD: MESSAGE" lines, into one string to compare.
func show(values *manifest.Values, problems []fault.Problem) string {
	if len(problems) == 0 {
		return string(values.Object())
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s %s: %s", p.Pointer, p.Keyword, p.Message))
	}
	return strings.Join(lines, "\n")
}

func files(contents map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := contents[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
}

const (
	listOfInts    = `{"type":"array","items":{"type":"integer"}}`
	listOfStrings = `{"type":"array","items":{"type":"string"}}`
	address       = `{"type":"object","required":["city"],"additionalProperties":false,"properties":{"city":{"type":"string","minLength":1},"zip":{"type":"string"},` +
		`"geo":{"$ref":"#/$defs/geo"},"tags":{"type":"array","items":{"type":"string"}}},"$defs":{"geo":{"type":"object","properties":{"lat":{"type":"number"},"on":{"type":"boolean"}}}}}`
)

func TestFlagsAreTypedBySchema(t *testing.T) {
	for name, test := range map[string]struct{ schema, text, want string }{
		"an integer":                                  {`{"type":"integer"}`, "2", `2`},
		"an integer keeps its digits":                 {`{"type":"integer"}`, "12345678901234567890", `12345678901234567890`},
		"a number keeps its zeros":                    {`{"type":"number"}`, "0.1000", `0.1000`},
		"a negative number":                           {`{"type":"number"}`, "-0.5E-3", `-0.5E-3`},
		"1e3 is an integer, and stays 1e3":            {`{"type":"integer"}`, "1e3", `1e3`},
		"1.0 is an integer":                           {`{"type":"integer"}`, "1.0", `1.0`},
		"true":                                        {`{"type":"boolean"}`, "true", `true`},
		"a string is never JSON":                      {`{"type":"string"}`, `{"a":1}`, `"{\"a\":1}"`},
		"a string of digits":                          {`{"type":"string"}`, "007", `"007"`},
		"a string of quotes":                          {`{"type":"string"}`, `"x"`, `"\"x\""`},
		"an empty string":                             {`{"type":"string"}`, "", `""`},
		"a string with line ends and NUL":             {`{"type":"string"}`, "a\r\nb\x00", `"a\r\nb\u0000"`},
		"@ in a string stays":                         {`{"type":"string"}`, "@x", `"@x"`},
		"- in a string stays":                         {`{"type":"string"}`, "-", `"-"`},
		"null where it is allowed":                    {`{"type":["integer","null"]}`, "null", `null`},
		"null is text in a string":                    {`{"type":"string"}`, "null", `"null"`},
		"integer or string: a number":                 {`{"type":["string","integer"]}`, "5", `5`},
		"integer or string: no JSON number":           {`{"type":["string","integer"]}`, "007", `"007"`},
		"integer or string: a fraction":               {`{"type":["string","integer"]}`, "5.5", `"5.5"`},
		"a number that is not valid becomes a string": {`{"anyOf":[{"type":"integer","maximum":10},{"type":"string"}]}`, "11", `"11"`},
		"without a schema, JSON":                      {``, `{"a": [1, 2.50]}`, `{"a":[1,2.50]}`},
		"without a schema, text":                      {``, `{"a": `, `"{\"a\": "`},
		"without a schema, a number":                  {``, `1.50`, `1.50`},
		"without a schema, spaces make text":          {``, ` 1`, `" 1"`},
		"true as a schema":                            {`true`, `hello`, `"hello"`},
		"an enum of strings without a type":           {`{"enum":["1","2"]}`, "1", `"1"`},
		"an enum of mixed types, first":               {`{"enum":["2",1,true]}`, "1", `1`},
		"an enum of mixed types, string":              {`{"enum":["2",1,true]}`, "2", `"2"`},
		"an enum of mixed types, boolean":             {`{"enum":["2",1,true]}`, "true", `true`},
		"a const":                                     {`{"const":42}`, "42", `42`},
		"a type behind a reference":                   {`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, "42", `42`},
		"a type behind an anchor":                     {`{"$ref":"#n","$defs":{"x":{"$anchor":"n","type":"string"}}}`, "42", `"42"`},
		"types narrowed by allOf":                     {`{"type":["integer","string"],"allOf":[{"type":["string","null"]}]}`, "42", `"42"`},
		"one of two consts":                           {`{"oneOf":[{"const":"a"},{"const":1}]}`, "1", `1`},
		"an older draft":                              {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://x.example/","$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}}}`, "1", `1`},
		"an object":                                   {`{"type":"object"}`, `{"city": "Paris", "n": 1.0}`, `{"city":"Paris","n":1.0}`},
		"a list in one":                               {listOfInts, `[1, 2]`, `[1,2]`},
		"one item":                                    {listOfInts, `1`, `[1]`},
		"an item that looks like a broken list":       {listOfStrings, `[1`, `["[1"]`},
		"a list of lists":                             {`{"type":"array","items":{"type":"array"}}`, `[[1]]`, `[[1]]`},
		"one item that is a list":                     {`{"type":"array","items":{"type":"array"}}`, `[1]`, `[[1]]`},
		"string or list: text":                        {`{"type":["string","array"]}`, `a`, `"a"`},
		"string or list: a list":                      {`{"type":["string","array"]}`, `["a"]`, `["a"]`},
		"a list of items of two types":                {`{"type":"array","items":{"type":["integer","string"],"maximum":5}}`, `7`, `["7"]`},
	} {
		t.Run(name, func(t *testing.T) {
			got := show(compile(t, nil, "x="+test.schema).Values(Words{Flags: flags("x=" + test.text)}))
			if want := `{"x":` + test.want + `}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestBadValuesAreProblems(t *testing.T) {
	for name, test := range map[string]struct{ schema, text, want string }{
		"no integer":                  {`{"type":"integer"}`, "two", `/x type: must be an integer`},
		"nothing":                     {`{"type":"integer"}`, "", `/x type: must be an integer`},
		"a fraction":                  {`{"type":"integer"}`, "2.5", `/x type: must be an integer`},
		"spaces":                      {`{"type":"integer"}`, " 2", `/x type: must be an integer`},
		"NaN":                         {`{"type":"number"}`, "NaN", `/x type: must be a number`},
		"a quoted number":             {`{"type":"number"}`, `"1"`, `/x type: must be a number`},
		"yes is no boolean":           {`{"type":"boolean"}`, "yes", `/x type: must be true or false`},
		"null is no integer":          {`{"type":"integer"}`, "null", `/x type: must be an integer`},
		"too small":                   {`{"type":"integer","minimum":1}`, "0", `/x minimum: must be at least 1`},
		"too large":                   {`{"type":"number","maximum":0.25}`, "0.2500000000000000000001", `/x maximum: must be at most 0.25`},
		"not above":                   {`{"exclusiveMinimum":0}`, "0", `/x exclusiveMinimum: must be more than 0`},
		"not below":                   {`{"exclusiveMaximum":1e3}`, "1000", `/x exclusiveMaximum: must be less than 1000`},
		"no multiple":                 {`{"type":"number","multipleOf":0.01}`, "0.015", `/x multipleOf: must be a multiple of 0.01`},
		"not in the enum":             {`{"enum":["damaged","late","other thing"]}`, "lost", `/x enum: must be one of damaged, late, "other thing"`},
		"not in an enum of numbers":   {`{"type":"integer","enum":[1,2]}`, "3", `/x enum: must be one of 1, 2`},
		"no number of an enum":        {`{"type":"integer","enum":[1,2]}`, "x", `/x enum: must be one of 1, 2`},
		"another const":               {`{"const":"a"}`, "b", `/x const: must be a`},
		"an unmatched pattern":        {`{"type":"string","pattern":"^ord_"}`, "x", `/x pattern: must match the pattern ^ord_`},
		"an unmatched look-ahead":     {`{"type":"string","pattern":"^(?!\\.)a"}`, ".a", `/x pattern: must match the pattern ^(?!\.)a`},
		"no date":                     {`{"type":"string","format":"date"}`, "2026-02-30", `/x format: must be a date such as 2026-01-31`},
		"no e-mail address":           {`{"type":"string","format":"email"}`, "x", `/x format: must be an e-mail address`},
		"too short":                   {`{"type":"string","minLength":2}`, "é", `/x minLength: must be at least 2 characters`},
		"too long":                    {`{"type":"string","maxLength":1}`, "éé", `/x maxLength: must be at most 1 character`},
		"too few items":               {`{"type":"array","minItems":2}`, "1", `/x minItems: must have at least 2 items`},
		"too many items":              {`{"type":"array","maxItems":1}`, "[1,2]", `/x maxItems: must have at most 1 item`},
		"equal items":                 {`{"type":"array","uniqueItems":true}`, "[1,1.0]", `/x uniqueItems: must not have equal items: 0 and 1`},
		"no item that contains":       {`{"type":"array","contains":{"type":"string"}}`, "[1]", `/x contains: has no item of the form that one must have`},
		"a wrong item":                {listOfInts, `[1,"b"]`, `/x/1 type: must be an integer`},
		"a wrong list of strings":     {listOfStrings, `["a",1]`, `/x/1 type: must be a string`},
		"a wrong single item":         {listOfInts, `b`, `/x/0 type: must be an integer`},
		"no list":                     {listOfInts, `[1`, `/x type: must be a list: the document is cut short at byte 2`},
		"no object":                   {`{"type":"object"}`, `Paris`, `/x type: must be an object`},
		"a broken object":             {`{"type":"object"}`, `{"a":1,"a":2}`, `/x type: must be an object: duplicate member at /a (byte 7)`},
		"a missing member":            {address, `{"zip":"1"}`, `/x/city required: is required`},
		"an unknown member":           {address, `{"city":"a","a/b":1}`, `/x additionalProperties: unknown member "a/b"`},
		"a wrong inner member":        {address, `{"city":"a","geo":{"lat":"x"}}`, `/x/geo/lat type: must be a number`},
		"a dependent member":          {`{"type":"object","dependentRequired":{"a":["b/c"]}}`, `{"a":1}`, `/x/b~1c dependentRequired: is required when "a" is given`},
		"a bad member name":           {`{"type":"object","propertyNames":{"maxLength":1}}`, `{"ab":1}`, `/x propertyNames: the member name "ab" is not allowed`},
		"too few members":             {`{"type":"object","minProperties":1}`, `{}`, `/x minProperties: must have at least 1 member`},
		"what must not be":            {`{"not":{"type":"string"}}`, `a`, `/x not: must not have this form`},
		"nothing allowed":             {`false`, `1`, `/x false: is not allowed`},
		"no branch by type":           {`{"anyOf":[{"type":"integer"},{"type":"boolean"}]}`, `a`, `/x type: must be an integer or true or false`},
		"no branch by item type":      {`{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`, `[true]`, `/x/0 type: must be an integer or null`},
		"no branch by const":          {`{"oneOf":[{"const":"a","title":"A"},{"const":"b"},{"type":"null"}]}`, `c`, `/x enum: must be one of a, b, null`},
		"the branch that was meant":   {`{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]}`, `4`, `/x minimum: must be at least 5`},
		"the object that was meant":   {`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"type":"object","properties":{"k":{"const":"b"}}}]}`, `{"k":"a","n":"x"}`, `/x/n type: must be an integer`},
		"no branch that is closest":   {`{"anyOf":[{"type":"string","minLength":5},{"type":"string","pattern":"x"}]}`, `a`, `/x anyOf: matches none of the allowed forms`},
		"two branches":                {`{"oneOf":[{"minimum":1},{"type":"integer"}]}`, `4`, `/x oneOf: matches more than one of the allowed forms: 1 and 2`},
		"invalid UTF-8":               {`{"type":"string"}`, "a\xff", `/x encoding: is not valid UTF-8`},
		"several at once":             {`{"type":"string","minLength":9,"pattern":"^b"}`, `a`, "/x minLength: must be at least 9 characters\n/x pattern: must match the pattern ^b"},
		"if and then":                 {`{"type":"integer","if":{"minimum":10},"then":{"multipleOf":10}}`, `15`, `/x multipleOf: must be a multiple of 10`},
		"a pattern with look-behind":  {`{"type":"string","pattern":"(?<=a)b"}`, `b`, `/x pattern: must match the pattern (?<=a)b`},
		"a look-ahead with a \\u":     {`{"type":"string","pattern":"^\\u0041$"}`, `B`, `/x pattern: must match the pattern ^\u0041$`},
		"a slow pattern":              {`{"type":"string","pattern":"^(?=a)(a+)+$"}`, strings.Repeat("a", 40) + "!", `/x pattern: takes too long to check against the pattern ^(?=a)(a+)+$`},
		"a slow pattern under not":    {`{"type":"string","not":{"pattern":"^(?=a)(a+)+$"}}`, strings.Repeat("a", 40) + "!", `/x pattern: takes too long to check against the pattern ^(?=a)(a+)+$`},
		"escapes in allowed values":   {`{"enum":["\u001b[31m","\u202ea"]}`, `x`, `/x enum: must be one of "\x1b[31m", "\u202ea"`},
		"200 levels":                  {`{"type":"array"}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), `/x type: must be a list: nested deeper than 64 levels at ` + strings.Repeat("/0", 64) + ` (byte 65)`},
		"a string where text is JSON": {`{"type":["object","null"]}`, `"x"`, `/x type: must be an object or null`},
	} {
		t.Run(name, func(t *testing.T) {
			got := show(compile(t, nil, "x="+test.schema).Values(Words{Flags: flags("x=" + test.text)}))
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNumbersThatJSONDoesNotKnow(t *testing.T) {
	set := compile(t, nil, `x={"type":"number"}`)
	for _, text := range []string{"+1", "007", "0x10", "1.", ".5", "-", "1e", "1_000", "1e1001", strings.Repeat("9", 1101), "--1"} {
		_, problems := set.Values(Words{Flags: []Flag{{Name: "x", Text: text}}})
		if len(problems) != 1 || problems[0].Keyword != "type" || !strings.HasPrefix(problems[0].Message, "must be a number") {
			t.Errorf("%.20q: got %v", text, problems)
		}
	}
}

func TestWordsFindTheirParameters(t *testing.T) {
	declarations := []string{`qty!={"type":"integer","minimum":1}`, `note={"type":"string"}`, "ids=" + listOfInts, "address=" + address, `notify={"type":"boolean"}`, `names={"type":"array","items":{"type":"string"}}`}
	for name, test := range map[string]struct {
		words Words
		want  string
	}{
		"by position":                       {Words{Positional: []string{"2"}}, `{"qty":2}`},
		"a list takes the rest":             {Words{Positional: []string{"2", "n", "7", "8"}}, `{"qty":2,"note":"n","ids":[7,8]}`},
		"a list by position in one":         {Words{Positional: []string{"2", "n", "[7,8]"}}, `{"qty":2,"note":"n","ids":[7,8]}`},
		"by flag":                           {Words{Flags: flags("notify=true", "qty=3")}, `{"qty":3,"notify":true}`},
		"by --arg":                          {Words{Pairs: []string{"qty=3", "note=a=b", "address.city=Paris"}}, `{"qty":3,"note":"a=b","address":{"city":"Paris"}}`},
		"by document":                       {Words{Object: []byte(`{"note": "x", "qty": 1.0}`)}, `{"qty":1.0,"note":"x"}`},
		"flags override the document":       {Words{Object: []byte(`{"qty":1,"ids":[1,2]}`), Flags: flags("qty=2", "ids=3")}, `{"qty":2,"ids":[3]}`},
		"positions override the document":   {Words{Object: []byte(`{"qty":1}`), Positional: []string{"5"}}, `{"qty":5}`},
		"dotted over the document":          {Words{Object: []byte(`{"qty":1,"address":{"city":"A","zip":"1"}}`), Flags: flags("address.city=B")}, `{"qty":1,"address":{"city":"B","zip":"1"}}`},
		"dotted":                            {Words{Flags: flags("qty=1", "address.city=Paris", "address.geo.lat=48.850", "address.geo.on=true")}, `{"qty":1,"address":{"city":"Paris","geo":{"lat":48.850,"on":true}}}`},
		"dotted over JSON, in any order":    {Words{Flags: flags("qty=1", "address.zip=2", `address={"zip":"1","city":"A"}`)}, `{"qty":1,"address":{"zip":"2","city":"A"}}`},
		"a dotted list":                     {Words{Flags: flags("qty=1", "address.city=A", "address.tags=a", "address.tags=b")}, `{"qty":1,"address":{"city":"A","tags":["a","b"]}}`},
		"items by number":                   {Words{Flags: flags("qty=1", "ids.0=5", "ids.1=6")}, `{"qty":1,"ids":[5,6]}`},
		"lists append":                      {Words{Flags: flags("qty=1", "ids=5", "ids=6"), Pairs: []string{"ids=7"}}, `{"qty":1,"ids":[5,6,7]}`},
		"order of the parameters":           {Words{Flags: flags("notify=false", "note=a", "qty=1")}, `{"qty":1,"note":"a","notify":false}`},
		"an object from a file":             {Words{Flags: flags("qty=1", "address=@a.json"), Read: files(map[string]string{"a.json": "{ \"city\": \"A\" }\n"})}, `{"qty":1,"address":{"city":"A"}}`},
		"a part from standard input":        {Words{Flags: flags("qty=1", "address.city=B", "address.geo=-"), Read: files(map[string]string{"-": `{"lat":1}`})}, `{"qty":1,"address":{"city":"B","geo":{"lat":1}}}`},
		"a list from a file":                {Words{Flags: flags("qty=1", "ids=@i"), Read: files(map[string]string{"i": `[1,2]`})}, `{"qty":1,"ids":[1,2]}`},
		"items from files":                  {Words{Flags: flags("qty=1", "ids=@i", "ids=2"), Read: files(map[string]string{"i": `1`})}, `{"qty":1,"ids":[1,2]}`},
		"required":                          {Words{}, `/qty required: is required`},
		"all problems at once":              {Words{Positional: []string{"0"}, Flags: flags("notify=maybe", "ids=x", "address.city=")}, "/qty minimum: must be at least 1\n/ids/0 type: must be an integer\n/address/city minLength: must be at least 1 character\n/notify type: must be true or false"},
		"a bad required one is not missing": {Words{Flags: flags("qty=x")}, `/qty type: must be an integer`},
		"a flag twice":                      {Words{Flags: flags("qty=1", "qty=2")}, `/qty twice: is given twice`},
		"a flag and --arg":                  {Words{Flags: flags("qty=1"), Pairs: []string{"qty=2"}}, `/qty twice: is given twice`},
		"a dotted flag twice":               {Words{Flags: flags("qty=1", "address.city=1", "address.city=1")}, `/address/city twice: is given twice`},
		"a position and a flag":             {Words{Positional: []string{"1"}, Flags: flags("qty=1")}, `/qty twice: is given twice, by position and by name`},
		"a list by position and flag":       {Words{Positional: []string{"1", "n", "3"}, Flags: flags("ids=1")}, `/ids twice: is given twice, by position and by name`},
		"an unknown flag":                   {Words{Flags: flags("qty=1", "qtty=2")}, `unknown: unknown parameter "qtty"; did you mean "qty"?`},
		"an unknown --arg":                  {Words{Flags: flags("qty=1"), Pairs: []string{"nothing=2"}}, `unknown: unknown parameter "nothing"`},
		"an --arg without a value":          {Words{Flags: flags("qty=1"), Pairs: []string{"note"}}, `arg: --arg needs NAME=VALUE`},
		"an unknown member":                 {Words{Object: []byte(`{"qty":1,"a/dress":1}`)}, `/a~1dress unknown: unknown parameter "a/dress"; did you mean "address"?`},
		"a document that is no object":      {Words{Flags: flags("qty=1"), Object: []byte(`[1]`)}, `input: the input document must be a JSON object`},
		"a document that is no JSON":        {Words{Flags: flags("qty=1"), Object: []byte(`<html>`)}, `input: the input document cannot be used: not valid JSON: invalid character '<' at start of value at byte 0`},
		"an empty document":                 {Words{Flags: flags("qty=1"), Object: []byte{}}, `input: the input document cannot be used: the document is empty at byte 0`},
		"a document with a huge number":     {Words{Object: []byte(`{"qty":1e999999999}`)}, "input: the input document cannot be used: a number is too long or its exponent too large at /qty (byte 18)"},
		"a file that is not there":          {Words{Flags: flags("qty=1", "ids=@i"), Read: files(nil)}, `/ids file: file "i" cannot be read: file does not exist`},
		"a file that is no JSON":            {Words{Flags: flags("qty=1", "ids=@i"), Read: files(map[string]string{"i": "x"})}, `/ids file: file "i" cannot be used: not valid JSON: invalid character 'x' at start of value at byte 0`},
		"nothing is missing from a document that nobody can read": {Words{Object: []byte(`{"qty":1,"qty":2}`), Flags: flags("notify=x")}, "/notify type: must be true or false\ninput: the input document cannot be used: duplicate member at /qty (byte 9)"},
		"a file of an item":              {Words{Flags: flags("qty=1", "names=@i"), Read: files(map[string]string{"i": "\"a\"\n"})}, `{"qty":1,"names":["a"]}`},
		"items of text from files":       {Words{Flags: flags("qty=1", "names=@i", "names=b"), Read: files(map[string]string{"i": `"@a"`})}, `{"qty":1,"names":["@a","b"]}`},
		"a file that is no list of text": {Words{Flags: flags("qty=1", "names=@i"), Read: files(map[string]string{"i": `{"city":"A"}`})}, `/names type: file "i" must be a list`},
		"one of the files is no text":    {Words{Flags: flags("qty=1", "names=a", "names=@i"), Read: files(map[string]string{"i": `["b"]`})}, `/names/1 type: file "i" must be a string`},
		"a file of another type":         {Words{Flags: flags("qty=1", "address=@i"), Read: files(map[string]string{"i": "1"})}, `/address type: file "i" must be an object`},
		"files where there are none":     {Words{Flags: flags("qty=1", "ids=@i")}, `/ids file: file "i" cannot be read here`},
		"standard input twice":           {Words{Flags: flags("qty=1", "ids=-", "address=-"), Read: files(map[string]string{"-": "[1]"})}, `/address file: standard input can be read only once`},
		"a member of a string":           {Words{Flags: flags("qty=1", "note.x=1")}, `/note/x type: is part of a value that has no members`},
		"an item too far":                {Words{Flags: flags("qty=1", "ids.1=1")}, `/ids/1 type: has no such item: items are numbered from 0 and given in order, without gaps`},
		"an item that is no number":      {Words{Flags: flags("qty=1", "ids.a=1")}, `/ids/a type: has no such item: items are numbered from 0 and given in order, without gaps`},
		"an unknown dotted member":       {Words{Flags: flags("qty=1", "address.city=A", "address.town=A")}, `/address additionalProperties: unknown member "town"`},
		"a path too deep":                {Words{Flags: []Flag{{Name: "qty", Text: "1"}, {Name: "address", Path: make([]string, 70), Text: "1"}}}, `/address depth: is nested deeper than 64 levels`},
		"too deep together":              {Words{Flags: flags("qty=1", "address.a.b=["+strings.Repeat("[", 62)+strings.Repeat("]", 62)+"]")}, `/address/a/b depth: nested deeper than 64 levels at /a/b` + strings.Repeat("/0", 62) + ` (byte 73)`},
	} {
		t.Run(name, func(t *testing.T) {
			set := compile(t, []string{"qty", "note", "ids"}, declarations...)
			if got := show(set.Values(test.words)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestArgGivesParametersWhoseNameHasAnEquationSign(t *testing.T) {
	set, err := Compile([]manifest.Param{{Name: "x=y"}, {Name: "z"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(set.Values(Words{Pairs: []string{"x=y=a=b", "z=c=d"}})), `{"x=y":"a=b","z":"c=d"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPositions(t *testing.T) {
	for name, test := range map[string]struct {
		args, params []string
		want         string
	}{
		"as published":                     {[]string{"b", "a"}, []string{"a!", "b!"}, "b a"},
		"an undeclared name has no place":  {[]string{"x", "a"}, []string{"a!"}, "a"},
		"each once":                        {[]string{"a", "a", "b"}, []string{"a!", "b!"}, "a b"},
		"required behind optional ends it": {[]string{"a", "b", "c", "d"}, []string{"a!", "b", "c!", "d"}, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(compile(t, test.args, test.params...).Positions(), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTooManyPositions(t *testing.T) {
	set := compile(t, []string{"a"}, "a")
	if got, want := show(set.Values(Words{Positional: []string{"1", "2", "3"}})), "args: too many arguments: at most 1 by position"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	set = compile(t, nil, "a")
	if got, want := show(set.Values(Words{Positional: []string{"1"}})), "args: too many arguments: none is taken by position"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSecretsAreNotRepeated(t *testing.T) {
	set := compile(t, []string{"pin"}, `pin={"type":"string","format":"password","pattern":"^[0-9]+$","maxLength":3,"enum":["1"]}`, `n={"type":"integer","writeOnly":true}`, `o={"type":"object","writeOnly":true}`)
	_, problems := set.Values(Words{Positional: []string{"hunter2", "hunter2"}, Flags: flags("n=hunter2", `o={"hunter2"`)})
	if len(problems) < 4 {
		t.Fatalf("got %v", problems)
	}
	if text := show(nil, problems); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in %s", text)
	}
}

func TestMegabyteArguments(t *testing.T) {
	set := compile(t, nil, `s={"type":"string"}`, `o={"type":"object"}`, "a", `n={"type":"integer"}`)
	long := strings.Repeat("x", 1<<20)
	values, problems := set.Values(Words{Flags: flags("s="+long, `o={"k":"`+long+`"}`, "a="+long)})
	if len(problems) > 0 || len(values.Object()) < 3<<20 {
		t.Errorf("got %d bytes, problems %v", len(values.Object()), problems)
	}
	if _, problems = set.Values(Words{Flags: flags("n=" + long)}); len(problems) != 1 || len(problems[0].Message) > 200 {
		t.Errorf("got %.300v", problems)
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	set := compile(t, nil, "ids="+listOfInts)
	_, problems := set.Values(Words{Flags: flags("ids=[" + strings.Repeat(`"x",`, 1000) + `"x"]`)})
	if len(problems) != maxProblems+1 {
		t.Errorf("got %d problems", len(problems))
	}
}

func TestProblemsNameTheirParameter(t *testing.T) {
	set := compile(t, nil, "a/b~c="+address, `n!={"type":"integer"}`)
	_, problems := set.Values(Words{Flags: []Flag{{Name: "a/b~c", Text: `{}`}}})
	want := []fault.Problem{
		{Param: "a/b~c", Pointer: "/a~1b~0c/city", Keyword: "required", Message: "is required"},
		{Param: "n", Pointer: "/n", Keyword: "required", Message: "is required"},
	}
	if fmt.Sprint(problems) != fmt.Sprint(want) {
		t.Errorf("got %v", problems)
	}
}

func requireManifestFault(t testing.TB, err error, code string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Manifest || code != "" && e.Code != code || e.Details["param"] != "x" {
		t.Fatalf("got %#v", err)
	}
}
