// The page for searching has its answer without a touch.
import { search } from "./search.js";
search($("#q").form);
