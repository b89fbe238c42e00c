import { existsSync } from "node:fs";
import { ensureDebianPackages, installDebianPackages } from "./debian-packages.mjs";

/** Debian's Chromium without windows: a new context costs it a third of what it costs the whole. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

const BROWSERS = [
  HEADLESS_SHELL,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];

const PACKAGES = {
  [HEADLESS_SHELL]: "chromium-headless-shell",
  "/usr/share/fonts/truetype/liberation": "fonts-liberation",
};

/** The Chromium to test with, once {@link ensureBrowser} has installed what it can. */
export function browserPath() {
  return process.env["CHROMIUM_PATH"] || (BROWSERS.find(existsSync) ?? HEADLESS_SHELL);
}

/** Installs Debian's headless shell; where that fails, another Chromium does, if more slowly. */
export async function ensureBrowser() {
  if (process.env["CHROMIUM_PATH"] || existsSync(HEADLESS_SHELL)) return;
  if (existsSync(browserPath())) await installDebianPackages(PACKAGES);
  else await ensureDebianPackages(PACKAGES);
}

/** Debian's Firefox; it decodes videos with the libraries that come with ffmpeg. */
export const FIREFOX = { "/usr/bin/firefox-esr": "firefox-esr" };
