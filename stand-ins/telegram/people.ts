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

export type ChatMessage = {
  readonly id: number;
  readonly from: "person" | "bot";
  readonly text: string;
  readonly at: Date;
};

/** An entry of getUpdates (Bot API, type Update). */
export type Update = { readonly update_id: number; readonly message: object };

export type People = {
  list(): readonly Person[];
  find(id: number): Person | undefined;
  add(name: string): Person;
  /** Sends a message to the bot, as one update. */
  write(person: Person, text: string): void;
  /** Sends a message of the bot to the user. Returns the Bot API's Message. */
  receive(person: Person, text: string): object;
  updatesFrom(offset: number): Update[];
  /** Resolves at the next update, or when the signal aborts. */
  nextUpdate(signal: AbortSignal): Promise<void>;
};

export function createPeople(): People {
  const people: Person[] = [];
  let nextPersonId = 7_000_000_001;
  let nextMessageId = 1;
  let nextUpdateId = 100_001;
  let updates: Update[] = [];
  const waiting = new Set<() => void>();

  function add(name: string): Person {
    const username = name.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_");
    const person: Person = {
      id: nextPersonId,
      name,
      username,
      hasStarted: false,
      hasBlocked: false,
      messages: [],
    };
    nextPersonId += 1;
    people.push(person);
    return person;
  }

  function keep(person: Person, from: ChatMessage["from"], text: string): object {
    const message = { id: nextMessageId, from, text, at: new Date() };
    nextMessageId += 1;
    person.messages.push(message);
    return {
      message_id: message.id,
      date: Math.floor(message.at.getTime() / 1_000),
      chat: { id: person.id, type: "private", first_name: person.name, username: person.username },
      text,
    };
  }

  add("Dana");
  add("Robin");

  return {
    list: () => people,
    find: (id) => people.find((person) => person.id === id),
    add,
    write(person, text) {
      const { id, name, username } = person;
      const from = { id, is_bot: false, first_name: name, username };
      const message = { ...keep(person, "person", text), from };
      updates.push({ update_id: nextUpdateId, message });
      nextUpdateId += 1;
      for (const wake of waiting) wake();
    },
    receive: (person, text) => keep(person, "bot", text),
    updatesFrom(offset) {
      // Requesting later updates confirms earlier ones (Bot API, getUpdates).
      updates = updates.filter(({ update_id }) => update_id >= offset);
      return updates.slice(0, 100);
    },
    nextUpdate: (signal) =>
      new Promise((resolve) => {
        function wake() {
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      }),
  };
}
