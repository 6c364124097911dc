import {
  isCommitted,
  newAttemptUrl,
  removeBelow,
  type StagedWork,
  writeManifest,
} from '../staging/staging.ts';
import { type GateDeps, type Gated, refuseUnverified } from './gate.ts';

interface Written<Staged> {
  staged: Staged;
  /** What is tested before anybody sees it; undefined if there is nothing to commit yet. */
  gated: Gated | undefined;
}

/**
 * Has new content written to a folder of this attempt, since a lingering one must not touch what another has
 * staged or committed. What passes its tests is noted in the manifest. Undefined if the lake already has the
 * commit, because the process was lost before it recorded that: then nothing is written.
 */
export async function stageOnce<Staged extends object>(
  deps: GateDeps,
  work: StagedWork,
  write: (prefixUrl: string) => Promise<Written<Staged>>,
  signal: AbortSignal,
): Promise<Staged | undefined> {
  if (await isCommitted(deps, work)) return undefined;
  const prefixUrl = await newAttemptUrl(deps, work);
  const { staged, gated } = await write(prefixUrl).catch(async (error: unknown) => {
    await removeBelow(deps, prefixUrl).catch(() => undefined);
    throw error;
  });
  if (gated === undefined) return staged;
  await refuseUnverified(deps, gated, signal);
  await writeManifest(deps, work, staged);
  return staged;
}
