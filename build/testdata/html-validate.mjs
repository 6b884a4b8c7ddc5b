// Rules for the pages of a built site: https://html-validate.org/rules/.
export default {
	root: true,
	extends: ["html-validate:recommended", "html-validate:document"],
	rules: {
		// Matters of taste: both ways of writing are HTML. The serializer that follows a proposal's raw HTML
		// writes <br/> and checked="", and authors end lines of code with blanks.
		"void-style": "off",
		"attribute-boolean-style": "off",
		"no-trailing-whitespace": "off",
		// A title is as long as its author made it; `mipwatch check` warns of long ones.
		"long-title": "off",
		// A <div role="region"> and a <section> with a name are one thing to whoever asks for it.
		"prefer-native-element": ["error", { exclude: ["region"] }],
		// ARIA lets a list have a name.
		"aria-label-misuse": ["error", { allowAnyNamable: true }],
		// Assets come from the page's own origin and are named by their content.
		"require-sri": ["error", { target: "crossorigin" }],
	},
};
