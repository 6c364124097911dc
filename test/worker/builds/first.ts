import { condition, defineSignal, setHandler, sleep } from '@temporalio/workflow';
import { continueOnNewest, isOutdated } from '../../../workflows/history.ts';

const goOn = defineSignal('go-on');

/** Ends on the release that began it. */
export async function short(): Promise<string> {
  let isAsked = false;
  setHandler(goOn, () => {
    isAsked = true;
  });
  await sleep('10 milliseconds');
  await condition(() => isAsked);
  await sleep('10 milliseconds');
  return 'first';
}

/** Never ends, and reports the releases that it ran on. */
export async function long(seen: string[]): Promise<string[]> {
  let asked = 0;
  setHandler(goOn, () => {
    asked += 1;
  });
  for (let looks = 1; ; looks += 1) {
    await sleep('10 milliseconds');
    await condition(() => asked >= looks);
    if (isOutdated()) return continueOnNewest<typeof long>([...seen, 'first']);
  }
}
