export type ServerSentEvent = {
  readonly id: string | null;
  readonly data: unknown;
};

/** Reads an event stream like a browser's EventSource, one event at a time. */
export class EventReader {
  retryMs: number | null = null;
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private text = "";
  private readonly waiting: ServerSentEvent[] = [];

  constructor(response: Response) {
    if (response.body === null) throw new Error("The answer has no body");
    this.reader = response.body.getReader();
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<ServerSentEvent | null> {
    for (;;) {
      const event = this.waiting.shift();
      if (event !== undefined) return event;
      const { value, done } = await this.reader.read();
      if (done) return null;
      this.take(this.decoder.decode(value, { stream: true }));
    }
  }

  /** Reads events until one satisfies `isWanted`. */
  async until(isWanted: (event: ServerSentEvent) => boolean): Promise<ServerSentEvent> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error("The stream ended before the event came");
      if (isWanted(event)) return event;
    }
  }

  async end(): Promise<void> {
    while ((await this.next()) !== null);
  }

  async cancel(): Promise<void> {
    await this.reader.cancel();
  }

  private take(text: string): void {
    this.text += text;
    const blocks = this.text.split("\n\n");
    this.text = blocks.pop() ?? "";
    for (const block of blocks) this.takeBlock(block.split("\n"));
  }

  private takeBlock(lines: readonly string[]): void {
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
    const retry = field("retry");
    if (retry !== null) this.retryMs = Number(retry);
    const data = field("data");
    if (data !== null) this.waiting.push({ id: field("id"), data: JSON.parse(data) });
  }
}
