import type { Command } from 'commander';
import { exitCodes, Failure } from '../failure.ts';

/** Words that may follow each path of commands: subcommands and long options. */
function wordsOf(command: Command, path: string[] = []): [path: string, words: string[]][] {
  const names = command.commands.map((each) => each.name()).filter((name) => name !== 'help');
  const options = command.options.flatMap(({ long }) => (long == null ? [] : [long]));
  return [
    [path.join(' '), [...names, ...options]],
    ...command.commands.flatMap((each) => wordsOf(each, [...path, each.name()])),
  ];
}

const scripts: Readonly<Record<string, (lines: [string, string[]][]) => string>> = {
  bash: (lines) => `_workspace() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  local words=""
  case "$path" in
${lines.map(([path, words]) => `    ${path === '' ? '""' : `"${path}"`}) words="${words.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ -n "$words" ] || compopt -o default
}
complete -F _workspace workspace`,
  zsh: (lines) => `#compdef workspace
_workspace() {
  local -a typed
  typed=(\${(M)words[2,CURRENT-1]:#[^-]*})
  case "\${(j: :)typed}" in
${lines.map(([path, words]) => `    "${path}") compadd -- ${words.join(' ')} ;;`).join('\n')}
    *) _files ;;
  esac
}
compdef _workspace workspace`,
  fish: (lines) =>
    [
      'function __workspace_path',
      '  string join " " (string match -v -- "-*" (commandline -opc)[2..])',
      'end',
      ...lines
        .filter(([, words]) => words.length > 0)
        .map(
          ([path, words]) =>
            `complete -c workspace -n 'test (__workspace_path) = "${path}"' -a '${words.join(' ')}'`,
        ),
    ].join('\n'),
};

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print what completes commands: eval "$(workspace completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => {
      const script = scripts[shell];
      if (script === undefined) throw new Failure('Shells are bash, zsh and fish.', exitCodes.usage);
      process.stdout.write(`${script(wordsOf(program))}\n`);
    });
}
