import { expect, test } from "vitest";
import { buildAdmin } from "#console/testing/sign-in.ts";
import { costFigures } from "./deployment.ts";
import { setSignedIn } from "./session-store.ts";

test.each([
  ["folder", []],
  ["bucket", [{ name: "Copying", value: "$1.50" }]],
  ["cloudflare", [{ name: "Copying", value: "$1.50" }]],
] as const)("costs of a %s are shown only if somebody sends a bill", (deployment, figures) => {
  setSignedIn(buildAdmin([], deployment));
  expect(costFigures({ Copying: 1.5 })).toEqual(figures);
});
