//go:build race

package odpclient

// raceDetector makes everything ten times as slow.
const raceDetector = true
