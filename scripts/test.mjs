import { ensureBrowser, FIREFOX } from "./browser.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { ensureInstalled } from "./install.mjs";
import { runQueue } from "./queue.mjs";
import {
  components,
  journeys,
  JOURNEY_PROGRAMS,
  simulation,
  STATIC_CHECKS,
  vitest,
  workerd,
} from "./steps.mjs";
import { PROJECT_NODE, capture } from "./tools.mjs";

// npm test: what a change may break. npm run test:deep: what repeats, kills, runs for long, or looks
// again elsewhere. Both need a machine with only Node, npm and a network.

/** Shells that the command line completes for. */
const SHELLS = { "/usr/bin/fish": "fish", "/usr/bin/zsh": "zsh" };

/** Servers in front of the service, and a font for the pictures. */
const RIG_PROGRAMS = {
  "/usr/sbin/nginx": "nginx-light",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/bin/caddy": "caddy",
  "/usr/share/fonts-droid-fallback": "fonts-droid-fallback",
};

/** Every state of the screens and stories in four looks, compared with pictures and looked at by axe. */
const LOOKS = ["src/app/design/", "src/app/accessibility.browser"];

/** The journeys that cover every part of the Cloudflare host: copying, chunked uploads, restarts. */
const CLOUDFLARE_JOURNEYS = ["archive", "manual-upload", "operate"].map(
  (name) => `e2e/${name}.spec.ts`,
);

await ensureInstalled();
process.exitCode = await runQueue(process.argv.includes("--deep") ? deepSteps() : steps());

/** The longest come first, after those that need no packages and no builds. */
function steps() {
  const browser = installPrograms(SHELLS);
  const built = Promise.all([browser, build("console")]);
  return [
    ...STATIC_CHECKS,
    vitest("tests", ["--project=units"], { ready: browser }),
    journeys("journeys", ["--project=wide"], { ready: built }),
    components(
      "components",
      LOOKS.map((path) => `--exclude=${path}**`),
      browser,
    ),
    workerd("tests in Cloudflare's runtime", ["--project=host"]),
    simulation(1, 30),
  ];
}

function deepSteps() {
  const browser = installPrograms({ ...RIG_PROGRAMS, ...FIREFOX });
  const built = Promise.all([browser, build("console", "worker")]);
  return [
    // Half of the whole time: its place waits for the builds.
    vitest("rigs", ["--project=rigs"], { ready: built }),
    simulation(1_001, 200),
    simulation(1_501, 200),
    workerd("the service in Cloudflare's runtime", ["--project=service"]),
    journeys("journeys on Cloudflare", ["--project=wide", ...CLOUDFLARE_JOURNEYS], {
      host: "cloudflare",
      ready: built,
    }),
    journeys("phones and Firefox", ["--project=phone", "--project=firefox"], { ready: built }),
    components("looks", LOOKS, browser),
    components("stories in Firefox", ["--config=stories.vitest.config.ts"], browser),
    components("pictures with other fonts", ["--config=fonts.vitest.config.ts"], browser),
  ];
}

/**
 * While they are downloaded, the processors have work that needs none.
 * @param {Readonly<Record<string, string>>} programs
 */
async function installPrograms(programs) {
  await ensureDebianPackages({ ...JOURNEY_PROGRAMS, ...programs });
  await ensureBrowser();
}

/**
 * In a process of its own: if it fails, the steps that need no build still run.
 * @param {readonly string[]} parts
 */
async function build(...parts) {
  const { code, output } = await capture(PROJECT_NODE, ["scripts/build.mjs", ...parts]);
  if (code === 0) return;
  console.log(output);
  throw new Error("The build failed");
}
