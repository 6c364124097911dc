import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';

export interface ToolAnswer {
  tool: string;
  value?: unknown;
  error?: { code: string; message: string };
}

/** The parts of a prompt that the analyst reads: the questions, and the tool answers since the last one. */
export interface Conversation {
  messages: string[];
  answers: ToolAnswer[];
  tools: ReadonlySet<string>;
  /** The last message contains a document's instructions, and no person can be asked. */
  isUnattended: boolean;
}

/** Number of earlier questions that may give the last one its subject. */
const maxEarlier = 10;

export function readPrompt({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Conversation {
  const messages: string[] = [];
  let answers: ToolAnswer[] = [];
  for (const message of prompt) {
    if (message.role === 'user') {
      messages.push(message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' '));
      answers = [];
    } else if (message.role === 'tool') answers.push(...readAnswers(message));
  }
  const offered = toolChoice?.type === 'none' ? [] : (tools ?? []);
  return {
    messages: messages.slice(-1 - maxEarlier),
    answers,
    tools: new Set(offered.map(({ name }) => name)),
    isUnattended: (tools ?? []).some(({ name }) => name === 'ask_person'),
  };
}

type ToolMessage = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>;

function readAnswers(message: ToolMessage): ToolAnswer[] {
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return [];
    const { output } = part;
    if (output.type === 'text' || output.type === 'error-text')
      return [answerOf(part.toolName, parsed(output.value))];
    if (output.type === 'json' || output.type === 'error-json')
      return [answerOf(part.toolName, output.value)];
    return [answerOf(part.toolName, undefined)];
  });
}

/** The JSON between the lines that mark it as data, or the whole text if there are no such lines. */
function parsed(text: string): unknown {
  const first = text.startsWith('<') ? text.indexOf('\n') : -1;
  const last = text.startsWith('<') ? text.lastIndexOf('\n') : text.length;
  try {
    return JSON.parse(text.slice(first + 1, last > first ? last : text.length));
  } catch {
    return undefined;
  }
}

function answerOf(tool: string, value: unknown): ToolAnswer {
  if (typeof value !== 'object' || value === null)
    return { tool, error: { code: 'unreadable', message: 'The answer of the tool could not be read.' } };
  const { error } = value as { error?: unknown };
  if (typeof error !== 'object' || error === null) return { tool, value };
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { tool, error: { code: String(code ?? 'error'), message: String(message ?? '') } };
}
