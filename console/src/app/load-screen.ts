/** A screen whose script did not come: no server answered, or a newer build has replaced it. */
export class MissingScreen extends Error {
  override readonly name = "MissingScreen";
}

/** Throws `MissingScreen`; on the browser's own error the router would reload the page. */
export async function loadScreen<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (cause) {
    throw new MissingScreen("The screen's script did not come.", { cause });
  }
}
