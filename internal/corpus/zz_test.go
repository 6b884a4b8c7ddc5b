package corpus

import ("testing";"encoding/json";"os";"context";"fmt";"time")

func TestZZ(t *testing.T) {
	start:=time.Now()
	c, err := Load(context.Background(), Options{Prefix: os.Getenv("PFX"), Folders: []string{os.Getenv("DIR")}})
	if err != nil { t.Fatal(err) }
	fmt.Println(len(c.Proposals), c.History, c.Commit, time.Since(start))
	for _, p := range c.Problems { fmt.Println(p.Level, p) }
	n:=0
	for _, p := range c.Proposals { d, err := c.Read(p); if err != nil { t.Fatal(err)}; s:=""; for _,x := range d.Sections { s+=x.Markdown }; if s!=string(d.Body) { t.Error(p.File)}; n+=len(d.Sections) }
	fmt.Println(n, time.Since(start))
	if os.Getenv("JSON")!="" { for _, p := range c.Proposals { b,_:=json.Marshal(p.Summary); fmt.Println(string(b)) } }
	if os.Getenv("AU")!="" { for _, p := range c.Proposals { b,_:=json.Marshal(p.Authors); fmt.Println(p.Number, p.Requires, p.Created, string(b)) } }
}
