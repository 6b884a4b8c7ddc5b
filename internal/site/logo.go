package site

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/picture"
)

// Limits of a logo.
const (
	maxLogo     = 64 << 10 // bytes
	maxLogoSide = 2048     // pixels of a side of a PNG, which may have many pixels in few bytes
)

// Picture is the logo of a brand.
type Picture struct {
	// Ext is .svg or .png, by the content.
	Ext  string
	Data []byte
	// Aspect is width divided by height, or 0 if an SVG states neither.
	Aspect float64
}

// LogoFile is the path of the logo, or "" if there is none.
func (s *Site) LogoFile() string {
	if s.Brand.Logo == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(s.File), filepath.FromSlash(s.Brand.Logo))
}

// ReadLogo reads the logo, if there is one, and returns the problems with it. [Load] does not call
// it: only programs that publish pages need the file.
func (s *Site) ReadLogo() []mip.Problem {
	if s.Brand.Logo == "" {
		return nil
	}
	logo, err := readLogo(filepath.Dir(s.File), s.Brand.Logo)
	if err != nil {
		return []mip.Problem{{
			Level: mip.Error, Code: "bad-value", File: filepath.ToSlash(s.File),
			Line: s.Lines["brand.logo"], Message: "brand.logo: " + err.Error(),
		}}
	}
	s.Brand.Picture = logo
	return nil
}

// readLogo reads a file below a folder. It does not follow symbolic links out of the folder.
func readLogo(dir, name string) (*Picture, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, folder.Cause(err)
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no file %s", mip.Quote(name))
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", mip.Quote(name), folder.Cause(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", mip.Quote(name))
	case info.Size() > maxLogo:
		return nil, fmt.Errorf("want at most %d KiB, got %d",
			maxLogo>>10, (info.Size()+1<<10-1)>>10)
	}
	data, err := folder.Read(root, filepath.FromSlash(name), maxLogo)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", mip.Quote(name), folder.Cause(err))
	}
	return parseLogo(data, path.Ext(name))
}

// parseLogo detects the format by the content. The extension only selects the error message.
func parseLogo(data []byte, ext string) (*Picture, error) {
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		aspect, err := pngAspect(data)
		return &Picture{".png", data, aspect}, err
	}
	aspect := 0.0
	width, height, err := picture.SVG(data)
	if width*height > 0 {
		aspect = width / height
	}
	if errors.Is(err, picture.ErrNoSVG) && !strings.EqualFold(ext, ".svg") {
		err = errors.New("want an SVG or a PNG, and this is neither")
	}
	return &Picture{".svg", data, aspect}, err
}

// pngAspect decodes the whole picture, as a browser does.
func pngAspect(data []byte) (float64, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil && max(c.Width, c.Height) > maxLogoSide {
		return 0, fmt.Errorf("want at most %d pixels on a side, got %d by %d",
			maxLogoSide, c.Width, c.Height)
	}
	if err == nil {
		_, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return 0, fmt.Errorf("the PNG is broken: %w", err)
	}
	return float64(c.Width) / float64(c.Height), nil
}
