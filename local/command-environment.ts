import { dataDirOf } from './config.ts';
import { hostEnvironment } from './host-environment.ts';
import { readLocalState, stackLock } from './local-state.ts';
import { ownerOf } from './lock.ts';

/** For an operator's command: the own environment, or without DATABASE_URL that of the running stack. */
export async function commandEnvironment(): Promise<NodeJS.ProcessEnv> {
  return hostEnvironment()['DATABASE_URL'] === undefined ? environmentOfStack() : hostEnvironment();
}

async function environmentOfStack(): Promise<NodeJS.ProcessEnv> {
  const dataDir = dataDirOf(hostEnvironment());
  const state = readLocalState(dataDir);
  // A stack that was killed leaves its file behind, but not its lock.
  if (state === undefined || (await ownerOf(stackLock(dataDir))) === undefined) {
    throw new Error(
      `No stack is running on ${dataDir}. Run npm start, set WORKSPACE_DATA_DIR to the directory of a running stack, or set DATABASE_URL.`,
    );
  }
  return { ...hostEnvironment(), ...state.environment };
}
