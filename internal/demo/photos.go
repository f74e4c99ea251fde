package demo

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Limits of one upload. maxUpload leaves room for the base64 form of the 25 MiB that clients send at most (F-3).
const (
	maxUpload = 36 << 20
	maxPhotos = 10
)

// uploadRequest is the body of an upload; files.bodyKey of the description is "files".
type uploadRequest struct {
	Caption string `json:"caption"`
	Order   string `json:"order"`
	Files   []struct {
		Path     string `json:"path"`
		Contents string `json:"contents"`
	} `json:"files"`
}

type photo struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
}

type upload struct {
	Caption string  `json:"caption,omitzero"`
	Order   string  `json:"order,omitzero"`
	Photos  []photo `json:"photos"`
	Album   int     `json:"album"` // pictures in the album now
}

// uploadPhotos looks at the pictures and counts them; it does not keep them.
func (s *shop) uploadPhotos(r *http.Request) (document, error) {
	request, _, err := readBody[uploadRequest](r, maxUpload)
	if err != nil {
		return nil, err
	}
	if err := checkText("caption", request.Caption, 280); err != nil {
		return nil, err
	}
	done := upload{Caption: request.Caption, Order: request.Order}
	switch {
	case len(request.Files) == 0:
		return nil, invalid("NO_FILES", "files", "there is no picture; add one with --file")
	case len(request.Files) > maxPhotos:
		return nil, invalid("TOO_MANY_FILES", "files", "there are more than %d pictures", maxPhotos)
	}
	for _, file := range request.Files {
		picture, err := inspect(file.Path, file.Contents)
		if err != nil {
			return nil, err
		}
		done.Photos = append(done.Photos, picture)
	}
	err = s.store.update(func(state *state) error {
		if done.Order != "" && state.find(done.Order) == nil {
			return orderNotFound(clip(done.Order))
		}
		state.Photos += len(done.Photos)
		done.Album = state.Photos
		return nil
	})
	return done, err
}

// inspect decodes one picture. The name must be a plain one, and the contents what the name promises.
func inspect(name, contents string) (photo, error) {
	mediaType, allowed := map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif"}[strings.ToLower(path.Ext(name))]
	if !allowed {
		return photo{}, invalid("WRONG_EXTENSION", "files", "%q does not end in .png, .jpg or .gif", clip(name))
	}
	if strings.ContainsAny(name, `/\`) || checkText("files", name, 255) != nil {
		return photo{}, invalid("INVALID_PATH", "files", "%q is not a plain file name", clip(name))
	}
	header, encoded, ok := strings.Cut(contents, ",")
	if !ok || !strings.HasPrefix(header, "data:") || !slices.Contains(strings.Split(header, ";"), "base64") {
		return photo{}, invalid("NOT_A_PICTURE", "files", "the contents of %q are not a base64 data URL", clip(name))
	}
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return photo{}, invalid("NOT_BASE64", "files", "the contents of %q are not valid base64", clip(name))
	}
	if http.DetectContentType(data) != mediaType {
		return photo{}, invalid("NOT_A_PICTURE", "files", "the contents of %q are not %s", clip(name), mediaType)
	}
	return photo{Name: name, Type: mediaType, Bytes: len(data)}, nil
}

func (u upload) markdown() string {
	var out strings.Builder
	out.WriteString("# 📷 Thank you\n\n")
	if u.Caption != "" {
		fmt.Fprintf(&out, "*%s*\n\n", escape(u.Caption))
	}
	list := table{header: []string{"Picture", "Type", "Bytes"}, right: map[int]bool{2: true}}
	for _, p := range u.Photos {
		list.add(escape(p.Name), p.Type, fmt.Sprint(p.Bytes))
	}
	list.write(&out)
	fmt.Fprintf(&out, "\nThe album has **%s** now.\n", count(u.Album, "picture"))
	return out.String() + nextStep("orders list")
}
