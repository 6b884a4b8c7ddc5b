// The feed of the proposal or the author whose page led here: ?proposal=MIP-4, ?author=ada.
const asked = new URLSearchParams(location.search), author = $("#feed-author code");
const [id, prefix, number] = asked.get("proposal")?.match(/^([a-z]\w*)-(\d+)$/i) ?? [];
if (id) {
  const code = $("#feed-of-proposal code");
  put(code, code.textContent.replace(/[^/]+\/\{n\}\/(?=[^/]*$)/, `${prefix.toLowerCase()}/${number}/`));
  put($("#of"), `This is the address for ${id.toUpperCase()}.`);
}
const [login] = asked.get("author")?.match(/^[\w-]+$/) ?? [];
if (login) put(author, author.textContent.replace("{login}", login));
