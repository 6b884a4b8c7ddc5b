package render

import (
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

// SiteCardRoute is the address of the picture of every page that has none of its own. It changes with the
// picture, so that nobody who has the old one keeps it for the new one.
func SiteCardRoute(c card.Card) string { return "/og." + c.Hash() + ".png" }

// ProposalCardRoute is the address of the picture of proposal n. It changes with the picture.
func ProposalCardRoute(n int, c card.Card) string {
	return "/mip/" + strconv.Itoa(n) + SiteCardRoute(c)
}

// ProposalCard is what a proposal's picture shows.
func ProposalCard(info mip.SiteInfo, s mip.Summary) card.Card {
	var kind []string
	for _, v := range []*string{s.Type, s.Category} {
		if v != nil && *v != "" {
			kind = append(kind, *v)
		}
	}
	c := card.Card{Site: info.Title, ID: s.ID, Status: &s.Status, Kind: strings.Join(kind, ", ")}
	if s.Title != s.ID {
		c.Title = strings.ReplaceAll(s.Title, "`", "")
	}
	return c
}

// SiteCard is what the picture of the other pages shows.
func SiteCard(info mip.SiteInfo) card.Card {
	return card.Card{Title: info.Title, Kind: info.Description}
}

// cardText is a card in words.
func cardText(c card.Card) string {
	out := named(c.ID, ": ", c.Title)
	if c.ID == "" {
		out = c.Title
	}
	if c.Status != nil {
		out += ". " + c.Status.String()
	}
	for _, s := range []string{c.Kind, c.Site} {
		if s != "" {
			out += ". " + strings.TrimSuffix(s, ".")
		}
	}
	return out
}
