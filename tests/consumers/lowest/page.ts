import "@countersign/inbox/style.css";
import { hydrateRoot } from "react-dom/client";
import { inbox } from "./inbox.js";

const element = document.getElementById("inbox");
if (element) hydrateRoot(element, inbox);
