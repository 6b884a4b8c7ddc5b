// The search page shows its answer without any interaction.
import { search } from "./search.js";
search($("#q").form);
