import { webhooks } from "@countersign/channels/webhooks";

const secret = `whsec_${Buffer.from("a secret of at least twenty-four bytes").toString("base64")}`;
const channel = webhooks({ endpoints: [{ url: "https://hooks.example.com/approvals", secret }] });
console.log(JSON.stringify({ name: channel.name, mode: channel.mode }));
