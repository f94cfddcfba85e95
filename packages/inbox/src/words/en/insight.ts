/** Texts of how long approvals wait and what is always approved. */
export const insight = {};
