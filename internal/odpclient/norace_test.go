//go:build !race

package odpclient

const raceDetector = false
