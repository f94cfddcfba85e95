import { prepareTestHarness } from "@countersign/testing";

export const setup = () => prepareTestHarness();
