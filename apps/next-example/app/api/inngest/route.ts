import { serve } from "inngest/next";
import { countersign } from "../../../lib/countersign";
import { inngest } from "../../../lib/inngest";
import { answerCustomer } from "../../../lib/support-function";

export const { GET, POST, PUT } = serve({
  client: inngest,
  functions: [...countersign.functions, answerCustomer],
});
