/**
 * Characters that are invisible or reorder text: controls, bidi and zero-width formats, line separators, lone
 * surrogates, private use, fillers.
 */
export const deceptive = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
export const deceptiveCharacter = new RegExp(`[${deceptive}]`, "u");
