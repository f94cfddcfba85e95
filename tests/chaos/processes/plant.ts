// Plants a bug in the product's code while Node loads it (`node --import`); see plants.ts.
import { register } from "node:module";
import { setting } from "./serve.js";

register("./plant-hooks.js", import.meta.url, { data: setting("CHAOS_PLANT") });
