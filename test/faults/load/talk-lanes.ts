import type { Answer, StatementOutcome } from '../client.ts';
import { createRandom, type Random } from '../random.ts';
import { scriptedModel } from '../talk-model.ts';
import { type Data, type Post, resume, show, type Talk } from '../talks.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/**
 * After that the talkers begin another conversation: each is small enough to be shown in one answer, and is
 * compared while the run continues.
 */
const messagesEach = 36;
/** With more than that, talkers add no further one. */
const maxWaiting = 5;

/** People in one conversation at a time, each working sequentially. */
export function talkLanes(context: LoadContext, seed: number, room: number, talkers: number): Lane[] {
  let current: Promise<Talk | undefined> | undefined;
  let opened = 0;

  async function take(): Promise<Talk | undefined> {
    if (current === undefined) {
      opened += 1;
      current = open(context, `room-${room}-${opened}`);
    }
    const taken = current;
    const talk = await taken;
    if (talk !== undefined && talk.posts.length < messagesEach) return talk;
    if (current === taken) current = undefined;
    if (talk === undefined) return undefined;
    context.talks.leave(talk);
    return take();
  }

  return Array.from({ length: talkers }, (_, index) => {
    const talker = index + 1;
    const random = createRandom(seed, `talker ${room} ${talker}`);
    return {
      name: `talker ${room} ${talker}`,
      async step() {
        const act = actOf(random);
        const pauseMs = random.chance(0.4) ? random.int(20, 200) : random.int(200, 2_000);
        const talk = await take();
        if (talk === undefined) return;
        talk.busy += 1;
        try {
          if (talk.isHeld && random.chance(0.4)) await letGoOn(context, talk);
          await act({ context, talk, talker, random });
        } finally {
          talk.busy -= 1;
        }
        await pauseBetween(context, pauseMs);
      },
    };
  });
}

async function open(context: LoadContext, title: string): Promise<Talk | undefined> {
  const { client, projectId } = context;
  const path = `/v1/projects/${projectId}/conversations`;
  const settled = await client.settle({
    kind: 'conversation begin',
    method: 'POST',
    path,
    body: { title },
    idempotencyKey: title,
  });
  if (settled.outcome !== 'acknowledged') {
    expect(context, settled, `conversation ${title}`);
    return undefined;
  }
  return context.talks.open(`${path}/${settled.answer.body.data?.['id']}`);
}

interface Doing {
  context: LoadContext;
  talk: Talk;
  talker: number;
  random: Random;
}

type Act = (doing: Doing) => Promise<void>;

function actOf(random: Random): Act {
  return random.pick<Act>([
    ...Array<Act>(14).fill((doing) => say(doing, 'enqueue')),
    ...Array<Act>(2).fill((doing) => say(doing, 'interrupt')),
    (doing) => say(doing, 'reject'),
    look,
    stop,
    stop,
    edit,
    edit,
    remove,
  ]);
}

async function say({ context, talk, talker, random }: Doing, onBusy: Post['onBusy']): Promise<void> {
  const { client, journal } = context;
  const tag = `q-${talk.no}-${talker}-${talk.posts.length + 1}`;
  const post: Post = {
    tag,
    talker,
    onBusy,
    model: random.chance(0.15) ? 'offline' : scriptedModel,
    questions: [questionOf(tag, random)],
    fate: 'open',
    userMessageId: undefined,
    queuedId: undefined,
    isEdited: false,
    removal: 'none',
  };
  const isRepeated = random.chance(0.15);
  talk.posts.push(post);
  const request = {
    kind: 'message',
    method: 'POST',
    path: `${talk.path}/messages`,
    body: { message: post.questions[0], model: post.model, on_busy: onBusy },
    idempotencyKey: tag,
  } as const;
  context.moments.comes('said');
  const settled = await client.settle(request);
  if (settled.outcome === 'refused') {
    post.fate = 'refused';
    return expect(context, settled, tag, onBusy === 'reject' ? 'conversation_busy' : undefined);
  }
  if (settled.outcome !== 'acknowledged') return;
  const { userMessageId, queuedMessage } = settled.answer.body.data as Data;
  post.fate = 'acknowledged';
  post.userMessageId = userMessageId ?? undefined;
  post.queuedId = queuedMessage?.id;
  if (userMessageId === null && queuedMessage === null)
    journal.breach('unexpected', `${tag} went nowhere: ${described(settled.answer)}`);
  if (onBusy === 'interrupt' && userMessageId === null)
    journal.breach('messageOrder', `${tag} was to interrupt, and waits`);
  if (isRepeated) {
    const again = await client.settle(request);
    if (again.outcome === 'acknowledged' && described(again.answer) !== described(settled.answer))
      journal.breach(
        'altered',
        `${tag} told again: ${described(again.answer)}, first ${described(settled.answer)}`,
      );
    if (again.outcome === 'refused') expect(context, again, `${tag} told again`);
  }
  const isLong = (queuedMessage?.position ?? 0) > maxWaiting;
  if (isLong) {
    if (talk.isHeld) await letGoOn(context, talk);
    await pauseBetween(context, 4_000);
  }
}

function questionOf(tag: string, random: Random): string {
  return random.pick([
    `How many rows are there in items? (${tag})`,
    `(${tag}) What is the highest op_no of appends, and how many rows does it have?`,
    `Count the rows of items by op_no, ${tag}.`,
  ]);
}

/** A view of it in the middle, compared with its events at the end. */
async function look({ context, talk }: Doing): Promise<Data | undefined> {
  const settled = await show(context, talk);
  if (settled.outcome !== 'acknowledged') {
    expect(context, settled, talk.path);
    return undefined;
  }
  const shown = settled.answer.body.data as Data;
  talk.isHeld = shown.queueHeld;
  talk.shown.push(shown);
  return shown;
}

async function stop(doing: Doing): Promise<void> {
  const { context, talk, random } = doing;
  const waitMs = random.int(0, 600);
  const shown = await look(doing);
  const active = shown?.activeTurn?.id as string | undefined;
  if (active === undefined) return;
  await pauseBetween(context, waitMs);
  talk.stops.add(active);
  const settled = await context.client.settle({
    kind: 'stop',
    method: 'POST',
    path: `${talk.path}/messages/${active}/cancel?confirm=true`,
  });
  if (settled.outcome !== 'acknowledged') return expect(context, settled, `stop of ${active}`);
  const { status, queueHeld } = settled.answer.body.data as Data;
  talk.ends.set(active, status);
  talk.isHeld = queueHeld;
}

async function letGoOn(context: LoadContext, talk: Talk): Promise<void> {
  const settled = await resume(context, talk);
  if (settled.outcome === 'acknowledged') talk.isHeld = false;
  else expect(context, settled, `resume of ${talk.path}`);
}

/** The talker's newest message that may still wait. */
function waitingOf({ talk, talker }: Doing): Post | undefined {
  return talk.posts.findLast(
    (post) =>
      post.talker === talker && post.queuedId !== undefined && post.removal === 'none' && !post.isEdited,
  );
}

async function edit(doing: Doing): Promise<void> {
  const { context, talk, random } = doing;
  const post = waitingOf(doing);
  if (post === undefined) return say(doing, 'enqueue');
  post.isEdited = true;
  const message = questionOf(`${post.tag}-edited`, random);
  post.questions.push(message);
  const settled = await context.client.settle({
    kind: 'edit',
    method: 'PATCH',
    path: `${talk.path}/queue/${post.queuedId}`,
    body: { message, expected_revision: 1 },
    idempotencyKey: `edit-${post.tag}`,
  });
  // The refusal may be for a later attempt, after the first one succeeded.
  if (settled.outcome === 'acknowledged') post.questions = [message];
  else expect(context, settled, `edit of ${post.tag}`, 'conflict', 'revision_conflict');
}

async function remove(doing: Doing): Promise<void> {
  const { context, talk } = doing;
  const post = waitingOf(doing);
  if (post === undefined) return say(doing, 'enqueue');
  post.removal = 'asked';
  const settled = await context.client.settle({
    kind: 'removal',
    method: 'DELETE',
    path: `${talk.path}/queue/${post.queuedId}`,
  });
  if (settled.outcome === 'acknowledged') post.removal = 'acknowledged';
  // Removing a removed message is acknowledged again: a refusal means that it no longer waited, so it was not
  // removed.
  if (settled.outcome === 'refused') post.removal = 'none';
  if (settled.outcome !== 'acknowledged') expect(context, settled, `removal of ${post.tag}`, 'conflict');
}

/** A refusal must be explained by the conversation's own history. */
function expect(
  context: LoadContext,
  settled: StatementOutcome,
  what: string,
  ...allowed: (string | undefined)[]
) {
  if (settled.outcome !== 'refused' || allowed.includes(settled.answer.body.code)) return;
  context.journal.breach('unexpected', `${what}: ${described(settled.answer)}`);
}

function described({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body)}`;
}
