import type { Command } from 'commander';
import { exitCodes, Failure } from '../failure.ts';

/** What may follow a path of commands: subcommands, or files where there are none; and long options. */
interface Place {
  path: string;
  names: string[];
  options: string[];
}

function placesOf(command: Command, path: string[] = [], common: string[] = []): Place[] {
  const names = command.commands.map((each) => each.name()).filter((name) => name !== 'help');
  const own = command.options.flatMap(({ long }) => (long == null ? [] : [long]));
  const options = [...own, ...common];
  return [
    { path: path.join(' '), names, options },
    ...command.commands.flatMap((each) => placesOf(each, [...path, each.name()], options)),
  ];
}

/** Each finds the longest path in what is typed: arguments and values of options are no part of it. */
const scripts: Readonly<Record<string, (places: Place[]) => string>> = {
  bash: (places) => `_workspace() {
  local path="" names="" options="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    word="\${path:+$path }$word"
    case "$word" in ${known(places, '|')}) path="$word" ;; esac
  done
  case "$path" in
${places.map(({ path, names, options }) => `    "${path}") names="${names.join(' ')}" options="${options.join(' ')}" ;;`).join('\n')}
  esac
  word="\${COMP_WORDS[COMP_CWORD]}"
  case "$word" in -*) names="$options" ;; esac
  COMPREPLY=($(compgen -W "$names" -- "$word"))
}
complete -o default -F _workspace workspace`,
  zsh: (places) => `#compdef workspace
_workspace() {
  local at="" word
  local -a names options
  for word in \${words[2,CURRENT-1]}; do
    word="\${at:+$at }$word"
    case "$word" in ${known(places, '|')}) at="$word" ;; esac
  done
  case "$at" in
${places.map(({ path, names, options }) => `    "${path}") names=(${names.join(' ')}) options=(${options.join(' ')}) ;;`).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then compadd -- $options
  elif (( $#names )); then compadd -- $names
  else _files
  fi
}
compdef _workspace workspace`,
  fish: (places) =>
    [
      'function __workspace_at',
      '  set -l at ""',
      '  for word in (commandline -opc)[2..]',
      '    set word (string trim "$at $word")',
      `    contains -- "$word" ${known(places, ' ')}; and set at "$word"`,
      '  end',
      '  test "$at" = "$argv[1]"',
      'end',
      ...places.flatMap(({ path, names, options }) => {
        const here = `complete -c workspace -n '__workspace_at "${path}"'`;
        const after = options.map((option) => `${here} -l ${option.slice(2)}`);
        return names.length === 0 ? after : [`${here} -f -a '${names.join(' ')}'`, ...after];
      }),
    ].join('\n'),
};

const known = (places: readonly Place[], separator: string): string =>
  places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`])).join(separator);

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for your shell: eval "$(workspace completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => {
      const script = scripts[shell];
      if (script === undefined) throw new Failure('The shell must be bash, zsh or fish.', exitCodes.usage);
      process.stdout.write(`${script(placesOf(program))}\n`);
    });
}
