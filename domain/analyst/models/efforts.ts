import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelProvider } from './config.ts';

/** How much a model thinks before it answers. */
export type Effort = 'low' | 'medium' | 'high';
export type ProviderOptions = SharedV4ProviderOptions;

const all: readonly Effort[] = ['low', 'medium', 'high'];
/** For models with a thinking budget; the answer has separate tokens. */
const budgetTokens: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 24_576 };

const openAiReasoning = /^(?:o\d|gpt-[5-9])/;
const openAiFixed = /-(?:chat|pro)/;
const claudeWithout = /claude-(?:instant|v?2|3)/;
const claudeBudgeted = /claude-(?:opus|sonnet|haiku)-4(?:-(?:[015]|20\d{6})(?!\d)|$)/;

/** The efforts supported by a model of this name; empty if it does not think, or only in one way. */
export function effortsOf(kind: ModelProvider['kind'], name: string): readonly Effort[] {
  switch (kind) {
    case 'openai':
      return openAiReasoning.test(name) && !openAiFixed.test(name) ? all : [];
    case 'anthropic':
      return name.includes('claude-') && !claudeWithout.test(name) ? all : [];
    case 'local':
      return all;
  }
}

/** Provider options for a request; an effort that the model does not support is omitted. */
export function optionsFor(
  kind: ModelProvider['kind'],
  name: string,
  effort: Effort | undefined,
): ProviderOptions {
  const asked = effort !== undefined && effortsOf(kind, name).includes(effort) ? effort : undefined;
  switch (kind) {
    case 'openai':
      // Conversations are stored only in this service.
      return { openai: { store: false, ...(asked === undefined ? {} : { reasoningEffort: asked }) } };
    case 'anthropic':
      return { anthropic: { ...cached, ...(asked === undefined ? {} : claudeOptions(name, asked)) } };
    case 'local':
      return asked === undefined ? {} : { local: { reasoningEffort: asked } };
  }
}

/** The prompt up to its last block is cached; the other providers do so unasked. */
const cached = { cacheControl: { type: 'ephemeral' } } as const;

function claudeOptions(name: string, effort: Effort) {
  if (claudeBudgeted.test(name))
    return { thinking: { type: 'enabled', budgetTokens: budgetTokens[effort] } } as const;
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort } as const;
}
