import { quoted } from '../../../data/outgoing/failure.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';

const longWord = /[\w*-]{20,}/g;
/** A gateway may echo a key that is not ours. */
const isKeyLike = (word: string): boolean => /^[A-Za-z]{2,8}[-_]/.test(word) && /\d/.test(word);

/**
 * The sentence in which a provider says why it refused a request, in one line without keys; undefined where
 * its answer has none in a known place (`error.message`, `message` or `detail` of its JSON).
 */
export function reasonOf(chain: readonly unknown[], redaction: Redaction): string | undefined {
  for (const error of chain) {
    const body: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'responseBody');
    const said = typeof body === 'string' ? sentenceIn(body) : undefined;
    if (said !== undefined)
      return quoted(new Error(said), redaction).replaceAll(longWord, (word) =>
        isKeyLike(word) ? '[key]' : word,
      );
  }
  return undefined;
}

function sentenceIn(body: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return undefined;
  }
  const inner: unknown = Reflect.get(Object(answer), 'error');
  const places = [
    Reflect.get(Object(inner), 'message'),
    inner,
    ...['message', 'detail'].map((key) => Reflect.get(Object(answer), key)),
  ];
  return places.find((place): place is string => typeof place === 'string' && place.trim() !== '');
}
