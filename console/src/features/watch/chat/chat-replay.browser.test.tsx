import { useState } from "react";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { ChatReplay } from "./chat-replay.tsx";
import { sampleChat } from "./sample-chat.ts";

const MANY = sampleChat(200_000);
const line = (text: RegExp) => page.getByRole("button", { name: text });
const back = page.getByRole("button", { name: "Back to now" });

function Playing({ onSeek }: { readonly onSeek: (sec: number) => void }) {
  const [sec, setSec] = useState(50_000);
  return (
    <>
      <button type="button" onClick={() => setSec(sec + 1_000)}>
        Later
      </button>
      <ChatReplay messages={MANY} currentSec={sec} onSeek={onSeek} />
    </>
  );
}

function scroller(): HTMLElement {
  const found = document.querySelector("ol")?.parentElement;
  if (!(found instanceof HTMLElement)) throw new Error("There is no list");
  return found;
}

test("200,000 messages follow the video until they are scrolled, and again on request", async () => {
  mount(<Playing onSeek={() => undefined} />);
  await expect.element(line(/ 50000/)).toBeInViewport();
  await page.getByRole("button", { name: "Later" }).click();
  await expect.element(line(/ 51000/)).toBeInViewport();
  scroller().dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
  scroller().scrollTop = 0;
  await expect.element(line(/ 0Kappa/)).toBeInViewport();
  await page.getByRole("button", { name: "Later" }).click();
  await expect.element(line(/ 0Kappa/)).toBeInViewport();
  await back.click();
  await expect.element(line(/ 52000/)).toBeInViewport();
  await expect.element(back).not.toBeInTheDocument();
  expect(document.querySelectorAll("li").length).toBeLessThan(100);
});

test("arrow keys move between messages, and Enter seeks to one", async () => {
  const onSeek = vi.fn<(sec: number) => void>();
  mount(<Playing onSeek={onSeek} />);
  await expect.element(line(/ 50000/)).toBeInViewport();
  await page.getByRole("searchbox", { name: "Search chat..." }).click();
  await userEvent.keyboard("{Tab}");
  await expect.element(line(/ 50000/)).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
  await expect.element(line(/ 50001/)).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  expect(onSeek).toHaveBeenCalledExactlyOnceWith(50_001);
});

test("hostile names and messages are shown as text", async () => {
  const hostile = sampleChat(20).map((message) => ({ ...message, name: "\u202E<b>雲の上</b>" }));
  mount(<ChatReplay messages={hostile} currentSec={10} onSeek={() => undefined} />);
  await expect.element(line(/<b>雲の上<\/b>/).first()).toBeVisible();
  expect(document.querySelector("ol b, ol i")).toBeNull();
  expect(document.querySelector("ol")?.textContent).not.toContain("\u202E");
});
