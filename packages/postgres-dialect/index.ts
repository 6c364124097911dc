export type { Command, CopyCommand } from './src/command.ts';
export { commandOf } from './src/commands.ts';
export { parameterNumbers, type Statement, statementsOf, type Token, tokensOf } from './src/lexer.ts';
