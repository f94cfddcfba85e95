/** Texts of the commands and their keys. */
export const commands = {};
