import type { Approval } from "../../api/approval.js";
import { argumentFields } from "../arguments/argument-fields.js";
import { schemaOf } from "../arguments/json-schema.js";
import { isUnder } from "../arguments/paths.js";
import { isFolded, type Unreviewed } from "../review/unreviewed.js";

/**
 * Whether a call can be read as a row of a table: no value of it is folded there, and no warning is left to check. Otherwise it
 * must be opened.
 */
export function isReadableRow(approval: Approval, { folds, warnings, below }: Unreviewed): boolean {
  if (folds.length + warnings.length > 0) return false;
  // The page of a call shows an object that is edited as a whole as JSON. A table has a cell for each of its values.
  const cells = argumentFields(approval.input, { schema: schemaOf(approval), editable: [] });
  return !cells.some((cell) => isFolded(cell) && isUnder(cell.path, below));
}
