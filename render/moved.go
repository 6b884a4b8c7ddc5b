package render

import (
	"bytes"
	"html/template"
)

// Moved renders a page at an old address, which redirects to a path or an address at once. It must
// not be indexed, since its target is.
func Moved(to string) ([]byte, error) {
	var b bytes.Buffer
	err := movedPage.Execute(&b, to)
	return b.Bytes(), err
}

var movedPage = template.Must(template.New("moved").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={{.}}">
<link rel="canonical" href="{{.}}">
</head>
<body>
<p>This page is now at <a href="{{.}}">{{.}}</a>.</p>
</body>
</html>
`))
