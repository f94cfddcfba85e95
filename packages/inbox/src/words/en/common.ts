/** Texts of the parts that all pages share: buttons, notices, the header, menus and settings. */
export const common = {};
