import { existsSync } from "node:fs";
import { ensureDebianPackages } from "./debian-packages.mjs";

const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];

/** Finds Chromium, or installs Debian's package. */
export async function ensureBrowser() {
  const chosen = process.env["CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") return chosen;
  const found = BROWSERS.find((path) => existsSync(path));
  if (found !== undefined) return found;
  await ensureDebianPackages({
    "/usr/bin/chromium": "chromium",
    "/usr/share/fonts/truetype/liberation": "fonts-liberation",
  });
  return "/usr/bin/chromium";
}

/** Debian's Firefox; it decodes videos with the libraries that come with ffmpeg. */
export const FIREFOX = { "/usr/bin/firefox-esr": "firefox-esr" };
