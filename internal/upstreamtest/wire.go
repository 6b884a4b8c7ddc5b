package upstreamtest

import "time"

// topicAnswer is the body of GET /t/{id}.json: what a client that is not logged in is shown.
type topicAnswer struct {
	PostStream        postStream   `json:"post_stream"`
	TimelineLookup    [][2]int     `json:"timeline_lookup"`
	SuggestedTopics   []listed     `json:"suggested_topics"`
	Tags              []tag        `json:"tags"`
	ID                int          `json:"id"`
	Title             string       `json:"title"`
	FancyTitle        string       `json:"fancy_title"`
	PostsCount        int          `json:"posts_count"`
	CreatedAt         stamp        `json:"created_at"`
	Views             int          `json:"views"`
	ReplyCount        int          `json:"reply_count"`
	LikeCount         int          `json:"like_count"`
	LastPostedAt      *stamp       `json:"last_posted_at"`
	Visible           bool         `json:"visible"`
	Closed            bool         `json:"closed"`
	Archived          bool         `json:"archived"`
	HasSummary        bool         `json:"has_summary"`
	Archetype         string       `json:"archetype"`
	Slug              string       `json:"slug"`
	CategoryID        int          `json:"category_id"`
	WordCount         int          `json:"word_count"`
	DeletedAt         *stamp       `json:"deleted_at"`
	UserID            int          `json:"user_id"`
	PinnedGlobally    bool         `json:"pinned_globally"`
	Pinned            bool         `json:"pinned"`
	Details           topicDetails `json:"details"`
	HighestPostNumber int          `json:"highest_post_number"`
	ActionsSummary    []struct{}   `json:"actions_summary"`
	ChunkSize         int          `json:"chunk_size"`
	Bookmarked        bool         `json:"bookmarked"`
	ParticipantCount  int          `json:"participant_count"`
}

type postStream struct {
	Posts  []post `json:"posts"`
	Stream []int  `json:"stream"`
}

type post struct {
	ID             int        `json:"id"`
	Name           string     `json:"name"`
	Username       string     `json:"username"`
	AvatarTemplate string     `json:"avatar_template"`
	CreatedAt      stamp      `json:"created_at"`
	Cooked         string     `json:"cooked"`
	PostNumber     int        `json:"post_number"`
	PostType       int        `json:"post_type"`
	UpdatedAt      stamp      `json:"updated_at"`
	ReplyCount     int        `json:"reply_count"`
	ReplyTo        *int       `json:"reply_to_post_number"`
	QuoteCount     int        `json:"quote_count"`
	Reads          int        `json:"reads"`
	Score          float64    `json:"score"`
	TopicID        int        `json:"topic_id"`
	TopicSlug      string     `json:"topic_slug"`
	Version        int        `json:"version"`
	ActionsSummary []struct{} `json:"actions_summary"`
	UserID         int        `json:"user_id"`
	Hidden         bool       `json:"hidden"`
	DeletedAt      *stamp     `json:"deleted_at"`
}

type topicDetails struct {
	CanEdit           bool          `json:"can_edit"`
	NotificationLevel int           `json:"notification_level"`
	Participants      []participant `json:"participants"`
	CreatedBy         user          `json:"created_by"`
	LastPoster        user          `json:"last_poster"`
}

type user struct {
	ID             int    `json:"id"`
	Username       string `json:"username"`
	Name           string `json:"name"`
	AvatarTemplate string `json:"avatar_template"`
}

type participant struct {
	user
	PostCount int `json:"post_count"`
}

type tag struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

// listed is a topic in a list.
type listed struct {
	ID                 int      `json:"id"`
	Title              string   `json:"title"`
	FancyTitle         string   `json:"fancy_title"`
	Slug               string   `json:"slug"`
	PostsCount         int      `json:"posts_count"`
	ReplyCount         int      `json:"reply_count"`
	HighestPostNumber  int      `json:"highest_post_number"`
	ImageURL           *string  `json:"image_url"`
	CreatedAt          stamp    `json:"created_at"`
	LastPostedAt       *stamp   `json:"last_posted_at"`
	Bumped             bool     `json:"bumped"`
	BumpedAt           stamp    `json:"bumped_at"`
	Archetype          string   `json:"archetype"`
	Unseen             bool     `json:"unseen"`
	Pinned             bool     `json:"pinned"`
	Visible            bool     `json:"visible"`
	Closed             bool     `json:"closed"`
	Archived           bool     `json:"archived"`
	Tags               []tag    `json:"tags"`
	LikeCount          int      `json:"like_count"`
	Views              int      `json:"views"`
	CategoryID         int      `json:"category_id"`
	LastPosterUsername string   `json:"last_poster_username"`
	Posters            []poster `json:"posters"`
}

type poster struct {
	Extras      *string `json:"extras"`
	Description string  `json:"description"`
	UserID      int     `json:"user_id"`
}

// stamp is a moment as Discourse writes it: UTC with milliseconds.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}
