/** Texts of the decision bar, the answers to questions and the edits of arguments. */
export const decide = {};
