import type { NextConfig } from "next";

const config: NextConfig = {
  // `NEXT_OUTPUT=standalone next build` makes a folder that a Docker image can copy.
  ...(process.env.NEXT_OUTPUT === "standalone" && { output: "standalone" }),
};

export default config;
