import type { ObjectStoreSettings } from '../../../objects/settings.ts';
import type { LakeLocation } from '../../location.ts';
import type { SentError } from '../../sent-error.ts';
import type { SqlValue } from '../contract.ts';
import type { ExtensionSource } from '../extensions.ts';

/**
 * The settings sent once to an engine process. Secrets are passed only here, never in its environment or
 * arguments.
 */
export interface EngineProcessSettings extends ExtensionSource {
  objectStore: ObjectStoreSettings;
  /** This process's own folder, for spill files and whatever a job needs. */
  workDir: string;
  memoryLimitBytes: number;
  threads: number;
  /** Most characters of one result of `readTexts`; 64 Mi if left out. */
  maxTextsCharacters?: number;
}

/** One call. Calls run sequentially. */
export type Call =
  | { do: 'open'; location: LakeLocation | undefined }
  | { do: 'run' | 'read' | 'readTexts'; sql: string; values: readonly SqlValue[] }
  | { do: 'perform'; name: string; input: unknown }
  /** `isClean`: the connection may be reused. */
  | { do: 'close'; isClean: boolean };

export type ToEngineProcess =
  | { kind: 'configure'; settings: EngineProcessSettings }
  | { kind: 'call'; callId: number; call: Call }
  | { kind: 'interrupt'; callId: number };

export type FromEngineProcess =
  /** With the extensions that it has loaded from files of the configured folder. */
  | { kind: 'ready'; extensionsFromFiles: readonly string[] }
  | { kind: 'progress'; callId: number; progress: unknown }
  /** `isSpent`: the process should not be given more work. */
  | { kind: 'done'; callId: number; value: unknown; isSpent: boolean }
  | { kind: 'failed'; callId: number; error: SentError; isSpent: boolean };
