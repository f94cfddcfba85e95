import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/desk/schema.ts",
  out: "../../drizzle/demo",
});
