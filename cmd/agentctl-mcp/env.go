package main

import (
	"crypto/x509"
	"io"
	"os"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
)

// environment is everything that a run takes from the world outside its arguments.
type environment struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	Roots    func() (*x509.CertPool, error) // what the system trusts
}

func systemEnvironment() environment {
	return environment{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now,
		Roots: func() (*x509.CertPool, error) { return fetch.SystemRoots(os.Getenv) },
	}
}
