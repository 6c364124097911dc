import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../../../data/stores-config.ts';
import { modelsConfig, modelsEnvironment } from '../../../../domain/analyst/models/config.ts';
import { createModels } from '../../../../domain/analyst/models/models.ts';

const offline = { specificationVersion: 'v4', modelId: 'offline' } as LanguageModelV4;
const configOf = (env: Record<string, string>) => modelsConfig(readEnvironment(modelsEnvironment, env));
const modelsOf = (env: Record<string, string>) => createModels(configOf(env), offline);
const openai = { OPENAI_API_KEY: 'sk-secret' };
const anthropic = { ANTHROPIC_API_KEY: 'sk-ant-secret' };
const local = { MODEL_BASE_URL: 'http://127.0.0.1:11434/v1/', MODEL_IDS: 'qwen3, org/other=The other' };

describe('the models', () => {
  test('are the offline one where nothing is configured', () => {
    const models = modelsOf({});
    expect(models.list()).toEqual([{ id: 'offline', label: 'Offline', efforts: [], isDefault: true }]);
    expect(models.defaultId).toBe('offline');
    expect(models.find('offline')?.model()).toBe(offline);
    expect(models.find('offline')?.optionsFor('high')).toEqual({});
    expect(models.find('nope')).toBeUndefined();
  });

  test('are those of every provider, and the default is the first one’s first', () => {
    const models = modelsOf({ ...anthropic, ...local, ANTHROPIC_MODELS: 'claude-sonnet-4-5=Sonnet' });
    expect(models.list()).toEqual([
      {
        id: 'anthropic/claude-sonnet-4-5',
        label: 'Sonnet',
        efforts: ['low', 'medium', 'high'],
        isDefault: true,
      },
      { id: 'local/qwen3', label: 'qwen3 (local)', efforts: ['low', 'medium', 'high'], isDefault: false },
      { id: 'local/org/other', label: 'The other', efforts: ['low', 'medium', 'high'], isDefault: false },
      { id: 'offline', label: 'Offline', efforts: [], isDefault: false },
    ]);
  });

  test('have a usual list each', () => {
    const ids = modelsOf({ ...openai, ...anthropic })
      .list()
      .map(({ id }) => id);
    expect(ids[0]).toMatch(/^openai\/gpt-/);
    expect(ids.some((id) => id.startsWith('anthropic/claude-'))).toBe(true);
    expect(ids.at(-1)).toBe('offline');
  });

  test('keep their ids where their provider is called differently', () => {
    const [first] = modelsOf({ ...local, MODEL_NAME: 'Our vLLM' }).list();
    expect(first).toMatchObject({ id: 'local/qwen3', label: 'qwen3 (Our vLLM)' });
  });

  test('may have another default, also the offline one', () => {
    expect(modelsOf({ ...local, DEFAULT_MODEL: 'local/org/other' }).defaultId).toBe('local/org/other');
    expect(modelsOf({ ...local, DEFAULT_MODEL: 'offline' }).defaultId).toBe('offline');
  });

  test('have the context and the budget they are given', () => {
    const config = configOf({ ...local, MODEL_CONTEXT_TOKENS: '32000', MONTHLY_TOKEN_BUDGET: '1000000' });
    expect(config.monthlyTokenBudget).toBe(1_000_000);
    expect(createModels(config, offline).find('local/qwen3')?.contextTokens).toBe(32_000);
    expect(configOf({})).toMatchObject({ contextTokens: 128_000, monthlyTokenBudget: undefined });
  });

  test('are asked where they are: OpenAI by responses, whoever stands in for it by chat completions', () => {
    const providerOf = (env: Record<string, string>, id: string) => modelsOf(env).find(id)?.model().provider;
    const official = { ...openai, OPENAI_MODELS: 'gpt-5.2' };
    expect(providerOf(official, 'openai/gpt-5.2')).toBe('openai.responses');
    expect(providerOf({ ...official, OPENAI_BASE_URL: 'https://gateway.example/v1' }, 'openai/gpt-5.2')).toBe(
      'openai.chat',
    );
    expect(providerOf(local, 'local/qwen3')).toBe('local.chat');
  });
});

describe('an effort', () => {
  const optionsOf = (env: Record<string, string>, id: string, effort?: 'low' | 'high') =>
    modelsOf(env).find(id)?.optionsFor(effort);

  test.each([
    ['gpt-5.2', 'high', { openai: { store: false, reasoningEffort: 'high' } }],
    ['gpt-5.2', undefined, { openai: { store: false } }],
    ['gpt-4.1', 'high', { openai: { store: false } }],
    ['gpt-5.2-pro', 'low', { openai: { store: false } }],
  ] as const)('of OpenAI’s %s, %s, is its own word for it', (name, effort, options) => {
    expect(optionsOf({ ...openai, OPENAI_MODELS: name }, `openai/${name}`, effort)).toEqual(options);
  });

  test.each([
    ['claude-sonnet-4-5', { thinking: { type: 'enabled', budgetTokens: 2_048 } }],
    ['claude-opus-4-20250514', { thinking: { type: 'enabled', budgetTokens: 2_048 } }],
    ['claude-opus-4-6', { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'low' }],
    ['claude-sonnet-5-5', { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'low' }],
  ])('of Anthropic’s %s is a budget or an effort', (name, options) => {
    const env = { ...anthropic, ANTHROPIC_MODELS: name };
    const cached = { cacheControl: { type: 'ephemeral' } };
    expect(optionsOf(env, `anthropic/${name}`, 'low')).toEqual({ anthropic: { ...cached, ...options } });
    expect(optionsOf(env, `anthropic/${name}`)).toEqual({ anthropic: cached });
  });

  test('of any other model is sent as it is', () => {
    expect(optionsOf(local, 'local/qwen3', 'high')).toEqual({ local: { reasoningEffort: 'high' } });
    expect(optionsOf(local, 'local/qwen3')).toEqual({});
  });
});

describe('the start ends, and says why without the key, where', () => {
  test.each([
    [{ MODEL_BASE_URL: 'http://127.0.0.1/v1' }, 'MODEL_BASE_URL and MODEL_IDS together'],
    [{ MODEL_IDS: 'qwen3' }, 'MODEL_BASE_URL and MODEL_IDS together'],
    [{ MODEL_API_KEY: 'secret' }, 'MODEL_BASE_URL and MODEL_IDS together'],
    [{ OPENAI_MODELS: 'gpt-5.2' }, 'need OPENAI_API_KEY'],
    [{ ANTHROPIC_BASE_URL: 'https://a.example' }, 'need ANTHROPIC_API_KEY'],
    [
      { ...local, DEFAULT_MODEL: 'qwen3' },
      'DEFAULT_MODEL is qwen3, but the models are local/qwen3, local/org/other, offline.',
    ],
    [{ ...local, MODEL_IDS: 'a, a' }, 'A model is listed twice.'],
    [{ ...local, MODEL_IDS: ' , ' }, 'List at least one model.'],
    [{ ...local, MODEL_IDS: 'a b' }, 'must not contain spaces'],
    [{ ...local, MODEL_BASE_URL: 'ftp://secret@host' }, 'must begin with http or https'],
    [{ ...local, MODEL_BASE_URL: 'https://me:secret@host' }, 'must begin with http or https'],
    [{ OPENAI_API_KEY: 'secret\nkey' }, 'OPENAI_API_KEY'],
    [{ MODEL_CONTEXT_TOKENS: '12' }, 'MODEL_CONTEXT_TOKENS'],
    [{ MONTHLY_TOKEN_BUDGET: '1.5' }, 'MONTHLY_TOKEN_BUDGET'],
  ] as [Record<string, string>, string][])('%j', (env, message) => {
    expect(() => configOf(env)).toThrow(message);
    expect(() => configOf(env)).not.toThrow('secret');
  });
});
