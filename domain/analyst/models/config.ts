import { z } from 'zod';

/** A list like `gpt-5.5, gpt-5.4-mini=GPT mini`: the provider's name of each model, and its display name. */
const modelList = z.string().transform(readList);
const address = z.string().transform(readAddress);
const key = z
  .string()
  .trim()
  // Other characters could not be sent, and the resulting error would contain the key.
  .regex(/^[\x21-\x7e]+$/, 'A key must have only ASCII characters, without spaces.');

/** Environment variables of language models, to add to a service's: `.extend(modelsEnvironment.shape)`. */
export const modelsEnvironment = z.object({
  OPENAI_API_KEY: key.optional(),
  OPENAI_MODELS: modelList.optional(),
  OPENAI_BASE_URL: address.optional(),
  ANTHROPIC_API_KEY: key.optional(),
  ANTHROPIC_MODELS: modelList.optional(),
  ANTHROPIC_BASE_URL: address.optional(),
  MODEL_BASE_URL: address.optional(),
  MODEL_API_KEY: key.optional(),
  MODEL_IDS: modelList.optional(),
  MODEL_NAME: z.string().trim().min(1).max(80).default('local'),
  DEFAULT_MODEL: z.string().trim().optional(),
  MODEL_CONTEXT_TOKENS: z.coerce.number().int().min(4_096).default(128_000),
  MONTHLY_TOKEN_BUDGET: z.coerce.number().int().min(1).optional(),
});

export interface NamedModel {
  /** The provider's name for it. */
  name: string;
  label: string;
}

export interface ModelProvider {
  /** The prefix of its models' ids, independent of its label. */
  kind: 'openai' | 'anthropic' | 'local';
  baseUrl: string;
  apiKey: string | undefined;
  models: readonly NamedModel[];
}

export interface ModelsConfig {
  providers: readonly ModelProvider[];
  defaultId: string;
  contextTokens: number;
  /** Tokens that one organization may use in a month. */
  monthlyTokenBudget: number | undefined;
}

/** The model that is always available and calls no provider. */
export const offlineId = 'offline';
const officialAddress = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' };
const usualModels = {
  openai: readKnown('gpt-5.5=GPT-5.5, gpt-5.4-mini=GPT-5.4 mini, gpt-5.2=GPT-5.2'),
  anthropic: readKnown(
    'claude-sonnet-5-5=Claude Sonnet 5.5, claude-haiku-5-5=Claude Haiku 5.5, claude-opus-5-5=Claude Opus 5.5',
  ),
};

export function modelId(provider: ModelProvider, model: NamedModel): string {
  return `${provider.kind}/${model.name}`;
}

/**
 * The configured models. Incomplete settings of a provider abort the start, as does a default that is not one
 * of the models.
 */
export function modelsConfig(e: z.infer<typeof modelsEnvironment>): ModelsConfig {
  const providers = [
    hosted('openai', e.OPENAI_API_KEY, e.OPENAI_BASE_URL, e.OPENAI_MODELS),
    hosted('anthropic', e.ANTHROPIC_API_KEY, e.ANTHROPIC_BASE_URL, e.ANTHROPIC_MODELS),
    local(e),
  ].filter((provider) => provider !== undefined);
  const ids = providers.flatMap((provider) => provider.models.map((model) => modelId(provider, model)));
  const known = [...ids, offlineId];
  const defaultId = e.DEFAULT_MODEL ?? known[0]!;
  if (!known.includes(defaultId))
    throw new Error(
      `DEFAULT_MODEL is ${defaultId}, but the models are ${known.join(', ')}. Choose one of them.`,
    );
  return {
    providers,
    defaultId,
    contextTokens: e.MODEL_CONTEXT_TOKENS,
    monthlyTokenBudget: e.MONTHLY_TOKEN_BUDGET,
  };
}

function hosted(
  kind: 'openai' | 'anthropic',
  apiKey: string | undefined,
  baseUrl: string | undefined,
  models: readonly NamedModel[] | undefined,
): ModelProvider | undefined {
  if (apiKey !== undefined)
    return { kind, apiKey, baseUrl: baseUrl ?? officialAddress[kind], models: models ?? usualModels[kind] };
  const name = kind.toUpperCase();
  if (baseUrl !== undefined || models !== undefined)
    throw new Error(`${name}_MODELS and ${name}_BASE_URL need ${name}_API_KEY. Set it, or remove them.`);
  return undefined;
}

/** Any server with the OpenAI wire format; on the same machine it may need no key. */
function local(e: z.infer<typeof modelsEnvironment>): ModelProvider | undefined {
  const { MODEL_BASE_URL: baseUrl, MODEL_IDS: ids, MODEL_API_KEY: apiKey, MODEL_NAME: name } = e;
  if (baseUrl === undefined && ids === undefined && apiKey === undefined) return undefined;
  if (baseUrl === undefined || ids === undefined)
    throw new Error(
      'Set MODEL_BASE_URL and MODEL_IDS together. They are the server and the models that it serves.',
    );
  const models = ids.map((model) =>
    model.label === model.name ? { ...model, label: `${model.name} (${name})` } : model,
  );
  return { kind: 'local', baseUrl, apiKey, models };
}

function readList(text: string, context: z.RefinementCtx): NamedModel[] {
  const models = readKnown(text);
  const names = new Set(models.map(({ name }) => name));
  if (models.length === 0) context.addIssue({ code: 'custom', message: 'List at least one model.' });
  if (names.size < models.length) context.addIssue({ code: 'custom', message: 'A model is listed twice.' });
  if (models.some(({ name, label }) => /\s/.test(name) || name === '' || label === '' || name.length > 200))
    context.addIssue({
      code: 'custom',
      message: 'Write each entry as id or id=Label. An id must not contain spaces.',
    });
  return models;
}

function readKnown(text: string): NamedModel[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('=');
      if (at < 0) return { name: entry, label: entry };
      return { name: entry.slice(0, at).trim(), label: entry.slice(at + 1).trim() };
    });
}

function readAddress(text: string, context: z.RefinementCtx): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.search === '';
  if (url === undefined || !isPlain || !['http:', 'https:'].includes(url.protocol)) {
    context.addIssue({
      code: 'custom',
      message: 'The address must begin with http or https, without a user name, a password or a query.',
    });
    return z.NEVER;
  }
  return url.href.replace(/\/$/, '');
}
