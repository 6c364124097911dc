/**
 * glibc allocator settings for processes that occasionally hold tens of megabytes: few arenas, and large
 * blocks are returned to the system when freed instead of being kept for the process's lifetime. Other
 * systems ignore them.
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '16777216',
} as const;
