// Before each file of unit tests: English with the texts of lazy parts, which wait for them on a page.
import { loadAllEnglish } from "../words/english.js";

await loadAllEnglish();
