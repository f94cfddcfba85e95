import { onInstance } from "./development-hook.js";
import { developmentFolder, takeFolder } from "./development-store.js";

/** What `countersign dev` shares with the instances of the app that it runs. */
export const development = { folder: developmentFolder, onInstance, takeFolder };
