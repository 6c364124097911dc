import { isDeepStrictEqual } from 'node:util';
import { applied, type SeenEvent } from '../support/conversation-events.ts';
import type { Journal } from './journal.ts';
import { scriptedModel, tagOf, tokensEach, wholeReply } from './talk-model.ts';
import type { Data, Post, Shown, Talk } from './talks.ts';

/**
 * Why a reply may fail while parts of the stack are killed: a step did not reach a store, or took too long.
 */
const explained = [
  'model_unavailable',
  'storage_unavailable',
  'internal_error',
  'turn_timeout',
  'overloaded',
];

type ComparedTalk = Pick<Talk, 'path' | 'posts' | 'stops' | 'ends' | 'shown'> & {
  follower: { events: readonly SeenEvent[] };
};

/** Compares an idle conversation with what its talkers were told, and with its events. */
export function compareTalk(journal: Journal, talk: ComparedTalk, shown: Shown): void {
  const { messages } = shown;
  const { posts } = talk;
  const asked = messages.filter(({ role }: Data) => role === 'user');
  comparePosts(journal, talk, asked);
  compareOrder(journal, talk, asked);
  for (const [index, message] of messages.entries()) {
    const isReply = index % 2 === 1;
    if ((message.role === 'assistant') !== isReply)
      journal.breach('messageDoubled', `${talk.path}: ${message.id} is ${message.role} at ${index}`);
    const post = posts.find(({ tag }) => tag === plainTag(messages[index - 1]?.content ?? ''));
    if (isReply && post !== undefined)
      compareReply(journal, talk, { message, question: messages[index - 1].content, post });
    if (message.status === 'cancelled') compareStop(journal, talk, message, messages[index + 1]);
  }
  if (messages.length % 2 === 1) journal.breach('messageLost', `${talk.path}: the last has no reply`);
  compareEvents(journal, talk, shown);
  for (const post of posts)
    if (post.fate === 'open') journal.breach('unresolved', `message ${post.tag} in ${talk.path}`);
}

const plainTag = (text: string) => tagOf(text)?.replace('-edited', '');

function comparePosts(journal: Journal, talk: ComparedTalk, asked: readonly Data[]): void {
  const { posts, path } = talk;
  for (const post of posts) {
    const found = asked.filter(({ content }) => plainTag(content) === post.tag);
    const label = `${post.tag} in ${path}`;
    const mustBe = post.fate === 'acknowledged' && post.removal !== 'acknowledged';
    const mayBe = mustBe || post.fate === 'open';
    if (post.removal !== 'acknowledged') journal.count('messages', `${post.fate} ${post.onBusy}`);
    else journal.count('messages', 'removed');
    if (mustBe && post.removal === 'none' && found.length === 0) journal.breach('messageLost', label);
    if (found.length > 1) journal.breach('messageDoubled', label);
    if (!mayBe && found.length > 0)
      journal.breach('messageUnaccounted', `${label}: ${post.fate}, removal ${post.removal}`);
    if (found.length === 0) continue;
    if (!post.questions.includes(found[0].content))
      journal.breach('altered', `${label}: ${found[0].content}, sent ${JSON.stringify(post.questions)}`);
    if (post.userMessageId !== undefined && post.userMessageId !== found[0].id)
      journal.breach('messageDoubled', `${label}: is ${found[0].id}, answered as ${post.userMessageId}`);
  }
  const tags = new Set(posts.map(({ tag }) => tag));
  for (const { id, content } of asked)
    if (!tags.has(plainTag(content) ?? ''))
      journal.breach('messageUnaccounted', `${id} in ${path}: ${content}`);
}

/** A talker's plain messages in the order in which they were sent; of all that were waiting, oldest first. */
function compareOrder(
  journal: Journal,
  { posts, path, follower }: ComparedTalk,
  asked: readonly Data[],
): void {
  for (const talker of new Set(posts.map((post) => post.talker))) {
    const sent = posts.filter((post) => post.talker === talker && post.onBusy !== 'interrupt');
    const places = sent
      .map(({ tag }) => asked.findIndex(({ content }) => plainTag(content) === tag))
      .filter((place) => place >= 0);
    if (places.some((place, index) => place < (places[index - 1] ?? -1)))
      journal.breach('messageOrder', `${path}: talker ${talker} at ${places}`);
  }
  const states = follower.events.flatMap(({ event, data }) =>
    event === 'queue.changed' && data.queuedMessage !== null ? [data.queuedMessage] : [],
  );
  const dispatched = states.filter(({ state }) => state === 'dispatched').map(({ id }) => id);
  const entered = [...new Set(states.map(({ id }) => id))].filter((id) => dispatched.includes(id));
  if (!isDeepStrictEqual(entered, dispatched))
    journal.breach('messageOrder', `${path}: queued ${entered}, dispatched ${dispatched}`);
}

interface Answered {
  message: Data;
  question: string;
  post: Post;
}

function compareReply(journal: Journal, talk: ComparedTalk, { message, question, post }: Answered): void {
  const { status, content, error, parts, usage, id } = message;
  const model = post.model === scriptedModel ? 'scripted' : post.model;
  const why = error === null ? '' : ` (${error.code})`;
  journal.count('replies', `${model} ${status}${why}`);
  const label = `${id} to ${post.tag} in ${talk.path}, ${status}${why}`;
  const calls = parts.filter(({ type }: Data) => type === 'tool_call');
  for (const call of calls) {
    const code = call.status === 'failed' ? ` (${String(call.summary).split(':')[0]})` : '';
    journal.count('tools', `${call.status}${code}`);
    if (call.status === 'running') journal.breach('turnStuck', `${label}: ${JSON.stringify(call)}`);
  }
  const stopAnswer = talk.ends.get(id);
  if (stopAnswer !== undefined && stopAnswer.replace('already_', '') !== status)
    journal.breach('turnEnd', `${label}: a Stop was told ${stopAnswer}`);
  if (status === 'error' && !explained.includes(error?.code))
    journal.breach('turnEnd', `${label}: ${error?.message}`);
  if (status !== 'complete' && status !== 'error' && status !== 'cancelled')
    journal.breach('turnStuck', label);
  if (model !== 'scripted') {
    if (status === 'complete' && content === '') journal.breach('answer', `${label}: it is empty`);
    return;
  }
  const whole = wholeReply(question);
  if (status !== 'complete') {
    if (!whole.content.startsWith(content))
      journal.breach('answer', `${label}: ${content}\n  is no beginning of ${whole.content}`);
    return;
  }
  if (content !== whole.content) journal.breach('answer', `${label}: ${content}\n  and not ${whole.content}`);
  if (calls.length !== whole.calls)
    journal.breach('answer', `${label}: ${calls.length} calls of tools, and not ${whole.calls}`);
  if (usage?.inputTokens !== whole.steps * tokensEach || usage?.outputTokens !== whole.steps * tokensEach)
    journal.breach('answer', `${label}: ${JSON.stringify(usage)} for ${whole.steps} steps`);
}

/** A reply is ended by a Stop, or interrupted by the message after it. */
function compareStop(journal: Journal, talk: ComparedTalk, reply: Data, next: Data | undefined): void {
  const following = talk.posts.find(({ tag }) => tag === plainTag(next?.content ?? ''));
  if (!talk.stops.has(reply.id) && following?.onBusy !== 'interrupt')
    journal.breach('turnEnd', `${reply.id} in ${talk.path} was cancelled by nobody`);
}

/** Applying the events up to a moment gives what was shown at that moment. */
function compareEvents(journal: Journal, { path, follower, shown }: ComparedTalk, atEnd: Shown): void {
  for (const { event } of follower.events) journal.count('events', event);
  for (const { messages, queuedTurns, queueHeld, lastEventId } of [...shown, atEnd]) {
    const held = plain(applied(follower.events.filter(({ id }) => id <= lastEventId)));
    const wanted = plain({ messages, queuedTurns, queueHeld });
    journal.count('conversations', 'moments held against their events');
    if (isDeepStrictEqual(held, wanted)) continue;
    journal.breach('applied', `${path} at ${lastEventId}: ${difference(held, wanted)}`);
  }
}

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function difference(held: Omit<Shown, 'lastEventId'>, wanted: Omit<Shown, 'lastEventId'>): string {
  for (const key of ['messages', 'queuedTurns'] as const) {
    for (let index = 0; index < Math.max(held[key].length, wanted[key].length); index += 1) {
      const [one, other] = [held[key][index], wanted[key][index]];
      if (!isDeepStrictEqual(one, other))
        return `${key} ${index}: ${JSON.stringify(one)}\n  and shown ${JSON.stringify(other)}`;
    }
  }
  return `held ${held.queueHeld}, and shown ${wanted.queueHeld}`;
}
