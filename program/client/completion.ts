import type { Command, Option } from "commander";

type Case = {
  readonly name: string;
  readonly about: string;
  /** Subcommands and choices of arguments. */
  readonly words: readonly string[];
  /** Its own and those of its subcommands. */
  readonly options: readonly Option[];
};

/** A shell's script, made of the program's own commands and options. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  const cases = program.commands.map((command): Case => ({
    name: command.name(),
    about: command.summary() || command.description(),
    words: [
      ...command.commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ],
    options: [...command.options, ...command.commands.flatMap(({ options }) => options)],
  }));
  return (shell === "fish" ? cases.flatMap(fishLines) : bashLines(shell, cases)).join("\n");
}

function fishLines({ name, about, words, options }: Case): string[] {
  const complete = `complete -c vodkeep -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c vodkeep -f -n __fish_use_subcommand -a ${name} -d ${quote(about)}`,
    ...(words.length > 0 ? [`${complete} -f -a ${quote(words.join(" "))}`] : []),
    ...options.map(({ long, description, required, argChoices }) => {
      const value = argChoices ? ` -x -a ${quote(argChoices.join(" "))}` : required ? " -r" : "";
      return `${complete} -l ${long?.slice(2)} -d ${quote(description)}${value}`;
    }),
    `${complete} -l help`,
  ];
}

/** zsh runs bash's completions. There, `words` would be the command line. */
function bashLines(shell: "bash" | "zsh", cases: readonly Case[]): string[] {
  const values = cases.flatMap(({ name, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices ? [`    "${name} ${long}") choices=${quote(argChoices.join(" "))} ;;`] : [],
    ),
  );
  return [
    ...(shell === "zsh"
      ? [
          "whence compdef >/dev/null || { autoload -U compinit && compinit; }",
          "autoload -U +X bashcompinit && bashcompinit",
        ]
      : []),
    "_vodkeep() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" choices=""',
    '  case "${COMP_WORDS[1]}" in',
    ...cases.flatMap(({ name, words, options }) => [
      `    ${name}) case "$word" in`,
      `      -*) choices=${quote([...options.flatMap(({ long }) => long ?? []), "--help"].join(" "))} ;;`,
      `      *) choices=${quote(words.join(" "))} ;;`,
      "    esac ;;",
    ]),
    "  esac",
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in',
    ...values,
    "  esac",
    `  [ "$COMP_CWORD" -gt 1 ] || choices=${quote(cases.map(({ name }) => name).join(" "))}`,
    '  COMPREPLY=($(compgen -W "$choices" -- "$word"))',
    "}",
    "complete -o default -F _vodkeep vodkeep",
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
