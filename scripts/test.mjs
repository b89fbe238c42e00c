import { check } from "./check.mjs";
import { runJourneys } from "./e2e.mjs";
import { ensureInstalled } from "./install.mjs";

// npm test: everything, on a machine that may have nothing but Node, npm and a network.

await ensureInstalled();
const checked = await check();
const journeys = await runJourneys([]);
const failed = checked.failed + journeys.failed;
console.log(`${checked.passed + journeys.passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
