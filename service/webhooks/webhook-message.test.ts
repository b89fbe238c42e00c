import { expect, test } from "vitest";
import { composeWebhook, type WebhookEvent } from "./webhook-message.ts";

const SETTINGS = { ENVIRONMENT: "preview", CONSOLE_URL: ["http://localhost:8787"] } as const;

const LONGEST: WebhookEvent = {
  id: "event-1-1",
  type: "upload_failed",
  cause: null,
  subject: "u1",
  title: "@everyone [free](https://evil.example) \u0001".repeat(90),
  body: "\u0001*漢漢漢".repeat(3_600),
  link: "/uploads/failed",
  createdAt: 1,
  isTest: false,
};

test.each([
  ["discord", "/hook", { allowed_mentions: { parse: [] } }],
  ["ntfy", "/", { topic: "hook", priority: 4, click: "http://localhost:8787/uploads/failed" }],
  ["apprise", "/hook", { type: "warning" }],
  ["standard", "/hook", { type: "upload_failed", data: { severity: "high" } }],
] as const)("%s keeps its limits", async (format, path, due) => {
  const webhook = { format, url: "https://example.org/hook", secret: null };
  const { url, body } = await composeWebhook(webhook, LONGEST, 1, SETTINGS);
  expect(new URL(url).pathname).toBe(path);
  expect(new TextEncoder().encode(body).byteLength).toBeLessThan(20_000);
  const parsed: { content?: string; message?: string } = JSON.parse(body);
  expect(parsed).toMatchObject(due);
  expect(new TextEncoder().encode(parsed.message).byteLength).toBeLessThan(4_096);
  expect(parsed.content?.length ?? 0).toBeLessThanOrEqual(2_000);
  expect(parsed.content ?? "").not.toContain("[free](");
});

test("Discord shows addresses in titles as they are, and no other markup", async () => {
  const webhook = { format: "discord", url: "https://example.org/hook", secret: null } as const;
  const event = { ...LONGEST, title: "_new_ at https://a.example/x_b-c#d|e", body: "", link: null };
  const { body } = await composeWebhook(webhook, event, 1, SETTINGS);
  expect(JSON.parse(body).content).toContain(String.raw`\_new\_ at https://a.example/x_b-c#d\|e`);
});
