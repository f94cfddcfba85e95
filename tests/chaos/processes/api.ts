// The approvals API, in a process of its own.
import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { personOf } from "../scenario/people.js";
import { openInstance } from "./instance.js";
import { serveAndTell } from "./serve.js";

const { countersign } = openInstance();
const api = approvalsApi(countersign, {
  authenticate: (request) => personOf(request.headers.get("authorization")?.replace("Bearer ", "") ?? ""),
  rateLimit: false,
});
const app = new Hono().route("/api", api);
serveAndTell((request) => app.fetch(request));
