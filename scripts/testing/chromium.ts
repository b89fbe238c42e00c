/** How tests in a browser start Debian's Chromium. */
export const CHROMIUM_LAUNCH = {
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  // Chromium's background traffic fails in a closed network and would log irrelevant errors.
  // Root (as on CI machines) cannot use the sandbox.
  args: [
    "--no-sandbox",
    "--disable-gpu",
    // As the whole Chromium draws, with which the pictures were taken.
    "--font-render-hinting=slight",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
