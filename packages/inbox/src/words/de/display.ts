import type { DisplayWords } from "countersign/display";
import { englishDisplay } from "countersign/display";

export const display: DisplayWords = englishDisplay;
