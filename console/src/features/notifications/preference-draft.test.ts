import { assert, constantFrom, property, record, string, subarray } from "fast-check";
import { expect, test } from "vitest";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import { CHANNELS } from "#contract/notifications.ts";
import {
  draftOf,
  EMPTY_DRAFT,
  eventsWithoutAddress,
  isSameDraft,
  preferencesOf,
  presetOf,
  toggleChannel,
} from "./preference-draft.ts";

const channelSet = subarray([...CHANNELS]);
const drafts = record({
  telegramUserId: string(),
  telegramUsername: string(),
  email: string(),
  enabledEvents: record(Object.fromEntries(EVENT_TYPES.map((type) => [type, channelSet])), {
    requiredKeys: [],
  }),
});

test("a preset turns its severities on by the channels with an address, and all others off", () => {
  const events = [
    { type: "file_damaged", severity: "critical" },
    { type: "upload_completed", severity: "low" },
  ] as const;
  const before = {
    ...EMPTY_DRAFT,
    email: "avery@example.test",
    enabledEvents: { upload_completed: ["telegram" as const] },
  };
  const { enabledEvents } = presetOf(before, events, ["critical", "high"]);
  expect(enabledEvents).toEqual({ file_damaged: ["browser", "email"], upload_completed: [] });
});

test("empty contact fields are omitted", () => {
  expect(preferencesOf({ ...EMPTY_DRAFT, email: "  ", telegramUserId: " 42 " })).toEqual({
    telegramUserId: "42",
    enabledEvents: {},
  });
});

test("loaded preferences do not count as unsaved", () => {
  const loaded = { email: "a@example.org", enabledEvents: { upload_failed: [...CHANNELS] } };
  expect(isSameDraft(draftOf(loaded), draftOf(structuredClone(loaded)))).toBe(true);
  expect(preferencesOf(draftOf(loaded))).toEqual(loaded);
});

test("any edit of a contact field counts as unsaved", () => {
  for (const field of ["telegramUserId", "telegramUsername", "email"] as const) {
    expect(isSameDraft(EMPTY_DRAFT, { ...EMPTY_DRAFT, [field]: " " })).toBe(false);
  }
});

test("toggling a channel changes only its event, and toggling it back leaves nothing to save", () => {
  assert(
    property(
      drafts,
      constantFrom(...EVENT_TYPES),
      constantFrom(...CHANNELS),
      (draft, type, channel) => {
        const isOn = draft.enabledEvents[type]?.includes(channel) === true;
        const switched = toggleChannel(draft, type, channel, !isOn);
        expect(isSameDraft(draft, switched)).toBe(false);
        for (const other of EVENT_TYPES.filter((one) => one !== type)) {
          expect(switched.enabledEvents[other]).toBe(draft.enabledEvents[other]);
        }
        expect(isSameDraft(draft, toggleChannel(switched, type, channel, isOn))).toBe(true);
      },
    ),
  );
});

test("counts the events enabled for a channel without an address", () => {
  const draft = toggleChannel(EMPTY_DRAFT, "upload_failed", "telegram", true);
  expect(eventsWithoutAddress(draft, "telegram")).toBe(1);
  expect(eventsWithoutAddress(draft, "email")).toBe(0);
  expect(eventsWithoutAddress({ ...draft, telegramUserId: "42" }, "telegram")).toBe(0);
});
