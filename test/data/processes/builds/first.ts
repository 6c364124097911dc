import { condition, defineSignal, setHandler, sleep } from '@temporalio/workflow';

/** A release of a process: waits for a signal to continue, and sleeps once before that. */
export async function tableImport(): Promise<string> {
  let isAsked = false;
  setHandler(defineSignal('go-on'), () => {
    isAsked = true;
  });
  await sleep('10 milliseconds');
  await condition(() => isAsked);
  return 'first';
}
