import { expect, test } from "vitest";
import { ApiError } from "#console/lib/api-error.ts";
import { refusalText, refusedFields } from "./notification-actions.ts";

const refused = new ApiError(
  "invalid_request",
  "The request is not valid: preferences.email is not an email address.",
  { status: 400, details: { "preferences.email": "is not an email address" } },
);

test("a rejected field is named by its form label", () => {
  expect(refusedFields(refused)).toEqual({ email: "is not an email address" });
  expect(refusalText(refused, "Failed")).toBe("Email Address is not an email address.");
});

test("other errors show the service's message, or a fallback without one", () => {
  const busy = new ApiError("rate_limited", "Please wait a minute.", { status: 429 });
  expect(refusalText(busy, "Failed")).toBe("Please wait a minute.");
  expect(refusalText(new Error("boom"), "Failed")).toBe("Failed");
});
