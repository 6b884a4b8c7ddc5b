package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/picture"
)

// drawing is an SVG with attributes and content.
func drawing(attributes, content string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" ` + attributes + ">" + content + "</svg>"
}

// encoded is a picture of 30 by 20 pixels.
func encoded(t testing.TB, ext string) string {
	t.Helper()
	var b bytes.Buffer
	pixels, err := image.NewGray(image.Rect(0, 0, 30, 20)), error(nil)
	switch ext {
	case ".png":
		err = png.Encode(&b, pixels)
	case ".jpg":
		err = jpeg.Encode(&b, pixels, nil)
	case ".gif":
		err = gif.Encode(&b, pixels, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// header is the start of a PNG of any size, whose pixels are missing.
func header(width, height uint32) string {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(b, width)
	b = binary.BigEndian.AppendUint32(b, height)
	b = append(b, 8, 0, 0, 0, 0) // bits, gray, compression, filter, interlace
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:])))
}

// repeated is a drawing with groups that show the one before width times, depth times.
func repeated(width, depth int) string {
	var out strings.Builder
	out.WriteString(`<g id="g0"><path/></g>`)
	for i := range depth {
		out.WriteString(fmt.Sprintf(`<g id="g%d">`, i+1) +
			strings.Repeat(fmt.Sprintf(`<use href="#g%d"/>`, i), width) + "</g>")
	}
	return out.String()
}

// inside is an element of a drawing that shows a picture of pixels.
func inside(data string) string {
	return `<image href="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(data)) +
		`"/>`
}

// box is a box of ISO/IEC 14496-12.
func box(name, content string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))) + name + content
}

// avif is an AVIF whose pictures have these sizes.
func avif(sizes ...[2]uint32) string {
	var properties strings.Builder
	for _, s := range sizes {
		b := binary.BigEndian.AppendUint32(make([]byte, 4), s[0])
		b = binary.BigEndian.AppendUint32(b, s[1])
		properties.WriteString(box("pixi", "12345") + box("ispe", string(b)))
	}
	return box("ftyp", "avif\x00\x00\x00\x00avifmif1") +
		box("meta", "\x00\x00\x00\x00"+box("hdlr", "x")+
			box("iprp", box("ipco", properties.String())))
}

// webp is the start of a WebP of 30 by 20 pixels without loss.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00" +
	"\x2f\x1d\xc0\x04\x00\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// exif returns the metadata of a turned picture in a byte order.
func exif(order binary.AppendByteOrder, mark string, turn uint16) string {
	b := order.AppendUint16([]byte(mark), 42)
	b = order.AppendUint32(b, 10) // where the entries are
	b = order.AppendUint16(append(b, 0, 0), 2)
	for _, entry := range []struct{ tag, value uint16 }{{0x011a, 6}, {0x0112, turn}} {
		b = order.AppendUint16(order.AppendUint16(b, entry.tag), 3) // a short number
		b = order.AppendUint32(b, 1)
		b = append(order.AppendUint16(b, entry.value), 0, 0)
	}
	return string(b)
}

// little and big return metadata in the two byte orders.
func little(turn uint16) string { return exif(binary.LittleEndian, "II", turn) }
func big(turn uint16) string    { return exif(binary.BigEndian, "MM", turn) }

// turned is a JPEG of 30 by 20 pixels with metadata.
func turned(t testing.TB, exif string) string {
	const head = "\xff\xe0\x00\x04ab" // a segment of another kind
	exif = "Exif\x00\x00" + exif
	data := encoded(t, ".jpg")
	return data[:2] + head + "\xff\xe1" +
		string(binary.BigEndian.AppendUint16(nil, uint16(2+len(exif)))) + exif + data[2:]
}

// chunk is a part of a PNG.
func chunk(name, content string) string {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), name+content...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
}

// riff is a part of a WebP.
func riff(name, content string) string {
	return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content +
		strings.Repeat("\x00", len(content)%2)
}

// moving returns a square picture of a number of frames.
func moving(t testing.TB, ext string, frames int, side uint32) string {
	t.Helper()
	switch ext {
	case ".gif":
		data := encoded(t, ext)
		at := strings.IndexByte(data[13+3*256:], ',') + 13 + 3*256
		frame := data[at : len(data)-1]
		return data[:6] + string(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(
			nil, uint16(side)), uint16(side))) + data[10:at] + "!\xf9\x04\x00\x00\x00\x00\x00" +
			strings.Repeat(frame, frames) + ";,"
	case ".png":
		return header(side, side) + chunk("acTL", "12345678") +
			strings.Repeat(chunk("fcTL", strings.Repeat("x", 26))+chunk("fdAT", "1234"), frames)
	case ".avif":
		count := binary.BigEndian.AppendUint32(make([]byte, 8), uint32(frames))
		return avif([2]uint32{side, side}) + box("moov", box("mvhd", "x")+box("trak", box("mdia",
			box("minf", box("stbl", box("stsz", string(count))))))) +
			box("mdat", string(make([]byte, frames)))
	}
	size := binary.LittleEndian.AppendUint32(make([]byte, 4), side-1)[:7]
	size = append(size, binary.LittleEndian.AppendUint32(nil, side-1)[:3]...)
	body := "WEBP" + riff("VP8X", "\x02"+string(size[1:])) + riff("ANIM", "123456") +
		strings.Repeat(riff("ANMF", "odd"), frames)
	return riff("RIFF", body)
}

func TestParse(t *testing.T) {
	const deep = 10_000
	for _, c := range []struct {
		name, data    string
		ext           string
		width, height int
		refused       string // the start of the error
	}{
		{"PNG", encoded(t, ".png"), ".png", 30, 20, ""},
		{"JPEG", encoded(t, ".jpg"), ".jpg", 30, 20, ""},
		{"GIF", encoded(t, ".gif"), ".gif", 30, 20, ""},
		{"WebP", webp, ".webp", 30, 20, ""},
		{"AVIF", avif([2]uint32{30, 20}), ".avif", 30, 20, ""},
		{"AVIF with a preview", avif([2]uint32{3, 2}, [2]uint32{30, 20}, [2]uint32{15, 10}),
			".avif", 30, 20, ""},
		{"most pixels", header(8000, 6250), ".png", 8000, 6250, ""},
		{"SVG with a size", drawing(`width="30.4px" height="20" viewBox="0 0 1 1"`, ""),
			".svg", 30, 20, ""},
		{"SVG with a view box", drawing(`width="100%" viewBox="0,0,48 32"`, "<path d='M0 0'/>"),
			".svg", 48, 32, ""},
		{"SVG without a size", drawing("", ""), ".svg", 300, 150, ""},
		{"SVG of a wide view box", drawing(`viewBox="0 0 1e9 5e8"`, ""), ".svg", 10_000, 5_000, ""},
		{"SVG that is thin", drawing(`viewBox="0 0 1e9 1"`, ""), ".svg", 10_000, 1, ""},

		{"JPEG that is turned right", turned(t, little(6)), ".jpg", 20, 30, ""},
		{"JPEG that is turned left and mirrored", turned(t, big(5)), ".jpg", 20, 30, ""},
		{"JPEG that is turned left", turned(t, big(8)), ".jpg", 20, 30, ""},
		{"JPEG that stands on its head", turned(t, big(3)), ".jpg", 30, 20, ""},
		{"JPEG that is turned in an unknown way", turned(t, big(9)), ".jpg", 30, 20, ""},
		{"JPEG whose metadata is cut off", turned(t, big(6)[:33]), ".jpg", 30, 20, ""},
		{"JPEG whose metadata is elsewhere", turned(t, "MM\x00\x2a\xff\xff\xff\xff"), ".jpg",
			30, 20, ""},
		{"JPEG with many entries", turned(t, "MM\x00\x2a\x00\x00\x00\x08\xff\xff"), ".jpg",
			30, 20, ""},
		{"PNG that is turned", header(30, 20) + chunk("eXIf", big(6)), ".png", 20, 30, ""},
		{"PNG that is turned after its pixels", header(30, 20) + chunk("IDAT", "x") +
			chunk("eXIf", big(6)), ".png", 30, 20, ""},
		{"PNG with a part of no end", header(30, 20) + "\xff\xff\xff\xffeXIf" + big(6), ".png",
			30, 20, ""},
		{"AVIF that is turned", strings.Replace(avif([2]uint32{30, 20}), "pixi12345",
			"irot\x012345", 1), ".avif", 20, 30, ""},

		{"most frames of a GIF", moving(t, ".gif", 200, 5000), ".gif", 5000, 5000, ""},
		{"one frame of a GIF too many", moving(t, ".gif", 201, 5000), "", 0, 0,
			"want at most 5000000000 pixels in all frames, got 201 frames of 5000 by 5000"},
		{"most frames of a PNG", moving(t, ".png", 200, 5000), ".png", 5000, 5000, ""},
		{"one frame of a PNG too many", moving(t, ".png", 201, 5000), "", 0, 0,
			"want at most 5000000000 pixels in all frames, got 201 frames of 5000 by 5000"},
		{"most frames of a WebP", moving(t, ".webp", 200, 5000), ".webp", 5000, 5000, ""},
		{"one frame of a WebP too many", moving(t, ".webp", 201, 5000), "", 0, 0,
			"want at most 5000000000 pixels in all frames, got 201 frames of 5000 by 5000"},
		{"most frames of an AVIF", moving(t, ".avif", 200, 5000), ".avif", 5000, 5000, ""},
		{"one frame of an AVIF too many", moving(t, ".avif", 201, 5000), "", 0, 0,
			"want at most 5000000000 pixels in all frames, got 201 frames of 5000 by 5000"},
		{"frames of a GIF that is cut off", strings.TrimSuffix(moving(t, ".gif", 3, 30), ";,") +
			",\xff", ".gif", 30, 30, ""},

		{"SVG with most pixels", drawing("", inside(header(8000, 3125))+inside(header(3125, 8000))),
			".svg", 300, 150, ""},
		{"SVG with one row of pixels too many", drawing("", inside(header(8000, 3125))+
			inside(header(8000, 3126))), "", 0, 0,
			"want an SVG with pictures of at most 50000000 pixels, got 50008000"},
		{"SVG with a picture of many pixels", drawing("", inside(header(40_000, 40_000))), "", 0, 0,
			"a picture in the SVG: want at most 50000000 pixels, got 40000 by 40000"},
		{"SVG with a picture in lines", drawing("", strings.Replace(inside(encoded(t, ".png")),
			"iVBO", "\n iV%42O\n", 1)), ".svg", 300, 150, ""},
		{"SVG with a picture that is none", drawing("", inside("<svg/>")), "", 0, 0,
			"a picture in the SVG: want a PNG, JPEG, GIF or WebP"},
		{"SVG with a picture that is broken", drawing("", `<image href="data:image/png;base64,@"/>`),
			"", 0, 0, "a picture in the SVG: want a PNG, JPEG, GIF or WebP in base64"},
		{"SVG with HTML behind it", drawing("", "") + "<html><body/></html>", ".svg", 300, 150, ""},
		{"SVG with an SVG behind it", drawing("", "") + drawing("", ""), "", 0, 0,
			"the SVG is broken: want nothing behind its element svg"},
		{"SVG with text behind it", drawing("", "") + "alert(1)", "", 0, 0,
			"the SVG is broken: want nothing behind its element svg"},
		{"SVG with text before it", "alert(1)" + drawing("", ""), "", 0, 0, "want a PNG, "},

		{"nothing", "", "", 0, 0, "want a PNG, JPEG, GIF, WebP, AVIF or SVG, got other"},
		{"text", "root:x:0:0", "", 0, 0, "want a PNG, "},
		{"HTML", "<html><script>alert(1)</script>", "", 0, 0, "want a PNG, "},
		{"PDF", "%PDF-1.7", "", 0, 0, "want a PNG, "},
		{"PNG that is cut off", "\x89PNG\r\n\x1a\n\x00", "", 0, 0, "the PNG is broken: "},
		{"JPEG that is cut off", "\xff\xd8\xff\xe0", "", 0, 0, "the JPG is broken: "},
		{"one row of pixels too many", header(8000, 6251), "", 0, 0,
			"want at most 50000000 pixels, got 8000 by 6251"},
		{"PNG of many pixels", header(40_000, 40_000), "", 0, 0,
			"want at most 50000000 pixels, got 40000 by 40000"},
		{"AVIF of many pixels", avif([2]uint32{1<<32 - 1, 1<<32 - 1}), "", 0, 0,
			"want at most 50000000 pixels, "},
		{"AVIF without a size", avif(), "", 0, 0, "the AVIF is broken: it states no size"},
		{"AVIF whose box is longer than the file", avif()[:20] + "\xff\xff\xff\xffmeta", "", 0, 0,
			"the AVIF is broken: "},
		{"GIF of no width that is a script", "GIF89a/*\x00\x00\x00\x00\x00*/=1;alert(1)//", "", 0,
			0,
			"want at most 50000000 pixels, got 10799 by 0"},
		{"HTML in an SVG", drawing("", "<foreignObject/>"), "", 0, 0,
			`want an SVG that only draws, got the element "foreignObject"`},
		{"foreign picture", drawing("", `<image href="https://x.example/a.png"/>`), "", 0, 0,
			`want an SVG that is one file, got a reference to "https://x.example/a.png"`},
		{"style that loads", drawing("", "<style>g{fill:url(//x.example)}</style>"), "", 0, 0,
			`want an SVG that is one file, got "url(" in the element style`},
		{"entities", `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + drawing("", "&b;"),
			"", 0, 0, "want an SVG that only draws, got a document type with declarations"},
		{"undeclared entity", drawing("", "<desc>&lol;</desc>"), "", 0, 0, "the SVG is broken: "},
		{"elements within each other", drawing("", repeated(10, 5)), "", 0, 0,
			"want an SVG of at most 200000 elements, counted as often as they are shown, got "},
		{"elements in a circle", drawing("", `<g id="a"><use href="#b"/></g><g id="b">`+
			`<use href="#a"/></g>`), "", 0, 0, "want an SVG of at most 200000 elements, "},
		{"many elements", drawing("", strings.Repeat("<g/>", 199_999)), ".svg", 300, 150, ""},
		{"one element too many", drawing("", strings.Repeat("<g/>", 200_000)), "", 0, 0,
			"want an SVG of at most 200000 elements, counted as often as they are shown, got "},
		{"deep", drawing("", strings.Repeat("<g>", deep)+strings.Repeat("</g>", deep)), ".svg",
			300, 150, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := picture.Parse([]byte(c.data))
			want := picture.Picture{Ext: c.ext, Width: c.width, Height: c.height}
			if c.refused == "" && (err != nil || got != want) {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
			if c.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), c.refused)) {
				t.Errorf("%+v, %v, want %q", got, err, c.refused)
			}
		})
	}
}

// TestClean publishes a drawing without the parts that do more than draw. The other parts keep
// their bytes.
func TestClean(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"nothing", drawing(`viewBox="0 0 1 1"`, "<!-- a --> <g/>"),
			drawing(`viewBox="0 0 1 1"`, "<!-- a --> <g/>")},
		{"script", drawing("", "<script>alert(1)</script><g/>"), drawing("", "<g/>")},
		{"script in a script", drawing("", "<script><g><script/></g>1</script><g/>"),
			drawing("", "<g/>")},
		{"handler", drawing("", `<g onload="alert(1)" id='a' onclick = '2' />`),
			drawing("", "<g id='a'/>")},
		{"link", drawing("", `<a href="javascript:alert(1)"><g>b</g></a>`), drawing("", "<g>b</g>")},
		{"HTML with an alternative", drawing("", "<switch><foreignObject><div "+
			"xmlns='http://www.w3.org/1999/xhtml'/></foreignObject><text>a</text></switch>"),
			drawing("", "<switch><text>a</text></switch>")},
		{"animation", drawing("", "<g><set attributeName='onload' to='1'/></g>"),
			drawing("", "<g></g>")},
		{"fonts", drawing("", "<style><![CDATA[@import 'x'; "+
			"@font-face {src:url(data:a)} @keyframes a{"+
			"from{r:1} to{r:2}} g>a{r:1}]]>"+
			"</style>"), drawing("", "<style>   g&gt;a{r:1}</style>")},
		{"style sheet beside it", `<?xml version="1.0"?><?xml-stylesheet href="a.css"?>` +
			drawing("", "<g/>"), `<?xml version="1.0"?>` + drawing("", "<g/>")},
		{"ASCII", `<?xml version="1.0" encoding="US-ASCII"?>` + drawing("", "<g/><script/>"),
			`<?xml version="1.0" encoding="US-ASCII"?>` + drawing("", "<g/>")},
		{"style that loads", drawing("", `<g style="mask:url(//x.example)" fill="red"/>`),
			drawing("", `<g fill="red"/>`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got, err := picture.Parse([]byte(c.data))
			// A start tag has no blank before its end.
			want := strings.Replace(c.want, `svg" >`, `svg">`, 1)
			if c.data == c.want {
				want = c.want
			}
			if string(got) != want || err != nil {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		})
	}
}

// FuzzParse checks that any bytes result in a picture within the limits, or in an error. The
// published bytes are such a picture, too.
func FuzzParse(f *testing.F) {
	for _, s := range []string{encoded(f, ".png"), encoded(f, ".jpg"), encoded(f, ".gif"), webp,
		avif([2]uint32{30, 20}), header(40_000, 40_000), drawing(`viewBox="0 0 1 1"`, "<g/>"),
		drawing("", "<a><g onload='1'/><style>@import 'a';</style></a>"),
		turned(f, little(6)), header(30, 20) + chunk("eXIf", big(6)), moving(f, ".gif", 3, 30),
		moving(f, ".png", 3, 30), moving(f, ".webp", 3, 30), moving(f, ".avif", 3, 30),
		drawing("", inside(encoded(f, ".png")))} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, publish, err := picture.Parse(data)
		if err == nil && (p.Width < 1 || p.Height < 1 || p.Width*p.Height > 100_000_000 ||
			p.Ext == "") {
			t.Errorf("%+v", p)
		}
		if again, same, e := picture.Parse(publish); err == nil &&
			(e != nil || again != p || !bytes.Equal(same, publish)) {
			t.Errorf("%q: %+v, %v, want %+v", publish, again, e, p)
		}
	})
}
