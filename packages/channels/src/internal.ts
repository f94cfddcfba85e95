/** Without promise: for tests of this repository. Any version may change or remove these names. */
export { createPushChannel } from "./push/push-channel.js";
export { webhooksChannel } from "./webhooks/webhooks.js";
