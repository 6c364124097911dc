import { tryLock } from './lock.ts';
import { choosePorts, firstFreePort, isPortFree } from './ports.ts';

/**
 * The API's port: if requested explicitly, that one or an error; otherwise the default or the next free one.
 * A port other than the default is held by name until this process ends, so that two concurrent starts do not
 * choose the same.
 */
export async function chooseApiPort(asked: { wanted: number; isExplicit: boolean }): Promise<number> {
  const { wanted, isExplicit } = asked;
  if (wanted === 0) return (await choosePorts(['api'], {}, isPortFree)).api;
  if (!isExplicit) return firstFreePort(wanted, async (port) => (await isPortFree(port)) && isOurs(port));
  if (await isPortFree(wanted)) return wanted;
  throw new Error(`Port ${wanted} is taken. Set PORT to a free one, or to 0 for any.`);
}

async function isOurs(port: number): Promise<boolean> {
  return (await tryLock(`api port ${port}`)) !== undefined;
}
