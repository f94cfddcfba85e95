import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { FrontPage } from "./front-page.js";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
createRoot(root).render(
  <StrictMode>
    <FrontPage />
  </StrictMode>,
);
