import { page, userEvent } from "vitest/browser";

/** Presses and releases the pointer at this place of the window, whatever is there. */
export async function pressAt(x: number, y: number): Promise<void> {
  await userEvent.click(page.elementLocator(document.documentElement), {
    position: { x, y },
    force: true,
  });
}
