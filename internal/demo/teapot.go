package demo

import "net/http"

// brewCoffee always fails, so that a newcomer can see what an error document looks like.
func (s *shop) brewCoffee(*http.Request) (document, error) {
	return nil, failure(http.StatusTeapot, "I_AM_A_TEAPOT", "this pot makes tea, not coffee").with("try", "menu list")
}
