/** A script failed to load: the server is unreachable, or no longer has the script. */
export class MissingScript extends Error {
  override readonly name = "MissingScript";
}

/** A connection may drop for a moment. */
const RETRY_AFTER_MS = [200, 800];

/**
 * Tries three times, then throws `MissingScript`; on the browser's own error the router would reload
 * the page.
 */
export async function loadScript<M>(load: () => Promise<M>): Promise<M> {
  for (const delayMs of RETRY_AFTER_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  try {
    return await load();
  } catch (cause) {
    throw new MissingScript("The script failed to load.", { cause });
  }
}
