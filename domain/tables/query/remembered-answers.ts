import type { QueryAnswer } from './request.ts';

/** Answers of statements, by all that they depend on. */
export interface RememberedAnswers {
  find(organizationId: string, key: string): QueryAnswer | undefined;
  keep(organizationId: string, key: string, answer: QueryAnswer): void;
}

/** Characters of all answers, of those of one organization while others want room too, and of one. */
const mostCharacters = 64 * 1_048_576;
const mostCharactersOfOne = 1_048_576;

interface KnownAnswers {
  /** Least recently used first. */
  answers: Map<string, { answer: QueryAnswer; characters: number }>;
  characters: number;
}

/**
 * Remembers answers within bounds. Where there are too many, the organization that has most loses those that
 * it used least recently.
 */
export function rememberAnswers(): RememberedAnswers {
  const known = new Map<string, KnownAnswers>();
  let characters = 0;

  function forgetOldest(organizationId: string, kept: KnownAnswers): void {
    const [key, oldest] = kept.answers.entries().next().value ?? [];
    if (key === undefined || oldest === undefined) return;
    kept.answers.delete(key);
    kept.characters -= oldest.characters;
    characters -= oldest.characters;
    if (kept.answers.size === 0) known.delete(organizationId);
  }

  return {
    find(organizationId, key) {
      const kept = known.get(organizationId)?.answers;
      const found = kept?.get(key);
      if (kept === undefined || found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.answer;
    },
    keep(organizationId, key, answer) {
      const size = charactersOf(key, answer);
      if (size > mostCharactersOfOne) return;
      const kept = known.get(organizationId) ?? { answers: new Map(), characters: 0 };
      known.set(organizationId, kept);
      const before = kept.answers.get(key)?.characters ?? 0;
      kept.answers.delete(key);
      kept.answers.set(key, { answer, characters: size });
      kept.characters += size - before;
      characters += size - before;
      while (characters > mostCharacters) {
        const [largest] = [...known].toSorted(([, one], [, other]) => other.characters - one.characters);
        forgetOldest(...largest!);
      }
    },
  };
}

const charactersOf = (key: string, { rowsJson = '', rowsWithColumnOrderJson = '', columns }: QueryAnswer) =>
  key.length + rowsJson.length + rowsWithColumnOrderJson.length + 100 * columns.length + 500;

/** Functions that may give something else each time, and words that stand for them. */
const volatile =
  /\b(now|today|uuid\w*|gen_random_uuid|random|setseed|current_\w+|local(time|timestamp)|get_current_\w+|transaction_timestamp|txid_current|age|ago|error|stats|nextval|currval|(table)?sample|explain)\b/i;

/**
 * Whether the same texts over the same tables give the same answer. A word may mean something else, so a few
 * answers are not remembered for nothing.
 */
export const isRepeatable = (texts: readonly string[]): boolean =>
  texts.every((text) => !volatile.test(text));
