// The page for searching has its answer without a touch, in the language of its address.
import { search } from "./search.js";
const form = $("#q").form, language = form.elements.locale;
if (language) {
  const asked = new URLSearchParams(location.search).get("locale"), choose = () => { form.dataset.index = language.selectedOptions[0].dataset.index };
  for (const o of language.options) if (o.value === asked) o.selected = true;
  choose();
  language.onchange = () => { choose(); form.requestSubmit() };
}
search(form);
