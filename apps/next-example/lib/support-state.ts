/** What the agents of one run know of the conversation. */
export interface SupportState {
  userId: string;
  order?: Order;
  /** True once the desk has handed the customer over to billing. */
  billing?: boolean;
}

export interface Order {
  id: string;
  amount: number;
  currency: "EUR";
}
