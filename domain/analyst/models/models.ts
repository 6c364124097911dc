import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { extractReasoningMiddleware, wrapLanguageModel } from 'ai';
import { createRedaction, type Redaction } from '../../../data/outgoing/redaction.ts';
import { type ModelProvider, type ModelsConfig, modelId, offlineId } from './config.ts';
import { type Effort, effortsOf, optionsFor, type ProviderOptions } from './efforts.ts';
import { fetchWithTextArguments } from './object-arguments.ts';

export type { Effort, ProviderOptions } from './efforts.ts';

export interface ListedModel {
  id: string;
  label: string;
  efforts: readonly Effort[];
  isDefault: boolean;
}

export interface FoundModel {
  id: string;
  label: string;
  efforts: readonly Effort[];
  /** Maximum tokens of a request and its answer together. */
  contextTokens: number;
  model(): LanguageModelV4;
  /** Keeps its provider's key out of what that says. */
  redaction: Redaction;
  /** The `providerOptions` of a request. */
  optionsFor(effort?: Effort | undefined): ProviderOptions;
}

/** The language models available in this installation. */
export interface Models {
  list(): ListedModel[];
  find(id: string): FoundModel | undefined;
  defaultId: string;
}

export function createModels(config: ModelsConfig, offline: LanguageModelV4): Models {
  const found = [
    ...config.providers.flatMap((provider) => modelsOf(provider, config.contextTokens)),
    {
      id: offlineId,
      label: 'Offline',
      efforts: [],
      contextTokens: config.contextTokens,
      model: () => offline,
      redaction: createRedaction([]),
      optionsFor: () => ({}),
    },
  ];
  const byId = new Map<string, FoundModel>(found.map((model) => [model.id, model]));
  const { defaultId } = config;
  return {
    defaultId,
    list: () => found.map(({ id, label, efforts }) => ({ id, label, efforts, isDefault: id === defaultId })),
    find: (id) => byId.get(id),
  };
}

function modelsOf(provider: ModelProvider, contextTokens: number): FoundModel[] {
  const open = opener(provider);
  const redaction = createRedaction(provider.apiKey === undefined ? [] : [provider.apiKey]);
  return provider.models.map((model) => ({
    id: modelId(provider, model),
    label: model.label,
    efforts: effortsOf(provider.kind, model.name),
    contextTokens,
    model: () => open(model.name),
    redaction,
    optionsFor: (effort) => optionsFor(provider.kind, model.name, effort),
  }));
}

/**
 * Addresses and keys are always passed explicitly, because the libraries would otherwise read them from the
 * environment.
 */
function opener({ kind, apiKey, baseUrl: baseURL }: ModelProvider): (name: string) => LanguageModelV4 {
  switch (kind) {
    case 'openai': {
      const openai = createOpenAI({ apiKey: apiKey ?? '', baseURL, fetch: fetchWithTextArguments });
      // Compatible servers support chat completions; OpenAI itself supports thinking between tool calls only
      // in the responses API.
      const isOfficial = new URL(baseURL).hostname.endsWith('.openai.com');
      return (name) => (isOfficial ? openai.responses(name) : withoutThoughts(openai.chat(name)));
    }
    case 'anthropic': {
      const anthropic = createAnthropic({ apiKey: apiKey ?? '', baseURL });
      return (name) => anthropic(name);
    }
    case 'local': {
      const key = apiKey === undefined ? {} : { apiKey };
      const settings = { name: kind, baseURL, includeUsage: true, fetch: fetchWithTextArguments };
      const local = createOpenAICompatible({ ...settings, ...key });
      return (name) => withoutThoughts(local.chatModel(name));
    }
  }
}

/** Servers that don't know a model's thoughts send them within its text. */
const withoutThoughts = (model: LanguageModelV4): LanguageModelV4 =>
  wrapLanguageModel({
    model,
    middleware: extractReasoningMiddleware({ tagName: 'think' }),
  }) as LanguageModelV4;
