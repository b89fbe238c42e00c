import { existsSync } from "node:fs";
import { ensureDebianPackages } from "./debian-packages.mjs";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

const BROWSERS = [
  DEBIAN_CHROMIUM,
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];

/** The Chromium to test with, which may have to be installed first. */
export const BROWSER_PATH =
  process.env["CHROMIUM_PATH"] || (BROWSERS.find((path) => existsSync(path)) ?? DEBIAN_CHROMIUM);

/** Installs Debian's Chromium if there is none. */
export async function ensureBrowser() {
  if (existsSync(BROWSER_PATH)) return;
  await ensureDebianPackages({
    [DEBIAN_CHROMIUM]: "chromium",
    "/usr/share/fonts/truetype/liberation": "fonts-liberation",
  });
}

/** Debian's Firefox; it decodes videos with the libraries that come with ffmpeg. */
export const FIREFOX = { "/usr/bin/firefox-esr": "firefox-esr" };
