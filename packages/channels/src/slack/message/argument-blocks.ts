import type { CardField } from "countersign/types";
import { type Block, context, limits, section, sizeOf } from "./blocks.js";
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

/**
 * Each argument as its name in small type above its value in normal type. Plain text cannot change its size, so no value
 * can imitate another argument.
 */
export function argumentBlocks(
  fields: readonly CardField[],
  room: { blocks: number; size: number },
): ArgumentBlocks {
  const blocks: Block[] = [];
  for (const field of fields) {
    const next = blocksOf(field);
    if (
      next !== null &&
      blocks.length + next.length <= room.blocks &&
      sizeOf([...blocks, ...next]) <= room.size
    ) {
      blocks.push(...next);
      continue;
    }
    const left = room.size - sizeOf(blocks) - previewOverhead;
    if (blocks.length + 2 <= room.blocks && left >= minPreview) blocks.push(...preview(field, left));
    return { blocks, complete: false };
  }
  return { blocks, complete: true };
}

/** Null if the argument is too long for any message. */
function blocksOf(field: CardField): Block[] | null {
  const name = shownText(field.label ?? field.name, limits.context);
  const value = shownText(field.text, limits.message);
  if (name.cut || value.cut) return null;
  return [context(plainText(name.text)), ...pieces(value.text, limits.section).map(section)];
}

function preview(field: CardField, size: number): Block[] {
  const name = shownText(field.label ?? field.name, 100).text;
  // Quotation marks, backslashes and ampersands take up to five characters of JSON.
  const value = shownText(field.text, Math.min(limits.section, Math.floor(size / 5))).text;
  return [context(plainText(name)), section(value)];
}
