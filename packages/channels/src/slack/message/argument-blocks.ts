import type { CardField } from "countersign/types";
import { type Block, context, fields as fieldsBlock, limits, section, sizeOf } from "./blocks.js";
import { boldName } from "./name-text.js";
import { pieces, plainText, shownText } from "./plain-text.js";

/** The arguments as far as they fit. */
export interface ArgumentBlocks {
  blocks: Block[];
  /** Whether every argument is shown in full. */
  complete: boolean;
}

/** Minimum length of a truncated last argument. A shorter piece would not help a reader. */
const minPreview = 200;
/** JSON around a preview's name and text. */
const previewOverhead = 400;
/** A longer value has the whole width. */
const maxInColumn = 150;

/**
 * The arguments, names in a left column and values in a right one. A long value stands across both, below its name in
 * small type, and so does one whose name could be markup. A value has no line breaks, and is never bold or small, so none
 * can imitate another argument.
 */
export function argumentBlocks(
  fields: readonly CardField[],
  room: { blocks: number; size: number },
): ArgumentBlocks {
  let blocks: Block[] = [];
  for (const field of fields) {
    const next = withField(blocks, field);
    if (next !== null && next.length <= room.blocks && sizeOf(next) <= room.size) {
      blocks = next;
      continue;
    }
    const left = room.size - sizeOf(blocks) - previewOverhead;
    if (blocks.length + 2 <= room.blocks && left >= minPreview) blocks.push(...preview(field, left));
    return { blocks, complete: false };
  }
  return { blocks, complete: true };
}

/** The blocks with one more argument. Null if it is too long for any message. */
function withField(blocks: readonly Block[], field: CardField): Block[] | null {
  const name = shownText(field.label ?? field.name, limits.context);
  const value = shownText(field.text, limits.message);
  if (name.cut || value.cut) return null;
  const bold = boldName(name.text);
  if (bold === null || name.text.length > maxInColumn || value.text.length > maxInColumn)
    return [...blocks, context(plainText(name.text)), ...pieces(value.text, limits.section).map(section)];
  const row = [bold, plainText(value.text)];
  const last = blocks.at(-1);
  return last !== undefined && "fields" in last && last.fields.length + row.length <= limits.fields
    ? [...blocks.slice(0, -1), fieldsBlock([...last.fields, ...row])]
    : [...blocks, fieldsBlock(row)];
}

function preview(field: CardField, size: number): Block[] {
  const name = shownText(field.label ?? field.name, 100).text;
  // Quotation marks, backslashes and ampersands take up to five characters of JSON.
  const value = shownText(field.text, Math.min(limits.section, Math.floor(size / 5))).text;
  return [context(plainText(name)), section(value)];
}
