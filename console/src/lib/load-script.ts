/** A script failed to load: the server is unreachable, or a newer build has replaced the script. */
export class MissingScript extends Error {
  override readonly name = "MissingScript";
}

/** Throws `MissingScript`; on the browser's own error the router would reload the page. */
export async function loadScript<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (cause) {
    throw new MissingScript("The script did not come.", { cause });
  }
}
