import { availableParallelism } from "node:os";
import { PROJECT_NODE, capture } from "./tools.mjs";

/** @typedef {{ passed: number, failed: number }} Tally */

/**
 * A part of the tests: a program with the project's Node, counted as one test unless it reports a
 * number. It waits for `ready`, such as a build, and has failed if that is rejected.
 * @typedef {{
 *   name: string, args: readonly string[], env?: NodeJS.ProcessEnv, ready?: Promise<unknown>,
 *   count?: () => Tally, printsLast?: boolean,
 * }} Step
 */

/** Besides one step a processor, for those that wait more than they compute. */
const SPARE_PLACES = 1;

/**
 * Runs all steps, in their order, a few at a time, and prints the sum as the last line.
 * @param {readonly Step[]} steps
 * @returns {Promise<number>} the exit code
 */
export async function runQueue(steps) {
  const startedMs = performance.now();
  const waiting = [...steps];
  const sum = { passed: 0, failed: 0, cpuMs: 0 };
  const isReady = new Map(steps.map((step) => [step, settled(step.ready)]));
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { passed, failed, cpuMs } = (await isReady.get(next))
        ? await runStep(next)
        : notRun(next);
      sum.passed += passed;
      sum.failed += failed;
      sum.cpuMs += cpuMs;
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() + SPARE_PLACES }, work));
  console.log(`       in ${seconds(performance.now() - startedMs)}, ${seconds(sum.cpuMs)} CPU`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
}

/**
 * Whether it was fulfilled. To be asked at once: nobody may listen yet when it is rejected.
 * @param {Promise<unknown>} [ready]
 */
async function settled(ready) {
  try {
    await ready;
    return true;
  } catch {
    return false;
  }
}

/** @param {Step} step whose `ready` was rejected */
function notRun({ name }) {
  console.log(`FAILED ${name} (not run: it needs what failed above)`);
  return { passed: 0, failed: 1, cpuMs: 0 };
}

/**
 * @param {Step} step
 * @returns {Promise<Tally & { readonly cpuMs: number }>}
 */
async function runStep({ name, args, env, count, printsLast }) {
  const startedMs = performance.now();
  const { code, output, cpuMs } = await capture(PROJECT_NODE, args, env);
  if (code !== 0) console.log(output);
  const spent = `${seconds(performance.now() - startedMs)}, ${seconds(cpuMs)} CPU`;
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${spent})`);
  if (code === 0 && printsLast) console.log(`       ${output.trimEnd().split("\n").at(-1)}`);
  const tally = count?.() ?? { passed: 1, failed: 0 };
  // A run with a bad exit code has failed, even if all of its tests passed.
  if (code === 0 || tally.failed > 0) return { ...tally, cpuMs };
  return { passed: count === undefined ? 0 : tally.passed, failed: 1, cpuMs };
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
