/** A Telegram user whom the bot may meet. */
export type Person = {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  /** A bot may write only to users who have pressed Start and have not blocked it since. */
  hasStarted: boolean;
  hasBlocked: boolean;
  readonly messages: ChatMessage[];
};

type ChatMessage = { readonly from: "person" | "bot"; readonly text: string };

/** An entry of getUpdates (Bot API, type Update). */
export type Update = { readonly update_id: number; readonly message: object };

export type People = ReturnType<typeof createPeople>;

export function createPeople() {
  const people = ["Dana", "Robin"].map((name, index): Person => ({
    id: 7_000_000_001 + index,
    name,
    username: name.toLowerCase(),
    hasStarted: false,
    hasBlocked: false,
    messages: [],
  }));
  let lastMessageId = 0;
  let nextUpdateId = 100_001;
  let updates: Update[] = [];
  const waiting = new Set<() => void>();

  function keep(person: Person, from: ChatMessage["from"], text: string): object {
    lastMessageId += 1;
    person.messages.push({ from, text });
    return {
      message_id: lastMessageId,
      date: Math.floor(Date.now() / 1_000),
      chat: { id: person.id, type: "private", first_name: person.name, username: person.username },
      text,
    };
  }

  return {
    list: (): readonly Person[] => people,
    find: (id: number) => people.find((person) => person.id === id),
    /** Sends a message to the bot, as one update. */
    write(person: Person, text: string): void {
      const { id, name, username } = person;
      const from = { id, is_bot: false, first_name: name, username };
      const message = { ...keep(person, "person", text), from };
      updates.push({ update_id: nextUpdateId, message });
      nextUpdateId += 1;
      for (const wake of waiting) wake();
    },
    /** Sends a message of the bot to the user. Returns the Bot API's Message. */
    receive: (person: Person, text: string) => keep(person, "bot", text),
    updatesFrom(offset: number): Update[] {
      // Requesting later updates confirms earlier ones (Bot API, getUpdates).
      updates = updates.filter(({ update_id }) => update_id >= offset);
      return updates.slice(0, 100);
    },
    /** Resolves at the next update, or when the signal aborts. */
    nextUpdate: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        function wake() {
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      }),
  };
}
