import { fileURLToPath } from 'node:url';

/** Names the folder of the zone rules that ICU reads instead of its own, in Node and in the engine. */
export const zoneRulesVariable = 'ICU_TIMEZONE_FILES_DIR';

/** What each process of the service finds in its environment when it starts; later would be too late. */
export const processEnvironment = {
  // glibc's allocator, for processes that occasionally hold tens of megabytes: few arenas, and large blocks
  // are returned to the system when freed instead of being kept for the process's lifetime. Other systems
  // ignore them.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '16777216',
  [zoneRulesVariable]:
    process.env[zoneRulesVariable] ?? fileURLToPath(new URL('zone-rules', import.meta.url)),
};
