package resource

import (
	"slices"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Image is a picture of a resource (ODP-112).
type Image struct {
	Src    string // a Resource Reference
	Alt    string
	Type   string // the announced media type; "" when there is none
	Width  int    // pixels; 0 when it is not said
	Height int    // as Width
}

const maxImages = 16

func readImages(c *odp.Cursor) []Image {
	if c == nil {
		return nil
	}
	images := make([]Image, 0, min(c.Len(), maxImages))
	for _, element := range c.Elements(1, maxImages) {
		image := readImage(element)
		if slices.ContainsFunc(images, func(i Image) bool { return i.Src == image.Src }) {
			element.Member("src").Fail("%q is there twice", image.Src)
		}
		images = append(images, image)
	}
	return images
}

func readImage(c *odp.Cursor) Image {
	c.Closed("src", "alt", "width", "height", "type")
	return Image{
		Src:    c.Member("src").Reference(),
		Alt:    c.Optional("alt").Text(1, 1024),
		Type:   readImageType(c.Optional("type")),
		Width:  int(c.Optional("width").Integer(1, 65_535)),
		Height: int(c.Optional("height").Integer(1, 65_535)),
	}
}

func readImageType(c *odp.Cursor) string {
	if c == nil {
		return ""
	}
	return c.OneOf("image/avif", "image/jpeg", "image/png", "image/svg+xml", "image/webp")
}
