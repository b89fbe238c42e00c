import interUrl from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import { expect } from "vitest";
import { commands, page, server, userEvent } from "vitest/browser";

declare module "vitest/browser" {
  interface BrowserCommands {
    forceColors(active: boolean): Promise<void>;
  }
}

/** Edge of the blocks to whose mean colours a screenshot is reduced. */
const BLOCK_PX = 8;

/** How far each of a block's colours (0 to 255) may be from all of those around it. */
const TOLERANCE = 12;

/** Blocks beyond the tolerance that count as the browser's way of drawing text. */
const MAX_DIFFERENT = 10;

/** Characters that Inter lacks; a font of the system would draw them. */
const FOREIGN = /[^\n\t -~\u{A0}-ÿ–—‘’“”•…↑↓−]/gu;

const WHOLE_WINDOW = { save: false, target: "page", animations: "disabled" } as const;

/**
 * Compares the window with `console/pictures/<name>.png`, which has one pixel per block of the
 * screenshot. Different rendering of text passes: a block is compared with all around it. What
 * moved by more than a block, vanished or has another colour fails, marked red in
 * `console/test-results/<name>.png`. `npm run pictures` takes all pictures anew.
 */
export async function expectPicture(name: string): Promise<void> {
  await useOnlyInter();
  expect(document.body.innerText.match(FOREIGN), "characters without a font").toBeNull();
  await parkPointer();
  const path = `pictures/${name}.png`;
  const screenshot = await page.screenshot(WHOLE_WINDOW);
  const image = await load(`data:image/png;base64,${screenshot}`);
  const taken = draw(image, Math.ceil(image.width / BLOCK_PX), Math.ceil(image.height / BLOCK_PX));
  if (server.config.snapshotOptions.updateSnapshot === "all") {
    await save(path, taken);
    return;
  }
  const reference = await load(`/${path}`).catch(() =>
    expect.fail(`console/${path} is missing: \`npm run pictures\` takes it`),
  );
  const different = differentBlocks(
    pixelsOf(taken),
    pixelsOf(draw(reference, reference.width, reference.height)),
  );
  if (different.length > MAX_DIFFERENT) {
    const marked = draw(image, image.width, image.height);
    marked.fillStyle = "rgb(255 0 0 / 0.5)";
    for (const { x, y } of different)
      marked.fillRect(x * BLOCK_PX, y * BLOCK_PX, BLOCK_PX, BLOCK_PX);
    await save(`test-results/${name}.png`, marked);
  }
  expect(different.length, `different blocks of ${name}`).toBeLessThanOrEqual(MAX_DIFFERENT);
}

const inter = new FontFace("Inter", `url(${interUrl})`, { weight: "100 900" });

/** The system's fonts differ, and base.css does not wait for this one. */
export async function useOnlyInter(): Promise<void> {
  document.fonts.add(await inter.load());
  for (const font of ["--font", "--font-mono"])
    document.documentElement.style.setProperty(font, "Inter");
}

let isParked = false;

/** Another file's tests may have left the pointer where a button is now. */
async function parkPointer(): Promise<void> {
  if (isParked) return;
  const corner = { position: { x: 0, y: 0 }, force: true };
  await userEvent.hover(page.elementLocator(document.documentElement), corner);
  isParked = true;
}

async function load(source: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = source;
  await image.decode();
  return image;
}

function draw(image: HTMLImageElement, width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser has no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  return context;
}

async function save(path: string, { canvas }: CanvasRenderingContext2D): Promise<void> {
  await commands.writeFile(path, canvas.toDataURL().replace(/^.*,/, ""), "base64");
}

function pixelsOf(context: CanvasRenderingContext2D): ImageData {
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

function differentBlocks(one: ImageData, other: ImageData) {
  const different: { readonly x: number; readonly y: number }[] = [];
  for (let y = 0; y < Math.max(one.height, other.height); y += 1)
    for (let x = 0; x < Math.max(one.width, other.width); x += 1)
      if (!isAmong(one, other, x, y, 0) && !areAlikeAround(one, other, x, y))
        different.push({ x, y });
  return different;
}

function areAlikeAround(one: ImageData, other: ImageData, x: number, y: number): boolean {
  return isAmong(one, other, x, y, 1) && isAmong(other, one, x, y, 1);
}

/** Whether a block's colours lie between those of the other picture's blocks this far around it. */
function isAmong(one: ImageData, other: ImageData, x: number, y: number, reach: number): boolean {
  return [0, 1, 2].every((channel) => {
    const value = valueAt(one, x, y, channel);
    let lowest = 255;
    let highest = 0;
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1) {
        const near = valueAt(other, x + dx, y + dy, channel);
        lowest = Math.min(lowest, near);
        highest = Math.max(highest, near);
      }
    return value >= lowest - TOLERANCE && value <= highest + TOLERANCE;
  });
}

/** Beyond the edges, that of the nearest block. */
function valueAt({ data, width, height }: ImageData, x: number, y: number, channel: number) {
  const column = Math.min(Math.max(x, 0), width - 1);
  const row = Math.min(Math.max(y, 0), height - 1);
  return data[(row * width + column) * 4 + channel] ?? 0;
}
