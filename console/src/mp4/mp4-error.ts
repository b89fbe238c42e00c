/** A failure to show: its message is a sentence. */
export class Mp4Error extends Error {
  override readonly name = "Mp4Error";
}
