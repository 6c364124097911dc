import { condition, defineSignal, setHandler } from '@temporalio/workflow';

const goOn = defineSignal('go-on');

/** Without the sleeps: executions begun by the first release could not be replayed. */
export async function short(): Promise<string> {
  let isAsked = false;
  setHandler(goOn, () => {
    isAsked = true;
  });
  await condition(() => isAsked);
  return 'second';
}

export async function long(seen: string[]): Promise<string[]> {
  return [...seen, 'second'];
}
