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

const GSTREAMER = "/usr/lib/x86_64-linux-gnu/gstreamer-1.0";

/**
 * Debian's Firefox and WebKitGTK, with what drives the latter without a screen and decodes its
 * videos; Firefox uses the libraries that come with ffmpeg.
 */
export const OTHER_BROWSERS = {
  "/usr/bin/firefox-esr": "firefox-esr",
  "/usr/bin/WebKitWebDriver": "webkit2gtk-driver",
  "/usr/bin/Xvfb": "xvfb",
  [`${GSTREAMER}/libgstvideoparsersbad.so`]: "gstreamer1.0-plugins-bad",
  [`${GSTREAMER}/libgstlibav.so`]: "gstreamer1.0-libav",
};
