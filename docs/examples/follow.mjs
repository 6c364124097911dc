// Asks the analyst and follows its answer across lost connections and restarts of the service.
//
//   node docs/examples/follow.mjs PROJECT_ID "How many orders are there by country?" [CONVERSATION_ID]
//
// While `npm start` runs. The answer is built from events alone: run it with a conversation's id to continue
// that conversation.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const [projectId, question, known] = process.argv.slice(2);
if (question === undefined)
  throw new Error('usage: node docs/examples/follow.mjs PROJECT_ID QUESTION [CONVERSATION_ID]');
const folder = process.env.WORKSPACE_DATA_DIR || '.data';
const { apiUrl, clientId, clientSecret } = JSON.parse(readFileSync(`${folder}/local.json`, 'utf8'));

const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret });
const granted = await fetch(`${apiUrl}/v1/auth/m2m/token`, { method: 'POST', body: form });
if (!granted.ok) throw new Error(`No token: ${granted.status} ${await granted.text()}`);
const headers = { authorization: `Bearer ${(await granted.json()).access_token}` };

/** The key makes a repeated request the same request. */
async function post(path, body) {
  const key = crypto.randomUUID();
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 10_000)) {
    const answer = await fetch(`${apiUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (answer?.ok) return (await answer.json()).data;
    const said = (await answer?.text().catch(() => undefined)) ?? '';
    const isLater = answer === undefined || answer.status >= 500 || answer.status === 429;
    // The first attempt is still under way; any other conflict stays one.
    if (!isLater && !said.includes('"idempotency_in_flight"'))
      throw new Error(`${path}: ${answer.status} ${said}`);
    await setTimeout(waitMs);
  }
}

/** Every event after a number, exactly once and in order, however often the connection is lost. */
async function* events(path, after) {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      const answer = await fetch(`${apiUrl}${path}?after=${after}`, { headers });
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429)
        throw Object.assign(new Error(`${answer.status} ${await answer.text()}`), { isFinal: true });
      let rest = '';
      for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const field = (name) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
          if (field('event') === undefined) continue; // A comment, sent as a keep-alive.
          after = Number(field('id'));
          waitMs = 100;
          yield { event: field('event'), data: JSON.parse(field('data')) };
        }
      }
    } catch (error) {
      if (error.isFinal) throw error;
    }
    await setTimeout(waitMs);
  }
}

const chats = `/v1/projects/${projectId}/conversations`;
const chat = known ?? (await post(chats, {})).id;
console.error(`conversation ${chat}`);
const asked = await post(`${chats}/${chat}/messages`, { message: question });
let mine = asked.messageId;
for await (const { event, data } of events(`${chats}/${chat}/events`, asked.lastEventId)) {
  // The message was queued, and its turn has begun.
  if (event === 'queue.changed' && data.queuedMessage?.id === asked.queuedMessage?.id)
    mine = data.queuedMessage?.messageId || mine;
  if (data.messageId !== mine) continue;
  if (event === 'text.delta') process.stdout.write(data.text);
  if (event === 'part.retracted') process.stdout.write('\n(a step is tried again)\n');
  if (event === 'tool.finished') console.error(`[${data.part.name}: ${data.part.summary}]`);
  if (event === 'chart.created') console.error(`[chart: ${chats}/${chat}/charts/${data.part.chartId}]`);
  if (event === 'turn.finished') {
    console.log();
    if (data.status !== 'complete') console.error(data.error?.message ?? data.status);
    break;
  }
}
