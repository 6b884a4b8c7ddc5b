// The feed of the proposal whose page led here: ?proposal=MIP-4.
const [id, prefix, number] = new URLSearchParams(location.search).get("proposal")?.match(/^([a-z]\w*)-(\d+)$/i) ?? [];
if (id) {
  const code = $("#feed-of-proposal code");
  put(code, code.textContent.replace(/[^/]+\/\{n\}\/(?=[^/]*$)/, `${prefix.toLowerCase()}/${number}/`));
  put($("#of"), `This is the address for ${id.toUpperCase()}.`);
}
