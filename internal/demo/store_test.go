package demo

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestOrdersOutliveTheProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	id := siteIn(t, dir).send("POST", "/orders", `{"qty":2,"note":"é 🍿","tags":["party"]}`).wantStatus(201).text("id")
	got := siteIn(t, dir).get("/orders/" + id).wantStatus(200)
	if got.text("note") != "é 🍿" || got.text("total") != "7.00" || got.text("placed") != "2026-09-01T18:00:00Z" {
		t.Errorf("the order came back changed: %s", got.Body)
	}
}

func TestReadingKeepsOpeningDay(t *testing.T) {
	dir := t.TempDir()
	siteIn(t, dir).get("/orders").wantStatus(200)
	if _, err := os.Stat(filepath.Join(dir, stateName)); err != nil {
		t.Errorf("the first orders were not kept, their times would move: %v", err)
	}
}

func TestStateIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := filepath.Join(t.TempDir(), "state")
	siteIn(t, dir).get("/orders").wantStatus(200)
	for name, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, stateName): 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestADamagedFileIsAnErrorThatNamesIt(t *testing.T) {
	whole := func(orders string) string { return `{"version":1,"counter":0,"orders":[` + orders + `],"photos":0}` }
	const good = `"status":"confirmed","flavour":"salted","qty":1,"toppings":[],"tags":[],"total":3.50,"refunded":0.00,"placed":"2026-09-01T18:00:00Z"`
	for name, content := range map[string]string{
		"empty":              "",
		"cut short":          `{"version":1,"orders":[`,
		"not JSON":           "hello",
		"null":               "null",
		"other version":      `{"version":2,"counter":0,"orders":[],"photos":0}`,
		"unknown member":     `{"version":1,"counter":0,"orders":[],"photos":0,"extra":1}`,
		"order twice":        whole(`{"id":"ord_1",` + good + `},{"id":"ord_1",` + good + `}`),
		"order without id":   whole(`{"id":"",` + good + `}`),
		"fraction of a cent": whole(strings.Replace(`{"id":"ord_1",`+good+`}`, "3.50", "3.505", 1)),
		"refunded too much":  whole(strings.Replace(`{"id":"ord_1",`+good+`}`, "0.00", "9.00", 1)),
		"invalid UTF-8":      "{\"version\":1,\"\xff\":0}",
		"too large":          strings.Repeat(" ", maxState+1),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, stateName)
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, got := range []answer{siteIn(t, dir).get("/orders"), siteIn(t, dir).send("POST", "/orders", `{"qty":1}`)} {
				got.wantStatus(http.StatusInternalServerError)
				if !strings.HasPrefix(got.text("error", "code"), "STATE_") || got.text("error", "details", "file") != file {
					t.Errorf("the error does not name the file: %s", got.Body)
				}
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the damaged file was touched (%v)", err)
			}
		})
	}
}

func TestAStateDirectoryThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	siteIn(t, filepath.Join(file, "below")).get("/orders").wantError(http.StatusInternalServerError, "STATE_UNUSABLE")
}

func TestHandlersAtOnceLoseNoOrder(t *testing.T) {
	const handlers, each = 4, 5
	dir := t.TempDir()
	var running sync.WaitGroup
	for range handlers {
		running.Go(func() {
			s := siteIn(t, dir)
			for range each {
				if got := s.send("POST", "/orders", `{"qty":1}`); got.Code != http.StatusCreated {
					t.Errorf("status %d: %s", got.Code, got.Body)
				}
			}
		})
	}
	running.Wait()
	wantOrders(t, dir, handlers*each)
}

// ordersInDir makes this test program place orders instead of running tests; see TestProcessesAtOnceLoseNoOrder.
const ordersInDir = "DEMO_TEST_ORDERS_IN"

func TestProcessesAtOnceLoseNoOrder(t *testing.T) {
	const each = 10
	if dir := os.Getenv(ordersInDir); dir != "" {
		for range each {
			siteIn(t, dir).send("POST", "/orders", `{"qty":1}`).wantStatus(http.StatusCreated)
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			child := exec.CommandContext(t.Context(), program, "-test.run=^TestProcessesAtOnceLoseNoOrder$")
			child.Env = append(os.Environ(), ordersInDir+"="+dir)
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	running.Wait()
	wantOrders(t, dir, 2*each)
}

// wantOrders checks that there are so many orders besides those of opening day, each with a number of its own.
func wantOrders(t *testing.T, dir string, want int) {
	t.Helper()
	current, err := store{dir: dir, now: evening}.view()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(current.Orders) - len(openingDay(evening()).Orders); got != want {
		t.Errorf("%d orders were kept, want %d", got, want)
	}
}
