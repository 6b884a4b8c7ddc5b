package assist

import "strings"

// silence is the sentence of a locale for a group that the text says nothing about. An unknown
// language gets the English one: an honest sentence in the wrong language is better than none.
func silence(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	switch language {
	case "de":
		return "Der Text sagt nicht, was das für diese Gruppe bedeutet."
	case "es":
		return "El texto no dice qué significa esto para este grupo."
	case "fr":
		return "Le texte ne dit pas ce que cela signifie pour ce groupe."
	case "it":
		return "Il testo non dice che cosa significa per questo gruppo."
	case "ja":
		return "本文には、このグループへの影響は書かれていません。"
	case "ko":
		return "본문에는 이 그룹에 미치는 영향이 쓰여 있지 않습니다."
	case "pt":
		return "O texto não diz o que isto significa para este grupo."
	case "ru":
		return "В тексте не сказано, что это значит для этой группы."
	case "tr":
		return "Metin, bunun bu grup için ne anlama geldiğini söylemiyor."
	case "vi":
		return "Văn bản không nói điều này có ý nghĩa gì đối với nhóm này."
	case "zh":
		return "正文没有说明这对该群体意味着什么。"
	}
	return "The text does not say what this means for this group."
}
