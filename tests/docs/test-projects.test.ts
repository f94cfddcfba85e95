import { describe, expect, it } from "vitest";
import { configDefaults } from "vitest/config";
import config from "../../vitest.config.js";

const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === "object" && "test" in project ? [project.test ?? {}] : [],
);

describe("the projects of the test run", () => {
  it("are all known here", () => {
    expect(projects.length).toBe(config.test?.projects?.length);
  });

  // A list of a project's own replaces the default one, which leaves out the tests of installed packages.
  it.each(projects)("take no tests of installed packages: $name", ({ exclude = configDefaults.exclude }) => {
    expect(exclude).toEqual(expect.arrayContaining(configDefaults.exclude));
  });
});
