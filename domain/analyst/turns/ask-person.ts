import { z } from 'zod';
import { text } from './tools/tool.ts';

/** Offered to a run's analyst: no person can answer, so the question ends the turn. */
export const askPerson = {
  name: 'ask_person',
  description: 'Ends the run with a question. Call it when the run cannot continue without an answer.',
  input: z.strictObject({ question: text(1, 2_000) }),
};

/** The question in a run's answer, if there is one. */
export function questionIn({
  calls,
}: {
  calls: readonly { name: string; input: unknown }[];
}): string | undefined {
  const call = calls.find(({ name }) => name === askPerson.name);
  if (call === undefined) return undefined;
  const input = askPerson.input.safeParse(call.input);
  return input.success ? input.data.question : "The analyst had a question, but didn't say which one.";
}
