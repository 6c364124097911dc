import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium } from '../support/chromium.ts';
import { eventually, expectEventually } from '../support/eventually.ts';
import { somethingOfEach } from './everything.ts';
import { type Part, parts } from './fetching-parts.ts';
import { useConsole } from './opened.ts';

const nameOf = ({ asks, at, having = '' }: Part) => `${asks} ${having} at ${at}`;
/** Segments of an address that are other in each: `{id}`, `$id` and `${id}`. */
const anySegment = /\$?\{[^}]*\}|\$\w+/g;
export const asPattern = (path: string) => new RegExp(`^${path.replaceAll(anySegment, '[^/]+')}$`);

/** `POST /v1/a/{id}` as what its addresses are, without their queries. */
export function requestOf(asks: string) {
  const [, method = 'GET', path = ''] = /^(?:(\w+) )?(.*)$/.exec(asks)!;
  const address = asPattern(path);
  return {
    method,
    path,
    matches: (request: Request) =>
      request.method() === method && address.test(new URL(request.url()).pathname),
  };
}

type State = 'held' | 'failed' | 'none' | 'full';
const fault = 'Broken for a test.';
/** A button may be gone that was there. */
const pressMs = 1_000;
const failure = {
  status: 500,
  // The client would try again for some seconds.
  headers: { 'retry-after': '60' },
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/problems/internal',
    title: 'Internal',
    status: 500,
    code: 'internal',
    detail: fault,
  }),
};

/** What the service answers to a part, as a test has it. */
async function answering(page: Page, part: Part) {
  let state: State = 'held';
  let held: { request: Request; go: () => void }[] = [];
  const { matches } = requestOf(part.asks);
  for (const [asks, answer] of Object.entries(part.beside ?? {})) {
    const request = requestOf(asks);
    await page.route('**/v1/**', (route) =>
      request.matches(route.request()) ? route.fulfill({ json: answer }) : route.fallback(),
    );
  }
  await page.route('**/v1/**', async (route) => {
    const request = route.request();
    if (!matches(request) || !request.url().includes(part.having ?? '')) return route.fallback();
    if (state === 'held') await new Promise<void>((go) => held.push({ request, go }));
    if (state === 'failed') return route.fulfill(failure);
    if (state === 'none') return route.fulfill({ json: part.none![0] });
    return part.given === undefined ? route.continue() : route.fulfill({ json: part.given });
  });
  return {
    held: () => held.map(({ request }) => request),
    become(next: State) {
      state = next;
      for (const { go } of held) go();
      held = [];
    },
  };
}

/** The requests of a page that are under way, but for streams. */
function underWay(page: Page): ReadonlySet<Request> {
  const found = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().includes('/events')) found.add(request);
  });
  page.on('requestfinished', (request) => found.delete(request));
  page.on('requestfailed', (request) => found.delete(request));
  return found;
}

/** Looks at each so many of the parts. */
export function seeParts(each: number): void {
  describeInChromium('what a part of the console shows', () => {
    const { opened, table, lab } = useConsole();

    async function seeAll(page: Page, asked: ReadonlySet<Request>, part: Part, at: string) {
      const loading = page.getByText('Loading …', { exact: true }).filter({ visible: true });
      const alert = page.getByRole('alert').filter({ hasText: fault });
      const full = typeof part.full === 'string' ? page.getByText(part.full).first() : part.full(page);
      const none = page.getByText(part.none?.[1] ?? fault);
      const look = async () => {
        await page.goto(at);
        for (const title of part.open ?? [])
          await page
            .getByRole('tab', { name: title, exact: true })
            .or(page.locator('summary').filter({ hasText: title }))
            .or(page.getByRole('button', { name: title, exact: true }))
            .first()
            .click();
        await part.doing?.(page);
      };
      const service = await answering(page, part);
      await look();
      // Other parts load no more.
      await expectEventually(() => {
        const held = service.held();
        return held.length > 0 && [...asked].every((request) => held.includes(request));
      }).toBe(true);
      if (part.isQuiet !== true) await loading.first().waitFor();
      expect(await alert.count(), 'fails while it loads').toBe(0);
      if (part.none !== undefined) expect(await none.count(), 'has none while it loads').toBe(0);
      service.become('failed');
      await alert.first().waitFor();
      service.become(part.none === undefined ? 'full' : 'none');
      // What looks again by itself may fail once more meanwhile.
      await eventually(
        async () => {
          const again = alert.first().getByRole('button', { name: 'Try again' });
          if ((await alert.count()) > 0) await again.click({ timeout: pressMs }).catch(() => undefined);
          return [await alert.count(), await (part.none === undefined ? full : none).count()] as const;
        },
        ([failed, there]) => failed === 0 && there > 0,
      );
      if (part.none === undefined) return;
      const said = await none.count();
      service.become('full');
      await look();
      await full.waitFor({ state: 'attached' });
      if (part.full !== part.none[1]) expect(await none.count(), 'has none').toBeLessThan(said);
    }

    test('while it loads, where there is nothing, when it failed, and what there is', async () => {
      let tableId = '';
      const { page, client } = await opened(async (client) => {
        tableId = await table(client, 'orders', [{ city: 'Porto', amount: 1 }]);
      });
      const { accessToken } = await page.evaluate(
        () => JSON.parse(sessionStorage.getItem('login')!) as { accessToken: string },
      );
      const made = await somethingOfEach(
        client,
        (method, url, options) =>
          lab.workspace.call(method, url, {
            ...options,
            headers: { authorization: `Bearer ${accessToken}` },
          }),
        tableId,
      );
      const faults: string[] = [];
      const left = parts.filter((_, index) => index % each === 0);
      const go = async () => {
        const own = await page.context().newPage();
        const asked = underWay(own);
        own.on('pageerror', (error) => faults.push(error.message));
        for (let part = left.shift(); part !== undefined; part = left.shift()) {
          const at = part.at.replaceAll(/\{(\w+)\}/g, (_, name: string) => made[name]!);
          const name = nameOf(part);
          await seeAll(own, asked, part, at).catch((cause) => {
            throw new Error(name, { cause });
          });
          await own.unrouteAll({ behavior: 'ignoreErrors' });
        }
      };
      await Promise.all([go(), go(), go()]);
      expect(faults).toEqual([]);
    });
  });
}
