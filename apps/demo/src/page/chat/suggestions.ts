/** Messages to try, with what they show. */
export const suggestions = [
  { text: "Please refund order A-1001", note: "one person approves" },
  { text: "Refund order A-1020", note: "2,400 EUR: two people" },
  { text: "Refund orders A-1002 and A-1003", note: "two calls at once" },
  { text: "Ask which carrier to use for A-1002", note: "a question, answered here" },
  { text: "Book a courier for A-1004", note: "an MCP server asks a person" },
  { text: "Look up order A-1004", note: "allowed, nobody is asked" },
  { text: "Delete customer C-7", note: "forbidden" },
] as const;
